//! Flags of `cargo xtask params`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Checks files of parameters.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask params check my.params")]
pub struct ParamsArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub verb: ParamsVerb,
}

/// The verbs of `cargo xtask params`.
#[derive(Debug, Subcommand)]
pub enum ParamsVerb {
    /// Check every point of a file: on the curve, in the subgroup, not the identity.
    ///
    /// All cores are used. A file that is good gets a record beside it, FILE.checked, with which `prove` takes it
    /// from then on.
    #[command(
        after_help = "Example:\n  cargo xtask params check my.params --json report.json\n\n\
        Exit code: 0 every point is good; 1 one or more are not; 2 the file could not be checked."
    )]
    Check {
        /// The file, in bellperson's format.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Write the report to FILE as JSON too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}
