//! The lock, and how everybody uses it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Submitted;
use super::config::{EngineConfig, EngineError, SubmitError};
use super::holdings::{Holdings, Source};
use super::meter::Meter;
use super::metrics::Metrics;
use super::state::{Job, State};
use super::status::{self, Status};
use crate::backend::{Backend, CpuProver, Prover};
use crate::error::panic_message;
use crate::job::{
    Cancel, Event, JobError, JobHandle, JobId, JobReport, Phase, Priority, Request, Shared,
};
use crate::pipeline::machine::{Key, Limits, Machine, Refusal};
use crate::srs::Srs;

pub(super) struct Core {
    pub config: EngineConfig,
    /// Provers by class: those of the configuration, and the CPU's that helps out.
    pub classes: Vec<Vec<Arc<dyn Prover>>>,
    pub pool: ThreadPool,
    pub capacity: u64,
    state: Mutex<State>,
    changed: Condvar,
    me: Weak<Core>,
}

impl Core {
    pub fn new(config: EngineConfig) -> Result<Arc<Self>, EngineError> {
        let capacity = config.capacity()?;
        let mut classes = vec![config.provers.clone()];
        if config.cpu_fallback {
            classes.push(vec![Arc::new(CpuProver)]);
        }
        let threads = config.threads;
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("cuzk-pool-{index}"))
            .build()
            .map_err(|source| EngineError::Pool { threads, source })?;
        let limits = Limits {
            memory: capacity,
            synthesis: config.synthesis,
            provers: classes.iter().map(Vec::len).collect(),
            jobs: config.queue,
            request_bytes: config.request_bytes,
        };
        let state = State {
            machine: Machine::new(limits),
            jobs: Default::default(),
            holdings: Holdings::default(),
            meter: Meter::new(Instant::now()),
            metrics: Metrics {
                capacity,
                ..Metrics::default()
            },
            rubbish: Default::default(),
            others: Vec::new(),
            freeing: false,
        };
        Ok(Arc::new_cyclic(|me| Self {
            config,
            classes,
            pool,
            capacity,
            state: Mutex::new(state),
            changed: Condvar::new(),
            me: me.clone(),
        }))
    }

    pub fn backend(&self) -> Backend {
        self.config.provers[0].backend()
    }

    /// Under the lock nothing runs that is not this crate's own, so a panic there would be an error of ours, and what it left is
    /// still the best that there is.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next change.
    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, wakes everybody, and tells those who wait for jobs that have ended by it. Whatever others wrote is dropped and called
    /// when the lock is not held, and what panics in it is nobody else's trouble.
    pub fn update<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let deliveries = state.settle();
        let others = std::mem::take(&mut state.others);
        drop(state);
        self.changed.notify_all();
        others.into_iter().for_each(discard);
        for delivery in deliveries {
            delivery.deliver();
        }
        result
    }

    /// Runs a thread: waits for `next` to have something, and does it, until the engine is finished.
    pub fn serve<T>(&self, mut next: impl FnMut(&mut State) -> Option<T>, mut work: impl FnMut(T)) {
        loop {
            let mut state = self.lock();
            let task = loop {
                if let Some(task) = next(&mut state) {
                    break task;
                }
                if state.machine.is_finished() {
                    return;
                }
                state = self.wait(state);
            };
            // Taking one can admit a partition.
            state.note_reserved();
            drop(state);
            // Taking a task can let another thread take one.
            self.changed.notify_all();
            work(task);
        }
    }

    pub fn submit(
        &self,
        id: JobId,
        priority: Priority,
        request: Box<dyn Request>,
    ) -> Result<Submitted, SubmitError> {
        let (circuit, bytes) = (request.circuit(), request.bytes());
        let submitted = Instant::now();
        // A request that is refused or joins is dropped when the lock is not held.
        let mut request = Some(request);
        self.update(|state| {
            let answer = state.machine.submit(&id, priority, bytes);
            let answer = match answer {
                Ok(answer) => answer,
                Err(refusal) => {
                    state.metrics.refused += 1;
                    return Err(match refusal {
                        Refusal::Closed => SubmitError::Closed,
                        Refusal::Full { jobs } => SubmitError::Full { jobs },
                        Refusal::Bytes { held, limit } => {
                            SubmitError::RequestBytes { bytes, held, limit }
                        }
                    });
                }
            };
            let position = state.machine.ahead_of(answer.ticket);
            if let Some(job) = state.jobs.get(&answer.ticket) {
                if job.circuit != circuit {
                    state.metrics.refused += 1;
                    let circuit = job.circuit.clone();
                    return Err(SubmitError::OtherCircuit {
                        id: id.to_string(),
                        circuit,
                    });
                }
                state.metrics.joined += 1;
                let handle = JobHandle::new(Arc::clone(&job.shared));
                return Ok(Submitted {
                    handle,
                    joined: true,
                    position,
                });
            }
            state.metrics.submitted += 1;
            let engine: Weak<dyn Cancel> = self.me.clone();
            let shared = Shared::new(id, answer.ticket, engine);
            shared.tell(Event::Queued { priority });
            let handle = JobHandle::new(Arc::clone(&shared));
            let job = Job {
                shared,
                priority,
                report: JobReport::new(circuit.clone(), priority),
                circuit,
                request: request.take(),
                work: None,
                sizes: None,
                recording: None,
                parts: Vec::new(),
                too_large: None,
                failure: None,
                cancelled: Arc::new(AtomicBool::new(false)),
                submitted,
                prepared: None,
                begun: None,
                awaits: None,
                ended: false,
            };
            state.jobs.insert(answer.ticket, job);
            Ok(Submitted {
                handle,
                joined: false,
                position,
            })
        })
    }

    pub fn job(&self, id: &JobId) -> Option<JobHandle> {
        let state = self.lock();
        let mut live = state.jobs.values().filter(|job| !job.ended);
        let job = live.find(|job| job.shared.id() == id)?;
        Some(JobHandle::new(Arc::clone(&job.shared)))
    }

    /// The key and the bytes of parameters for the configured backend.
    pub fn resident_of(&self, srs: &Arc<dyn Srs>) -> Result<(Key, u64), String> {
        let backend = self.backend();
        let bytes = srs.bytes(backend).map_err(|error| crate::chain(&*error))?;
        let source = Source::Parameters(Arc::clone(srs), backend);
        Ok((self.enter(source), bytes))
    }

    /// The key of a source. A source is not this crate's own: it is named and dropped when the lock is not held.
    pub fn enter(&self, source: Source) -> Key {
        let name = source.name();
        let (key, replaced) = self.lock().holdings.enter(name, source);
        discard(replaced);
        key
    }

    /// Waits until a resident is ready or gone; an error where it could not be loaded.
    pub fn wait_for_change_of(&self, key: Key) -> Result<(), String> {
        let mut state = self.lock();
        loop {
            let now = state.machine.residents().find(|(other, ..)| *other == key);
            match now {
                Some((_, _, true, _)) => return Ok(()),
                None => {
                    // Gone, or never there and others are making room for it.
                    if let Some(error) = state.holdings.failure(key) {
                        drop(state);
                        return Err(crate::chain(&*error));
                    }
                    if !state.machine.is_making_room() {
                        return Ok(());
                    }
                }
                Some(_) if state.machine.is_finished() => {
                    return Err("the engine was shut down".to_owned());
                }
                Some(_) => {}
            }
            state = self.wait(state);
        }
    }

    /// Waits until a resident is not on its way out any more; whether it is gone.
    pub fn wait_until_gone(&self, key: Key) -> bool {
        let mut state = self.lock();
        while state.machine.is_going(key) {
            state = self.wait(state);
        }
        state.machine.residents().all(|(other, ..)| other != key)
    }

    pub fn wait_idle(&self, limit: Duration) -> bool {
        let deadline = Instant::now().checked_add(limit);
        let mut state = self.lock();
        while !state.jobs.is_empty() || state.freeing || !state.rubbish.is_empty() {
            let left =
                match deadline.map(|deadline| deadline.checked_duration_since(Instant::now())) {
                    Some(None) => return false,
                    Some(Some(left)) => left,
                    None => Duration::from_secs(3600),
                };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    pub fn status(&self) -> Status {
        status::of(&self.lock(), self.capacity)
    }

    pub fn metrics(&self) -> Metrics {
        let state = self.lock();
        let (live, running) = state.machine.counts();
        Metrics {
            queued: (live - running) as u64,
            running: running as u64,
            reserved: state.machine.used(),
            ..state.metrics.clone()
        }
    }
}

impl Cancel for Core {
    fn cancel(&self, ticket: u64) -> bool {
        self.update(|state| state.machine.cancel(ticket))
            .unwrap_or(false)
    }

    fn cancel_waiting(&self, ticket: u64) -> bool {
        self.update(|state| {
            !state.machine.is_running(ticket) && state.machine.cancel(ticket).is_some()
        })
    }
}

/// Drops what is not this crate's own. It may panic, and what it throws may again.
pub(super) fn discard<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
    }
}

/// What an error says. The text of its sources is not this crate's own.
pub(super) fn said(phase: Phase, error: &(dyn std::error::Error + 'static)) -> String {
    caught(phase, None, || crate::chain(error)).unwrap_or_else(|panic| panic.to_string())
}

/// Runs what is not this crate's own. A panic in it is an error of the job that it was for.
pub(super) fn caught<R>(
    phase: Phase,
    partition: Option<usize>,
    work: impl FnOnce() -> R,
) -> Result<R, JobError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let message = panic_message(&*panic);
        // What was thrown is the caller's own too.
        discard(panic);
        JobError::Panicked {
            phase,
            partition,
            message,
        }
    })
}
