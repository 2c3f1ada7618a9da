//! The thread that loads and evicts.

use std::sync::Arc;
use std::time::Instant;

use super::core::{Core, caught};
use super::holdings::{Held, Source};
use crate::job::{JobError, Phase, WorkError};
use crate::pipeline::machine::{Key, LoadTask};

pub(super) fn run(core: &Arc<Core>) {
    core.serve(
        |state| {
            let task = state.machine.next_load()?;
            Some(match task {
                LoadTask::Load(key) => (key, Ok(state.holdings.source(key))),
                LoadTask::Drop(key) => (key, Err(state.holdings.take(key))),
            })
        },
        |(key, task)| match task {
            Ok(source) => load(core, key, source),
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
    let held: Vec<_> = keys
        .into_iter()
        .map(|key| state.holdings.take(key))
        .collect();
    drop(state);
    drop(held);
}

fn load(core: &Core, key: Key, source: Option<Source>) {
    let start = Instant::now();
    let loaded = source.ok_or(JobError::Cancelled).and_then(|source| {
        caught(Phase::Parameters, None, || {
            core.pool.install(|| read(source))
        })
    });
    let took = start.elapsed();
    let loaded = match loaded {
        Ok(Ok(loaded)) => Ok(loaded),
        Ok(Err(error)) => Err(Arc::from(error)),
        Err(panic) => Err(Arc::new(panic) as Arc<dyn std::error::Error + Send + Sync>),
    };
    core.update(|state| {
        state.metrics.loads += 1;
        state.metrics.phase(Phase::Parameters, took);
        if let Some((name, _)) = state.holdings.name(key) {
            let error = loaded
                .as_ref()
                .err()
                .map(|error| crate::job::chain(&**error));
            tracing::info!(name, seconds = took.as_secs_f64(), error, "loaded");
        }
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
fn read(source: Source) -> Result<(Held, u64), WorkError> {
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
                Ok(recording) if recording.bytes() as u64 <= source.bytes => {
                    let bytes = recording.bytes() as u64;
                    (Held::Recording(Some(Arc::new(recording))), bytes)
                }
                Ok(recording) => {
                    let (id, bytes, reserved) = (source.id, recording.bytes(), source.bytes);
                    tracing::warn!(
                        id,
                        bytes,
                        reserved,
                        "the recording is larger than what was reserved; synthesis is plain"
                    );
                    (Held::Recording(None), 0)
                }
                Err(error) => {
                    let (id, error) = (source.id, crate::job::chain(&*error));
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
