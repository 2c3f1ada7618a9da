//! Binaries without their symbols: the same code and data in fewer bytes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::bench::process::{self, Interrupt, ProcessError};

/// Programs that strip, with what goes before the file: GNU binutils, and LLVM's under the names of the usual packages.
const TOOLS: [(&str, &[&str]); 4] = [
    ("strip", &["--strip-all"]),
    ("llvm-strip", &["--strip-all"]),
    ("objcopy", &["--strip-all"]),
    ("llvm-objcopy", &["--strip-all"]),
];

/// Copies a program without symbols, for everybody to run. False when no tool was there to strip it.
pub fn copy(from: &Path, to: &Path, interrupt: &Interrupt) -> Result<bool> {
    copy_with(from, to, &TOOLS, interrupt)
}

fn copy_with(
    from: &Path,
    to: &Path,
    tools: &[(&str, &[&str])],
    interrupt: &Interrupt,
) -> Result<bool> {
    fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(to, mode).with_context(|| format!("the mode of {}", to.display()))?;
    let is_elf = fs::read(to)?.starts_with(&object::elf::ELFMAG);
    for (tool, arguments) in tools.iter().filter(|_| is_elf) {
        let mut command = Command::new(tool);
        command.args(*arguments).arg(to);
        match process::run(&mut command, interrupt) {
            Ok(finished) if finished.good => return Ok(true),
            // It is there and chokes, or it is not there: the next one may do.
            Ok(_) | Err(ProcessError::Start { .. } | ProcessError::Failed { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(!is_elf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripped_program_still_runs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let this = crate::files::this_program().expect("this test");
        let to = folder.path().join("stripped");
        let interrupt = Interrupt::default();
        // Where no tool is, this is a plain copy, and nothing else is to be seen.
        let stripped = copy(&this, &to, &interrupt).expect("copied");
        let size = |path: &Path| fs::metadata(path).expect("there").len();
        assert_eq!(stripped, size(&to) < size(&this));
        let mut command = Command::new(&to);
        command.arg("--list");
        assert!(
            process::run(&mut command, &interrupt)
                .expect("it runs")
                .good
        );
    }

    #[test]
    fn a_host_without_tools_gets_a_plain_copy() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let to = folder.path().join("copy");
        let interrupt = Interrupt::default();
        let (absent, this) = (
            "/nonexistent/strip",
            crate::files::this_program().expect("this"),
        );
        assert!(!copy_with(&this, &to, &[(absent, &[])], &interrupt).expect("copied"));
        assert_eq!(
            fs::read(&to).expect("there"),
            fs::read(&this).expect("there")
        );
        let script = folder.path().join("script");
        fs::write(&script, "#!/bin/sh\n").expect("written");
        assert!(copy(&script, &to, &interrupt).expect("nothing to strip"));
        assert!(copy(Path::new("/nonexistent/program"), &to, &interrupt).is_err());
    }
}
