//! `prove`: makes a real Filecoin proof from end to end and has it verified.

mod cli;
mod console;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use cuzk_prove::environment::{self, UserSettings};
use cuzk_prove::{check_parameters, replace_file, run, run_engine};
use serde::Serialize;

use crate::cli::{CheckParamsArgs, Cli, RunArgs, Verb};
use crate::console::Console;

fn main() -> ExitCode {
    let result = match Cli::parse().verb {
        Verb::Run(args) => prove(&args),
        Verb::CheckParams(args) => check_params(&args),
    };
    result.unwrap_or_else(|error| {
        // Without stderr the exit code has to do.
        let _ = writeln!(io::stderr(), "error: {error:#}");
        ExitCode::from(2)
    })
}

fn prove(args: &RunArgs) -> Result<ExitCode> {
    let user = UserSettings::read();
    if args.engine {
        return through_engine(args, &user);
    }
    let request = args.request(&user)?;
    let keys = tempfile::tempdir().context("making a folder for temporary files")?;
    // SAFETY: no thread has been started: only the command line was read.
    unsafe { environment::isolate(keys.path(), user.parents.as_deref()) };

    let console = Console::new();
    let report = run(&request, keys.path(), &console);
    console.clear();
    let report = report?;
    write_json(args.json.as_deref(), &report)?;
    writeln!(io::stdout(), "{}", report.verdict).context("writing to stdout")?;
    Ok(ExitCode::from(report.exit_code()))
}

fn through_engine(args: &RunArgs, user: &UserSettings) -> Result<ExitCode> {
    let request = args.engine_request(user)?;
    let keys = tempfile::tempdir().context("making a folder for temporary files")?;
    // SAFETY: no thread has been started: only the command line was read.
    unsafe { environment::isolate(keys.path(), user.parents.as_deref()) };

    let console = Console::new();
    let report = run_engine(&request, keys.path(), &console);
    console.clear();
    let report = report?;
    write_json(args.json.as_deref(), &report)?;
    writeln!(io::stdout(), "{}", report.verdict).context("writing to stdout")?;
    Ok(ExitCode::from(report.exit_code()))
}

fn check_params(args: &CheckParamsArgs) -> Result<ExitCode> {
    let console = Console::new();
    let verdict = check_parameters(&args.file, &console);
    console.clear();
    let verdict = verdict?;
    write_json(args.json.as_deref(), &verdict)?;
    writeln!(io::stdout(), "{}", verdict.verdict).context("writing to stdout")?;
    Ok(ExitCode::from(verdict.exit_code()))
}

fn write_json(path: Option<&Path>, report: &impl Serialize) -> Result<()> {
    if let Some(path) = path {
        let mut json = serde_json::to_vec_pretty(report).context("writing the report as JSON")?;
        json.push(b'\n');
        replace_file(path, &json)?;
    }
    Ok(())
}
