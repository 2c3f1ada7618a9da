//! Flags of `cargo xtask patch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::rebase::RebaseArgs;

use crate::stack::manifest::Kind;

/// Looks after the patches of the series.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask patch edit bellperson")]
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
    /// added again whole. The series, the files below extern/patches and the root's `[patch]` table agree. A patch that is
    /// off fits exactly somewhere along the series. A perf patch that is on is backed by a kept result that compares
    /// stacks of today's trees which differ in it alone, and says improved. Releases that were never fetched are fetched.
    /// What an export that was killed has left half written is put back first, as by every verb of `patch`.
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
    #[command(
        after_help = "Example:\n  cargo xtask patch list --json series.json\n\n\
        Exit code: 0 the list is whole; 1 a file of results/ can't be read; 2 there is no list."
    )]
    List {
        /// Write the list to FILE as JSON too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Open a scratch git repository of a crate: its release, and one commit for each patch.
    ///
    /// It lies in target/edit/CRATE: the branch `series` has the release and one commit for each patch of the default series,
    /// and each patch that is off has a branch `off/SLUG`. Commits that were not exported are kept when it is opened again.
    Edit(EditArgs),
    /// Write the commits of an edit back as patches, and stack.toml with them.
    ///
    /// Each commit of target/edit/CRATE becomes extern/patches/CRATE/SLUG.patch, the slug being what its subject begins with,
    /// and extern/stack.toml is brought into line: all of it, or nothing. What did not change gives the same bytes. Exit
    /// code 1 where a patch that is off fits nowhere along the series any more.
    Export(ExportArgs),
    /// Bring the patches of one crate to another release of it.
    Rebase(RebaseArgs),
}

/// Flags of `patch edit`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask patch edit bellperson")]
pub struct EditArgs {
    /// An upstream crate of extern/stack.toml.
    #[arg(value_name = "CRATE")]
    pub name: String,
    /// Throw away what is there, and begin anew.
    #[arg(long)]
    pub discard: bool,
}

/// Flags of `patch export`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask patch export bellperson --drop copy-bits")]
pub struct ExportArgs {
    /// The crate whose edit is open.
    #[arg(value_name = "CRATE")]
    pub name: String,
    /// Let this patch leave the crate: its commit is gone. Can be repeated.
    #[arg(long, value_name = "SLUG")]
    pub drop: Vec<String>,
    /// Kind of the commits whose slug is new; instrument, build and fix are on, perf (when not said) and experiment off.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub kind: Option<Kind>,
}

fn kind(text: &str) -> Result<Kind, String> {
    let kinds = [
        Kind::Instrument,
        Kind::Build,
        Kind::Perf,
        Kind::Fix,
        Kind::Experiment,
    ];
    let found = kinds.into_iter().find(|kind| kind.to_string() == text);
    found.ok_or_else(|| {
        let names = kinds.map(|kind| kind.to_string()).join(", ");
        format!("no such kind; there are {names}")
    })
}
