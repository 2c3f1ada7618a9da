//! Flags of `cargo xtask vendor`.

use std::path::PathBuf;

use clap::Args;

/// Makes the trees of the stacks that are named, `patched` when none is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask vendor pristine patched-add-to-lc")]
pub struct VendorArgs {
    /// Stacks: pristine, patched, patched-SLUG, pristine+SLUG, patched+SLUG, prefix-SLUG.
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Also every stack that leaves one optimisation of the default series out, where it can be constructed.
    #[arg(long)]
    pub leave_one_out: bool,
    /// Throw away edits that were made by hand inside a generated tree.
    #[arg(long, conflicts_with = "keep")]
    pub discard: bool,
    /// Move a tree with edits made by hand to DIR/CRATE before it is made anew.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}
