//! `cargo xtask verify`: proofs judged by a program in which no patch is.

use std::process::ExitCode;

use anyhow::Result;

use crate::arm::{self, ArmSpec, RELEASED};
use crate::flags::verify::VerifyArgs;
use crate::handover::{self, Arguments};
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::selection::Selection;

/// Builds the program without patches and becomes it.
pub fn run(layout: &Layout, args: VerifyArgs) -> Result<ExitCode> {
    let spec = ArmSpec {
        stack: Selection::Released,
        features: Vec::new(),
        options: Vec::new(),
        again: None,
    };
    let built = arm::build_program(layout, &RELEASED, &spec, Progress::stderr())?;
    let arguments = Arguments::verb("verify-dir").value(args.folder);
    handover::run(&built.binary, &arguments)
}
