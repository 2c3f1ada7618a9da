//! Flags of `cargo xtask report`.

use clap::Args;

/// Writes what results/ says into the pages that show it: README.md, results/README.md, docs/optimisations/*.md.
///
/// Only the text between the markers `<!-- bench:begin -->` and `<!-- bench:end -->`, or `measured:begin` and
/// `measured:end`, is replaced. results/README.md is written whole.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask report --check\n\n\
    Exit code: 0 the pages say what the results say; 1 with --check, when one of them would change.")]
pub struct ReportArgs {
    /// Change nothing; exit with 1 when a page would change.
    #[arg(long)]
    pub check: bool,
}
