//! The names of what a trial reports, with their units.
//!
//! A name is a quantity with its unit as suffix and, where it belongs to one phase, a dot and the phase:
//! `wall_s.warm`, `peak_bytes`. A reader that meets a phase it does not know can still tell what the number is.

use serde::Serialize;

/// A step of making a proof. An optimisation says which of them it may change (`extern/stack.toml`), a workload which of
/// them a time is of: a time without a step that was changed must not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Assigning the circuit's variables and evaluating its constraints.
    Synthesis,
    /// From a synthesised circuit to a proof.
    Proving,
    /// Making parameters.
    Generation,
    /// Giving back the memory of a proof.
    Teardown,
}

/// A time of a workload and what it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Timed {
    /// The metric's name.
    pub metric: &'static str,
    /// Every step that happens while it runs.
    pub steps: &'static [Step],
}

impl Metric {
    /// This time, of these steps.
    pub const fn of(self, steps: &'static [Step]) -> Timed {
        Timed {
            metric: self.name,
            steps,
        }
    }
}

/// What a metric is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// A plain count.
    #[serde(rename = "count")]
    Count,
}

/// A name under which trials report a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// The key in [`crate::Trial::metrics`].
    pub name: &'static str,
    /// What it is counted in.
    pub unit: Unit,
}

const fn seconds(name: &'static str) -> Metric {
    Metric {
        name,
        unit: Unit::Seconds,
    }
}

const fn bytes(name: &'static str) -> Metric {
    Metric {
        name,
        unit: Unit::Bytes,
    }
}

const fn count(name: &'static str) -> Metric {
    Metric {
        name,
        unit: Unit::Count,
    }
}

/// Wall time of a fixed piece of work that no patch can touch ([`crate::reference`]): the negative control of a trial.
pub const WALL_REFERENCE: Metric = seconds("wall_s.reference");
/// Wall time of the first synthesis of a process.
pub const WALL_COLD: Metric = seconds("wall_s.cold");
/// Wall time of the second synthesis of a process.
pub const WALL_WARM: Metric = seconds("wall_s.warm");
/// Wall time of synthesis, where a proof follows it.
pub const WALL_SYNTHESIS: Metric = seconds("wall_s.synthesis");
/// Wall time of generating parameters.
pub const WALL_GENERATE: Metric = seconds("wall_s.generate");
/// Wall time of loading parameters for a GPU's prover, until no proof waits for them.
pub const WALL_PARAMETERS: Metric = seconds("wall_s.parameters");
/// Wall time of proving a synthesised circuit.
pub const WALL_PROVE: Metric = seconds("wall_s.prove");
/// Wall time of the first call of a prover in a process.
pub const WALL_PROVER_COLD: Metric = seconds("wall_s.prover.cold");
/// Median wall time of the later calls of a prover in a process.
pub const WALL_PROVER_WARM: Metric = seconds("wall_s.prover.warm");
/// Wall time a batch, where batches are synthesised and proven one after another in a process.
pub const WALL_SUSTAINED: Metric = seconds("wall_s.sustained");
/// From the finished proofs until the caller of a prover goes on.
pub const WALL_PROVER_TEARDOWN: Metric = seconds("wall_s.prover.teardown");
/// Wall time of everything that the workload measures.
pub const WALL_TOTAL: Metric = seconds("wall_s.total");
/// Time with something being synthesised, where several partitions are on their way.
pub const WALL_BUSY_SYNTHESIS: Metric = seconds("wall_s.busy.synthesis");
/// Time with something being proven or verified.
pub const WALL_BUSY_PROVING: Metric = seconds("wall_s.busy.proving");
/// Time with both at once.
pub const WALL_BUSY_BOTH: Metric = seconds("wall_s.busy.both");
/// Time until whoever hands memory over can go on.
pub const WALL_CALLER: Metric = seconds("wall_s.caller");
/// As [`WALL_CALLER`], summed over batches that follow one another.
pub const WALL_CALLER_BURST: Metric = seconds("wall_s.caller-burst");
/// Wall time of batches that follow one another, until all their memory is free.
pub const WALL_TOTAL_BURST: Metric = seconds("wall_s.total-burst");
/// Highest resident memory in the measured region.
pub const PEAK: Metric = bytes("peak_bytes");
/// As [`PEAK`], over batches that follow one another.
pub const PEAK_BURST: Metric = bytes("peak_bytes.burst");
/// As [`PEAK`], while a circuit is recorded.
pub const PEAK_RECORD: Metric = bytes("peak_bytes.record");
/// Highest memory of GPUs that a process took: what NVML says is taken of all GPUs that it may see, read every few
/// milliseconds, less the reading at its start. What others take or give back meanwhile on those GPUs is in it.
pub const PEAK_GPU: Metric = bytes("peak_bytes.gpu");
/// Processor time in user mode, all threads, in the measured region.
pub const USER: Metric = seconds("user_s");
/// Processor time in the kernel, all threads, in the measured region.
pub const SYSTEM: Metric = seconds("system_s");
/// Constraints of the circuit itself: the prover adds one for each input.
pub const CONSTRAINTS: Metric = count("constraints");
/// Non-zero coefficients of a recorded circuit's matrices.
pub const NONZEROS: Metric = count("nonzeros");
/// A recorded circuit, with everything that belongs to it.
pub const RECORDING: Metric = bytes("recording_bytes");
/// Assignment and a, b and c of all circuits in compact form.
pub const COMPACT: Metric = bytes("compact_bytes");
/// Pages touched for the first time in the first synthesis.
pub const FAULTS_COLD: Metric = count("minor_faults.cold");
/// Pages touched for the first time in the second synthesis: how warm it was.
pub const FAULTS_WARM: Metric = count("minor_faults.warm");

/// Every metric that has a constant here. Phases of a proof (`wall_s.fft` and its like) come on top.
pub const ALL: &[Metric] = &[
    WALL_REFERENCE,
    WALL_COLD,
    WALL_WARM,
    WALL_SYNTHESIS,
    WALL_PARAMETERS,
    WALL_PROVE,
    WALL_PROVER_COLD,
    WALL_PROVER_WARM,
    WALL_SUSTAINED,
    WALL_PROVER_TEARDOWN,
    WALL_GENERATE,
    WALL_TOTAL,
    WALL_BUSY_SYNTHESIS,
    WALL_BUSY_PROVING,
    WALL_BUSY_BOTH,
    WALL_CALLER,
    WALL_CALLER_BURST,
    WALL_TOTAL_BURST,
    PEAK,
    PEAK_BURST,
    PEAK_RECORD,
    PEAK_GPU,
    USER,
    SYSTEM,
    CONSTRAINTS,
    NONZEROS,
    RECORDING,
    COMPACT,
    FAULTS_COLD,
    FAULTS_WARM,
];

/// The unit that a metric's name states, also for one whose phase has no constant here.
pub fn unit_of(name: &str) -> Option<Unit> {
    let quantity = name.split('.').next()?;
    if quantity.ends_with("_s") {
        Some(Unit::Seconds)
    } else if quantity.ends_with("_bytes") {
        Some(Unit::Bytes)
    } else if ALL.iter().any(|metric| metric.name == name) {
        Some(Unit::Count)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_states_its_unit() {
        for metric in ALL {
            assert_eq!(unit_of(metric.name), Some(metric.unit), "{}", metric.name);
        }
        assert_eq!(unit_of("wall_s.fft"), Some(Unit::Seconds));
        assert_eq!(unit_of("surprise"), None);
    }
}
