//! Each call does its work.

use std::time::Duration;

use cuzk_core::filecoin::CircuitId;
use cuzk_daemon::client::ClientError;
use cuzk_daemon::proto::await_proof_response::Status;
use cuzk_daemon::proto::proving_engine_client::ProvingEngineClient;
use cuzk_daemon::proto::{self, GetMetricsRequest, PreloadSrsRequest, QueueStatus};
use tonic::Code;
use tonic::transport::Endpoint;

use super::common::{BAD, Setup, WEIGHT, World, square, verify};

fn code(error: ClientError) -> (Code, String) {
    match error {
        ClientError::Call(status) => (status.code(), status.message().to_owned()),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_proof_is_made_and_verifies() {
    let world = World::quick().await;
    let mut client = world.client().await;
    let result = client.prove(square("a", 3)).await.expect("an answer");
    verify(&result, 3);
    assert_eq!(result.job_id, "a");
    assert!(result.total_ms >= result.synthesis_ms);

    let unnamed = client.submit(square("", 4)).await.expect("is taken");
    let other = client.submit(square("", 4)).await.expect("is taken");
    assert_ne!(
        unnamed.job_id, other.job_id,
        "without an id nothing is joined"
    );
    verify(
        &client.wait(unnamed.job_id, None).await.expect("an answer"),
        4,
    );
}

#[tokio::test]
async fn what_fails_says_why() {
    let world = World::quick().await;
    let mut client = world.client().await;
    let result = client.prove(square("a", BAD)).await.expect("an answer");
    assert_eq!(result.status(), Status::Failed);
    assert!(result.proof.is_empty());
    assert!(
        result.error_message.contains("nobody can synthesise this"),
        "{result:?}"
    );

    let mut message = square("b", 1);
    message.randomness.pop();
    let (code, says) = code(client.prove(message).await.expect_err("31 bytes"));
    assert_eq!(code, Code::InvalidArgument);
    assert!(says.starts_with("randomness: 31 bytes"), "{says}");
    assert_eq!(world.engine.metrics().submitted, 1, "it was never queued");
}

#[tokio::test]
async fn waiting_has_a_limit_and_the_job_goes_on() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    let job = client
        .submit(square("a", 3))
        .await
        .expect("is taken")
        .job_id;
    let limit = Some(Duration::from_millis(50));
    let result = client.wait(job.clone(), limit).await.expect("an answer");
    assert_eq!(result.status(), Status::Timeout);
    assert!(result.error_message.contains("50ms"), "{result:?}");
    world.prover.let_go();
    verify(&client.wait(job, None).await.expect("an answer"), 3);
}

#[tokio::test]
async fn an_unknown_job_is_said_to_be_unknown() {
    let world = World::quick().await;
    let mut client = world.client().await;
    let result = client
        .wait("porep-1-2".to_owned(), None)
        .await
        .expect("an answer");
    assert_eq!(result.status(), Status::Unknown);
    assert!(result.error_message.contains("porep-1-2"), "{result:?}");
    let (code, _) = code(
        client
            .cancel("porep-1-2".to_owned())
            .await
            .expect_err("unknown"),
    );
    assert_eq!(code, Code::NotFound);
}

#[tokio::test]
async fn a_cancelled_job_ends_at_once_and_its_id_is_free() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    let running = client
        .submit(square("a", 3))
        .await
        .expect("is taken")
        .job_id;
    world.until_proving().await;
    assert!(client.cancel(running.clone()).await.expect("is there"));
    let result = client.wait(running.clone(), None).await.expect("an answer");
    assert_eq!(result.status(), Status::Cancelled);
    assert!(
        !client.cancel(running).await.expect("is still known"),
        "it has ended"
    );

    world.prover.let_go();
    verify(&client.prove(square("a", 3)).await.expect("an answer"), 3);
    assert_eq!(world.engine.metrics().submitted, 2);
}

