//! `cargo xtask build`: the binaries of arms.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::arm::{self, ArmSpec};
use crate::bench::process::Interrupt;
use crate::bundle::strip;
use crate::files;
use crate::flags::build::BuildArgs;
use crate::layout::Layout;
use crate::progress::Progress;

/// Builds each arm that is named and prints its stamp and its binary.
pub fn run(layout: &Layout, args: BuildArgs) -> Result<ExitCode> {
    if args.gpu_suite {
        return gpu_suite(layout, &args);
    }
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

/// Builds the program that is carried to a GPU, on one arm.
fn gpu_suite(layout: &Layout, args: &BuildArgs) -> Result<ExitCode> {
    let [arm] = &args.arms[..] else {
        bail!("--gpu-suite takes one arm");
    };
    let spec = arm.parse::<ArmSpec>()?.with_cuda();
    let built = arm::build_program(layout, &arm::GPU_SUITE, &spec, Progress::stderr())?;
    let stamp = arm::on_gpu::stamp(layout, &spec, Progress::stderr())?;
    let beside = built.binary.with_extension("stamp");
    files::replace(&beside, format!("{stamp}\n").as_bytes())
        .with_context(|| format!("cannot write {}", layout.show(&beside)))?;
    println!("{spec} {} {}", &stamp[..12], layout.show(&built.binary));
    if let Some(folder) = &args.to {
        carry(&built.binary, &stamp, folder)?;
        println!("on a machine with a GPU: {}/run", folder.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the program with its stamp, from wherever it was carried to.
const RUN: &str = r#"#!/bin/sh
# Tries the GPU's prover; takes what `gpu-suite --help` lists. The result is gpu-suite.json in the current folder.
here=$(dirname "$0")
exec "$here/gpu-suite" --stamp "$(cat "$here/gpu-suite.stamp")" "$@"
"#;

fn carry(binary: &Path, stamp: &str, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    strip::copy(binary, &folder.join("gpu-suite"), &Interrupt::default())?;
    let write = || -> std::io::Result<()> {
        fs::write(folder.join("gpu-suite.stamp"), format!("{stamp}\n"))?;
        let run = folder.join("run");
        fs::write(&run, RUN)?;
        fs::set_permissions(&run, fs::Permissions::from_mode(0o755))
    };
    write().with_context(|| format!("cannot write into {}", folder.display()))
}
