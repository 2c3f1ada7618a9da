//! The workloads that there are.

use cuzk_circuits::{Blend, generation};
use cuzk_harness::metric::{self, Metric, Step, Timed};
use cuzk_harness::registry::{Size, Workload};

use crate::{engine, prove, recorded, reserve, synth};

/// The vectors of a synthesised circuit, in the order in which a difference is looked for.
pub const SYNTHESIS_VECTORS: &[&str] = &[
    "input_assignment",
    "aux_assignment",
    "a",
    "b",
    "c",
    "a_aux_density",
    "b_input_density",
    "b_aux_density",
];

const SYNTH_HEADLINE: &[Metric] = &[metric::WALL_COLD, metric::WALL_WARM, metric::PEAK];

const SYNTH_TIMED: &[Timed] = &[
    metric::WALL_COLD.of(&[Step::Synthesis]),
    metric::WALL_WARM.of(&[Step::Synthesis]),
];

// The prover frees the assignment before it returns.
const PROVE_TIMED: &[Timed] = &[
    metric::WALL_SYNTHESIS.of(&[Step::Synthesis]),
    metric::WALL_PROVE.of(&[Step::Proving, Step::Teardown]),
    metric::WALL_PROVER_COLD.of(&[Step::Proving, Step::Teardown]),
    metric::WALL_PROVER_WARM.of(&[Step::Proving, Step::Teardown]),
    metric::WALL_SUSTAINED.of(&[Step::Synthesis, Step::Proving, Step::Teardown]),
    metric::WALL_PROVER_TEARDOWN.of(&[Step::Teardown]),
];

/// On the CPU one call is made: the total is what is compared. On a GPU the calls are.
const BATCH_HEADLINE: &[Metric] = &[
    metric::WALL_TOTAL,
    metric::WALL_PROVER_COLD,
    metric::WALL_PROVER_WARM,
    metric::WALL_SUSTAINED,
    metric::PEAK,
];

const fn batch(name: &'static str, summary: &'static str, size: Option<Size>) -> Workload {
    Workload {
        name,
        summary,
        size,
        headline: BATCH_HEADLINE,
        timed: PROVE_TIMED,
        repeats: false,
        vectors: &["proof"],
        options: prove::OPTIONS,
        needs_parameters: true,
        has_matrices: true,
    }
}

const BLEND_SIZE: Option<Size> = size(21, 27, "logarithm of the domain, from 8");

const fn synth(name: &'static str, summary: &'static str, size: Option<Size>) -> Workload {
    Workload {
        name,
        summary,
        size,
        headline: SYNTH_HEADLINE,
        timed: SYNTH_TIMED,
        repeats: true,
        vectors: SYNTHESIS_VECTORS,
        options: &[reserve::CAPACITY, recorded::SYNTHESIS, synth::CIRCUITS],
        needs_parameters: false,
        has_matrices: true,
    }
}

const fn size(default: u64, max: u64, unit: &'static str) -> Option<Size> {
    Some(Size { default, max, unit })
}

/// Every workload of this binary. [`Kind::of`] knows them by name.
pub static WORKLOADS: &[Workload] = &[
    synth(
        "synth/porep-2k",
        "Seal a 2 KiB sector, then synthesise the circuit of its C1 output: 2,687,921 constraints.",
        None,
    ),
    synth(
        "synth/window-2k",
        "Seal 2 KiB sectors, then synthesise the circuit of a WindowPoSt's partition with all of them in it: 10,933 constraints a sector.",
        size(100, 2349, "sectors"),
    ),
    synth(
        "synth/snap-2k",
        "Seal a 2 KiB sector and put new data into it, then synthesise the circuit of that SnapDeals proof: 1,705,039 constraints.",
        None,
    ),
    synth(
        "synth/winning-2k",
        "Seal a 2 KiB sector, then synthesise the circuit of its WinningPoSt: 90,750 constraints.",
        None,
    ),
    synth(
        "synth/sha256",
        "Synthesise the SHA-256 of a preimage.",
        size(8, 4096, "blocks of 64 bytes"),
    ),
    synth(
        "synth/gadgets/addmany",
        "Synthesise sums of 32-bit words, two to ten at a time.",
        size(2000, 1 << 20, "sums"),
    ),
    synth(
        "synth/gadgets/multipack",
        "Synthesise packings of bits into scalars.",
        size(2000, 1 << 20, "packings"),
    ),
    synth(
        "synth/gadgets/lookup",
        "Synthesise table lookups, plain and with conditional negation.",
        size(16_384, 1 << 22, "pairs of lookups"),
    ),
    synth(
        "synth/gadgets/enforce-equal",
        "Synthesise equalities of bits, negations and constants.",
        size(300_000, 1 << 24, "equalities"),
    ),
    Workload {
        name: "prove/sha256",
        summary: "Synthesise, prove and verify the SHA-256 of a preimage.",
        size: size(1, 64, "blocks of 64 bytes"),
        headline: &[metric::WALL_TOTAL, metric::PEAK],
        timed: PROVE_TIMED,
        repeats: false,
        vectors: &["proof"],
        options: &[],
        needs_parameters: true,
        has_matrices: true,
    },
    batch(
        "prove/porep-2k",
        "Synthesise, prove and verify the circuit of a 2 KiB sector's C1 output.",
        None,
    ),
    batch(
        "prove/porep-mix",
        "Prove circuits with the proportions of a proof of replication: 1.6 % of the values are dense.",
        BLEND_SIZE,
    ),
    batch(
        "prove/post-mix",
        "Prove circuits with the proportions of a proof of spacetime: 95 % of the values are dense.",
        BLEND_SIZE,
    ),
    batch(
        "prove/stress-mix",
        "Prove circuits of which 18 % of the values are dense, all of them in A and B.",
        BLEND_SIZE,
    ),
    Workload {
        name: "engine/porep-2k",
        summary: "Prove the circuit of a 2 KiB sector's C1 output several times, through an engine or phase by phase.",
        size: size(10, 64, "partitions"),
        headline: &[metric::WALL_TOTAL, metric::PEAK],
        // Whatever runs meanwhile is in each of its times.
        timed: &[],
        repeats: false,
        vectors: &["proof"],
        options: engine::OPTIONS,
        needs_parameters: true,
        has_matrices: true,
    },
    generation::SHA256,
    generation::MANY_INPUTS,
    generation::SPARSE_B,
    generation::DENSE,
    Workload {
        name: "teardown",
        summary: "Give up the vectors of a proof, once, then three times back to back.",
        size: size(1024, 1 << 20, "MiB given up at once"),
        headline: &[
            metric::WALL_CALLER,
            metric::WALL_CALLER_BURST,
            metric::PEAK,
            metric::PEAK_BURST,
        ],
        timed: &[
            metric::WALL_CALLER.of(&[Step::Teardown]),
            metric::WALL_CALLER_BURST.of(&[Step::Teardown]),
        ],
        repeats: false,
        vectors: &[],
        options: &[],
        needs_parameters: false,
        has_matrices: false,
    },
];

