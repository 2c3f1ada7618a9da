//! What comes of jobs and refusals, in the words of the contract.

use std::time::Duration;

use cuzk_core::engine::{Metrics, SubmitError};
use cuzk_core::job::{Ended, JobError};
use tonic::{Code, Status};

use crate::convert::Invalid;
use crate::jobs::Refused;
use crate::proto::AwaitProofResponse;
use crate::proto::await_proof_response::Status as End;

/// The trailer in which gRPC says when to try again.
pub const RETRY: &str = "grpc-retry-pushback-ms";

/// How a job has ended.
pub(super) fn ended(id: &str, ended: &Ended) -> AwaitProofResponse {
    let (status, proof, error_message) = match &ended.result {
        Ok(proof) => (End::Completed, proof.clone(), String::new()),
        Err(error) => {
            let status = match error {
                JobError::Cancelled => End::Cancelled,
                _ => End::Failed,
            };
            (status, Vec::new(), error.chain())
        }
    };
    let report = &ended.report;
    AwaitProofResponse {
        job_id: id.to_owned(),
        status: status.into(),
        proof,
        error_message,
        queue_wait_ms: milliseconds(report.waiting + report.queue),
        srs_load_ms: milliseconds(report.parameters),
        synthesis_ms: milliseconds(report.synthesis),
        gpu_compute_ms: milliseconds(report.prover),
        total_ms: milliseconds(report.total),
    }
}

/// A job that has not ended, or is not known.
pub(super) fn without_end(id: &str, status: End, why: String) -> AwaitProofResponse {
    AwaitProofResponse {
        job_id: id.to_owned(),
        status: status.into(),
        error_message: why,
        ..Default::default()
    }
}

pub(super) fn invalid(error: &Invalid) -> Status {
    Status::invalid_argument(error.to_string())
}

/// A refusal. Where it helps to try again later it says when: after what a job takes on average, as that is when one has ended.
pub(super) fn refused(error: &Refused, metrics: &Metrics) -> Status {
    let code = match error {
        Refused::Closed | Refused::Engine(SubmitError::Closed) => Code::Unavailable,
        Refused::OtherRequest { .. } | Refused::Engine(SubmitError::OtherCircuit { .. }) => {
            Code::AlreadyExists
        }
        Refused::Engine(SubmitError::RequestBytes { bytes, limit, .. }) if bytes > limit => {
            let why = format!("{error}; this one never fits: give the daemon a larger budget");
            return Status::failed_precondition(why);
        }
        Refused::Engine(SubmitError::Full { .. } | SubmitError::RequestBytes { .. }) => {
            Code::ResourceExhausted
        }
    };
    let mut status = Status::new(code, error.to_string());
    if code == Code::ResourceExhausted {
        let after = milliseconds(retry_after(metrics));
        status.metadata_mut().insert(RETRY, after.into());
    }
    status
}

/// Between a second and a minute.
fn retry_after(metrics: &Metrics) -> Duration {
    let count = u32::try_from(metrics.jobs.count).unwrap_or(u32::MAX);
    let mean = metrics.jobs.sum.checked_div(count);
    let (least, most) = (Duration::from_secs(1), Duration::from_secs(60));
    mean.unwrap_or(Duration::from_secs(10)).clamp(least, most)
}

pub(super) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_try_again_follows_what_jobs_take() {
        let mut metrics = Metrics::default();
        assert_eq!(retry_after(&metrics), Duration::from_secs(10));
        metrics.jobs.count = 2;
        for (sum, after) in [(0, 1), (14, 7), (10_000, 60)] {
            metrics.jobs.sum = Duration::from_secs(sum);
            assert_eq!(retry_after(&metrics), Duration::from_secs(after));
        }
    }

    #[test]
    fn only_what_fits_later_is_to_be_tried_again() {
        let of = |bytes| {
            let (held, limit) = (5, 10);
            let error = SubmitError::RequestBytes { bytes, held, limit };
            refused(&error.into(), &Metrics::default())
        };
        assert_eq!(of(10).code(), Code::ResourceExhausted);
        assert!(of(10).metadata().get(RETRY).is_some());
        assert_eq!(of(11).code(), Code::FailedPrecondition);
        assert!(of(11).metadata().get(RETRY).is_none());
    }
}
