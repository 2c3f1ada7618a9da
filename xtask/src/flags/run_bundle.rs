//! Flags of a bundle's runner, which its script `run` calls.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::bundle::pace::parse_limit;

/// What the script of a bundle passes on.
#[derive(Debug, Args)]
#[command(
    override_usage = "./run [--limit TIME] [--json FILE]",
    after_help = "Example:\n  ./run --limit 10m\n\n\
    Exit code: 0 rows were compared, none regressed and none is invalid; 1 otherwise; 2 the comparison could not be \
    made."
)]
pub struct RunBundleArgs {
    /// The bundle.
    #[arg(value_name = "DIR", hide = true)]
    pub dir: PathBuf,
    /// The most time that it may take (90s, 10m, 1h30m): fewer pairs where the plan does not fit, and a hard stop.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub limit: Option<Duration>,
    /// Write the result to FILE as JSON too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
