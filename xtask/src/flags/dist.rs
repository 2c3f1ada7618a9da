//! Flags of `cargo xtask dist`.

use std::path::PathBuf;

use clap::Args;

/// Writes the patched crates and cuzk-core into a folder that builds elsewhere: by path, from git, or as a registry.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cargo xtask dist ../cuzk-stack --closure\n\nThe folder's README.md says how it is used."
)]
pub struct DistArgs {
    /// Where to: a folder that is not there yet, or an earlier dist, which is replaced where something has changed.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Put every crate of crates.io that Cargo.lock names into the registry too, so that nothing else is needed.
    #[arg(long)]
    pub closure: bool,
}
