//! The step that type-checks what calls SupraSeal, on a machine without a CUDA toolkit.
//!
//! Build scripts need nvcc, `cargo check` needs nothing of what it makes. So a script stands for it that makes empty
//! objects; everything lies in a target folder of its own, so that no arm is ever linked with them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Outcome, stacks};
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::resolve;
use crate::stack::manifest::Manifest;
use crate::stack::selection::Selection;

/// The script.
const STUB: &str = include_str!("stub-nvcc.sh");

/// Checks cuzk-core with its CUDA feature on the patched and the pristine stack.
pub fn check(layout: &Layout) -> Outcome {
    let manifest = Manifest::load(layout)?;
    let target = layout.target.join("cuda-check");
    let nvcc = write_stub(&target.join("stand-in")).with_context(|| {
        format!(
            "cannot write a stand-in for nvcc to {}",
            layout.show(&target)
        )
    })?;
    let selections = [Selection::Patched, Selection::Pristine];
    for selection in &selections {
        let stack = stacks::make(layout, &manifest, selection)?;
        resolve::check(layout, &manifest, &stack, &[])?;
        let mut command = cargo::cargo(layout);
        command.args(["check", "--release", "--locked", "-p", "cuzk-core"]);
        command
            .args(["--features", "cuda", "--target-dir"])
            .arg(&target);
        if let Some(config) = &stack.config {
            command.arg("--config").arg(config);
        }
        command.env("NVCC", &nvcc);
        cargo::run(&mut command, Progress::stderr()).with_context(|| {
            format!("stack `{selection}` does not compile with `--features cuda`")
        })?;
    }
    Ok(format!("{} stacks, no kernel compiled", selections.len()))
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
