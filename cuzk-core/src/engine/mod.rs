//! The engine: jobs in, verified proofs out.
//!
//! ```
//! use std::sync::Arc;
//! use cuzk_core::backend::Backend;
//! use cuzk_core::budget::Sizes;
//! use cuzk_core::engine::{Engine, EngineConfig, Submission};
//! use cuzk_core::job::{CircuitWork, Priority};
//! use cuzk_core::srs::SrsInMemory;
//! # use bellperson::{Circuit, ConstraintSystem, SynthesisError};
//! # use blstrs::Scalar as Fr;
//! # use ff::Field;
//! # use rand_core::SeedableRng;
//! # #[derive(Clone)]
//! # struct Square(Option<Fr>);
//! # impl Circuit<Fr> for Square {
//! #     fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//! #         let root = cs.alloc(|| "root", || self.0.ok_or(SynthesisError::AssignmentMissing))?;
//! #         let square = cs.alloc_input(|| "square", || Ok(self.0.ok_or(SynthesisError::AssignmentMissing)?.square()))?;
//! #         cs.enforce(|| "square", |lc| lc + root, |lc| lc + root, |lc| lc + square);
//! #         Ok(())
//! #     }
//! # }
//! # let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! # let params = bellperson::groth16::generate_random_parameters(Square(None), &mut rng)?;
//! let engine = Engine::start(EngineConfig::new(Backend::Cpu, 1 << 30))?;
//! let sizes = Sizes { constraints: 3, inputs: 2, aux: 1 };
//! let srs = Arc::new(SrsInMemory::new("square", Arc::new(params)));
//! let circuit = |_| Ok(Square(Some(Fr::from(3))));
//! let request = CircuitWork::new("square", 1, circuit, srs, sizes);
//! let job = engine.submit(Submission::new("mine", Box::new(request)).priority(Priority::High))?;
//! let ended = job.handle.wait();
//! assert_eq!(ended.result.as_ref().map(Vec::len).expect("a proof"), 192);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Threads
//!
//! One thread prepares requests, one loads and evicts, one frees what proofs leave behind, [`EngineConfig::synthesis`] synthesise and one a
//! prover proves. They compute on a rayon pool of the engine's own, so whoever waits for a job may block a thread of any other
//! pool. All of them are joined when the engine is shut down or dropped; nothing is left behind. Only where the one who does that is one of them
//! itself, since a request or work holds the engine, they are not awaited, and go when what is running has ended.
//!
//! # Locks
//!
//! `core::Core` has one mutex around the machine of `pipeline` and the values that belong to its decisions, and one condition
//! variable that is signalled after every change. Nothing is computed, loaded, freed or told to a caller under it, and nothing
//! that is not this crate's own is called, formatted or dropped: `State::others` is where such things wait until it is released. The lock
//! of a job (`job::handle`) is a leaf.

mod config;
mod core;
mod holdings;
mod loader;
mod meter;
mod metrics;
mod preparer;
mod proving;
mod state;
mod status;
mod synthesizer;

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

pub use config::{EngineConfig, EngineError, SubmitError};
pub use meter::Busy;
pub use metrics::{BOUNDS, Histogram, Metrics};
pub use proving::seeded;
pub use status::{JobStatus, ResidentStatus, Status};

use self::core::Core;
use crate::budget::Bytes;
use crate::job::{JobHandle, JobId, Priority, Request};
use crate::pipeline::machine::{Closing, Evicted, Preload};
use crate::srs::Srs;

/// A job to be taken.
pub struct Submission {
    id: JobId,
    priority: Priority,
    request: Box<dyn Request>,
}

impl Submission {
    /// A request under the caller's id, with normal priority.
    pub fn new(id: impl Into<JobId>, request: Box<dyn Request>) -> Self {
        Self {
            id: id.into(),
            priority: Priority::default(),
            request,
        }
    }

    /// The same with this priority.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }
}

/// A job that was taken.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// The job.
    pub handle: JobHandle,
    /// Whether it was there already: the id is that of a job that has not ended. Its priority stays what it was.
    pub joined: bool,
    /// How many jobs go before it.
    pub position: usize,
}

/// A proving engine. Dropping it is [`shut_down`](Self::shut_down) at once.
pub struct Engine {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Engine {
    /// Starts its threads. Nothing is loaded yet.
    ///
    /// # Errors
    ///
    /// [`EngineError`].
    pub fn start(config: EngineConfig) -> Result<Self, EngineError> {
        config.check()?;
        let core = Core::new(config)?;
        let engine = Self {
            core: Arc::clone(&core),
            threads: Mutex::default(),
        };
        engine.thread("cuzk-prepare", preparer::run)?;
        engine.thread("cuzk-load", loader::run)?;
        engine.thread("cuzk-free", proving::free)?;
        for _ in 0..core.config.synthesis {
            engine.thread("cuzk-synth", synthesizer::run)?;
        }
        for (class, provers) in core.classes.iter().enumerate() {
            for prover in provers {
                let (prover, name) = (Arc::clone(prover), prover.name());
                engine.thread("cuzk-prove", move |core| {
                    proving::run(core, class, &*prover, &name)
                })?;
            }
        }
        Ok(engine)
    }

