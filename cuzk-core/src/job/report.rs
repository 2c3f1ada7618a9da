//! Where the time of a job went.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::Priority;

/// A job's times, as JSON in seconds. Sums are over its partitions, so that they exceed `total` where partitions overlap.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JobReport {
    /// The circuit.
    pub circuit: String,
    /// The priority, by name.
    pub priority: &'static str,
    /// From being submitted until it was looked at.
    #[serde(rename = "waiting_s", serialize_with = "seconds")]
    pub waiting: Duration,
    /// Looking at the request.
    #[serde(rename = "preparation_s", serialize_with = "seconds")]
    pub preparation: Duration,
    /// From then until its first partition had its memory.
    #[serde(rename = "queue_s", serialize_with = "seconds")]
    pub queue: Duration,
    /// From then until its parameters were loaded: nothing, where they were.
    #[serde(rename = "parameters_s", serialize_with = "seconds")]
    pub parameters: Duration,
    /// Synthesis, summed up.
    #[serde(rename = "synthesis_s", serialize_with = "seconds")]
    pub synthesis: Duration,
    /// Calls of the prover that its partitions were in, each partition's share of its call, summed up.
    #[serde(rename = "prover_s", serialize_with = "seconds")]
    pub prover: Duration,
    /// Verification of its proofs, summed up.
    #[serde(rename = "verification_s", serialize_with = "seconds")]
    pub verification: Duration,
    /// From being submitted to the end.
    #[serde(rename = "total_s", serialize_with = "seconds")]
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
    #[serde(rename = "synthesis_s", serialize_with = "seconds")]
    pub synthesis: Duration,
    /// From there until a prover took it.
    #[serde(rename = "ready_s", serialize_with = "seconds")]
    pub ready: Duration,
    /// The call of the prover that it was in.
    #[serde(rename = "prover_s", serialize_with = "seconds")]
    pub prover: Duration,
    /// Verification.
    #[serde(rename = "verification_s", serialize_with = "seconds")]
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

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
