//! What a person sees while something takes its time: one line a step, on stderr.

use std::io::IsTerminal;

/// Prints the steps of a command.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    terminal: bool,
}

impl Progress {
    /// Steps on stderr.
    pub fn stderr() -> Self {
        Self {
            terminal: std::io::stderr().is_terminal(),
        }
    }

    /// True when a person watches.
    pub fn is_terminal(self) -> bool {
        self.terminal
    }

    /// One step, in cargo's own form: a verb, then what it is done to.
    pub fn step(self, verb: &str, what: impl std::fmt::Display) {
        if self.terminal {
            eprintln!("\x1b[1;32m{verb:>12}\x1b[0m {what}");
        } else {
            eprintln!("{verb:>12} {what}");
        }
    }
}
