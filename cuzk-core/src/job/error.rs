//! How jobs end badly.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::budget::Bytes;

/// A part of a job's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The request is being looked at.
    Preparation,
    /// Its parameters are being loaded.
    Parameters,
    /// A partition is being synthesised.
    Synthesis,
    /// A partition is being proven.
    Proving,
    /// A proof is being verified.
    Verification,
}

impl Phase {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::Preparation,
        Self::Parameters,
        Self::Synthesis,
        Self::Proving,
        Self::Verification,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preparation => "preparation",
            Self::Parameters => "parameters",
            Self::Synthesis => "synthesis",
            Self::Proving => "proving",
            Self::Verification => "verification",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a job has no proof. It can be cloned, as several may wait for one job.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JobError {
    /// Somebody cancelled it.
    #[error("the job was cancelled")]
    Cancelled,

    /// The engine was shut down before it had ended.
    #[error("the engine was shut down before the job had ended; submit it again")]
    ShutDown,

    /// The request cannot be proven, whatever happens.
    #[error("the request cannot be proven")]
    Invalid(#[source] Arc<dyn Error + Send + Sync>),

    /// There is less memory than it needs.
    #[error(
        "a partition of {circuit} needs {}: {} of parameters, {} of recording and {} of its own, and the engine may use {}. Give it a larger budget",
        Bytes(*needed), Bytes(*parameters), Bytes(*recording), Bytes(*partition), Bytes(*capacity)
    )]
    NeverFits {
        /// The circuit.
        circuit: String,
        /// What one partition needs, everything included.
        needed: u64,
        /// Of it, parameters.
        parameters: u64,
        /// Of it, the recording of the circuit.
        recording: u64,
        /// Of it, the partition's own vectors, with what its synthesis and its proof take on top.
        partition: u64,
        /// What the engine may use, after what the process had already taken.
        capacity: u64,
    },

    /// Its parameters could not be loaded.
    #[error("the parameters of {circuit} could not be loaded")]
    Parameters {
        /// The circuit.
        circuit: String,
        /// Why not.
        source: Arc<dyn Error + Send + Sync>,
    },

    /// A partition could not be synthesised.
    #[error("partition {partition} could not be synthesised")]
    Synthesis {
        /// The partition, from 0.
        partition: usize,
        /// Why not.
        source: Arc<dyn Error + Send + Sync>,
    },

    /// A partition could not be proven, not the second time either.
    #[error("partition {partition} could not be proven, in {attempts} attempt(s)")]
    Proving {
        /// The partition, from 0.
        partition: usize,
        /// How often it was tried.
        attempts: usize,
        /// What was wrong the last time.
        source: Arc<dyn Error + Send + Sync>,
    },

    /// Something panicked. This job ends, and no other.
    #[error("{phase} panicked{}: {message}", of_partition(*partition))]
    Panicked {
        /// What was being done.
        phase: Phase,
        /// The partition, from 0, where it was about one.
        partition: Option<usize>,
        /// What the panic said.
        message: String,
    },
}

fn of_partition(partition: Option<usize>) -> String {
    partition.map_or_else(String::new, |partition| {
        format!(" at partition {partition}")
    })
}

impl JobError {
    /// The error and all that it came from, in one line.
    pub fn chain(&self) -> String {
        crate::chain(self)
    }
}
