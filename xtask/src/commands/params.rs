//! `cargo xtask params`: files of parameters, looked at by the program `prove`.

use std::process::ExitCode;

use anyhow::Result;

use super::prove;
use crate::flags::params::{ParamsArgs, ParamsVerb};
use crate::handover::Arguments;
use crate::layout::Layout;
use crate::stack::selection::Selection;

/// Runs a verb on a file of parameters.
pub fn run(layout: &Layout, args: ParamsArgs) -> Result<ExitCode> {
    let arguments = match args.verb {
        ParamsVerb::Check { file, json } => Arguments::verb("check-params")
            .option("json", json)
            .value(file),
    };
    prove::hand_over(layout, Selection::Patched, Vec::new(), &arguments)
}
