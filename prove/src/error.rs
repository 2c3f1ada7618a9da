//! Why a proof could not be made or verified.

use std::io;
use std::path::PathBuf;

use cuzk_core::filecoin::{CircuitId, FilecoinError};

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

    /// Sectors of this size are not sealed here.
    #[error(
        "{circuit} needs --c1 FILE: only sectors of 2 KiB are sealed here, and C1 output is only of proofs of replication"
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

    /// A sector could not be sealed or used.
    #[error(transparent)]
    Sector(#[from] SectorError),

    /// What lies between the request and the prover refused.
    #[error(transparent)]
    Filecoin(#[from] FilecoinError),

    /// The prover refused.
    #[error(transparent)]
    Core(#[from] cuzk_core::Error),
}
