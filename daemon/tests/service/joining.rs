//! The same id again.

use std::time::Duration;

use cuzk_daemon::client::ClientError;
use cuzk_daemon::jobs::Policy;
use cuzk_daemon::proto::await_proof_response::Status;
use tonic::Code;

use super::common::{BAD, Setup, World, square, verify};

#[tokio::test]
async fn the_same_id_joins_and_is_proven_once() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    let first = client
        .submit(square("porep-1-2", 3))
        .await
        .expect("is taken");
    let mut again = square("porep-1-2", 3);
    again.priority = 4;
    let second = world.client().await.submit(again).await.expect("joins");
    assert_eq!(first.job_id, second.job_id);
    let waits = tokio::spawn({
        let mut client = world.client().await;
        async move { client.prove(square("porep-1-2", 3)).await }
    });
    world.until_proving().await;
    world.prover.let_go();
    let joined = waits.await.expect("no panic").expect("an answer");
    verify(&joined, 3);
    // The client comes back after all is over, and the proof is still there.
    let kept = client
        .prove(square("porep-1-2", 3))
        .await
        .expect("an answer");
    assert_eq!(kept.proof, joined.proof);
    let awaited = client
        .wait("porep-1-2".to_owned(), None)
        .await
        .expect("an answer");
    assert_eq!(awaited.proof, joined.proof);
    assert_eq!(world.engine.metrics().submitted, 1);
}

#[tokio::test]
async fn another_request_never_gets_the_proof_of_the_first() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    client.submit(square("a", 3)).await.expect("is taken");
    match client
        .submit(square("a", 4))
        .await
        .expect_err("another request")
    {
        ClientError::Call(status) => {
            assert_eq!(status.code(), Code::AlreadyExists);
            assert!(status.message().contains("request_id"), "{status}");
        }
        other => panic!("{other}"),
    }
    world.prover.let_go();
    verify(
        &client.wait("a".to_owned(), None).await.expect("an answer"),
        3,
    );
    verify(&client.prove(square("a", 4)).await.expect("an answer"), 4);
    verify(
        &client.wait("a".to_owned(), None).await.expect("an answer"),
        4,
    );
}

#[tokio::test]
async fn a_failed_id_is_free() {
    let world = World::quick().await;
    let mut client = world.client().await;
    for _ in 0..2 {
        let result = client.prove(square("a", BAD)).await.expect("an answer");
        assert_eq!(result.status(), Status::Failed);
    }
    assert_eq!(world.engine.metrics().failed, 2);
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
}

#[tokio::test]
async fn results_are_kept_for_as_long_as_it_was_said() {
    let policy = Policy {
        keep: Duration::from_millis(100),
        ..Policy::default()
    };
    let world = World::new(Setup {
        policy,
        ..Setup::default()
    })
    .await;
    world.prover.let_go();
    let mut client = world.client().await;
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let result = client.wait("a".to_owned(), None).await.expect("an answer");
    assert_eq!(result.status(), Status::Unknown);
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
    assert_eq!(world.engine.metrics().submitted, 2);
}

#[tokio::test]
async fn of_too_many_results_the_oldest_go() {
    let policy = Policy {
        results: 2,
        ..Policy::default()
    };
    let world = World::new(Setup {
        policy,
        ..Setup::default()
    })
    .await;
    world.prover.let_go();
    let mut client = world.client().await;
    for id in ["a", "b", "c"] {
        client.prove(square(id, 3)).await.expect("an answer");
    }
    let mut of = async |id: &str| {
        let result = client.wait(id.to_owned(), None).await.expect("an answer");
        result.status()
    };
    while of("a").await != Status::Unknown {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(of("b").await, Status::Completed);
    assert_eq!(of("c").await, Status::Completed);
}
