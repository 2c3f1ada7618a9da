//! The .proto against the contract that clients speak, number by number.

use std::collections::{BTreeMap, BTreeSet};

use cuzk_daemon::proto::CONTRACT;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// Number, name and type of each field of a message.
type Fields = &'static [(i32, &'static str, &'static str)];

/// Messages with their fields.
const MESSAGES: &[(&str, Fields)] = &[
    (
        "SubmitProofRequest",
        &[
            (1, "request_id", "string"),
            (2, "proof_kind", "ProofKind"),
            (3, "sector_size", "uint64"),
            (4, "registered_proof", "uint64"),
            (5, "priority", "Priority"),
            (10, "vanilla_proof", "bytes"),
            (11, "vanilla_proofs", "repeated bytes"),
            (20, "sector_number", "uint64"),
            (21, "miner_id", "uint64"),
            (22, "randomness", "bytes"),
            (23, "partition_index", "uint32"),
            (30, "comm_r_old", "bytes"),
            (31, "comm_r_new", "bytes"),
            (32, "comm_d_new", "bytes"),
        ],
    ),
    (
        "SubmitProofResponse",
        &[
            (1, "job_id", "string"),
            (2, "queue_position", "uint32"),
            (3, "assigned_gpu", "string"),
        ],
    ),
    (
        "AwaitProofRequest",
        &[(1, "job_id", "string"), (2, "timeout_ms", "uint64")],
    ),
    (
        "AwaitProofResponse",
        &[
            (1, "job_id", "string"),
            (2, "status", "AwaitProofResponse.Status"),
            (3, "proof", "bytes"),
            (4, "error_message", "string"),
            (10, "queue_wait_ms", "uint64"),
            (11, "srs_load_ms", "uint64"),
            (12, "synthesis_ms", "uint64"),
            (13, "gpu_compute_ms", "uint64"),
            (14, "total_ms", "uint64"),
        ],
    ),
    ("ProveRequest", &[(1, "submit", "SubmitProofRequest")]),
    ("ProveResponse", &[(1, "result", "AwaitProofResponse")]),
    ("CancelProofRequest", &[(1, "job_id", "string")]),
    ("CancelProofResponse", &[(1, "was_running", "bool")]),
    ("GetStatusRequest", &[]),
    (
        "GetStatusResponse",
        &[
            (1, "gpus", "repeated GPUStatus"),
            (2, "loaded_srs", "repeated SRSStatus"),
            (3, "queues", "repeated QueueStatus"),
            (4, "total_proofs_completed", "uint64"),
            (5, "total_proofs_failed", "uint64"),
            (6, "uptime_seconds", "uint64"),
            (7, "pinned_memory_bytes", "uint64"),
            (8, "pinned_memory_limit_bytes", "uint64"),
        ],
    ),
    (
        "GPUStatus",
        &[
            (1, "ordinal", "uint32"),
            (2, "name", "string"),
            (3, "vram_total_bytes", "uint64"),
            (4, "vram_free_bytes", "uint64"),
            (5, "current_job_id", "string"),
            (6, "current_proof_kind", "string"),
        ],
    ),
    (
        "SRSStatus",
        &[
            (1, "circuit_id", "string"),
            (2, "tier", "SRSStatus.Tier"),
            (3, "size_bytes", "uint64"),
            (4, "ref_count", "uint32"),
        ],
    ),
    (
        "QueueStatus",
        &[
            (1, "proof_kind", "string"),
            (2, "pending", "uint32"),
            (3, "in_progress", "uint32"),
        ],
    ),
    ("GetMetricsRequest", &[]),
    ("GetMetricsResponse", &[(1, "prometheus_text", "string")]),
    ("PreloadSrsRequest", &[(1, "circuit_id", "string")]),
    (
        "PreloadSrsResponse",
        &[(1, "already_loaded", "bool"), (2, "load_time_ms", "uint64")],
    ),
    ("EvictSrsRequest", &[(1, "circuit_id", "string")]),
    (
        "EvictSrsResponse",
        &[(1, "was_loaded", "bool"), (2, "freed_bytes", "uint64")],
    ),
];

