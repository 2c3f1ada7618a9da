//! Flags of `cargo xtask build`.

use std::path::PathBuf;

use clap::Args;

/// Builds the binaries of arms, or finds them built, and prints their paths.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cargo xtask build --arms pristine,patched\n  cargo xtask build --cuda\n  \
                  cargo xtask build --gpu-suite --to /tmp/gpu-suite"
)]
pub struct BuildArgs {
    /// Arms, STACK[:key=value…] each.
    #[arg(
        long,
        value_name = "ARM",
        value_delimiter = ',',
        default_value = "patched"
    )]
    pub arms: Vec<String>,
    /// Give each arm the feature `cuda`: it is built with the toolkit that `cargo xtask cuda` finds.
    #[arg(long)]
    pub cuda: bool,
    /// Build the program that tries the GPU's prover instead, with the feature `cuda`, and write its stamp beside it.
    #[arg(long)]
    pub gpu_suite: bool,
    /// Put that program there, stripped, with its stamp and a script that runs it: for a machine without cargo.
    #[arg(long, value_name = "DIR", requires = "gpu_suite")]
    pub to: Option<PathBuf>,
}
