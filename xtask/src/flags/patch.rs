//! Flags of `cargo xtask patch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Looks after the patches of the series.
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
    /// Hold every patch to the rules, and to what an export would write. Changes nothing.
    ///
    /// Each patch is printed anew from the trees before and after it and compared with its file. Its message has its
    /// sections and trailers, its hunks at most three lines of context, and upstream's files are neither rewritten nor
    /// added again whole. The series, the files below extern/patches and the root's [patch] table agree. A patch that is
    /// off fits exactly somewhere along the series. A perf patch that is on is backed by a kept result that compares
    /// stacks of today's trees which differ in it alone, and says improved. Releases that were never fetched are fetched.
    #[command(after_help = "Example:\n  cargo xtask patch check\n\n\
        Exit code: 0 no rule is broken; 1 one or more are; 2 the patches could not be looked at.")]
    Check {
        /// Write violations and notes to FILE as JSON too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// List the series: what each optimisation is, what was measured of it, and what would let us drop it.
    ///
    /// The row that is shown holds today if any does; a time comes before a count, and a decided row before one that is
    /// not. --json has every row.
    #[command(after_help = "Example:\n  cargo xtask patch list --json series.json")]
    List {
        /// Write the list to FILE as JSON too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}
