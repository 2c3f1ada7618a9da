//! Flags of `cargo xtask report`.

use std::path::PathBuf;

use clap::Args;

/// Writes what results/ says into the pages that show it: README.md, results/README.md, docs/optimisations/*.md, and as
/// plots into one HTML file, target/report/index.html.
///
/// Only the text between the markers `<!-- bench:begin -->` and `<!-- bench:end -->`, or `measured:begin` and
/// `measured:end`, is replaced. results/README.md and the HTML file are written whole. A result that can't be read is
/// named, and the HTML file shows the others; the pages of the repository are then left as they are.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cargo xtask report --html report.html\n\n\
    Exit code: 0 the pages say what the results say; 1 with --check, when one of them would change, and when a file of \
    results/ can't be read.")]
pub struct ReportArgs {
    /// Change nothing; exit with 1 when a page of the repository would change.
    #[arg(long)]
    pub check: bool,
    /// Where the HTML file goes, instead of target/report/index.html.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub html: Option<PathBuf>,
}