    fn thread(
        &self,
        name: &str,
        work: impl FnOnce(&Arc<Core>) + Send + 'static,
    ) -> Result<(), EngineError> {
        let core = Arc::clone(&self.core);
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            INSIDE.set(Arc::as_ptr(&core).addr());
            work(&core);
        });
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.push(thread.map_err(EngineError::Threads)?);
        Ok(())
    }

    /// Takes a job. It is looked at later: that it is good is told by how it ends.
    ///
    /// # Errors
    ///
    /// [`SubmitError`].
    pub fn submit(&self, submission: Submission) -> Result<Submitted, SubmitError> {
        let Submission {
            id,
            priority,
            request,
        } = submission;
        self.core.submit(id, priority, request)
    }

    /// The job of an id, unless it has ended.
    pub fn job(&self, id: &JobId) -> Option<JobHandle> {
        self.core.job(id)
    }

    /// Loads parameters ahead of any job, and says whether they were there already. What is idle is evicted for them.
    ///
    /// # Errors
    ///
    /// A sentence: they cannot be loaded, there is no room beside what is in use, the engine is being shut down, or this is one of its own
    /// threads, for which others would wait.
    pub fn preload(&self, srs: &Arc<dyn Srs>) -> Result<bool, String> {
        self.check_outside()?;
        let (key, bytes) = self.core.resident_of(srs)?;
        let mut first = true;
        loop {
            match self.core.update(|state| state.machine.preload(key, bytes)) {
                Preload::Ready => return Ok(first),
                Preload::Coming | Preload::Later => self.core.wait_for_change_of(key)?,
                Preload::Closed => {
                    return Err("the engine is being shut down and loads nothing ahead".to_owned());
                }
                Preload::NoRoom { used } => {
                    return Err(format!(
                        "{} needs {}, and {} of {} are in use; wait for jobs to end, or give the engine a larger budget",
                        srs.id(),
                        Bytes(bytes),
                        Bytes(used),
                        Bytes(self.core.capacity)
                    ));
                }
            }
            first = false;
        }
    }

    /// Gives parameters up, and says how many bytes that has freed; `None` where they were not loaded.
    ///
    /// # Errors
    ///
    /// A sentence, where something uses them, a job has come for them before they were gone, or this is one of the engine's own threads.
    pub fn evict(&self, srs: &str) -> Result<Option<u64>, String> {
        self.check_outside()?;
        let backend = self.core.backend();
        let Some(key) = self.core.lock().holdings.key(srs, backend) else {
            return Ok(None);
        };
        let (answer, bytes) = self.core.update(|state| {
            let bytes = state
                .machine
                .residents()
                .find(|(other, ..)| *other == key)
                .map(|r| r.1);
            (state.machine.evict(key), bytes)
        });
        match answer {
            Evicted::Absent => Ok(None),
            Evicted::InUse => Err(format!("{srs} is in use, or still being loaded")),
            Evicted::Going => match self.core.wait_until_gone(key) {
                true => Ok(bytes),
                false => Err(format!("{srs} is in use again, and stays")),
            },
        }
    }

    /// What is there now.
    pub fn status(&self) -> Status {
        self.core.status()
    }

    /// What has been counted so far.
    pub fn metrics(&self) -> Metrics {
        self.core.metrics()
    }

    /// How busy it has been.
    pub fn busy(&self) -> Busy {
        self.core
            .update(|state| state.meter.until(std::time::Instant::now()))
    }

    /// Waits until no job is left and what they held is free, for so long at most; whether that is so.
    pub fn wait_idle(&self, limit: Duration) -> bool {
        self.core.wait_idle(limit)
    }

    /// Takes no more jobs, and returns when all have ended and its threads are gone. With `drain` what has been submitted is still proven; without,
    /// jobs end with [`JobError::ShutDown`](crate::job::JobError::ShutDown), and only what is running is awaited. It may be called again while it waits, from another
    /// thread, to stop draining. Called by one of its own threads, where a request or work holds the engine, it does not wait: a thread cannot wait for
    /// itself, and all of them go when what is running has ended.
    pub fn shut_down(&self, drain: bool) {
        let how = if drain { Closing::Drain } else { Closing::Now };
        self.core.update(|state| state.machine.close(how));
        if self.is_inside() {
            return;
        }
        // Others who shut it down wait for this lock meanwhile.
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // They catch what panics in them.
            let _ = thread.join();
        }
    }

    /// Whether this thread is one of the engine's own, which others of them may be waiting for.
    fn is_inside(&self) -> bool {
        let core = Arc::as_ptr(&self.core).addr();
        INSIDE.get() == core || self.core.pool.current_thread_index().is_some()
    }

    fn check_outside(&self) -> Result<(), String> {
        match self.is_inside() {
            true => Err("a thread of the engine cannot wait for the engine".to_owned()),
            false => Ok(()),
        }
    }
}

thread_local! {
    /// The engine whose thread this is, by the address of its core, which the thread keeps alive; zero for others.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.shut_down(false);
    }
}
