//! What is told about a run.

use std::fmt;

use cuzk_core::Shape;
use cuzk_core::filecoin::CircuitId;
use serde::Serialize;

use crate::judge::Verdict;
use crate::parameters::Origin;
use crate::phases::Phase;

/// A run, as `--json` writes it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this form.
    pub schema: u32,
    /// The prover that made the proof: "cpu" or "gpu".
    pub backend: &'static str,
    /// The circuit that was proven.
    pub circuit: CircuitReport,
    /// Whether the proof verifies.
    pub ok: bool,
    /// Who accepts it.
    pub verified_by: Vec<&'static str>,
    /// The verdict in one sentence.
    pub verdict: String,
    /// The proof, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofReport>,
    /// Where the parameters come from.
    pub parameters: Origin,
    /// The seed of the sector that was sealed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sector_seed: Option<u64>,
    /// What was done, in order.
    pub phases: Vec<Phase>,
}

impl Report {
    /// The version of the form.
    pub const SCHEMA: u32 = 1;

    /// 0 where the proof verifies, 1 where it does not.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.ok)
    }
}

/// The circuit of a run.
#[derive(Clone, Debug, Serialize)]
pub struct CircuitReport {
    /// Its id.
    pub id: String,
    /// The number of partitions, which is that of circuits.
    pub partitions: usize,
    /// Constraints of each; the prover adds one for each input.
    pub constraints: usize,
    /// Public inputs of each, the constant one included.
    pub inputs: usize,
    /// Private variables of each.
    pub aux: usize,
}

impl CircuitReport {
    pub(crate) fn of(id: CircuitId, shape: &Shape, partitions: usize) -> Self {
        Self {
            id: id.to_string(),
            partitions,
            constraints: shape.constraints.saturating_sub(shape.inputs),
            inputs: shape.inputs,
            aux: shape.aux,
        }
    }
}

impl fmt::Display for CircuitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            partitions,
            constraints,
            inputs,
            aux,
            ..
        } = self;
        write!(
            f,
            "{partitions} circuit(s) of {constraints} constraints, {inputs} inputs and {aux} private variables"
        )
    }
}

/// The proof of a run.
#[derive(Clone, Debug, Serialize)]
pub struct ProofReport {
    /// Its length.
    pub bytes: usize,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
}

/// The verdict in one sentence.
pub(crate) fn sentence(
    circuit: CircuitId,
    bytes: usize,
    verdict: &Verdict,
    parameters: &Origin,
) -> String {
    let with = parameters.caveat();
    match verdict {
        Verdict::Verified { by: Some(by) } => format!(
            "The proof of {circuit}, {bytes} bytes, was verified by filecoin-proofs' {by}{with}."
        ),
        Verdict::Verified { by: None } => format!(
            "The proof of {circuit}, {bytes} bytes, was verified at the Groth16 level, against the replica id, the \
             commitments and the seed that the C1 output holds{with}; verify_seal needs --prover-id and the sector's \
             number."
        ),
        Verdict::Rejected { by, reason } => format!(
            "The proof of {circuit}, {bytes} bytes, does NOT verify, says {by}: {reason}{with}."
        ),
    }
}
