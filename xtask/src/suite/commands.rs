//! Steps that call cargo, or this program.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

use super::Outcome;
use crate::cargo;
use crate::layout::Layout;
use crate::results::{ResultFile, store};

/// `cargo test` with these arguments; says how many tests ran. A run of none fails.
pub fn cargo_test(layout: &Layout, args: &[&str]) -> Outcome {
    let mut command = cargo::cargo(layout);
    command.arg("test").args(args);
    tested(&mut command)
}

/// A command that runs tests; says how many ran. A run of none fails.
pub fn tested(command: &mut Command) -> Outcome {
    let text = captured(command)?;
    let (passed, failed, ignored) = counts(&text);
    if passed == 0 || failed > 0 {
        bail!("{passed} tests passed and {failed} failed");
    }
    Ok(match ignored {
        0 => format!("{passed} tests"),
        _ => format!("{passed} tests, {ignored} ignored"),
    })
}

/// `cargo` with these arguments and variables, for its exit code.
pub fn cargo_check(layout: &Layout, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let mut command = cargo::cargo(layout);
    command.args(args).envs(variables.iter().copied());
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `cargo {}`", args.join(" ")))?;
    if !status.success() {
        bail!("`cargo {}` failed; its messages are above", args.join(" "));
    }
    Ok(String::new())
}

/// This program with these arguments, in a process of its own: its table goes to the screen.
pub fn xtask(layout: &Layout, args: &[&str]) -> Outcome {
    let status = run_again(layout, args)?;
    if !status.success() {
        bail!("`cargo xtask {}` failed ({status})", args.join(" "));
    }
    Ok(String::new())
}

/// One comparison by this program, in a process of its own, as the result that it writes. Exit code 1 says that a row
/// falls short, which is for the caller to judge.
pub fn bench(layout: &Layout, args: &[&str]) -> Result<ResultFile> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let path = folder.path().join("result.json");
    let mut all: Vec<&OsStr> = vec!["bench".as_ref()];
    all.extend(args.iter().map(OsStr::new));
    all.extend([OsStr::new("--json"), path.as_os_str()]);
    let status = run_again(layout, &all)?;
    if !matches!(status.code(), Some(0 | 1)) {
        bail!("`cargo xtask bench {}` failed ({status})", args.join(" "));
    }
    store::read(&path)
        .with_context(|| format!("the result of `cargo xtask bench {}`", args.join(" ")))
}

/// This program once more, at the root; what it prints goes to the screen.
fn run_again(layout: &Layout, args: &[impl AsRef<OsStr>]) -> Result<ExitStatus> {
    let program = crate::files::this_program().context("cannot name this program")?;
    Command::new(program)
        .args(args)
        .current_dir(&layout.root)
        .stdin(Stdio::null())
        .status()
        .context("cannot start this program once more")
}

/// Standard output of a command, shown as well. Its messages go to the screen.
fn captured(command: &mut Command) -> Result<String> {
    let shown = format!("{command:?}");
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {shown}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{shown} failed ({}):\n{text}", output.status);
    }
    Ok(text)
}

/// Passed, failed and ignored, summed over the closing lines of test binaries.
fn counts(text: &str) -> (usize, usize, usize) {
    let mut sums = (0, 0, 0);
    for line in text.lines().filter(|l| l.starts_with("test result:")) {
        let count = |word: &str| {
            line.split(['.', ';'])
                .filter_map(|part| part.trim().strip_suffix(word))
                .find_map(|number| number.trim().parse::<usize>().ok())
                .unwrap_or(0)
        };
        sums.0 += count("passed");
        sums.1 += count("failed");
        sums.2 += count("ignored");
    }
    sums
}

/// Runs one test binary in the folder of its package and returns what it printed.
pub fn test_binary(binary: &Path, folder: &Path) -> Result<String> {
    let output = Command::new(binary)
        .current_dir(folder)
        .env("CARGO_MANIFEST_DIR", folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{} failed ({}):\n{text}\n{errors}",
            binary.display(),
            output.status
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_summed() {
        let text = "running 3 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
            test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.2s\n";
        assert_eq!(counts(text), (12, 3, 1));
        assert_eq!(counts("running 0 tests\n"), (0, 0, 0));
    }
}
