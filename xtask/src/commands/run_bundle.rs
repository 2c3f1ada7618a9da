//! What the script `run` of a bundle calls. No repository is needed.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::bench::process::Interrupt;
use crate::bundle::runner::{self, RunWishes};
use crate::flags::run_bundle::RunBundleArgs;
use crate::progress::Progress;

/// Runs a bundle.
pub fn run(args: RunBundleArgs) -> Result<ExitCode> {
    let interrupt = Interrupt::install().context("cannot watch for Ctrl-C")?;
    let current = std::env::current_dir().context("the current folder")?;
    let wishes = RunWishes {
        limit: args.limit,
        json: args.json,
    };
    runner::run(&args.dir, &wishes, &current, &interrupt, Progress::stderr())
}
