//! Running the processes of a comparison: one at a time, watched, and ended when a person asks for it.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thiserror::Error;

use super::window::Meter;
use crate::results::clock;

/// How often a running process is looked at. The looking costs microseconds, and is the same for every arm.
const POLL: Duration = Duration::from_millis(20);

/// Set by Ctrl-C; whoever runs processes looks at it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Set by Ctrl-C and by a request to terminate, from now on.
    pub fn install() -> Result<Self, ctrlc::Error> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        ctrlc::set_handler(move || flag.raise())?;
        Ok(interrupt)
    }

    /// Asks for the end.
    pub fn raise(&self) {
        // Relaxed: the flag is all that is communicated.
        self.0.store(true, Ordering::Relaxed);
    }

    /// True when somebody asked for the end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why a process gave nothing to work with.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// It did not start.
    #[error("{program} does not start: {source}")]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It was lost while it ran.
    #[error("{program} could not be watched: {source}")]
    Watch {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Somebody asked for the end.
    #[error("interrupted")]
    Interrupted,
    /// It ended with something else than 0 or 1.
    #[error("`{command}` ended with {status}{said}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it said, on a line of its own.
        said: String,
    },
}

/// A process that ran to its end with exit code 0 (good) or 1 (its own answer check failed).
#[derive(Debug)]
pub struct Finished {
    /// False for exit code 1.
    pub good: bool,
    /// What it printed.
    pub stdout: String,
    /// The end of what it said on stderr.
    pub stderr: String,
    /// When it began, UTC.
    pub started: String,
    /// Readings of the machine since then.
    pub meter: Meter,
}

/// Runs a command to its end.
pub fn run(command: &mut Command, interrupt: &Interrupt) -> Result<Finished, ProcessError> {
    if interrupt.is_raised() {
        return Err(ProcessError::Interrupted);
    }
    let program = PathBuf::from(command.get_program());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = clock::now();
    let meter = Meter::start();
    let mut child = command.spawn().map_err(|source| ProcessError::Start {
        program: program.clone(),
        source,
    })?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status =
        wait(&mut child, interrupt).map_err(|source| ProcessError::Watch { program, source })?;
    // Ctrl-C reaches the child too: whichever of the two ends first, it's an interruption.
    let (Some(status), false) = (status, interrupt.is_raised()) else {
        return Err(ProcessError::Interrupted);
    };
    let stdout = stdout.join().unwrap_or_default();
    let stderr = tail(&stderr.join().unwrap_or_default());
    match status.code() {
        Some(code @ (0 | 1)) => Ok(Finished {
            good: code == 0,
            stdout,
            stderr,
            started,
            meter,
        }),
        _ => Err(ProcessError::Failed {
            command: show(command),
            status,
            said: if stderr.is_empty() {
                String::new()
            } else {
                format!("\n{stderr}")
            },
        }),
    }
}

/// A command line as a person would type it.
pub fn show(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Waits for the end, `None` when the process was ended because somebody asked.
fn wait(child: &mut Child, interrupt: &Interrupt) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if interrupt.is_raised() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

/// Reads a pipe to its end beside the process, which would stall when nobody does.
fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still the best account of what happened.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The last lines, which is where the reason stands.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn good_bad_and_broken_ends() {
        let interrupt = Interrupt::default();
        let good = run(&mut sh("echo out; echo said >&2"), &interrupt).expect("exit code 0");
        assert!(good.good);
        assert_eq!(
            (good.stdout.as_str(), good.stderr.as_str()),
            ("out\n", "said")
        );
        assert!(
            !run(&mut sh("exit 1"), &interrupt)
                .expect("exit code 1")
                .good
        );
        let broken =
            run(&mut sh("echo no such workload >&2; exit 2"), &interrupt).expect_err("exit code 2");
        assert!(broken.to_string().contains("no such workload"), "{broken}");
        assert!(matches!(
            run(&mut sh("kill -9 $$"), &interrupt),
            Err(ProcessError::Failed { .. })
        ));
        let missing = run(&mut Command::new("/nonexistent/workload"), &interrupt);
        assert!(matches!(missing, Err(ProcessError::Start { .. })));
    }

    #[test]
    fn an_interrupt_ends_the_child() {
        let interrupt = Interrupt::default();
        let other = interrupt.clone();
        let asker = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            other.raise();
        });
        let begun = std::time::Instant::now();
        // exec: the shell's child would outlive it.
        let ended = run(&mut sh("exec sleep 30"), &interrupt);
        assert!(matches!(ended, Err(ProcessError::Interrupted)));
        assert!(begun.elapsed() < Duration::from_secs(10));
        asker.join().expect("the asker only sleeps");
        assert!(matches!(
            run(&mut sh("true"), &interrupt),
            Err(ProcessError::Interrupted)
        ));
    }

    #[test]
    fn much_output_does_not_stall() {
        let interrupt = Interrupt::default();
        let finished =
            run(&mut sh("seq 1 100000; seq 1 100000 >&2"), &interrupt).expect("exit code 0");
        assert_eq!(finished.stdout.lines().count(), 100_000);
        assert_eq!(finished.stderr.lines().last(), Some("100000"));
    }
}
