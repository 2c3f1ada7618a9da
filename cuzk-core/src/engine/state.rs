//! What is behind the engine's lock.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bellperson::groth16::Proof;
use blstrs::Bls12;

use super::core::{caught, discard, said};
use super::holdings::Holdings;
use super::meter::Meter;
use super::metrics::Metrics;
use crate::budget::Sizes;
use crate::job::{
    Ended, JobError, JobReport, PartitionReport, Phase, Priority, Request, Shared, Work,
};
use crate::pipeline::machine::{Attempt, End, Key, Machine, Notice, Ticket};
use crate::synthesis::Synthesis;

pub(super) struct State {
    pub machine: Machine,
    pub jobs: HashMap<Ticket, Job>,
    pub holdings: Holdings,
    pub meter: Meter,
    pub metrics: Metrics,
    /// What is to be dropped before its memory is free again.
    pub rubbish: VecDeque<(Attempt, Option<Synthesis>)>,
    pub freeing: bool,
    /// What is not this crate's own and is not needed any more: it is dropped when the lock is not held.
    pub others: Vec<Box<dyn std::any::Any + Send>>,
}

/// What belongs to a job of the machine.
pub(super) struct Job {
    pub shared: Arc<Shared>,
    pub priority: Priority,
    pub circuit: String,
    pub request: Option<Box<dyn Request>>,
    pub work: Option<Arc<dyn Work>>,
    pub sizes: Option<Sizes>,
    /// The recording that its partitions are synthesised from.
    pub recording: Option<Key>,
    pub parts: Vec<PartState>,
    /// What it needs, for the case that it never fits.
    pub too_large: Option<JobError>,
    /// Why it is about to fail.
    pub failure: Option<JobError>,
    pub cancelled: Arc<AtomicBool>,
    pub report: JobReport,
    pub submitted: Instant,
    pub prepared: Option<Instant>,
    /// When it had memory for its first partition, and whether it waits for parameters since.
    pub begun: Option<Instant>,
    pub awaits: Option<Key>,
    pub ended: bool,
}

#[derive(Default)]
pub(super) struct PartState {
    pub synthesis: Option<Synthesis>,
    pub synthesised: Option<Instant>,
    pub proof: Option<Proof<Bls12>>,
    pub report: PartitionReport,
}

/// What has been proven, and who knows its bytes.
type Proven = (Arc<dyn Work>, Vec<Proof<Bls12>>);

/// A job's end, to be told when the lock is not held.
pub(super) struct Delivery {
    pub shared: Arc<Shared>,
    pub result: Result<Proven, JobError>,
    pub report: JobReport,
    /// Whatever else the job held: it is dropped outside of the lock.
    pub rest: Vec<Box<dyn std::any::Any + Send>>,
}

impl Delivery {
    pub fn deliver(self) {
        let Self {
            shared,
            result,
            report,
            rest,
        } = self;
        // Some of it is the caller's own, and may do anything when it is dropped.
        rest.into_iter().for_each(discard);
        let result = result.and_then(|(work, proofs)| {
            let bytes = caught(Phase::Verification, None, || work.encode(&proofs));
            discard(work);
            bytes
        });
        let failed = |error: &JobError| said(Phase::Verification, error);
        tracing::info!(
            job = %shared.id(), circuit = report.circuit, total_s = report.total.as_secs_f64(),
            outcome = result.as_ref().map_or_else(failed, |_| "proven".to_owned()), "job ended"
        );
        shared.end(Ended { result, report });
        // Where nobody holds on to the job, how it ended goes with it, and the errors of others in that.
        discard(shared);
    }
}

impl State {
    /// Does what the machine wants to be done after a change; what is to be told comes back.
    pub fn settle(&mut self) -> Vec<Delivery> {
        let mut deliveries = Vec::new();
        for notice in self.machine.notices() {
            match notice {
                Notice::Ended(ticket, end) => deliveries.extend(self.end(ticket, end)),
                Notice::Drop(attempt) => {
                    let part = self.part(&attempt);
                    let synthesis = part.and_then(|part| part.synthesis.take());
                    self.rubbish.push_back((attempt, synthesis));
                }
                Notice::Forgotten(ticket) => {
                    let job = self.jobs.remove(&ticket);
                    self.others.extend(job.map(|job| Box::new(job) as _));
                }
            }
        }
        self.note_reserved();
        deliveries
    }

    /// Remembers what is reserved, where it is the most so far.
    pub fn note_reserved(&mut self) {
        self.metrics.reserved_most = self.metrics.reserved_most.max(self.machine.used());
    }

    pub fn part(&mut self, attempt: &Attempt) -> Option<&mut PartState> {
        self.jobs
            .get_mut(&attempt.ticket)?
            .parts
            .get_mut(attempt.part)
    }

    fn end(&mut self, ticket: Ticket, end: End) -> Option<Delivery> {
        let parameters = match end {
            End::NoParameters(key) => self.holdings.failure(key),
            _ => None,
        };
        let job = self.jobs.get_mut(&ticket)?;
        job.ended = true;
        let metrics = &mut self.metrics;
        let failure = job.failure.take();
        let error = match end {
            End::Proven => None,
            End::Cancelled => Some(JobError::Cancelled),
            End::ShutDown => Some(JobError::ShutDown),
            End::NoParameters(_) => Some(JobError::Parameters {
                circuit: job.circuit.clone(),
                source: parameters.unwrap_or_else(|| Arc::new(NoReason)),
            }),
            End::NeverFits => job.too_large.take(),
            End::Failed => {
                Some(failure.unwrap_or_else(|| JobError::Invalid(Arc::new(NoPartitions))))
            }
        };
        let mut report = std::mem::take(&mut job.report);
        report.total = job.submitted.elapsed();
        report.partitions = job.parts.iter().map(|part| part.report.clone()).collect();
        for part in &report.partitions {
            report.synthesis += part.synthesis;
            report.prover += part.prover / part.batch.max(1) as u32;
            report.verification += part.verification;
        }
        match &error {
            None => {
                metrics.proven += 1;
                metrics.jobs.add(report.total);
            }
            Some(JobError::Cancelled | JobError::ShutDown) => metrics.cancelled += 1,
            Some(_) => metrics.failed += 1,
        }
        job.cancelled
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let work = job.work.take();
        let proofs: Option<Vec<_>> = job.parts.iter_mut().map(|part| part.proof.take()).collect();
        let result = match (error, work.clone().zip(proofs)) {
            (None, Some(proven)) => Ok(proven),
            (None, None) => Err(JobError::Invalid(Arc::new(NoPartitions))),
            (Some(error), _) => Err(error),
        };
        let rest: Vec<Box<dyn std::any::Any + Send>> =
            vec![Box::new(work), Box::new(job.request.take().map(Held))];
        Some(Delivery {
            shared: Arc::clone(&job.shared),
            result,
            report,
            rest,
        })
    }
}

/// A request, as something that can only be dropped.
struct Held(#[allow(dead_code)] Box<dyn Request>);

/// Work without partitions.
#[derive(Debug, thiserror::Error)]
#[error("it has no partitions")]
struct NoPartitions;

/// Parameters that failed and left no error.
#[derive(Debug, thiserror::Error)]
#[error("no reason was given")]
struct NoReason;
