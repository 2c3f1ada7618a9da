//! `cuzk serve`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use cuzk_core::backend::Backend;
use cuzk_core::budget::Bytes;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tracing_subscriber::fmt;

use crate::config::{Config, Span};
use crate::jobs::Policy;
use crate::listen::Address;
use crate::server;

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen: unix:///path, or host:port of a loopback address.
    #[arg(long, value_name = "ADDR")]
    listen: Address,
    /// Listen where other machines can reach it, without TLS: whoever reaches it may use this prover.
    #[arg(long)]
    open: bool,
    /// What the whole process may take, as in 256GiB.
    #[arg(long, value_name = "SIZE")]
    budget: Bytes,
    /// The folder of parameters; its subfolder `cuzk` is this program's own.
    #[arg(long, value_name = "DIR")]
    params: PathBuf,
    /// Which prover: cpu, or gpu in a program that was built with the cargo feature `cuda`.
    #[arg(long, value_name = "PROVER", default_value = "cpu")]
    backend: Backend,
    /// Jobs that have not ended, at most; more are refused.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    queue: usize,
    /// How long the result of a job is kept after its end.
    #[arg(long, value_name = "TIME", default_value_t = Span(Policy::default().keep))]
    keep: Span,
    /// How long a job stays in the queue after its clients went away.
    #[arg(long, value_name = "TIME", default_value_t = Span(Policy::default().abandoned))]
    abandoned: Span,
    /// How long jobs may go on after the first SIGTERM or SIGINT.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    grace: Span,
}

impl ServeArgs {
    /// The configuration that they make.
    pub fn config(&self) -> Config {
        Config {
            listen: self.listen.clone(),
            open: self.open,
            budget: self.budget.0,
            queue: self.queue,
            params: self.params.clone(),
            backend: self.backend,
            policy: Policy {
                keep: self.keep.0,
                abandoned: self.abandoned.0,
                ..Policy::default()
            },
            grace: self.grace.0,
        }
    }
}

/// Runs the daemon, and says how the process ends.
pub(super) async fn serve(args: &ServeArgs) -> Result<ExitCode> {
    let colours = std::io::stderr().is_terminal();
    fmt().with_writer(std::io::stderr).with_ansi(colours).init();
    let outcome = server::run(&args.config(), stops()?).await?;
    Ok(ExitCode::from(outcome.exit_code()))
}

/// Tells of each SIGTERM and SIGINT.
fn stops() -> Result<mpsc::UnboundedReceiver<()>> {
    let (tell, told) = mpsc::unbounded_channel();
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let mut signals = signal(kind).context("listening for signals")?;
        let tell = tell.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if tell.send(()).is_err() {
                    break;
                }
            }
        });
    }
    Ok(told)
}
