//! Flags of `cargo xtask compare`.

use std::path::PathBuf;

use clap::Args;

/// Compares a result with what was measured before, and says what regressed.
///
/// What is compared is how far apart two arms are, never the absolute times of two runs. One file is compared with
/// earlier results of the same host class in results/. Two files are compared with each other, in the order OLD NEW.
#[derive(Debug, Args)]
#[command(
    override_usage = "cargo xtask compare [OPTIONS] NEW\n       cargo xtask compare [OPTIONS] OLD NEW",
    after_help = "One file is compared with earlier results of the same host class in results/, two with each other. What \
    is compared is how far apart two arms are, never the absolute times of two runs. A row regressed when the change of \
    its ratio is certain, at least the margin (2 % of time or memory, 0.1 % of counts, 0.5 % where perf counted), and, from five earlier runs on, larger than what \
    they differ by anyway.\n\n\
    Examples:\n  \
    cargo xtask bench --json new.json && cargo xtask compare new.json\n  \
    cargo xtask compare old.json new.json\n\n\
    Exit code: 0 nothing regressed (a row without history is new, and one that can't be decided is no regression); 1 a \
    row regressed, or not one row of the result can be judged; 2 the comparison could not be made."
)]
pub struct CompareArgs {
    /// The result to judge; of two, the first is the older one, with which the second is compared.
    #[arg(value_name = "NEW", required = true, num_args = 1..=2)]
    pub files: Vec<PathBuf>,
    /// Look for earlier results here too: result files, or a folder for each host class (repeatable).
    #[arg(long, value_name = "DIR")]
    pub history: Vec<PathBuf>,
    /// Judge a result of one file even if the repository would build its arms differently today.
    #[arg(long)]
    pub stale: bool,
    /// Write the comparison to FILE as JSON too (docs/results.md).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
