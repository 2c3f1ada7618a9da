//! Running a program that was built, in place of this one.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

/// Runs the program to its end: input, output, folder and exit code are those of this process.
pub fn run(program: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let advice = || {
        format!(
            "{} does not start. Remove it, and the next call builds it anew",
            program.display()
        )
    };
    // Looked for first: an `exec` that fails leaves signals as the other program should have found them.
    program.metadata().with_context(advice)?;
    let mut command = Command::new(program);
    command.args(arguments);
    become_it(&mut command).with_context(advice)
}

/// The process itself becomes the program, so that Ctrl-C and every other signal reach it.
#[cfg(unix)]
fn become_it(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    // It returns only where it failed.
    Err(command.exec().into())
}

/// A console sends Ctrl-C to both processes; this one has to outlive the other to pass its exit code on.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> Result<ExitCode> {
    ctrlc::set_handler(|| ()).context("cannot watch for Ctrl-C")?;
    let code = command.status()?.code();
    Ok(ExitCode::from(
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2),
    ))
}

/// Arguments of a program, in forms that no value can be taken for a flag in.
#[derive(Debug, Default)]
pub struct Arguments(Vec<OsString>);

impl Arguments {
    /// The verb that comes first.
    pub fn verb(verb: &str) -> Self {
        Self(vec![verb.into()])
    }

    /// `--NAME=VALUE`, where there is a value.
    pub fn option(mut self, name: &str, value: Option<impl Into<OsString>>) -> Self {
        if let Some(value) = value {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value.into());
            self.0.push(word);
        }
        self
    }

    /// `--NAME`, where it is wanted.
    pub fn switch(mut self, name: &str, wanted: bool) -> Self {
        if wanted {
            self.0.push(format!("--{name}").into());
        }
        self
    }

    /// What stands alone, last.
    pub fn value(mut self, value: impl Into<OsString>) -> Vec<OsString> {
        self.0.extend(["--".into(), value.into()]);
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_taken_for_a_flag() {
        let arguments = Arguments::verb("run")
            .option("out", Some(Path::new("-o")))
            .option("json", None::<OsString>)
            .option("seed", Some(7.to_string()))
            .value("--kind");
        assert_eq!(arguments, ["run", "--out=-o", "--seed=7", "--", "--kind"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(Path::new("/nowhere/prove"), &[]).expect_err("not there");
        assert!(error.to_string().contains("/nowhere/prove"), "{error}");
    }
}
