//! The thread that looks at requests.

use std::sync::Arc;
use std::time::Instant;

use super::core::{Core, caught, discard};
use super::holdings::Source;
use super::state::PartState;
use crate::backend::Prover;
use crate::job::{Event, JobError, Phase, Prepared, Request, WorkError};
use crate::pipeline::machine::{Plan, Ticket, Way};

type Task = (Ticket, Box<dyn Request>);

pub(super) fn run(core: &Arc<Core>) {
    core.serve(
        |state| loop {
            let ticket = state.machine.next_preparation()?;
            let Some(job) = state.jobs.get_mut(&ticket) else {
                continue;
            };
            job.report.waiting = job.submitted.elapsed();
            if let Some(request) = job.request.take() {
                return Some((ticket, request));
            }
        },
        |task| prepare(core, task),
    );
}

fn prepare(core: &Core, (ticket, request): Task) {
    let start = Instant::now();
    let prepared = caught(Phase::Preparation, None, || {
        core.pool.install(|| request.prepare())
    });
    let planned = prepared.and_then(|prepared| {
        let prepared = prepared.map_err(invalid)?;
        let plan = caught(Phase::Preparation, None, || plan(core, &prepared));
        match plan.and_then(|plan| plan.map_err(invalid)) {
            Ok(plan) => Ok((prepared, plan)),
            Err(error) => {
                discard(prepared);
                Err(error)
            }
        }
    });
    let took = start.elapsed();
    core.update(|state| {
        state.metrics.phase(Phase::Preparation, took);
        let Some(job) = state.jobs.get_mut(&ticket) else {
            return state.machine.prepared(ticket, None);
        };
        job.report.preparation = took;
        job.prepared = Some(Instant::now());
        let plan = match &planned {
            Ok((prepared, plan)) if !job.ended => {
                job.too_large = Some(never_fits(&job.circuit, core, &plan.ways[0]));
                job.recording = plan.ways[0].recording.map(|(key, _)| key);
                job.parts = (0..plan.partitions).map(|_| PartState::default()).collect();
                job.sizes = Some(prepared.sizes);
                job.work = Some(Arc::clone(&prepared.work));
                job.shared.tell(Event::Prepared {
                    partitions: plan.partitions,
                });
                Some(plan.clone())
            }
            Ok(_) => None,
            Err(error) => {
                state.metrics.panics += u64::from(matches!(error, JobError::Panicked { .. }));
                job.failure = Some(error.clone());
                None
            }
        };
        state.machine.prepared(ticket, plan);
    });
    // Where the job has ended meanwhile this is the last of it.
    discard(planned);
}

fn invalid(error: WorkError) -> JobError {
    JobError::Invalid(Arc::from(error))
}

fn never_fits(circuit: &str, core: &Core, way: &Way) -> JobError {
    let slots: Vec<usize> = core.classes.iter().map(Vec::len).collect();
    let alone = Way {
        batch: 1,
        ..way.clone()
    };
    let recording = way.recording.map_or(0, |(_, bytes)| bytes);
    let needed = alone.alone(&slots);
    JobError::NeverFits {
        circuit: circuit.to_owned(),
        needed,
        parameters: way.srs.1,
        recording,
        partition: needed.saturating_sub(way.srs.1).saturating_sub(recording),
        capacity: core.capacity,
    }
}

/// The ways of its partitions: that of the configured provers, and that of the CPU where it helps out.
fn plan(core: &Core, prepared: &Prepared) -> Result<Plan, WorkError> {
    let recording = prepared
        .recording
        .as_ref()
        .filter(|_| core.config.recordings);
    let recording = recording.map(|source| {
        let key = core.enter(Source::Recording(source.clone()));
        (key, source.bytes)
    });
    let way = |class: usize, prover: &Arc<dyn Prover>| -> Result<Way, WorkError> {
        let backend = prover.backend();
        let bytes = prepared.srs.bytes(backend)?;
        let source = Source::Parameters(Arc::clone(&prepared.srs), backend);
        let key = core.enter(source);
        let footprint = prepared.footprint(backend, recording.is_some());
        Ok(Way {
            class,
            srs: (key, bytes),
            recording,
            partition: footprint.partition,
            synthesis: footprint.synthesis,
            proving: footprint.proving,
            batch: prover.batching().size(prepared.sizes.domain()),
        })
    };
    let ways = core.classes.iter().enumerate();
    let ways = ways.filter_map(|(class, provers)| Some(way(class, provers.first()?)));
    let mut ways: Vec<Result<Way, WorkError>> = ways.collect();
    let first = ways.remove(0)?;
    // Where the one that helps out cannot be had, the first tries again.
    let others = ways.into_iter().filter_map(Result::ok);
    Ok(Plan {
        partitions: prepared.work.partitions(),
        ways: [first].into_iter().chain(others).collect(),
    })
}
