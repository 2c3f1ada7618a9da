//! Flags of `cargo xtask join`.

use clap::Args;

/// Makes one more published crate part of the stack.
#[derive(Debug, Args)]
#[command(
    after_help = "Cargo fetches the release and checks it; extern/stack.toml, the root's [patch] table and Cargo.lock follow \
    together, or all three are as they were.\n\n\
    Example:\n  cargo xtask join neptune 11.0.0\n\n\
    Exit code: 0 the crate is in the stack; 2 it could not be, and everything is as it was."
)]
pub struct JoinArgs {
    /// The crate, by its name on crates.io.
    #[arg(value_name = "CRATE")]
    pub name: String,
    /// The version that Cargo.lock has.
    #[arg(value_name = "VERSION")]
    pub version: String,
}
