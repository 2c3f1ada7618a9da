//! What an engine may use.

use std::sync::Arc;
use std::thread;

use crate::backend::{Backend, CpuProver, GpuProver, Prover};
use crate::budget::{Bytes, resident};

/// How an engine is set up. Depths and batches are not among it: they follow from the budget.
#[derive(Clone)]
pub struct EngineConfig {
    /// Bytes that the whole process may take, what it has taken before the engine included.
    pub memory: u64,
    /// Bytes of each GPU's memory that its prover may use; `None`: what is set in `GpuOptions`, else what is free, less a reserve. The
    /// prover plans with it, and refuses a circuit that it cannot hold.
    pub gpu_memory: Option<u64>,
    /// Those who prove. All of one backend.
    pub provers: Vec<Arc<dyn Prover>>,
    /// Whether the CPU makes a proof again that another backend got wrong. It needs memory for its own parameters; where that
    /// is missing the first prover tries again.
    pub cpu_fallback: bool,
    /// Partitions that are synthesised at a time.
    pub synthesis: usize,
    /// Threads that synthesis, the CPU's prover and verification share.
    pub threads: usize,
    /// Jobs that have not ended, at most.
    pub queue: usize,
    /// Bytes of all requests together, at most. They are set aside from `memory`.
    pub request_bytes: u64,
    /// Whether recordings are used where a request has one.
    pub recordings: bool,
    /// Draws the scalars that hide witnesses from this number instead of the system's random source, so that the same proofs come
    /// again. Whoever knows it can take the witness out of a proof: for tests.
    pub seed: Option<u64>,
}

/// What an engine takes beside what it counts: stacks of its threads, tables, fragmentation.
pub(super) const OVERHEAD: u64 = 64 << 20;

impl EngineConfig {
    /// For one prover of a backend, with so many bytes of host memory.
    pub fn new(backend: Backend, memory: u64) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let prover: Arc<dyn Prover> = match backend {
            Backend::Cpu => Arc::new(CpuProver),
            Backend::Gpu => Arc::new(GpuProver),
        };
        Self {
            memory,
            gpu_memory: None,
            provers: vec![prover],
            cpu_fallback: backend != Backend::Cpu,
            synthesis: synthesis(backend, threads),
            threads,
            queue: 1024,
            request_bytes: (memory / 16).min(1 << 30),
            recordings: true,
            seed: None,
        }
    }

    /// The same on so many threads, and with the synthesis that goes with them.
    pub fn on_threads(mut self, threads: usize) -> Self {
        let prover = self.provers.first();
        let backend = prover.map_or(Backend::Cpu, |prover| prover.backend());
        self.synthesis = synthesis(backend, threads);
        self.threads = threads;
        self
    }

    /// What may be reserved.
    pub(super) fn capacity(&self) -> Result<u64, EngineError> {
        let taken = resident().unwrap_or(0);
        let aside = taken
            .saturating_add(self.request_bytes)
            .saturating_add(OVERHEAD);
        let left = self.memory.checked_sub(aside).filter(|left| *left > 0);
        left.ok_or(EngineError::TooLittle {
            memory: self.memory,
            taken,
            requests: self.request_bytes,
        })
    }

    pub(super) fn check(&self) -> Result<(), EngineError> {
        let first = self.provers.first().ok_or(EngineError::NoProver)?.backend();
        if self.provers.iter().any(|prover| prover.backend() != first) {
            return Err(EngineError::SeveralBackends);
        }
        for (what, count) in [
            ("synthesis", self.synthesis),
            ("threads", self.threads),
            ("queue", self.queue),
        ] {
            if count == 0 {
                return Err(EngineError::Zero { what });
            }
        }
        first.available().map_err(Box::new)?;
        match (first, self.gpu_memory) {
            (_, None) => Ok(()),
            (Backend::Cpu, Some(_)) => Err(EngineError::NoGpu),
            #[cfg(feature = "cuda")]
            (Backend::Gpu, Some(bytes)) => {
                let options = crate::cuda::GpuOptions {
                    memory: Some(bytes),
                    ..Default::default()
                };
                Ok(options
                    .apply()
                    .map_err(|error| Box::new(crate::Error::from(error)))?)
            }
            #[cfg(not(feature = "cuda"))]
            (Backend::Gpu, Some(_)) => Err(EngineError::NoGpu),
        }
    }
}

/// Partitions that are synthesised at a time. Witnesses are one thread's work each: the prover's own threads want the rest.
fn synthesis(backend: Backend, threads: usize) -> usize {
    match backend {
        Backend::Cpu => 1,
        Backend::Gpu => (threads / 4).max(1),
    }
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Nobody proves.
    #[error("an engine needs a prover")]
    NoProver,

    /// Provers of two backends.
    #[error("the provers of an engine are all of one backend; the CPU helps out by `cpu_fallback`")]
    SeveralBackends,

    /// A count that must not be zero.
    #[error("`{what}` is 0: an engine needs at least one")]
    Zero {
        /// Which.
        what: &'static str,
    },

    /// The backend cannot be used.
    #[error(transparent)]
    Backend(#[from] Box<crate::Error>),

    /// A budget for GPUs, and none proves.
    #[error("`gpu_memory` is for provers on GPUs; leave it out for the CPU's")]
    NoGpu,

    /// Nothing is left of the budget.
    #[error(
        "a budget of {} leaves nothing: the process has taken {} already, {} are set aside for requests, and {} for threads",
        Bytes(*memory), Bytes(*taken), Bytes(*requests), Bytes(OVERHEAD)
    )]
    TooLittle {
        /// The budget.
        memory: u64,
        /// What the process had taken.
        taken: u64,
        /// What is set aside for requests.
        requests: u64,
    },

    /// A thread could not be started.
    #[error("a thread of the engine could not be started")]
    Threads(#[source] std::io::Error),

    /// The threads that compute could not be started.
    #[error("the engine's {threads} computing threads could not be started")]
    Pool {
        /// How many.
        threads: usize,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Why a job was not taken. Nothing of it is left in the engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The engine is being shut down.
    #[error("the engine is being shut down and takes no jobs")]
    Closed,

    /// Too many jobs.
    #[error("the queue is full: {jobs} jobs have not ended. Try again later")]
    Full {
        /// How many.
        jobs: usize,
    },

    /// Too much to hold.
    #[error(
        "the request has {}, and requests of {} are held of {} that may be. Try again later",
        Bytes(*bytes), Bytes(*held), Bytes(*limit)
    )]
    RequestBytes {
        /// Its bytes.
        bytes: u64,
        /// Those of all others.
        held: u64,
        /// What may be held.
        limit: u64,
    },

    /// The id belongs to a job of another circuit.
    #[error("job {id} is there already and proves {circuit}")]
    OtherCircuit {
        /// The id.
        id: String,
        /// What it proves.
        circuit: String,
    },
}
