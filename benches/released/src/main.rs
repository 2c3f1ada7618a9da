//! `released`: the workloads that need nothing but bellperson's public API, and a verifier of proofs, on bellperson
//! exactly as published.
//!
//! It understands the command line of `workload`, so the two can be compared: what our instrument patches add must not
//! be seen in time, in the bytes of a proof or in those of parameters. As a verifier it shares no code with
//! the stacks whose proofs it is given.

mod folder;
mod params;
mod prove;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use cuzk_circuits::generation;
use cuzk_harness::cli::{self, Verb};
use cuzk_harness::registry::Size;
use cuzk_harness::{Request, Trial, Workload, metric, reference, registry};

const PROVE: Workload = Workload {
    name: "prove/sha256",
    summary: "Prove and verify the SHA-256 of a preimage, on bellperson as published.",
    size: Some(Size {
        default: 1,
        max: 64,
        unit: "blocks of 64 bytes",
    }),
    headline: &[metric::WALL_TOTAL],
    timed: &[],
    repeats: false,
    vectors: &["proof"],
    options: &[],
    needs_parameters: true,
    has_matrices: true,
};

static WORKLOADS: &[Workload] = &[
    PROVE,
    generation::SHA256,
    generation::MANY_INPUTS,
    generation::SPARSE_B,
    generation::DENSE,
];

#[derive(Debug, Parser)]
#[command(
    name = "released",
    about = "Prove and verify with bellperson as published",
    after_help = "Example: released verify --proof proof.bin --vk circuit.vk --inputs inputs.bin\n\
        Exit codes: 0 = good, 1 = the proof or the answer is wrong, 2 = could not run."
)]
struct Cli {
    #[command(subcommand)]
    verb: ReleasedVerb,
}

#[derive(Debug, Subcommand)]
enum ReleasedVerb {
    #[command(flatten)]
    Common(Verb),
    /// Verify one Groth16 proof.
    Verify {
        /// The proof: 192 bytes.
        #[arg(long, value_name = "FILE")]
        proof: PathBuf,
        /// The verifying key in bellperson's own format.
        #[arg(long, value_name = "FILE")]
        vk: PathBuf,
        /// The public inputs, the constant one left out, as 32-byte little-endian scalars.
        #[arg(long, value_name = "FILE")]
        inputs: PathBuf,
    },
    /// Verify the proofs in a folder that `cargo xtask prove --out` left.
    ///
    /// Shown is that the files are those of statement.json, and that the proof of every partition verifies for the
    /// public inputs beside it with the verifying key beside it. Not shown is that the key is Filecoin's, or that
    /// the inputs follow from what was proven.
    VerifyDir {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    cli::finish(dispatch(Cli::parse().verb))
}

fn dispatch(verb: ReleasedVerb) -> Result<ExitCode> {
    let verb = match verb {
        ReleasedVerb::Common(verb) => verb,
        ReleasedVerb::VerifyDir { folder } => {
            return match folder::verify(&folder) {
                Ok(verified) => {
                    cli::print_line(&verified.to_string())?;
                    Ok(ExitCode::SUCCESS)
                }
                Err(error) if error.falls_short() => {
                    eprintln!("error: {:#}", anyhow::Error::from(error));
                    Ok(ExitCode::from(1))
                }
                Err(error) => Err(error.into()),
            };
        }
        ReleasedVerb::Verify { proof, vk, inputs } => {
            if verify::files(&proof, &vk, &inputs)? {
                cli::print_line("the proof verifies")?;
                return Ok(ExitCode::SUCCESS);
            }
            eprintln!("error: {} does not verify", proof.display());
            return Ok(ExitCode::from(1));
        }
    };
    match verb {
        Verb::List { json } => cli::print_list(WORKLOADS, json)?,
        Verb::Run(args) => {
            let request = args.request(WORKLOADS)?;
            let reference = reference::measure()?;
            let mut trial = run(&request)?.0;
            trial.measured(metric::WALL_REFERENCE, reference);
            return cli::print_trial(trial);
        }
        Verb::Prepare(args) => {
            let workload = registry::find(WORKLOADS, &args.name)?;
            let size = workload.checked_size(args.size)?;
            if workload.needs_parameters {
                prove::prepare(size, &args.cache)?;
            }
        }
        Verb::Matrices(args) => {
            let request = args.request(WORKLOADS)?;
            let matrices = match request.workload.name == PROVE.name {
                true => prove::matrices(&request)?,
                false => generation::matrices(&request)?,
            };
            cli::print_line(&matrices.to_json())?;
        }
        Verb::Dump(args) => {
            let request = args.input.request(WORKLOADS)?;
            request.workload.checked_vector(&args.vector)?;
            let (trial, answer) = run(&request)?;
            if !trial.ok {
                bail!("{}", trial.check);
            }
            cli::write_out(args.out.as_deref(), |out| Ok(out.write_all(&answer)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One trial and the bytes of its answer.
fn run(request: &Request) -> Result<(Trial, Vec<u8>)> {
    // SAFETY: nothing has started a thread yet: only the command line was parsed.
    unsafe { cli::limit_threads(request.threads) };
    if request.workload.name == PROVE.name {
        return prove::prove(request);
    }
    Ok(generation::trial(request, &mut params::Published)?)
}
