//! Where the time of a job went.

use std::time::Duration;

use serde::Serialize;

use super::Priority;

/// A job's times. Sums are over its partitions, so that they exceed `total` where partitions overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JobReport {
    /// The circuit.
    pub circuit: String,
    /// The priority, by name.
    pub priority: &'static str,
    /// From being submitted until it was looked at.
    pub waiting: Duration,
    /// Looking at the request.
    pub preparation: Duration,
    /// From then until its first partition had its memory.
    pub queue: Duration,
    /// From then until its parameters were loaded: nothing, where they were.
    pub parameters: Duration,
    /// Synthesis, summed up.
    pub synthesis: Duration,
    /// Calls of the prover that its partitions were in, each partition's share of its call, summed up.
    pub prover: Duration,
    /// Verification of its proofs, summed up.
    pub verification: Duration,
    /// From being submitted to the end.
    pub total: Duration,
    /// How many partitions were proven again.
    pub retries: usize,
    /// Each partition, in their order; none where the request could not be prepared.
    pub partitions: Vec<PartitionReport>,
}

/// A partition's times, of its last attempt.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PartitionReport {
    /// Its synthesis.
    pub synthesis: Duration,
    /// From there until a prover took it.
    pub ready: Duration,
    /// The call of the prover that it was in.
    pub prover: Duration,
    /// Verification.
    pub verification: Duration,
    /// How many partitions were in that call.
    pub batch: usize,
    /// How often it was proven.
    pub attempts: usize,
    /// The prover that did it.
    pub prover_name: String,
}

impl JobReport {
    pub(crate) fn new(circuit: String, priority: Priority) -> Self {
        Self {
            circuit,
            priority: priority.name(),
            ..Self::default()
        }
    }
}
