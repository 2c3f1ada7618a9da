//! `cargo xtask build`: the binaries of arms.

use std::process::ExitCode;

use anyhow::Result;

use crate::arm::{self, ArmSpec};
use crate::flags::build::BuildArgs;
use crate::layout::Layout;
use crate::progress::Progress;

/// Builds each arm that is named and prints its stamp and its binary.
pub fn run(layout: &Layout, args: BuildArgs) -> Result<ExitCode> {
    let specs = args
        .arms
        .iter()
        .map(|arm| {
            let arm: ArmSpec = arm.parse()?;
            Ok(if args.cuda { arm.with_cuda() } else { arm })
        })
        .collect::<Result<Vec<ArmSpec>>>()?;
    for arm in arm::build(layout, &specs, Progress::stderr())? {
        println!(
            "{} {} {}",
            arm.spec,
            &arm.stamp[..12],
            layout.show(&arm.binary)
        );
    }
    Ok(ExitCode::SUCCESS)
}
