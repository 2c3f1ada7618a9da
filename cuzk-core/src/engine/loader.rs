//! The thread that loads and evicts.

use std::sync::Arc;
use std::time::Instant;

use super::core::{Core, caught, said};
use super::holdings::{Held, Source};
use crate::job::{JobError, Phase, WorkError};
use crate::pipeline::machine::{Key, LoadTask};

pub(super) fn run(core: &Arc<Core>) {
    core.serve(
        |state| {
            let task = state.machine.next_load()?;
            Some(match task {
                LoadTask::Load(key) => {
                    let mut residents = state.machine.residents();
                    let reserved = residents.find(|(other, ..)| *other == key).map(|r| r.1);
                    (key, Ok(state.holdings.source(key).zip(reserved)))
                }
                LoadTask::Drop(key) => (key, Err(state.holdings.take(key))),
            })
        },
        |(key, task)| match task {
            Ok(task) => load(core, key, task),
            Err(held) => {
                // Somebody may still hold on to it, for as long as it takes to verify a proof.
                drop(held);
                crate::teardown::drain();
                core.update(|state| {
                    state.metrics.evictions += 1;
                    state.machine.dropped(key);
                });
            }
        },
    );
    // Nobody is left who could use any of them.
    let mut state = core.lock();
    let keys: Vec<Key> = state.machine.residents().map(|(key, ..)| key).collect();
    let held: Vec<_> = keys.iter().map(|key| state.holdings.take(*key)).collect();
    drop(state);
    drop(held);
    crate::teardown::drain();
    // Whoever waits for one to go may be waiting still.
    core.update(|state| {
        for key in keys {
            state.machine.dropped(key);
        }
    });
}

fn load(core: &Core, key: Key, task: Option<(Source, u64)>) {
    let start = Instant::now();
    let loaded = task
        .ok_or(JobError::Cancelled)
        .and_then(|(source, reserved)| {
            caught(Phase::Parameters, None, || {
                core.pool.install(|| read(source, reserved))
            })
        });
    let took = start.elapsed();
    let loaded = match loaded {
        Ok(Ok(loaded)) => Ok(loaded),
        Ok(Err(error)) => Err(Arc::from(error)),
        Err(panic) => Err(Arc::new(panic) as Arc<dyn std::error::Error + Send + Sync>),
    };
    let error = loaded.as_ref().err();
    let error = error.map(|error| said(Phase::Parameters, &**error));
    let name = core.lock().holdings.name(key).map(|(name, _)| name);
    tracing::info!(name, seconds = took.as_secs_f64(), error, "loaded");
    core.update(|state| {
        state.metrics.loads += 1;
        state.metrics.phase(Phase::Parameters, took);
        let bytes = loaded.as_ref().ok().map(|(_, bytes)| *bytes);
        state.holdings.put(key, loaded.map(|(held, _)| held));
        for job in state
            .jobs
            .values_mut()
            .filter(|job| job.awaits == Some(key))
        {
            job.awaits = None;
            job.report.parameters = job
                .begun
                .map_or_else(Default::default, |begun| begun.elapsed());
        }
        state.machine.loaded(key, bytes);
    });
}

/// What was loaded, and its bytes where they are known only now.
fn read(source: Source, reserved: u64) -> Result<(Held, u64), WorkError> {
    match source {
        Source::Parameters(srs, backend) => {
            let parameters = srs.load(backend, &())?;
            Ok((Held::Parameters(Arc::new(parameters)), u64::MAX))
        }
        Source::Recording(source) => {
            let recording = caught(Phase::Parameters, None, || (source.load)());
            let recording = recording
                .map_err(WorkError::from)
                .and_then(|recording| recording);
            Ok(match recording {
                Ok(recording) if recording.bytes() as u64 <= reserved => {
                    let bytes = recording.bytes() as u64;
                    (Held::Recording(Some(Arc::new(recording))), bytes)
                }
                Ok(recording) => {
                    let (id, bytes) = (source.id, recording.bytes());
                    tracing::warn!(
                        id,
                        bytes,
                        reserved,
                        "the recording is larger than what was reserved; synthesis is plain"
                    );
                    (Held::Recording(None), 0)
                }
                Err(error) => {
                    let (id, error) = (source.id, crate::chain(&*error));
                    tracing::warn!(
                        id,
                        error,
                        "no recording could be made or read; synthesis is plain"
                    );
                    (Held::Recording(None), 0)
                }
            })
        }
    }
}
