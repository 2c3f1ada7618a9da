//! Clients that go away.

use std::time::Duration;

use cuzk_daemon::jobs::Policy;
use cuzk_daemon::proto::await_proof_response::Status;
use tokio::task::JoinHandle;

use super::common::{Setup, World, square, verify};

const GRACE: Duration = Duration::from_millis(300);

async fn world() -> World {
    let policy = Policy {
        abandoned: GRACE,
        ..Policy::default()
    };
    let setup = Setup {
        policy,
        ..Setup::default()
    };
    World::new(setup).await
}

/// A client that waits for a proof of this id.
async fn waiting(world: &World, id: &'static str) -> JoinHandle<()> {
    let mut client = world.client().await;
    tokio::spawn(async move { drop(client.prove(square(id, 3)).await) })
}

async fn leave(client: JoinHandle<()>) {
    client.abort();
    assert!(client.await.expect_err("it was waiting").is_cancelled());
}

/// The engine has one job with the prover, one that was synthesised ahead, and the others wait.
async fn busy(world: &World) {
    let mut client = world.client().await;
    for id in ["busy", "ahead", "next"] {
        client.submit(square(id, 1)).await.expect("is taken");
    }
    world.until_proving().await;
}

#[tokio::test]
async fn a_job_that_waits_is_dropped_once_its_client_is_gone() {
    let world = world().await;
    busy(&world).await;
    let client = waiting(&world, "a").await;
    let there = |id: &str| world.engine.job(&id.into()).is_some();
    while !there("a") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Let it be looked at, which counts as running.
    tokio::time::sleep(Duration::from_millis(100)).await;
    leave(client).await;
    assert!(there("a"), "it has its grace");
    while there("a") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut client = world.client().await;
    let result = client.wait("a".to_owned(), None).await.expect("an answer");
    assert_eq!(result.status(), Status::Cancelled);
    world.prover.let_go();
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
}

#[tokio::test]
async fn a_job_that_runs_goes_on_and_is_kept() {
    let world = world().await;
    let client = waiting(&world, "a").await;
    world.until_proving().await;
    leave(client).await;
    tokio::time::sleep(GRACE * 3).await;
    assert!(world.engine.job(&"a".into()).is_some(), "it goes on");
    world.prover.let_go();
    let mut client = world.client().await;
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
    assert_eq!(world.engine.metrics().submitted, 1);
}

#[tokio::test]
async fn who_comes_back_in_time_or_never_waited_finds_the_job() {
    let world = world().await;
    busy(&world).await;
    let client = waiting(&world, "a").await;
    while world.engine.job(&"a".into()).is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    leave(client).await;
    let back = waiting(&world, "a").await;
    let mut submits = world.client().await;
    submits.submit(square("b", 4)).await.expect("is taken");
    drop(submits);
    tokio::time::sleep(GRACE * 3).await;
    for id in ["a", "b"] {
        assert!(world.engine.job(&id.into()).is_some(), "{id}");
    }
    world.prover.let_go();
    back.await.expect("no panic");
    let mut client = world.client().await;
    verify(
        &client.wait("a".to_owned(), None).await.expect("an answer"),
        3,
    );
    verify(
        &client.wait("b".to_owned(), None).await.expect("an answer"),
        4,
    );
}
