//! `cuzk`: the proving daemon and its clients.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use cuzk_daemon::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run().unwrap_or_else(|error| {
        // Without stderr the exit code has to do.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::from(1)
    })
}
