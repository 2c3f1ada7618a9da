//! The command line that every workload binary understands.
//!
//! Exit codes: 0 = done and good, 1 = the workload's own check of its answer failed (the trial is printed all the
//! same), 2 = it could not run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use crate::registry::{self, Request, RequestError, Workload};
use crate::trial::Trial;

/// Where prepared files lie when the command line does not say.
pub const DEFAULT_CACHE: &str = "target/params";

/// The verbs that all workload binaries have.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the workloads: sizes, options, metrics with units, vectors.
    List {
        /// As one JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Run a workload once in this process and print the trial as one line of JSON.
    Run(RunArgs),
    /// Make the files that a workload reads, on all processors; nothing is done where they are there and whole.
    Prepare(PrepareArgs),
    /// Print digests and counts of a circuit's constraint matrices as one line of JSON.
    Matrices(InputArgs),
    /// Write one vector of a workload's answer as it is: 32-byte little-endian scalars, 64-bit words of a density,
    /// or the bytes of a proof.
    Dump(DumpArgs),
}

/// Which inputs a workload gets.
#[derive(Debug, Clone, Args)]
pub struct InputArgs {
    /// The workload's name, as `list` shows it.
    pub name: String,
    /// Where all its inputs come from.
    #[arg(long)]
    pub seed: u64,
    /// Its size, in the workload's own unit.
    #[arg(long)]
    pub size: Option<u64>,
    /// Threads of every pool.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// An option of the workload, as `list` shows it; may be given several times.
    #[arg(long = "option", value_name = "KEY=VALUE")]
    pub options: Vec<String>,
    /// Folder for prepared files.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_CACHE)]
    pub cache: PathBuf,
}

/// Arguments of `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Which inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Runs in this process; the first finds fresh pages, the second warm ones. The answers are those of the last.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub repeat: u8,
}

/// Arguments of `prepare`.
#[derive(Debug, Clone, Args)]
pub struct PrepareArgs {
    /// The workload's name, as `list` shows it.
    pub name: String,
    /// Its size, in the workload's own unit.
    #[arg(long)]
    pub size: Option<u64>,
    /// Folder for prepared files.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_CACHE)]
    pub cache: PathBuf,
}

/// Arguments of `dump`.
#[derive(Debug, Clone, Args)]
pub struct DumpArgs {
    /// Which inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// The vector, as `list` shows it.
    #[arg(long)]
    pub vector: String,
    /// Where it goes; stdout when left out.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

impl InputArgs {
    /// The checked request, for one run.
    pub fn request(&self, workloads: &'static [Workload]) -> Result<Request, RequestError> {
        let workload = registry::find(workloads, &self.name)?;
        Ok(Request {
            workload,
            seed: self.seed,
            size: workload.checked_size(self.size)?,
            threads: usize::from(self.threads),
            repeat: 1,
            options: workload.checked_options(&self.options)?,
            cache: self.cache.clone(),
        })
    }
}

impl RunArgs {
    /// The checked request. A workload that does not repeat runs once whatever was asked for.
    pub fn request(&self, workloads: &'static [Workload]) -> Result<Request, RequestError> {
        let mut request = self.input.request(workloads)?;
        if request.workload.repeats {
            request.repeat = self.repeat;
        }
        Ok(request)
    }
}

impl Request {
    /// An empty trial of this request.
    pub fn trial(&self) -> Trial {
        let mut trial = Trial::new(self.workload.name, self.seed, self.size, self.threads);
        trial.options = self
            .options
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        trial
    }

    /// Runs `prepare` of this binary for this request in a process of its own, so that what it costs in memory and
    /// threads is not found in this one.
    pub fn prepare_in_child(&self) -> Result<()> {
        let binary = std::env::current_exe().context("finding this binary to run `prepare`")?;
        let mut command = Command::new(binary);
        command.arg("prepare").arg(self.workload.name);
        if let Some(size) = self.size {
            command.arg("--size").arg(size.to_string());
        }
        command.arg("--cache").arg(&self.cache);
        command.env_remove(RAYON_THREADS).env_remove(POOL_THREADS);
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("running {command:?}"))?;
        if !status.success() {
            bail!("{command:?} failed: {status}");
        }
        Ok(())
    }
}

const RAYON_THREADS: &str = "RAYON_NUM_THREADS";
const POOL_THREADS: &str = "EC_GPU_NUM_THREADS";

/// Sets the size of every thread pool that a prover starts: rayon's, and that of the multiexponentiations.
///
/// # Safety
///
/// No other thread may have been started in this process yet, because it could be reading the environment.
pub unsafe fn limit_threads(threads: usize) {
    for variable in [RAYON_THREADS, POOL_THREADS] {
        // SAFETY: the caller vouches for there being no other thread.
        unsafe { std::env::set_var(variable, threads.to_string()) };
    }
}

/// Prints the workloads, in a table for people or as JSON.
pub fn print_list(workloads: &[Workload], json: bool) -> Result<()> {
    if json {
        return print_line(&serde_json::to_string(workloads)?);
    }
    let mut text = String::new();
    for workload in workloads {
        text += &format!("{}\n    {}\n", workload.name, workload.summary);
        if let Some(size) = workload.size {
            text += &format!("    size: {} (default {})\n", size.unit, size.default);
        }
        let headline: Vec<&str> = workload.headline.iter().map(|m| m.name).collect();
        text += &format!("    compared: {}\n", headline.join(", "));
        for option in workload.options {
            let values = option.values.join("|");
            text += &format!("    --option {}={values}: {}\n", option.key, option.help);
        }
        if !workload.vectors.is_empty() {
            text += &format!("    vectors: {}\n", workload.vectors.join(", "));
        }
    }
    print_line(text.trim_end())
}

/// Prints the one line that a verb answers with.
pub fn print_line(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("writing to stdout")
}

/// Writes raw bytes to a file, or to stdout when none is named.
pub fn write_out(
    path: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let place = path.map_or("stdout".into(), Path::to_string_lossy);
    let writing = || format!("writing to {place}");
    let target: Box<dyn Write> = match path {
        None => Box::new(io::stdout().lock()),
        Some(path) => Box::new(File::create(path).with_context(writing)?),
    };
    let mut out = BufWriter::new(target);
    write(&mut out)
        .and_then(|()| Ok(out.flush()?))
        .with_context(writing)
}

/// Prints a trial, and says by the exit code whether its check held.
pub fn print_trial(trial: Trial) -> Result<ExitCode> {
    let (ok, check) = (trial.ok, trial.check.clone());
    print_line(&trial.into_line()?)?;
    if ok {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("error: the answer is wrong: {check}");
    Ok(ExitCode::from(1))
}

/// The exit code of a whole program, with an error written to stderr.
pub fn finish(result: Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
