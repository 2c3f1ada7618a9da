//! What the daemon says of itself.

use std::time::Duration;

use cuzk_core::engine::{Metrics, Status};
use cuzk_core::filecoin::{CircuitId, ProofKind};

use crate::proto::srs_status::Tier;
use crate::proto::{self, GetStatusResponse, QueueStatus, SrsStatus};

/// An engine at one moment, in the words of the contract. What is loaded is hot: an engine has parameters at hand or not at all.
pub(super) fn of(status: &Status, metrics: &Metrics, up: Duration) -> GetStatusResponse {
    let parameters = status
        .residents
        .iter()
        .filter(|resident| resident.kind == "parameters" && resident.ready);
    GetStatusResponse {
        gpus: Vec::new(),
        loaded_srs: parameters
            .map(|resident| SrsStatus {
                circuit_id: resident.id.clone(),
                tier: Tier::Hot.into(),
                size_bytes: resident.bytes,
                ref_count: number(resident.users),
            })
            .collect(),
        queues: queues(status),
        total_proofs_completed: metrics.proven,
        total_proofs_failed: metrics.failed,
        uptime_seconds: up.as_secs(),
        pinned_memory_bytes: status.reserved,
        pinned_memory_limit_bytes: status.capacity,
    }
}

/// Every kind, those without jobs as well.
fn queues(status: &Status) -> Vec<QueueStatus> {
    let kind_of = |circuit: &str| circuit.parse().ok().map(|id: CircuitId| id.kind);
    let queue = |kind| {
        let jobs = status.jobs.iter();
        let jobs = jobs.filter(|job| kind_of(&job.circuit) == Some(kind));
        let (running, waiting): (Vec<_>, Vec<_>) = jobs.partition(|job| job.running);
        QueueStatus {
            proof_kind: name(kind).to_owned(),
            pending: number(waiting.len()),
            in_progress: number(running.len()),
        }
    };
    ProofKind::ALL.into_iter().map(queue).collect()
}

fn name(kind: ProofKind) -> &'static str {
    let kind = match kind {
        ProofKind::Porep => proto::ProofKind::PorepSealCommit,
        ProofKind::Snap => proto::ProofKind::SnapDealsUpdate,
        ProofKind::Window => proto::ProofKind::WindowPostPartition,
        ProofKind::Winning => proto::ProofKind::WinningPost,
    };
    kind.as_str_name()
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The engine's metrics and the daemon's own, as Prometheus reads them.
pub(super) fn prometheus(metrics: &Metrics, kept: usize, up: Duration) -> String {
    let mut text = metrics.prometheus();
    for (name, help, value) in [
        (
            "results_kept",
            "Jobs that have ended and are kept for their clients.",
            kept as u64,
        ),
        (
            "uptime_seconds",
            "Seconds since the daemon began.",
            up.as_secs(),
        ),
    ] {
        let lines =
            format!("# HELP cuzk_{name} {help}\n# TYPE cuzk_{name} gauge\ncuzk_{name} {value}\n");
        text.push_str(&lines);
    }
    text
}
