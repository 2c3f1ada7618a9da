//! `released`: the proving workload, and a verifier of proofs, on bellperson exactly as published.
//!
//! It understands the command line of `workload` for the `prove/*` workloads, so the two can be compared: what our
//! instrument patches add must not be seen in time or in the bytes of a proof. As a verifier it shares no code with
//! the stacks whose proofs it is given.

mod folder;
mod prove;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use cuzk_harness::cli::{self, Verb};
use cuzk_harness::registry::Size;
use cuzk_harness::{Request, Workload, metric, registry};

static WORKLOADS: &[Workload] = &[Workload {
    name: "prove/sha256",
    summary: "Prove and verify the SHA-256 of a preimage, on bellperson as published.",
    size: Some(Size {
        default: 1,
        max: 64,
        unit: "blocks of 64 bytes",
    }),
    headline: &[metric::WALL_TOTAL],
    repeats: false,
    vectors: &["proof"],
    options: &[],
    needs_parameters: true,
    has_matrices: true,
}];

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
            enter(&request);
            return cli::print_trial(prove::prove(&request)?.0);
        }
        Verb::Prepare(args) => {
            let workload = registry::find(WORKLOADS, &args.name)?;
            prove::prepare(workload.checked_size(args.size)?, &args.cache)?;
        }
        Verb::Matrices(args) => {
            cli::print_line(&prove::matrices(&args.request(WORKLOADS)?)?)?;
        }
        Verb::Dump(args) => {
            let request = args.input.request(WORKLOADS)?;
            request.workload.checked_vector(&args.vector)?;
            enter(&request);
            let (trial, proof) = prove::prove(&request)?;
            if !trial.ok {
                bail!("{}", trial.check);
            }
            cli::write_out(args.out.as_deref(), |out| Ok(out.write_all(&proof)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn enter(request: &Request) {
    // SAFETY: nothing has started a thread yet: only the command line was parsed.
    unsafe { cli::limit_threads(request.threads) };
}