const ENUMS: &[(&str, &[(i32, &str)])] = &[
    (
        "ProofKind",
        &[
            (0, "PROOF_KIND_UNSPECIFIED"),
            (1, "POREP_SEAL_COMMIT"),
            (2, "SNAP_DEALS_UPDATE"),
            (3, "WINDOW_POST_PARTITION"),
            (4, "WINNING_POST"),
        ],
    ),
    (
        "Priority",
        &[
            (0, "PRIORITY_UNSPECIFIED"),
            (1, "LOW"),
            (2, "NORMAL"),
            (3, "HIGH"),
            (4, "CRITICAL"),
        ],
    ),
    (
        "AwaitProofResponse.Status",
        &[
            (0, "UNKNOWN"),
            (1, "COMPLETED"),
            (2, "FAILED"),
            (3, "CANCELLED"),
            (4, "TIMEOUT"),
        ],
    ),
    ("SRSStatus.Tier", &[(0, "HOT"), (1, "WARM"), (2, "COLD")]),
];

/// Calls, with the stems of what they take and give.
const CALLS: &[(&str, &str)] = &[
    ("SubmitProof", "SubmitProof"),
    ("AwaitProof", "AwaitProof"),
    ("Prove", "Prove"),
    ("CancelProof", "CancelProof"),
    ("GetStatus", "GetStatus"),
    ("GetMetrics", "GetMetrics"),
    ("PreloadSRS", "PreloadSrs"),
    ("EvictSRS", "EvictSrs"),
];

/// Numbers from here on are ours to give.
const OURS: i32 = 100;

fn contract() -> FileDescriptorProto {
    let mut set: FileDescriptorSet = prost::Message::decode(CONTRACT).expect("a descriptor set");
    assert_eq!(set.file.len(), 1, "it needs no other file");
    set.file.remove(0)
}

fn short(name: &str) -> String {
    name.trim_start_matches(".cuzk.v1.").to_owned()
}

fn fields(message: &DescriptorProto) -> BTreeSet<(i32, String, String)> {
    let fields = message.field.iter().map(|field| {
        let kind = match field.r#type() {
            Type::Message | Type::Enum => short(field.type_name()),
            kind => format!("{kind:?}").to_lowercase(),
        };
        let kind = match field.label() {
            Label::Repeated => format!("repeated {kind}"),
            _ => kind,
        };
        assert!(field.oneof_index.is_none(), "{}", field.name());
        (field.number(), field.name().to_owned(), kind)
    });
    fields.filter(|(number, ..)| *number < OURS).collect()
}

fn values(found: &EnumDescriptorProto) -> BTreeSet<(i32, String)> {
    let values = found.value.iter();
    let values = values.map(|value| (value.number(), value.name().to_owned()));
    values.filter(|(number, _)| *number < OURS).collect()
}

#[test]
fn messages_have_the_numbers_names_and_types_of_the_contract() {
    let contract = contract();
    assert_eq!(contract.package(), "cuzk.v1");
    assert_eq!(contract.syntax(), "proto3");
    let found: BTreeMap<_, _> = contract
        .message_type
        .iter()
        .map(|m| (m.name(), m))
        .collect();
    for (name, expected) in MESSAGES {
        let expected = expected.iter();
        let expected: BTreeSet<_> = expected
            .map(|(number, name, kind)| (*number, (*name).to_owned(), (*kind).to_owned()))
            .collect();
        let found = found
            .get(name)
            .unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(fields(found), expected, "{name}");
    }
}

#[test]
fn enums_have_the_numbers_and_names_of_the_contract() {
    let contract = contract();
    let mut found: BTreeMap<String, BTreeSet<(i32, String)>> = BTreeMap::new();
    for outer in &contract.enum_type {
        found.insert(outer.name().to_owned(), values(outer));
    }
    for message in &contract.message_type {
        for inner in &message.enum_type {
            found.insert(
                format!("{}.{}", message.name(), inner.name()),
                values(inner),
            );
        }
    }
    for (name, expected) in ENUMS {
        let expected = expected.iter();
        let expected: BTreeSet<_> = expected
            .map(|(number, name)| (*number, (*name).to_owned()))
            .collect();
        assert_eq!(found.get(*name), Some(&expected), "{name}");
    }
}

#[test]
fn the_service_has_the_calls_of_the_contract() {
    let contract = contract();
    let [service] = &contract.service[..] else {
        panic!("one service");
    };
    assert_eq!(service.name(), "ProvingEngine");
    for (name, stem) in CALLS {
        let call = service.method.iter().find(|call| call.name() == *name);
        let call = call.unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(short(call.input_type()), format!("{stem}Request"));
        assert_eq!(short(call.output_type()), format!("{stem}Response"));
        assert!(!call.client_streaming() && !call.server_streaming());
    }
}
