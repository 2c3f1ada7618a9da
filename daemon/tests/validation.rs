//! Every field of a request, wrong in every way that can be told before anything is read.

use cuzk_core::filecoin::{CircuitId, RegisteredSeal};
use cuzk_core::job::Priority;
use cuzk_daemon::convert::{Asked, Valid, check, prover_id};
use cuzk_daemon::proto::{self, SubmitProofRequest};

fn message(kind: proto::ProofKind) -> SubmitProofRequest {
    let mut message = SubmitProofRequest {
        request_id: "porep-1000-7".to_owned(),
        proof_kind: kind.into(),
        sector_size: 2048,
        miner_id: 1000,
        ..Default::default()
    };
    match kind {
        proto::ProofKind::PorepSealCommit => {
            message.registered_proof = 5;
            message.sector_number = 7;
            message.vanilla_proof = wrapper("7", "2048");
        }
        proto::ProofKind::WindowPostPartition => {
            message.registered_proof = 10;
            message.partition_index = 3;
            message.randomness = vec![1; 32];
            message.vanilla_proofs = vec![vec![1], vec![2]];
        }
        proto::ProofKind::WinningPost => {
            message.randomness = vec![1; 32];
            message.vanilla_proofs = vec![vec![1]];
        }
        _ => {
            message.comm_r_old = vec![1; 32];
            message.comm_r_new = vec![2; 32];
            message.comm_d_new = vec![3; 32];
            message.vanilla_proofs = vec![vec![1]];
        }
    }
    message
}

