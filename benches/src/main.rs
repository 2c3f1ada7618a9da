//! `workload`: runs one named piece of real work in one process and prints what it measured as one line of JSON.
//!
//! The same sources are built against every stack. A process runs one trial only, so that no trial finds memory,
//! caches or threads of another.

mod blend;
#[cfg(test)]
mod census;
mod circuits;
mod dump;
mod engine;
mod matrices;
mod pages;
mod params;
mod porep;
mod prove;
mod recorded;
mod reserve;
mod sectors;
mod stored;
mod synth;
mod teardown;
#[cfg(test)]
mod witness;
mod workloads;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use cuzk_harness::cli::{self, Verb};
use cuzk_harness::{Request, metric, reference, registry};

use crate::workloads::{Kind, WORKLOADS};

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: pages::Pages = pages::Pages;

#[derive(Debug, Parser)]
#[command(
    name = "workload",
    about = "Run one workload and print the trial as JSON",
    after_help = "Example: workload run synth/sha256 --seed 7 --size 8\n\
        Exit codes: 0 = good, 1 = the answer is wrong, 2 = could not run."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

fn main() -> ExitCode {
    cli::finish(dispatch(Cli::parse().verb))
}

fn dispatch(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::List { json } => cli::print_list(WORKLOADS, json)?,
        Verb::Run(args) => return run(&args.request(WORKLOADS)?),
        Verb::Prepare(args) => {
            let workload = registry::find(WORKLOADS, &args.name)?;
            let size = workload.checked_size(args.size)?;
            prepare(Kind::of(workload), size, &args.cache)?;
        }
        Verb::Matrices(args) => {
            let request = args.request(WORKLOADS)?;
            request.workload.check_matrices()?;
            let _scratch = enter(&request)?;
            matrices::print(&request)?;
        }
        Verb::Dump(args) => {
            let request = args.input.request(WORKLOADS)?;
            let vector = request.workload.checked_vector(&args.vector)?;
            let _scratch = enter(&request)?;
            dump::write(&request, vector, args.out.as_deref())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn prepare(kind: Kind, size: Option<u64>, cache: &Path) -> Result<()> {
    let (Kind::Prove(circuit) | Kind::Engine(circuit)) = kind else {
        return Ok(());
    };
    let scratch = scratch()?;
    // SAFETY: nothing has started a thread yet: only the command line was parsed.
    unsafe { porep::set_environment(scratch.path()) };
    prove::prepare(circuit, size, cache)
}

fn run(request: &Request) -> Result<ExitCode> {
    let _scratch = enter(request)?;
    let reference = reference::measure()?;
    let mut trial = match Kind::of(request.workload) {
        Kind::Prove(_) => {
            // SAFETY: as below.
            unsafe { reserve::take_pages(request) };
            prove::run(request)?
        }
        Kind::Engine(_) => engine::run(request)?,
        Kind::Params(_) => params::generate(request)?.0,
        Kind::Teardown => teardown::run(request)?,
        Kind::Synth(_) => {
            // SAFETY: no thread has been started, and a command line and a request are small.
            unsafe { pages::take_large_blocks(pages::Wish::default()) };
            synth::run(request)?
        }
    };
    trial.measured(metric::WALL_REFERENCE, reference);
    cli::print_trial(trial)
}

/// Sets what the workload's process takes from its environment, and makes the folder for its temporary files, which
/// goes when it is dropped.
fn enter(request: &Request) -> Result<tempfile::TempDir> {
    let scratch = scratch()?;
    // SAFETY: nothing has started a thread yet: only the command line was parsed.
    unsafe {
        cli::limit_threads(request.threads);
        porep::set_environment(scratch.path());
    }
    Ok(scratch)
}

fn scratch() -> Result<tempfile::TempDir> {
    tempfile::tempdir().context("making a folder for temporary files")
}
