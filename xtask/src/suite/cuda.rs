//! The step that compiles what calls SupraSeal, on a machine without a GPU.
//!
//! Build scripts need nvcc, `cargo check` needs nothing of what it makes. So a script stands for it that makes empty
//! objects; everything lies in a target folder of its own, so that no arm is ever linked with them. Where there is a
//! toolkit, or one can be installed, the patched stack's kernels are then compiled for real, for one architecture, and
//! cuzk-core's tests are linked with them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Outcome, stacks};
use crate::cargo;
use crate::cuda::{self, CudaError, Surroundings, Toolkit};
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use crate::resolve;
use crate::stack::manifest::Manifest;
use crate::stack::selection::Selection;

/// The script.
const STUB: &str = include_str!("stub-nvcc.sh");

/// The architecture that kernels are compiled for here: one shows what does not compile, and takes a minute.
const ONE: &str = "90";

/// Checks cuzk-core with its CUDA feature on the patched and the pristine stack, and compiles it on the patched one.
pub fn check(layout: &Layout) -> Outcome {
    let manifest = Manifest::load(layout)?;
    let checked = check_types(layout, &manifest)?;
    let compiled = match toolkit(layout)? {
        Ok(toolkit) => compile(layout, &manifest, &toolkit)?,
        Err(why) => format!("no kernel compiled: {why}"),
    };
    Ok(format!("{checked} stacks type-checked; {compiled}"))
}

/// The toolkit; why there is none, where nobody asked for a certain one.
fn toolkit(layout: &Layout) -> Result<Result<Toolkit, CudaError>> {
    let around = Surroundings::of(layout);
    let named = ["NVCC", "CUDA_HOME", "CUDA_PATH"]
        .iter()
        .any(|name| around.variable(name).is_some());
    let found = match cuda::find(&around) {
        Ok(found) => Ok(found),
        Err(error) if named => return Err(error.into()),
        Err(_) => {
            let progress = Progress::stderr();
            let _lock = lock::take(layout, "cuda", progress)?;
            cuda::install::install(layout, &around, progress).and_then(|_| cuda::find(&around))
        }
    };
    Ok(found.map(|found| found.clone().only(ONE).unwrap_or(found)))
}

/// Compiles the kernels, links cuzk-core's tests with them, and runs those that are about CUDA.
fn compile(layout: &Layout, manifest: &Manifest, toolkit: &Toolkit) -> Result<String> {
    toolkit.try_out(&layout.target)?;
    let stack = stacks::make(layout, manifest, &Selection::Patched)?;
    resolve::check(layout, manifest, &stack, &["cuda".to_owned()])?;
    let mut command = cargo::cargo(layout);
    command.args(["test", "--release", "--locked", "-p", "cuzk-core", "--lib"]);
    command.args(["--features", "cuda", "--target-dir"]);
    command.arg(layout.target.join("cuda-build"));
    command.args(["--", "cuda"]);
    toolkit.apply(&mut command);
    cargo::run(&mut command, Progress::stderr())
        .context("stack `patched` does not compile with `--features cuda` and a real nvcc")?;
    Ok(format!(
        "compiled with CUDA {} for {}",
        toolkit.version.full, toolkit.architectures
    ))
}

/// Checks that Rust code compiles, with a script in place of nvcc.
fn check_types(layout: &Layout, manifest: &Manifest) -> Result<usize> {
    let target = layout.target.join("cuda-check");
    let nvcc = write_stub(&target.join("stand-in")).with_context(|| {
        format!(
            "cannot write a stand-in for nvcc to {}",
            layout.show(&target)
        )
    })?;
    let selections = [Selection::Patched, Selection::Pristine];
    for selection in &selections {
        let stack = stacks::make(layout, manifest, selection)?;
        resolve::check(layout, manifest, &stack, &[])?;
        let mut command = cargo::cargo(layout);
        command.args(["check", "--release", "--locked"]);
        command.args(["-p", "cuzk-core", "-p", "cuzk-gpu-suite"]);
        command
            .args([
                "--features",
                "cuzk-core/cuda,cuzk-gpu-suite/cuda",
                "--target-dir",
            ])
            .arg(&target);
        if let Some(config) = &stack.config {
            command.arg("--config").arg(config);
        }
        command.env("NVCC", &nvcc);
        // Those of a real toolkit mean nothing to it.
        for name in ["CUZK_CUDA_ARCHS", "NVCC_CCBIN"] {
            command.env_remove(name);
        }
        cargo::run(&mut command, Progress::stderr()).with_context(|| {
            format!("stack `{selection}` does not compile with `--features cuda`")
        })?;
    }
    Ok(selections.len())
}

/// Writes the script, where it isn't there yet: a newer file would have build scripts run again.
fn write_stub(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("nvcc");
    if fs::read_to_string(&path).is_ok_and(|text| text == STUB) {
        return Ok(path);
    }
    fs::create_dir_all(folder)?;
    fs::write(&path, STUB)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    /// Calls as the build scripts of sppark and the crate cc make them.
    #[test]
    fn the_stand_in_answers_as_build_scripts_ask() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let nvcc = write_stub(folder.path()).expect("written");
        let call = |args: &[&str]| {
            let output = Command::new(&nvcc)
                .args(args)
                .current_dir(folder.path())
                .output();
            let output = output.expect("it starts");
            (
                output.status.success(),
                String::from_utf8_lossy(&output.stdout).into_owned(),
            )
        };
        let (good, version) = call(&["--version"]);
        assert!(good && version.contains("release 12.0, "), "{version}");
        assert!(call(&["-arch=sm_70", "--dryrun", "-c", "-x", "cu", "/dev/null"]).0);
        assert!(
            call(&[
                "-ccbin=c++",
                "-Xcompiler",
                "-fPIC",
                "-o",
                "x.o",
                "-c",
                "x.cu"
            ])
            .0
        );
        let object = fs::read(folder.path().join("x.o")).expect("an object");
        assert!(!object.is_empty());
        assert!(call(&["probe.cpp", "-o", "probe"]).0);
        let probe = Command::new(folder.path().join("probe")).status();
        assert_eq!(probe.expect("a program").code(), Some(1), "no device");
    }
}