#[tokio::test]
async fn status_and_metrics_are_true() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    client.submit(square("a", 1)).await.expect("is taken");
    world.until_proving().await;
    let mut window = square("b", 2);
    window.proof_kind = proto::ProofKind::WindowPostPartition.into();
    window.registered_proof = 10;
    client.submit(window).await.expect("is taken");
    let status = client.status().await.expect("an answer");
    let sum = |count: fn(&QueueStatus) -> u32| status.queues.iter().map(count).sum::<u32>();
    assert_eq!(sum(|queue| queue.pending + queue.in_progress), 2);
    let queue = |kind: &str| status.queues.iter().find(|queue| queue.proof_kind == kind);
    assert_eq!(
        queue("WINNING_POST").map(|queue| queue.in_progress),
        Some(1)
    );
    assert_eq!(
        queue("POREP_SEAL_COMMIT").map(|queue| queue.pending),
        Some(0)
    );
    assert!(queue("WINDOW_POST_PARTITION").is_some_and(|q| q.pending + q.in_progress == 1));
    assert_eq!(
        status.pinned_memory_limit_bytes,
        world.engine.status().capacity
    );
    assert!(status.pinned_memory_bytes >= WEIGHT);
    let srs = status
        .loaded_srs
        .iter()
        .find(|srs| srs.circuit_id == "winning-2k");
    assert_eq!(
        srs.map(|srs| (srs.size_bytes, srs.ref_count)),
        Some((WEIGHT, 1))
    );

    world.prover.let_go();
    for job in ["a", "b"] {
        client.wait(job.to_owned(), None).await.expect("an answer");
    }
    client.prove(square("c", BAD)).await.expect("an answer");
    let status = client.status().await.expect("an answer");
    assert_eq!(
        (status.total_proofs_completed, status.total_proofs_failed),
        (2, 1)
    );
    assert!(
        status
            .queues
            .iter()
            .all(|queue| queue.pending + queue.in_progress == 0)
    );

    let endpoint = Endpoint::from_shared(world.address.uri()).expect("an address");
    let mut raw = ProvingEngineClient::new(endpoint.connect().await.expect("it listens"));
    let metrics = raw
        .get_metrics(GetMetricsRequest {})
        .await
        .expect("an answer");
    let text = metrics.into_inner().prometheus_text;
    for line in [
        "cuzk_jobs_proven_total 2",
        "cuzk_jobs_failed_total 1",
        "cuzk_results_kept 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
}

#[tokio::test]
async fn parameters_are_loaded_and_given_up() {
    let world = World::new(Setup::default()).await;
    let mut client = world.client().await;
    let circuit: CircuitId = "winning-2k".parse().expect("an id");
    assert!(!client.evict(circuit).await.expect("an answer").was_loaded);
    assert!(
        !client
            .preload(circuit)
            .await
            .expect("an answer")
            .already_loaded
    );
    assert!(
        client
            .preload(circuit)
            .await
            .expect("an answer")
            .already_loaded
    );

    client.submit(square("a", 1)).await.expect("is taken");
    world.until_proving().await;
    let (refused, says) = code(client.evict(circuit).await.expect_err("in use"));
    assert_eq!(refused, Code::FailedPrecondition);
    assert!(says.contains("in use"), "{says}");
    world.prover.let_go();
    client.wait("a".to_owned(), None).await.expect("an answer");
    assert!(world.engine.wait_idle(super::common::LONG));

    let evicted = client.evict(circuit).await.expect("an answer");
    assert_eq!((evicted.was_loaded, evicted.freed_bytes), (true, WEIGHT));
    assert!(
        client
            .status()
            .await
            .expect("an answer")
            .loaded_srs
            .is_empty()
    );

    let missing: CircuitId = "winning-64g".parse().expect("an id");
    let (refused, says) = code(client.preload(missing).await.expect_err("missing"));
    assert_eq!(refused, Code::FailedPrecondition);
    assert!(says.contains("no parameters"), "{says}");
}

#[tokio::test]
async fn no_path_comes_from_a_client() {
    let world = World::quick().await;
    let endpoint = Endpoint::from_shared(world.address.uri()).expect("an address");
    let mut raw = ProvingEngineClient::new(endpoint.connect().await.expect("it listens"));
    for id in [
        "/etc/passwd",
        "../winning-2k",
        "winning-2k/../x",
        "",
        "winning-2k\0",
    ] {
        let circuit_id = id.to_owned();
        let refused = raw.preload_srs(PreloadSrsRequest { circuit_id }).await;
        let refused = refused.expect_err("no circuit");
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().starts_with("circuit_id: "), "{refused}");
    }
}
