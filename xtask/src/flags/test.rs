//! Flags of `cargo xtask test` and `cargo xtask lint`.

use clap::Args;

/// Runs every test of the repository, one step after the other, and sums up at the end. A step that fails does not stop
/// the others.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask test\n  \
    cargo xtask test --only answers --only upstream/bellperson\n\n\
    Exit code: 0 every step passed; 1 one or more failed; 2 the tests could not be run.")]
pub struct TestArgs {
    /// Run this step only; may be given again. See --list.
    #[arg(long, value_name = "STEP")]
    pub only: Vec<String>,
    /// Compile against pristine and every stack that lacks one optimisation, too: some minutes.
    #[arg(long)]
    pub leave_one_out: bool,
    /// Make a real proof of every kind and have it verified, too: some minutes, most of them on two cores.
    #[arg(long)]
    pub proofs: bool,
    /// Build and test projects of others on a dist of the stack, too: some minutes.
    #[arg(long)]
    pub downstream: bool,
    /// Hold the tree to what the newest kept run of `gpu-suite` said on a GPU, too.
    #[arg(long)]
    pub gpu_suite: bool,
    /// Try the laboratory on known changes, too: some minutes on a quiet machine.
    #[arg(long)]
    pub laboratory: bool,
    /// Name the steps and what each is for, and run none.
    #[arg(long)]
    pub list: bool,
    /// Write the names of upstream's tests, and the lock files that they run with, instead of comparing with them.
    #[arg(long)]
    pub update_upstream: bool,
}

/// Checks formatting, lints, documentation and what is generated from results.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask lint\n  \
    cargo xtask lint --only clippy --only rustdoc\n\n\
    Exit code: 0 nothing to mend; 1 something is; 2 the checks could not be run.")]
pub struct LintArgs {
    /// Run this step only; may be given again. See --list.
    #[arg(long, value_name = "STEP")]
    pub only: Vec<String>,
    /// Name the steps and what each is for, and run none.
    #[arg(long)]
    pub list: bool,
}
