//! Flags of `cargo xtask build`.

use clap::Args;

/// Builds the binaries of arms, or finds them built, and prints their paths.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cargo xtask build --arms pristine,patched\n  cargo xtask build --cuda"
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
}
