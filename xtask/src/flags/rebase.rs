//! Flags of `cargo xtask patch rebase`.

use std::path::PathBuf;

use clap::Args;

/// Brings the patches of one crate to another release of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cargo xtask patch rebase bellperson 0.26.0 --survey\n\nExit code: 0 through, or nobody is needed; 1 a person is needed; 2 it could not be done."
)]
pub struct RebaseArgs {
    /// The upstream crate.
    #[arg(
        value_name = "CRATE",
        required_unless_present = "on",
        requires = "version"
    )]
    pub krate: Option<String>,
    /// The release that its patches are to be made for.
    #[arg(value_name = "VERSION")]
    pub version: Option<String>,
    /// Try every patch in memory, and say what would become of it. Nothing changes.
    #[arg(long, requires = "krate")]
    pub survey: bool,
    /// Write the survey to FILE as JSON too.
    #[arg(long, value_name = "FILE", requires = "survey")]
    pub json: Option<PathBuf>,
    /// How a rebase goes on that has stopped.
    #[command(flatten)]
    pub on: RebaseOn,
}

/// How a rebase that has stopped goes on.
#[derive(Debug, Args)]
#[group(id = "on", multiple = false, conflicts_with = "krate")]
pub struct RebaseOn {
    /// Take the folder as it is now for the patch that was in conflict, and go on.
    #[arg(long = "continue")]
    pub go_on: bool,
    /// Leave the patch that is in conflict out of the crate, and what is blocked by it, and go on.
    #[arg(long)]
    pub skip: bool,
    /// Put everything back to what it was before the rebase.
    #[arg(long)]
    pub abort: bool,
}
