//! `cargo xtask patch`.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::patch::{PatchArgs, PatchVerb};
use crate::layout::Layout;
use crate::upkeep::{check, list};

/// Runs a verb on the patches.
pub fn run(layout: &Layout, args: PatchArgs) -> Result<ExitCode> {
    match args.verb {
        PatchVerb::Edit(args) => super::edit::run(layout, args),
        PatchVerb::Export(args) => super::export::run(layout, args),
        PatchVerb::Rebase(args) => super::rebase::rebase(layout, args),
        PatchVerb::Check { json } => check::run(layout, json),
        PatchVerb::List { json } => list::run(layout, json),
    }
}