/// What a workload does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Synthesises a circuit.
    Synth(CircuitKind),
    /// Proves with a circuit: C2 or SHA-256.
    Prove(CircuitKind),
    /// Proves several partitions, through an engine or without.
    Engine(CircuitKind),
    /// Generates parameters; which, `cuzk_circuits` knows.
    Params(&'static str),
    /// Frees memory.
    Teardown,
}

/// Which circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitKind {
    /// C2 of a 2 KiB sector.
    Porep,
    /// WindowPoSt of 2 KiB sectors.
    Window,
    /// SnapDeals of a 2 KiB sector.
    Snap,
    /// WinningPoSt of a 2 KiB sector.
    Winning,
    /// Proportions of a real circuit.
    Blend(Blend),
    /// SHA-256.
    Sha256,
    /// Sums of words.
    AddMany,
    /// Packings.
    Multipack,
    /// Lookups.
    Lookup,
    /// Equalities.
    EnforceEqual,
}

impl Kind {
    /// What a workload of this binary does.
    pub fn of(workload: &Workload) -> Kind {
        Kind::named(workload.name)
            .expect("every entry of WORKLOADS has a kind, as a test of this module shows")
    }

    fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "synth/porep-2k" => Kind::Synth(CircuitKind::Porep),
            "synth/window-2k" => Kind::Synth(CircuitKind::Window),
            "synth/snap-2k" => Kind::Synth(CircuitKind::Snap),
            "synth/winning-2k" => Kind::Synth(CircuitKind::Winning),
            "synth/sha256" => Kind::Synth(CircuitKind::Sha256),
            "synth/gadgets/addmany" => Kind::Synth(CircuitKind::AddMany),
            "synth/gadgets/multipack" => Kind::Synth(CircuitKind::Multipack),
            "synth/gadgets/lookup" => Kind::Synth(CircuitKind::Lookup),
            "synth/gadgets/enforce-equal" => Kind::Synth(CircuitKind::EnforceEqual),
            "prove/porep-2k" => Kind::Prove(CircuitKind::Porep),
            "prove/sha256" => Kind::Prove(CircuitKind::Sha256),
            "prove/porep-mix" => Kind::Prove(CircuitKind::Blend(Blend::Porep)),
            "prove/post-mix" => Kind::Prove(CircuitKind::Blend(Blend::Post)),
            "prove/stress-mix" => Kind::Prove(CircuitKind::Blend(Blend::Stress)),
            "engine/porep-2k" => Kind::Engine(CircuitKind::Porep),
            "teardown" => Kind::Teardown,
            _ => {
                let generated = WORKLOADS.iter().find(|w| w.name == name)?;
                Kind::Params(generated.name.strip_prefix("params/")?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_a_kind_and_a_name_of_its_own() {
        for (i, workload) in WORKLOADS.iter().enumerate() {
            let kind = Kind::named(workload.name);
            assert!(kind.is_some(), "{}", workload.name);
            for other in &WORKLOADS[..i] {
                assert_ne!(kind, Kind::named(other.name));
            }
        }
        assert_eq!(Kind::named("synth"), None);
    }
}
