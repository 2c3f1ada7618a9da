//! The command line.

mod request;
mod serve;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use cuzk_core::budget::Bytes;
use cuzk_core::filecoin::CircuitId;
use tokio::runtime::Builder;

pub use self::request::RequestArgs;
pub use self::serve::ServeArgs;

use crate::client::{Client, out};
use crate::config::Span;
use crate::listen::Address;

/// The command line of `cuzk`.
#[derive(Debug, Parser)]
#[command(
    name = "cuzk",
    about = "The proving daemon for Filecoin's proofs, and its clients",
    after_help = "Exit codes of serve: 0 = told to end, and every job had ended; 1 = it could not run; 2 = wrong usage;\n\
        3 = the grace period was over, and jobs were lost; 4 = told to end a second time, and jobs were lost.\n\
        Exit codes of clients: 0 = done; 1 = it could not be done; 2 = wrong usage; of prove and await also 3 = the job failed,\n\
        4 = it was cancelled, 5 = it has not ended yet, 6 = no such job is known."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What `cuzk` does.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run the daemon until it is told to end.
    Serve(ServeArgs),
    /// Call a daemon.
    #[command(flatten)]
    Call(Call),
}

/// What clients do.
#[derive(Debug, Subcommand)]
pub enum Call {
    /// Have something proven, and wait for the proof.
    Prove {
        /// Where.
        #[command(flatten)]
        at: At,
        /// What.
        #[command(flatten)]
        request: Box<RequestArgs>,
        /// Where the proof goes.
        #[command(flatten)]
        output: Output,
    },
    /// Have something proven, and print the id of the job.
    Submit {
        /// Where.
        #[command(flatten)]
        at: At,
        /// What.
        #[command(flatten)]
        request: Box<RequestArgs>,
    },
    /// Wait for a job.
    Await {
        /// Where.
        #[command(flatten)]
        at: At,
        /// The id of the job.
        job: String,
        /// Wait no longer, as in 5m; the job goes on.
        #[arg(long, value_name = "TIME")]
        timeout: Option<Span>,
        /// Where the proof goes.
        #[command(flatten)]
        output: Output,
    },
    /// Cancel a job.
    Cancel {
        /// Where.
        #[command(flatten)]
        at: At,
        /// The id of the job.
        job: String,
    },
    /// Show queues, parameters and memory.
    Status {
        /// Where.
        #[command(flatten)]
        at: At,
    },
    /// Load the parameters of a circuit ahead of any job.
    Preload {
        /// Where.
        #[command(flatten)]
        at: At,
        /// The circuit, as in porep-32g.
        circuit: CircuitId,
    },
    /// Give up the parameters of a circuit.
    Evict {
        /// Where.
        #[command(flatten)]
        at: At,
        /// The circuit, as in porep-32g.
        circuit: CircuitId,
    },
}

/// The daemon to talk to.
#[derive(Debug, Args)]
pub struct At {
    /// Where the daemon listens: unix:///path or host:port.
    #[arg(long, value_name = "ADDR")]
    connect: Address,
}

impl At {
    async fn client(&self) -> Result<Client> {
        Ok(Client::connect(&self.connect).await?)
    }
}

/// Where a proof goes.
#[derive(Debug, Args)]
pub struct Output {
    /// The file for the bytes of the proof; without it they are printed in hexadecimal digits.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Cli {
    /// Does it, and says how the process ends.
    ///
    /// # Errors
    ///
    /// What could not be done.
    pub fn run(self) -> Result<ExitCode> {
        let runtime = match &self.verb {
            Verb::Serve(_) => Builder::new_multi_thread().enable_all().build(),
            Verb::Call(_) => Builder::new_current_thread().enable_all().build(),
        };
        let runtime = runtime.context("starting the runtime")?;
        let result = match self.verb {
            Verb::Serve(args) => runtime.block_on(serve::serve(&args)),
            Verb::Call(call) => runtime.block_on(call.run()),
        };
        // A load or the check of a message may still be running, and nobody wants it any more.
        runtime.shutdown_background();
        result
    }
}

impl Call {
    async fn run(self) -> Result<ExitCode> {
        match self {
            Self::Prove {
                at,
                request,
                output,
            } => {
                let message = request.message()?;
                let result = at.client().await?.prove(message).await?;
                out::proof(&result, output.out.as_deref())
            }
            Self::Submit { at, request } => {
                let message = request.message()?;
                let job = at.client().await?.submit(message).await?;
                out::line(&job.job_id)
            }
            Self::Await {
                at,
                job,
                timeout,
                output,
            } => {
                let limit = timeout.map(|span| span.0);
                let result = at.client().await?.wait(job, limit).await?;
                out::proof(&result, output.out.as_deref())
            }
            Self::Cancel { at, job } => out::line(match at.client().await?.cancel(job).await? {
                true => "it was running: what runs of it goes on to its end, and is thrown away",
                false => "nothing of it was running",
            }),
            Self::Status { at } => {
                let status = at.client().await?.status().await?;
                out::line(out::status(&status).trim_end())
            }
            Self::Preload { at, circuit } => {
                let answer = at.client().await?.preload(circuit).await?;
                out::line(&match answer.already_loaded {
                    true => format!("{circuit} was loaded already"),
                    false => format!("{circuit} was loaded in {} ms", answer.load_time_ms),
                })
            }
            Self::Evict { at, circuit } => {
                let answer = at.client().await?.evict(circuit).await?;
                let freed = Bytes(answer.freed_bytes);
                out::line(&match answer.was_loaded {
                    true => format!("{circuit} was evicted: {freed} are free again"),
                    false => format!("{circuit} was not loaded"),
                })
            }
        }
    }
}
