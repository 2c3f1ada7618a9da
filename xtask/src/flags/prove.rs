//! Flags of `cargo xtask prove`.

use std::path::PathBuf;

use clap::Args;

/// The kinds of proof: those that are made from a sector of our own, then those that need a C1 output.
pub const KINDS: [&str; 8] = [
    "porep-2k",
    "winning-2k",
    "window-2k",
    "snap-2k",
    "porep-8m",
    "porep-512m",
    "porep-32g",
    "porep-64g",
];

/// Makes a real proof and has filecoin-proofs verify the very bytes of it.
///
/// A 2 KiB sector is sealed for it, unless --c1 names the C1 output of a sector that was sealed elsewhere. Parameters
/// that are missing for a 2 KiB sector are generated and kept, in a folder of cuzk's own: they are for tests only. Larger
/// sectors need Filecoin's published parameters. The last line of standard output is the verdict.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask prove porep-2k --out proof\n  \
    cargo xtask prove porep-2k --backend gpu\n  \
    cargo xtask prove porep-2k --engine --sectors 3 --budget 6GiB\n  \
    cargo xtask prove porep-32g --c1 c1.json --params /var/tmp/filecoin-proof-parameters\n\n\
    Exit code: 0 the proof verifies; 1 it does not; 2 it could not be made.")]
pub struct ProveArgs {
    /// The kind of proof and the size of the sector; porep-8m and larger need --c1.
    #[arg(value_name = "KIND", value_parser = KINDS)]
    pub kind: String,
    /// Which prover: `gpu` builds the program with NVIDIA's too (`cargo xtask cuda` says with which toolkit) and needs a GPU.
    #[arg(long, value_name = "PROVER", value_parser = ["cpu", "gpu"], default_value = "cpu")]
    pub backend: String,
    /// With --backend gpu: use at most so much of each GPU's memory, in GiB; else what is free, less a reserve.
    #[arg(long, value_name = "GIB", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub gpu_memory: Option<u64>,
    /// With --backend gpu: use this GPU alone, by CUDA's number among those that are visible, from 0; else all of them.
    #[arg(long, value_name = "N")]
    pub gpu: Option<u32>,
    /// Prove this C1 output (JSON) and seal nothing. C1 does not hold the prover's id: without --prover-id the proof is
    /// verified at the Groth16 level, from the commitments that C1 does hold.
    #[arg(long, value_name = "FILE")]
    pub c1: Option<PathBuf>,
    /// The prover's id, 64 hexadecimal digits, with which the sector of --c1 was sealed.
    #[arg(long, value_name = "HEX", requires = "c1")]
    pub prover_id: Option<String>,
    /// The number of the sector of --c1, where the file does not hold it.
    #[arg(long, value_name = "N", requires = "prover_id")]
    pub sector_id: Option<u64>,
    /// The registered seal proof of --c1, by number or name, where the file does not hold it.
    #[arg(long, value_name = "PROOF", requires = "c1")]
    pub registered_proof: Option<String>,
    /// Leave input, proof, public inputs and verifying key in DIR, for `cargo xtask verify DIR`.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Look for parameters here, instead of in the folder that FIL_PROOFS_PARAMETER_CACHE names.
    #[arg(long, value_name = "DIR")]
    pub params: Option<PathBuf>,
    /// Use this file of parameters although neither a published digest nor a check vouches for it.
    #[arg(long, value_name = "FILE")]
    pub unverified_params: Option<PathBuf>,
    /// Take the sector and the proof's randomness from this number, so that the same bytes come again. Such a proof
    /// hides nothing from those who know the number.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write phases, times and the verdict to FILE as JSON too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Prove several 2 KiB sectors through the engine: synthesis and proving overlap, circuits are recorded once, memory
    /// stays inside --budget. Says throughput, overlap, and peak against budget.
    #[arg(long, conflicts_with_all = ["c1", "out"])]
    pub engine: bool,
    /// With --engine: so many sectors; one when left out.
    #[arg(long, value_name = "N", requires = "engine", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub sectors: Option<u64>,
    /// With --engine: what the whole process may take, as in 6GiB; else three quarters of what the machine has free.
    #[arg(long, value_name = "SIZE", requires = "engine")]
    pub budget: Option<String>,
    /// With --engine: synthesise plainly, without recordings.
    #[arg(long, requires = "engine")]
    pub no_recordings: bool,
    /// The stack to prove on, any but `released`.
    #[arg(long, value_name = "STACK", default_value = "patched")]
    pub stack: String,
}
