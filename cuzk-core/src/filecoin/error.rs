//! What can go wrong between a request for a proof and the prover.

use std::path::{Path, PathBuf};

use super::CircuitId;
use super::c1::C1Error;
use super::groth16::Rejection;
use crate::parameters::ParametersError;
use crate::recorded::{RecordedError, RecordedShape};

/// An error of this module.
#[derive(Debug, thiserror::Error)]
pub enum FilecoinError {
    /// A name that no circuit has.
    #[error(
        "no circuit is called {name:?}: it is porep, winning, wpost (or window) or snap, a hyphen, and 2k, 8m, 512m, \
         32g or 64g"
    )]
    UnknownCircuit {
        /// The name.
        name: String,
    },

    /// A number or name that no registered seal proof has.
    #[error(
        "no seal proof is registered as {name:?}: it is a number from 0 to 19, or a name like StackedDrg32GiBV1_1"
    )]
    UnknownSealProof {
        /// The number or name.
        name: String,
    },

    /// A C1 output that cannot be used.
    #[error("the C1 output cannot be used")]
    C1(#[from] C1Error),

    /// Vanilla proofs that do not make up the request.
    #[error("{circuit}: {what}")]
    Vanilla {
        /// The circuit.
        circuit: CircuitId,
        /// What is wrong with them.
        what: String,
    },

    /// Bytes that are no vanilla proof.
    #[error(
        "{circuit}: vanilla proof {index}, of {bytes} bytes, is not what bincode writes of one for sectors of {}",
        circuit.size
    )]
    Encoding {
        /// The circuit.
        circuit: CircuitId,
        /// Which one, from 0, in the order in which they were given.
        index: usize,
        /// How many bytes it has.
        bytes: usize,
        /// What is wrong with them.
        source: bincode::Error,
    },

    /// There are no parameters.
    #[error(
        "there are no parameters for {circuit}: {}, and there is no set of that name in {}. Fetch that file, and name \
         its folder",
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

    /// Parameters could not be used.
    #[error(transparent)]
    Parameters(#[from] ParametersError),

    /// A circuit could not be recorded.
    #[error("{circuit} could not be recorded")]
    Recording {
        /// The circuit.
        circuit: CircuitId,
        /// Why not.
        source: Box<RecordedError>,
    },

    /// A recording is of another circuit than the parameters.
    #[error(
        "the recording of {circuit} is not of the circuit that its parameters are for: it has {recorded}, they are for \
         {inputs} inputs and {aux} private variables. Remove the recording, or correct the parameters"
    )]
    ForeignRecording {
        /// The circuit.
        circuit: CircuitId,
        /// The shape of the recording.
        recorded: Box<RecordedShape>,
        /// Inputs that the parameters are for, the constant one included.
        inputs: usize,
        /// Private variables that they are for.
        aux: usize,
    },

    /// filecoin-proofs reported an error.
    #[error("{circuit}: {doing} failed")]
    Proofs {
        /// The circuit.
        circuit: CircuitId,
        /// What it was asked to do.
        doing: &'static str,
        /// What it said.
        source: anyhow::Error,
    },

    /// The circuits could not be synthesised.
    #[error(transparent)]
    Core(#[from] crate::Error),

    /// The circuit computed another public input than the verifier will.
    #[error(
        "{circuit}: the circuit of partition {partition} has other public inputs than its verifier expects; the first \
         that differs is input {input}"
    )]
    PublicInputs {
        /// The circuit.
        circuit: CircuitId,
        /// The partition, from 0.
        partition: usize,
        /// The input, from 0, the constant one left out.
        input: usize,
    },

    /// The circuit without a witness is there for the sizes for tests only.
    #[error(
        "{circuit} is a circuit of production: its parameters come from Filecoin's trusted setup and are not generated"
    )]
    NotForTests {
        /// The circuit.
        circuit: CircuitId,
    },

    /// `verify_seal` needs to know who sealed the sector.
    #[error(
        "{circuit}: filecoin-proofs' verify_seal needs the prover id and the number of the sector, which a C1 output \
         does not hold; verify against its commitments instead"
    )]
    UnknownOwner {
        /// The circuit.
        circuit: CircuitId,
    },

    /// Bytes that are no proof, where a proof was needed.
    #[error("no proof")]
    Rejected(#[from] Rejection),
}

impl FilecoinError {
    /// Names what filecoin-proofs was asked to do.
    pub(super) fn proofs(
        circuit: CircuitId,
        doing: &'static str,
    ) -> impl FnOnce(anyhow::Error) -> Self {
        move |source| Self::Proofs {
            circuit,
            doing,
            source,
        }
    }
}

fn looked(file: &str, folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => format!("{file} is not in {}", folder.display()),
        None => format!("no folder was named to look for {file} in"),
    }
}