fn wrapper(sector: &str, size: &str) -> Vec<u8> {
    format!(r#"{{"SectorNum": {sector}, "Phase1Out": "e30=", "SectorSize": {size}}}"#).into_bytes()
}

fn good(message: SubmitProofRequest) -> Valid {
    check(message).unwrap_or_else(|error| panic!("{error}"))
}

/// That a change of a good message is refused for this field, with these words.
fn refused(
    kind: proto::ProofKind,
    change: impl FnOnce(&mut SubmitProofRequest),
    field: &str,
    says: &str,
) {
    let mut message = message(kind);
    change(&mut message);
    let error = check(message)
        .err()
        .unwrap_or_else(|| panic!("{field}: it is taken"));
    let text = error.to_string();
    assert_eq!(error.field, field, "{text}");
    assert!(text.starts_with(field) && text.contains(says), "{text}");
}

const POREP: proto::ProofKind = proto::ProofKind::PorepSealCommit;
const SNAP: proto::ProofKind = proto::ProofKind::SnapDealsUpdate;
const WINDOW: proto::ProofKind = proto::ProofKind::WindowPostPartition;
const WINNING: proto::ProofKind = proto::ProofKind::WinningPost;

#[test]
fn what_is_good_is_taken_as_it_is_meant() {
    for (kind, circuit) in [
        (POREP, "porep-2k"),
        (SNAP, "snap-2k"),
        (WINDOW, "wpost-2k"),
        (WINNING, "winning-2k"),
    ] {
        let valid = good(message(kind));
        assert_eq!(valid.circuit, circuit.parse::<CircuitId>().expect("an id"));
        assert_eq!(valid.id.as_deref(), Some("porep-1000-7"));
        assert_eq!(valid.priority, Priority::Normal);
    }
    let Asked::Porep { expected, .. } = good(message(POREP)).asked else {
        panic!("a PoRep");
    };
    assert_eq!(expected.registered.map(RegisteredSeal::number), Some(5));
    assert_eq!(expected.sector, Some(7));
    assert_eq!(expected.prover_id, Some(prover_id(1000)));
    let Asked::Window {
        partition, sectors, ..
    } = good(message(WINDOW)).asked
    else {
        panic!("a WindowPoSt");
    };
    assert_eq!((partition, sectors.len()), (3, 2));
    let Asked::Snap { update, .. } = good(message(SNAP)).asked else {
        panic!("an update");
    };
    assert_eq!(update.comm_r_old, [1; 32]);
    assert_eq!(update.comm_r_new, [2; 32]);
    assert_eq!(update.comm_d_new, [3; 32]);
}

#[test]
fn a_miner_is_named_by_the_payload_of_its_address() {
    assert_eq!(prover_id(0), [0; 32]);
    assert_eq!(prover_id(1000)[..3], [0xe8, 0x07, 0]);
    assert_eq!(prover_id(127)[..2], [0x7f, 0]);
    assert_eq!(prover_id(128)[..3], [0x80, 1, 0]);
    let last = prover_id(u64::MAX);
    assert_eq!(last[..9], [0xff; 9]);
    assert_eq!(last[9..11], [1, 0]);
}

#[test]
fn request_id() {
    let valid = good(SubmitProofRequest {
        request_id: String::new(),
        ..message(WINNING)
    });
    assert_eq!(valid.id, None);
    good(SubmitProofRequest {
        request_id: "x".repeat(256),
        ..message(WINNING)
    });
    refused(
        WINNING,
        |m| m.request_id = "x".repeat(257),
        "request_id",
        "257",
    );
    refused(
        WINNING,
        |m| m.request_id = "a\nb".to_owned(),
        "request_id",
        "control",
    );
}

#[test]
fn proof_kind() {
    refused(WINNING, |m| m.proof_kind = 0, "proof_kind", "missing");
    for number in [5, -1, i32::MAX] {
        refused(
            WINNING,
            |m| m.proof_kind = number,
            "proof_kind",
            "POREP_SEAL_COMMIT",
        );
    }
}

#[test]
fn sector_size() {
    refused(WINNING, |m| m.sector_size = 0, "sector_size", "missing");
    for size in [1, 2047, 32, u64::MAX] {
        refused(WINNING, |m| m.sector_size = size, "sector_size", "32 GiB");
    }
}

#[test]
fn registered_proof() {
    const FIELD: &str = "registered_proof";
    for (kind, good_ones) in [
        (POREP, vec![0, 5, 10]),
        (SNAP, vec![0]),
        (WINDOW, vec![10]),
        (WINNING, vec![0]),
    ] {
        for number in 0..30 {
            let mut message = message(kind);
            message.registered_proof = number;
            assert_eq!(
                check(message).is_ok(),
                good_ones.contains(&number),
                "{kind:?} {number}"
            );
        }
    }
    refused(POREP, |m| m.registered_proof = 8, FIELD, "32 GiB");
    refused(POREP, |m| m.registered_proof = 15, FIELD, "non-interactive");
    refused(POREP, |m| m.registered_proof = 20, FIELD, "20");
    refused(WINDOW, |m| m.registered_proof = 5, FIELD, "version 1.1");
    refused(WINDOW, |m| m.registered_proof = 13, FIELD, "32 GiB");
    refused(WINNING, |m| m.registered_proof = 5, FIELD, "0 to 4");
    refused(SNAP, |m| m.registered_proof = u64::MAX, FIELD, "0 to 4");
    refused(
        WINNING,
        |m| m.sector_size = 32 << 30,
        FIELD,
        "sector_size says 32 GiB",
    );
}

#[test]
fn priority() {
    for (number, priority) in [
        (0, Priority::Normal),
        (1, Priority::Low),
        (2, Priority::Normal),
        (3, Priority::High),
        (4, Priority::Critical),
    ] {
        let mut message = message(WINNING);
        message.priority = number;
        assert_eq!(good(message).priority, priority);
    }
    refused(WINNING, |m| m.priority = 5, "priority", "CRITICAL 4");
    refused(WINNING, |m| m.priority = -1, "priority", "-1");
}

#[test]
fn vanilla_proof() {
    const FIELD: &str = "vanilla_proof";
    refused(POREP, |m| m.vanilla_proof.clear(), FIELD, "missing");
    refused(POREP, |m| m.vanilla_proof.truncate(24), FIELD, "byte 23");
    let doubled = |m: &mut SubmitProofRequest| m.vanilla_proof.extend(wrapper("7", "2048"));
    refused(POREP, |m| m.vanilla_proof.push(0), FIELD, "byte 57");
    refused(POREP, doubled, FIELD, "byte 57");
    refused(
        POREP,
        |m| m.vanilla_proof = wrapper("-7", "2048"),
        FIELD,
        "byte",
    );
    refused(
        POREP,
        |m| m.vanilla_proof = wrapper("7", "2049"),
        FIELD,
        "2049",
    );
    refused(
        POREP,
        |m| m.vanilla_proof = b"{}".to_vec(),
        FIELD,
        "Phase1Out",
    );
    refused(
        POREP,
        |m| m.vanilla_proof = br#"{"Phase1Out": "e3!="}"#.to_vec(),
        FIELD,
        "offset 2",
    );
}

#[test]
fn what_json_and_message_say_agrees() {
    refused(
        POREP,
        |m| m.vanilla_proof = wrapper("8", "2048"),
        "sector_number",
        "says 8",
    );
    let size = |m: &mut SubmitProofRequest| m.vanilla_proof = wrapper("7", "8388608");
    refused(POREP, size, "sector_size", "8 MiB");
    let mut left_out = message(POREP);
    (left_out.sector_number, left_out.miner_id) = (0, 0);
    let Asked::Porep { expected, .. } = good(left_out).asked else {
        panic!("a PoRep");
    };
    assert_eq!((expected.sector, expected.prover_id), (Some(7), None));
}

#[test]
fn vanilla_proofs() {
    const FIELD: &str = "vanilla_proofs";
    for kind in [SNAP, WINDOW, WINNING] {
        refused(kind, |m| m.vanilla_proofs.clear(), FIELD, "missing");
        let misplaced = |m: &mut SubmitProofRequest| {
            m.vanilla_proofs.clear();
            m.vanilla_proof = vec![1];
        };
        refused(kind, misplaced, FIELD, "vanilla_proof is for PoRep");
    }
    refused(
        WINDOW,
        |m| m.vanilla_proofs[1].clear(),
        FIELD,
        "proof 1 is empty",
    );
    refused(
        WINNING,
        |m| m.vanilla_proofs.push(vec![1]),
        FIELD,
        "2 vanilla proofs",
    );
}

#[test]
fn randomness() {
    for kind in [WINDOW, WINNING] {
        refused(kind, |m| m.randomness.clear(), "randomness", "missing");
        for length in [1, 31, 33, 64] {
            let change = |m: &mut SubmitProofRequest| m.randomness = vec![1; length];
            refused(kind, change, "randomness", &format!("{length} bytes"));
        }
    }
}

#[test]
fn commitments() {
    for field in ["comm_r_old", "comm_r_new", "comm_d_new"] {
        for length in [0, 31, 33] {
            let change = |m: &mut SubmitProofRequest| {
                let bytes = vec![1; length];
                match field {
                    "comm_r_old" => m.comm_r_old = bytes,
                    "comm_r_new" => m.comm_r_new = bytes,
                    _ => m.comm_d_new = bytes,
                }
            };
            refused(SNAP, change, field, "32");
        }
    }
}

#[test]
fn a_digest_tells_requests_apart_and_nothing_else() {
    let digest = |message| good(message).digest;
    let first = digest(message(WINDOW));
    let mut same = message(WINDOW);
    (same.request_id, same.priority) = (String::new(), 4);
    assert_eq!(digest(same), first);
    let changes: [fn(&mut SubmitProofRequest); 6] = [
        |m| m.vanilla_proofs = vec![vec![1, 2]],
        |m| m.vanilla_proofs.swap(0, 1),
        |m| m.randomness[31] = 0,
        |m| m.partition_index = 4,
        |m| m.miner_id = 1001,
        |m| m.sector_number = 1,
    ];
    for change in changes {
        let mut other = message(WINDOW);
        change(&mut other);
        assert_ne!(digest(other), first);
    }
}
