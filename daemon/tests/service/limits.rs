//! What is too much.

use cuzk_daemon::client::ClientError;
use cuzk_daemon::proto::proving_engine_client::ProvingEngineClient;
use cuzk_daemon::proto::{self, MESSAGE_BYTES};
use cuzk_daemon::service::RETRY;
use tonic::Code;
use tonic::transport::Endpoint;

use super::common::{Setup, World, square, verify};

#[tokio::test]
async fn a_full_queue_says_when_to_come_again() {
    let world = World::new(Setup {
        queue: 1,
        ..Setup::default()
    })
    .await;
    let mut client = world.client().await;
    client.submit(square("a", 3)).await.expect("is taken");
    match client.submit(square("b", 4)).await.expect_err("full") {
        ClientError::Call(status) => {
            assert_eq!(status.code(), Code::ResourceExhausted);
            let after = status.metadata().get(RETRY).expect("a hint");
            let after: u64 = after.to_str().expect("text").parse().expect("a number");
            assert!((1000..=60_000).contains(&after), "{after}");
        }
        other => panic!("{other}"),
    }
    client
        .submit(square("a", 3))
        .await
        .expect("joining takes no place");
    world.prover.let_go();
    verify(
        &client.wait("a".to_owned(), None).await.expect("an answer"),
        3,
    );
    verify(&client.prove(square("b", 4)).await.expect("an answer"), 4);
}

#[tokio::test]
async fn a_large_message_is_taken_and_a_larger_one_than_all_is_refused_by_its_size() {
    let world = World::quick().await;
    let endpoint = Endpoint::from_shared(world.address.uri()).expect("an address");
    let mut client = ProvingEngineClient::new(endpoint.connect().await.expect("it listens"))
        .max_encoding_message_size(2 * MESSAGE_BYTES);
    let mut large = square("a", 3);
    large.proof_kind = proto::ProofKind::SnapDealsUpdate.into();
    let commitment = || vec![1; 32];
    large.comm_r_old = commitment();
    large.comm_r_new = commitment();
    large.comm_d_new = commitment();
    large.vanilla_proofs = vec![vec![3; 60 << 20]];
    let submit = Some(large.clone());
    let answer = client
        .prove(proto::ProveRequest { submit })
        .await
        .expect("an answer");
    verify(&answer.into_inner().result.expect("a result"), 3);

    large.vanilla_proofs = vec![vec![3; MESSAGE_BYTES]];
    let refused = client.submit_proof(large).await.expect_err("too large");
    assert_eq!(refused.code(), Code::OutOfRange);
    let limit = MESSAGE_BYTES.to_string();
    assert!(refused.message().contains(&limit), "{refused}");
    // The daemon is none the worse for it.
    let answer = client
        .submit_proof(square("b", 4))
        .await
        .expect("an answer");
    assert_eq!(answer.into_inner().job_id, "b");
}
