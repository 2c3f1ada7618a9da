//! The threads that synthesise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::core::{Core, caught, discard};
use crate::budget::{Footprint, Sizes};
use crate::job::{Event, JobError, JobId, Phase, Tools, Work};
use crate::pipeline::machine::Attempt;
use crate::recorded::Recording;
use crate::synthesis::Synthesis;

struct Task {
    attempt: Attempt,
    work: Arc<dyn Work>,
    recording: Option<Arc<Recording>>,
    sizes: Option<Sizes>,
    cancelled: Arc<AtomicBool>,
    job: JobId,
    circuit: String,
}

pub(super) fn run(core: &Arc<Core>) {
    core.serve(
        |state| {
            let attempt = state.machine.next_synthesis()?;
            let now = Instant::now();
            let ready = state.machine.has_parameters(&attempt);
            let job = state.jobs.get_mut(&attempt.ticket)?;
            if job.begun.is_none() {
                job.begun = Some(now);
                let prepared = job.prepared.unwrap_or(job.submitted);
                job.report.queue = now.saturating_duration_since(prepared);
                job.awaits = ready.err();
            }
            state.meter.until(now);
            state.meter.synthesising += 1;
            let partition = attempt.part;
            job.shared.tell(Event::Synthesising { partition });
            Some(Task {
                attempt,
                work: Arc::clone(job.work.as_ref()?),
                recording: job.recording.and_then(|key| state.holdings.recording(key)),
                sizes: job.sizes,
                cancelled: Arc::clone(&job.cancelled),
                job: job.shared.id().clone(),
                circuit: job.circuit.clone(),
            })
        },
        |task| synthesise(core, task),
    );
}

fn synthesise(core: &Core, task: Task) {
    let Task {
        attempt,
        work,
        recording,
        sizes,
        cancelled,
        job,
        circuit,
    } = task;
    let partition = attempt.part;
    let span = tracing::info_span!("synthesis", %job, circuit, partition);
    let start = Instant::now();
    let cancelled = move || cancelled.load(Ordering::Relaxed);
    let tools = Tools {
        recording: recording.as_deref(),
        cancelled: &cancelled,
    };
    let synthesis = caught(Phase::Synthesis, Some(partition), || {
        span.in_scope(|| core.pool.install(|| work.synthesize(partition, &tools)))
    });
    let synthesis = synthesis.and_then(|synthesis| {
        let failed = |source| JobError::Synthesis { partition, source };
        let synthesis = synthesis.map_err(|error| failed(Arc::from(error)))?;
        fits(&synthesis, sizes).map_err(|error| failed(Arc::new(error)))?;
        Ok(synthesis)
    });
    drop(recording);
    // Where the job has ended meanwhile this is the last of it.
    discard(work);
    let took = start.elapsed();
    let rest = core.update(|state| {
        state.meter.until(Instant::now());
        state.meter.synthesising -= 1;
        state.metrics.phase(Phase::Synthesis, took);
        let (synthesis, error) = match synthesis {
            Ok(synthesis) => (Some(synthesis), None),
            Err(error) => (None, Some(error)),
        };
        state.metrics.panics += u64::from(matches!(error, Some(JobError::Panicked { .. })));
        if let Some(job) = state.jobs.get_mut(&attempt.ticket) {
            match error {
                None => job.shared.tell(Event::Synthesised {
                    partition,
                    wall: took,
                }),
                Some(error) if job.ended => state.others.push(Box::new(error)),
                Some(error) => job.failure = Some(error),
            }
        }
        let wanted = state.machine.synthesised(&attempt, synthesis.is_some());
        if let Some(part) = state.part(&attempt) {
            part.report.synthesis = took;
            part.synthesised = Some(Instant::now());
            if wanted {
                part.synthesis = synthesis;
                return None;
            }
        }
        Some(synthesis)
    });
    if let Some(synthesis) = rest {
        core.update(|state| state.rubbish.push_back((attempt, synthesis)));
    }
}

/// That it is what memory was reserved for.
fn fits(synthesis: &Synthesis, sizes: Option<Sizes>) -> Result<(), Oversized> {
    let circuits = synthesis.assignments.len();
    let (Some(sizes), 1) = (sizes, circuits) else {
        return Err(Oversized {
            circuits,
            found: 0,
            reserved: 0,
        });
    };
    let take = |sizes: &Sizes| Footprint::of(sizes, crate::backend::Backend::Cpu).partition;
    let (found, reserved) = (take(&Sizes::from(&synthesis.shape())), take(&sizes));
    match found <= reserved {
        true => Ok(()),
        false => Err(Oversized {
            circuits,
            found,
            reserved,
        }),
    }
}

/// A partition that is larger than its request said.
#[derive(Debug, thiserror::Error)]
#[error(
    "it has {circuits} circuit(s) of {found} bytes, and one of {reserved} was promised: the request's sizes are wrong"
)]
struct Oversized {
    circuits: usize,
    found: u64,
    reserved: u64,
}
