//! The program itself: it is started, called, told to end, killed and started again.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(120);

fn cuzk(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuzk"));
    command.args(arguments).stdin(Stdio::null());
    command
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn address(&self) -> String {
        format!("unix://{}", self.path().join("cuzk.sock").display())
    }

    fn serve(&self) -> Command {
        let address = self.address();
        let mut command = cuzk(&[
            "serve", "--listen", &address, "--budget", "4GiB", "--params",
        ]);
        command.arg(self.path()).stderr(Stdio::piped());
        command
    }

    /// Starts a daemon, and waits until it answers.
    fn start(&self) -> Daemon {
        let daemon = Daemon(self.serve().spawn().expect("starts"));
        let begun = Instant::now();
        while !self.call(&["status"]).status.success() {
            assert!(begun.elapsed() < LONG, "it does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }

    fn call(&self, arguments: &[&str]) -> Output {
        let mut command = cuzk(arguments);
        command.args(["--connect", &self.address()]);
        command.output().expect("starts")
    }

    /// How a call ends, and what it says.
    fn says(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.call(arguments);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    }
}

/// Killed when it is dropped, whatever happens.
struct Daemon(Child);

impl Daemon {
    fn tell(&self, signal: &str) {
        let id = self.0.id().to_string();
        let told = Command::new("kill").args([signal, &id]).status();
        assert!(told.expect("there is a kill").success());
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Most have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn calls_end_as_the_daemon_says() {
    let place = Place::new();
    let mut daemon = place.start();
    let vanilla = place.path().join("vanilla");
    std::fs::write(&vanilla, "no vanilla proof").expect("writable");
    let vanilla = vanilla.to_str().expect("text");
    let seed = "01".repeat(32);
    let winning = ["prove", "winning-2k", "--vanilla", vanilla, "--randomness"];
    let with = |randomness| [&winning[..], &[randomness]].concat();
    for (arguments, code, part) in [
        (with(&seed), 3, "vanilla proof 0"),
        (with("01"), 1, "randomness: 1 bytes"),
        (vec!["prove", "porep-2k", "--vanilla", vanilla], 1, "--c1"),
        (vec!["submit", "porep-2k", "--c1", vanilla], 1, "byte 1"),
        (vec!["await", "nothing"], 6, "no job"),
        (vec!["cancel", "nothing"], 1, "no job"),
        (vec!["preload", "winning-2k"], 1, "there are no parameters"),
        (vec!["evict", "winning-2k"], 0, "was not loaded"),
        (vec!["preload", "../winning-2k"], 2, "no circuit"),
        (vec!["status"], 0, "1 failed"),
    ] {
        let (found, says) = place.says(&arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {says}");
        assert!(says.contains(part), "{arguments:?}: {says}");
    }
    daemon.tell("-TERM");
    assert_eq!(daemon.exit_code(), Some(0));
    let (code, says) = place.says(&["status"]);
    assert_eq!(code, Some(1), "{says}");
    assert!(says.contains("no daemon answers at unix://"), "{says}");
}

#[test]
fn a_second_daemon_goes_and_one_after_a_kill_stays() {
    let place = Place::new();
    let mut first = place.start();
    let second = place.serve().output().expect("starts");
    assert_eq!(second.status.code(), Some(1));
    let says = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(says.contains("another daemon listens"), "{says}");
    first.tell("-KILL");
    assert_eq!(first.exit_code(), None);
    assert!(place.path().join("cuzk.sock").exists(), "it is stale");

    let mut next = place.start();
    assert_eq!(place.says(&["await", "porep-1-2"]).0, Some(6));
    next.tell("-INT");
    assert_eq!(next.exit_code(), Some(0));
    assert!(!place.path().join("cuzk.sock").exists());
}
