//! What the GPU's prover has to hold to, as one program for a machine with a GPU and without cargo.
//!
//! Proofs are the CPU's, byte by byte, for circuits around the edges and on every setting of the prover; whatever is wrong
//! is an error, after which the next proof works; and no more of the GPU's memory is used than was allowed.
//!
//! The program starts itself as workers, one a lane of cases, so that a process that dies or hangs is one row of the table.
//! With `--backend cpu` it tries itself: everything that is not the GPU's has to hold for the CPU's prover too.

mod batch;
mod case;
mod checks;
mod circuit;
mod damage;
mod engine;
mod faults;
mod host;
mod lanes;
mod material;
#[cfg(feature = "cuda")]
mod raw;
mod report;
mod setting;
mod stand;
mod worker;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Parser;
use cuzk_core::backend::Backend;

use crate::case::Case;
use crate::host::Host;
use crate::lanes::Workers;
use crate::report::{Report, Verdict};

/// Tries the GPU's prover on everything that it has to hold to.
#[derive(Debug, Parser)]
#[command(
    name = "gpu-suite",
    after_help = "Exit code: 0 every case passed or was skipped; 1 one or more failed; 2 the cases could not be run."
)]
struct Args {
    /// Which prover: gpu, or cpu to try this program itself.
    #[arg(long, default_value_t = Backend::Gpu)]
    backend: Backend,
    /// Do those cases alone that have this in their names; may be given again.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Print the names of the cases, and do none.
    #[arg(long)]
    cases: bool,
    /// What this program was made from: written into the result.
    #[arg(long, value_name = "HEX")]
    stamp: Option<String>,
    /// Where to write the result.
    #[arg(long, value_name = "FILE", default_value = "gpu-suite.json")]
    out: PathBuf,
    /// Where parameters and the CPU's proofs are kept for the next run. Without it they are made in a temporary folder.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Workers at the same time. Those that measure memory are alone.
    #[arg(long, default_value_t = 4)]
    jobs: usize,
    /// How long a case may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
    /// Print no row of a case that passed or was skipped.
    #[arg(long)]
    quiet: bool,
    /// Be a worker.
    #[arg(long, hide = true, requires = "folder")]
    worker: bool,
    /// The cases of a worker.
    #[arg(hide = true, requires = "worker")]
    names: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode> {
    if let (true, Some(folder)) = (args.worker, &args.folder) {
        worker::run(folder, args.backend, &args.names)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut cases = case::all();
    cases.retain(|case| case::is_wanted(&case.name, &args.only));
    if cases.is_empty() {
        bail!("no case has {} in its name", args.only.join(" or "));
    }
    if args.cases {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(ExitCode::SUCCESS);
    }
    args.backend.available()?;
    let report = report(args, &cases)?;
    report.write(&args.out)?;
    show(args, &report);
    Ok(ExitCode::from(u8::from(report.counts.failed > 0)))
}

fn report(args: &Args, cases: &[Case]) -> Result<Report> {
    let begun = Instant::now();
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
    let folder = args.folder.as_deref().unwrap_or(temporary.path());
    let batches: BTreeSet<_> = cases.iter().flat_map(Case::batches).collect();
    eprintln!("{} batches to prove on the CPU", batches.len());
    material::prepare(folder, &batches)?;
    let errors = lanes::folder_of_errors(folder)?;
    let took = begun.elapsed().as_secs_f64();
    eprintln!("{} cases, after {took:.1} s", cases.len());

    let workers = Workers {
        program: std::env::current_exe().context("cannot name this program")?,
        arguments: vec![
            "--worker".to_owned(),
            format!("--backend={}", args.backend),
            format!("--folder={}", folder.display()),
            "--".to_owned(),
        ],
        folder: errors,
        limit: Duration::from_secs(args.limit),
        jobs: args.jobs,
    };
    let rows = workers.run(cases, &|row| {
        if !args.quiet || row.verdict == Verdict::Failed {
            println!("{}", report::line(row));
        }
    })?;
    let mut report = Report::new(Host::here(), args.backend.to_string(), rows);
    report.stamp.clone_from(&args.stamp);
    report.begun = since.map_or(0, |since| since.as_secs());
    report.only.clone_from(&args.only);
    report.seconds = begun.elapsed().as_secs_f64();
    Ok(report)
}

fn show(args: &Args, report: &Report) {
    let failed = report
        .cases
        .iter()
        .filter(|row| row.verdict == Verdict::Failed);
    let failed: Vec<String> = failed.map(report::line).collect();
    if !failed.is_empty() {
        println!("\n{}", failed.join("\n"));
    }
    let skips = report
        .cases
        .iter()
        .filter(|row| row.verdict == Verdict::Skipped);
    let reasons: BTreeSet<&str> = skips.map(|row| row.detail.as_str()).collect();
    for reason in reasons {
        println!("skipped: {reason}");
    }
    let report::Counts {
        passed,
        skipped,
        failed,
    } = report.counts;
    println!(
        "\n{passed} passed, {skipped} skipped, {failed} failed in {:.1} s on {}; {}",
        report.seconds,
        match report.host.gpus.first() {
            Some(gpu) => gpu,
            None => &report.host.cpu,
        },
        args.out.display()
    );
}
