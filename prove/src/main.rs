//! `prove`: makes a real Filecoin proof from end to end and has it verified.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let _ = cli::Cli::parse();
    eprintln!("error: not implemented yet");
    ExitCode::from(2)
}
