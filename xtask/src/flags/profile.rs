//! Flags of `cargo xtask profile`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Says where the time of a workload goes, and draws a flame graph.
///
/// The arm is built once more for it, optimised in the same way and with the names of inlined functions. That binary is
/// never taken for one that is measured. Times under a sampler are for shares, not for comparing arms: see `bench`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cargo xtask profile synth/sha256 --arm pristine\n\n\
    Exit code: 0 there is a profile; 1 the workload failed its own check; 2 there is none."
)]
pub struct ProfileArgs {
    /// The workload.
    #[arg(value_name = "WORKLOAD")]
    pub workload: String,
    /// The arm, STACK[:key=value…].
    #[arg(long, value_name = "ARM", default_value = "patched")]
    pub arm: String,
    /// How: perf samples; callgrind counts instructions, some 50 times slower; auto takes perf where it can.
    #[arg(long, value_enum, default_value = "auto")]
    pub method: Wanted,
    /// Its size, in its own unit.
    #[arg(long, value_name = "N")]
    pub size: Option<u64>,
    /// Threads; all cores for proofs and parameters, one for everything else when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub threads: Option<u64>,
    /// Seed of its input.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write the profile to FILE as JSON too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Add the profile to results/, where it is never overwritten.
    #[arg(long)]
    pub keep: bool,
    /// The folder of the flame graph and its folded stacks [default: target/profile].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// How a profile is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// perf where it can sample, otherwise callgrind.
    Auto,
    /// perf.
    Perf,
    /// callgrind.
    Callgrind,
}
