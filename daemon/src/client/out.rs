//! What clients print.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use cuzk_core::budget::Bytes;

use super::hex;
use crate::proto::await_proof_response::Status;
use crate::proto::{AwaitProofResponse, GetStatusResponse};

/// Prints a line.
pub(crate) fn line(text: &str) -> Result<ExitCode> {
    writeln!(io::stdout(), "{text}").context("writing to stdout")?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a proof to a file or prints it; without one, says why.
pub(crate) fn proof(result: &AwaitProofResponse, file: Option<&Path>) -> Result<ExitCode> {
    let code = match result.status() {
        Status::Completed if result.proof.is_empty() => bail!("the daemon's proof is empty"),
        Status::Completed => {
            match file {
                Some(path) => write(path, &result.proof)?,
                None => drop(line(&hex::write(&result.proof))?),
            }
            0
        }
        Status::Failed => 3,
        Status::Cancelled => 4,
        Status::Timeout => 5,
        Status::Unknown => 6,
    };
    let mut said = match code {
        0 => format!("job {}: proven", result.job_id),
        _ => format!("job {}: {}", result.job_id, result.error_message),
    };
    let _ = write!(
        said,
        " (ms: {} in the queue, {} parameters, {} synthesis, {} prover, {} in all)",
        result.queue_wait_ms,
        result.srs_load_ms,
        result.synthesis_ms,
        result.gpu_compute_ms,
        result.total_ms
    );
    writeln!(io::stderr(), "{said}").context("writing to stderr")?;
    Ok(ExitCode::from(code))
}

/// The file is there as a whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut unfinished = path.to_owned().into_os_string();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    let doing = || format!("writing {}", path.display());
    std::fs::write(&unfinished, bytes).with_context(doing)?;
    std::fs::rename(&unfinished, path).with_context(doing)
}

/// A daemon's status, for people.
pub(crate) fn status(status: &GetStatusResponse) -> String {
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    say(format!(
        "up {} s; {} proven, {} failed; {} reserved of {}",
        status.uptime_seconds,
        status.total_proofs_completed,
        status.total_proofs_failed,
        Bytes(status.pinned_memory_bytes),
        Bytes(status.pinned_memory_limit_bytes),
    ));
    for queue in &status.queues {
        let (kind, pending, running) = (&queue.proof_kind, queue.pending, queue.in_progress);
        say(format!(
            "{kind:<22} {pending:>5} waiting {running:>5} running"
        ));
    }
    for srs in &status.loaded_srs {
        let (id, size, users) = (&srs.circuit_id, Bytes(srs.size_bytes), srs.ref_count);
        say(format!(
            "{id:<22} loaded, {size}, used by {users} partitions"
        ));
    }
    text
}
