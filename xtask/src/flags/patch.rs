//! Flags of `cargo xtask patch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Looks at the patches of the series.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask patch list")]
pub struct PatchArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub verb: PatchVerb,
}

/// The verbs of `cargo xtask patch`.
#[derive(Debug, Subcommand)]
pub enum PatchVerb {
    /// List the series: slug, kind, on or off, crates, lines added and removed.
    #[command(after_help = "Example:\n  cargo xtask patch list --json series.json")]
    List {
        /// Write the list to FILE as JSON too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}
