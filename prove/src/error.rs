//! Why a proof could not be made or verified.

use std::io;
use std::path::{Path, PathBuf};

use cuzk_core::engine::{EngineError, SubmitError};
use cuzk_core::filecoin::{CircuitId, FilecoinError};
use cuzk_core::job::JobError;
use cuzk_core::parameters::{GenerateError, ParametersError};

use crate::sector::SectorError;

/// An error of this library. That a proof does not verify is none: it is a [`Verdict`](crate::Verdict).
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The file system refused.
    #[error("{doing} {}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The result is put in place by a rename, which needs a name that is free or an empty folder's.
    #[error(
        "--out {}: name a folder that is not there yet, or an empty one; not a link, `.` or `..`",
        path.display()
    )]
    OutNoName {
        /// What was named.
        path: PathBuf,
    },

    /// Sectors of this size are not sealed here.
    #[error(
        "{circuit} needs --c1 FILE: only sectors of 2 KiB are sealed here, and C1 output is only of proofs of \
         replication"
    )]
    NeedsC1 {
        /// The circuit.
        circuit: CircuitId,
    },

    /// C1 output for a proof that is none of replication.
    #[error("--c1 is for proofs of replication (porep-2k, porep-32g, …): {circuit} is none")]
    NotOfC1 {
        /// The circuit.
        circuit: CircuitId,
    },

    /// There is something in the folder for the result.
    #[error("{} is not empty: name a folder that is empty or not there yet", path.display())]
    OutNotEmpty {
        /// The folder.
        path: PathBuf,
    },

    /// Settings of a GPU for a proof on the CPU.
    #[error("--gpu-memory and --gpu are for NVIDIA's prover: add --backend gpu, or leave them out")]
    NotOfCpu,

    /// There are no parameters, and they cannot be made here.
    #[error(
        "there are no parameters for {circuit}: {}, and there is no set of that name in {}. They come from \
         Filecoin's trusted setup and cannot be made here: fetch that file, and name its folder with --params DIR or \
         FIL_PROOFS_PARAMETER_CACHE (filecoin-proofs itself keeps them in /var/tmp/filecoin-proof-parameters)",
        looked(file, folder.as_deref()),
        store.display()
    )]
    NoParameters {
        /// The circuit.
        circuit: CircuitId,
        /// The name of the file.
        file: String,
        /// The folder of published files, where one was named.
        folder: Option<PathBuf>,
        /// The folder of our own.
        store: PathBuf,
    },

    /// Parameters are made for circuits of 2 KiB sectors only.
    #[error("parameters of {circuit} are not made here: only those of 2 KiB sectors are")]
    NotMadeHere {
        /// The circuit.
        circuit: CircuitId,
    },

    /// Parameters could not be used or kept.
    #[error(transparent)]
    Parameters(#[from] ParametersError),

    /// Parameters could not be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),

    /// A sector could not be sealed or used.
    #[error(transparent)]
    Sector(#[from] SectorError),

    /// What lies between the request and the prover refused.
    #[error(transparent)]
    Filecoin(#[from] FilecoinError),

    /// The engine has sectors of its own only.
    #[error("--engine seals its sectors itself, which are of 2 KiB: {circuit} is for others")]
    NotForEngine {
        /// The circuit.
        circuit: CircuitId,
    },

    /// The engine could not be started.
    #[error(transparent)]
    Engine(#[from] Box<EngineError>),

    /// The engine did not take a job.
    #[error(transparent)]
    Submit(#[from] SubmitError),

    /// A job of the engine has no proof.
    #[error("the proof of sector {sector} could not be made")]
    Job {
        /// The sector, from 0.
        sector: usize,
        /// Why not.
        source: Box<JobError>,
    },

    /// A vanilla proof could not be written as clients send it.
    #[error("writing a vanilla proof")]
    Encode(#[source] bincode::Error),

    /// The prover refused.
    #[error(transparent)]
    Core(cuzk_core::Error),
}

impl From<cuzk_core::Error> for ProveError {
    fn from(error: cuzk_core::Error) -> Self {
        match error {
            cuzk_core::Error::Parameters(error) => Self::Parameters(error),
            error => Self::Core(error),
        }
    }
}

fn looked(file: &str, folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => format!("{file} is not in {}", folder.display()),
        None => format!("no folder was named to look for {file} in"),
    }
}
