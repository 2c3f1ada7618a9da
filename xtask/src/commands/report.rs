//! `cargo xtask report`.

use std::process::ExitCode;

use crate::flags::report::ReportArgs;
use crate::layout::Layout;

/// Runs the verb.
pub fn run(_layout: &Layout, _args: ReportArgs) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::from(2))
}
