//! The end of a daemon.

use std::time::Duration;

use cuzk_daemon::client::{Client, ClientError};
use cuzk_daemon::listen::{Address, Listener};
use cuzk_daemon::proto::AwaitProofResponse;
use cuzk_daemon::proto::await_proof_response::Status;
use cuzk_daemon::server::Outcome;
use tokio::task::JoinHandle;
use tonic::Code;

use super::common::{Setup, World, square, verify};

async fn prove(world: &World, id: &'static str) -> JoinHandle<AwaitProofResponse> {
    let mut client = world.client().await;
    let call = tokio::spawn(async move { client.prove(square(id, 3)).await.expect("an answer") });
    while world.engine.job(&id.into()).is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    call
}

/// Waits until it takes no more jobs.
async fn until_closed(client: &mut Client) {
    loop {
        match client.submit(square("", 1)).await {
            Ok(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(ClientError::Call(status)) => {
                assert_eq!(status.code(), Code::Unavailable);
                assert!(status.message().contains("shut down"), "{status}");
                return;
            }
            Err(other) => panic!("{other}"),
        }
    }
}

fn path(world: &World) -> &std::path::Path {
    match &world.address {
        Address::Unix(path) => path,
        Address::Tcp(host) => panic!("{host}"),
    }
}

#[tokio::test]
async fn told_once_it_proves_what_it_has() {
    let mut world = World::new(Setup::default()).await;
    let jobs = [prove(&world, "a").await, prove(&world, "b").await];
    world.until_proving().await;
    assert!(
        Listener::bind(&world.address, false).await.is_err(),
        "nobody takes a live socket over"
    );
    world.stop();
    let mut client = world.client().await;
    until_closed(&mut client).await;
    let status = client
        .status()
        .await
        .expect("calls are answered as long as jobs are left");
    assert!(
        status
            .queues
            .iter()
            .map(|queue| queue.pending + queue.in_progress)
            .sum::<u32>()
            >= 2
    );
    let joined = prove(&world, "a").await;
    world.prover.let_go();
    for job in jobs {
        verify(&job.await.expect("no panic"), 3);
    }
    verify(&joined.await.expect("no panic"), 3);
    assert_eq!(world.ended().await, Outcome::Drained);
    assert!(!path(&world).exists());
    assert_eq!(Outcome::Drained.exit_code(), 0);
}

#[tokio::test]
async fn without_jobs_it_ends_at_once() {
    let mut world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    client.status().await.expect("an answer");
    world.stop();
    assert_eq!(world.ended().await, Outcome::Drained);
    assert!(client.status().await.is_err());
}

#[tokio::test]
async fn when_its_grace_is_over_those_who_wait_are_told() {
    let mut world = World::new(Setup {
        grace: Duration::from_millis(100),
        ..Setup::default()
    })
    .await;
    let job = prove(&world, "a").await;
    world.until_proving().await;
    world.stop();
    let result = job.await.expect("no panic");
    assert_eq!(result.status(), Status::Failed);
    assert!(
        result.error_message.contains("submit it again"),
        "{result:?}"
    );
    assert_eq!(world.ended().await, Outcome::OutOfGrace);
    assert!(!path(&world).exists());
}

#[tokio::test]
async fn told_twice_it_ends_at_once() {
    let mut world = World::new(Setup::default()).await;
    let job = prove(&world, "a").await;
    world.until_proving().await;
    world.stop();
    until_closed(&mut world.client().await).await;
    world.stop();
    assert_eq!(world.ended().await, Outcome::Interrupted);
    let result = job.await.expect("no panic");
    assert_eq!(result.status(), Status::Failed);
    let codes = [Outcome::OutOfGrace, Outcome::Interrupted].map(Outcome::exit_code);
    assert_eq!(codes, [3, 4]);
}
