//! Flags of `cargo xtask adopt`.

use std::path::PathBuf;

use clap::Args;

/// Checks which crates of the stack a foreign workspace uses, and whether they resolve to the stack's folders.
#[derive(Debug, Args)]
#[command(
    after_help = "Without --write nothing below PROJECT changes. With it the lines go into the root's Cargo.toml, cargo brings \
    Cargo.lock in line, and unless every crate of the stack that PROJECT uses is patched then, both files are as they were.\n\n\
    Example:\n  cargo xtask adopt ../worker --write\n\n\
    Exit code: 0 every crate of the stack that PROJECT uses resolves once, to the stack's folder; 1 some would or do not; 2 the \
    project could not be looked at."
)]
pub struct AdoptArgs {
    /// A folder with a Cargo.toml, or below one.
    #[arg(value_name = "PROJECT")]
    pub project: PathBuf,
    /// Take the crates from a folder that `cargo xtask dist` wrote, in place of this checkout.
    #[arg(long, value_name = "DIST")]
    pub from: Option<PathBuf>,
    /// Add the lines, and have cargo bring the lock file in line.
    #[arg(long)]
    pub write: bool,
    /// Write what was found to FILE as JSON too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
