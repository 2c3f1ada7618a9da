//! Tests that ask filecoin-proofs something, each in a process of its own: it takes its folders from the environment,
//! once, and a process that has threads, as a test harness has, cannot change that.

use std::path::PathBuf;
use std::process::Command;

const SCRATCH: &str = "CUZK_TEST_SCRATCH";

/// Runs the test of this name in a child process. In the child it is `Some` with the folder that filecoin-proofs keeps
/// its files in, and the test goes on; in the parent it is `None` once the child has passed.
pub fn child(name: &str) -> Option<PathBuf> {
    if let Some(scratch) = std::env::var_os(SCRATCH) {
        return Some(scratch.into());
    }
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
    command.args([name, "--exact", "--include-ignored", "--nocapture"]);
    let settings = std::env::vars_os().map(|(name, _)| name);
    for setting in settings.filter(|name| name.to_string_lossy().starts_with("FIL_PROOFS_")) {
        command.env_remove(setting);
    }
    command.env(SCRATCH, scratch.path());
    for folder in ["FIL_PROOFS_PARAMETER_CACHE", "FIL_PROOFS_PARENT_CACHE"] {
        command.env(folder, scratch.path());
    }
    let output = command.output().expect("this binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{name}: {}\n{stdout}\n{stderr}",
        output.status
    );
    None
}
