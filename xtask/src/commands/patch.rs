//! `cargo xtask patch`.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::patch::{PatchArgs, PatchVerb};
use crate::layout::Layout;
use crate::progress::Progress;
use crate::upkeep::{check, journal, list};

/// Runs a verb on the patches. What an export that died in the middle has left is put back first.
pub fn run(layout: &Layout, args: PatchArgs) -> Result<ExitCode> {
    journal::recover(layout, Progress::stderr())?;
    match args.verb {
        PatchVerb::Edit(args) => super::edit::run(layout, args),
        PatchVerb::Export(args) => super::export::run(layout, args),
        PatchVerb::Rebase(args) => super::rebase::rebase(layout, args),
        PatchVerb::Check { json } => check::run(layout, json),
        PatchVerb::List { json } => list::run(layout, json),
    }
}
