//! What can go wrong between a circuit and its proof.

use bellperson::SynthesisError;

use crate::parameters::ParametersError;
use crate::shape::{ParametersShape, Shape};

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A batch without a circuit.
    #[error("no circuit was given: a batch has at least one")]
    NoCircuits,

    /// The circuit could not be synthesised.
    #[error("synthesis failed")]
    Synthesis(#[source] SynthesisError),

    /// The circuits of a batch are of different shapes, so that one set of parameters cannot fit them all.
    #[error(
        "circuit {index} of the batch has another shape than circuit 0: {other} instead of {first}"
    )]
    UnequalCircuits {
        /// Position of the first circuit that differs.
        index: usize,
        /// Shape of circuit 0.
        first: Shape,
        /// Shape of that circuit.
        other: Shape,
    },

    /// Not one pair of random scalars a circuit.
    #[error("{circuits} circuits need as many random scalars: {r} of r and {s} of s were given")]
    Randomness {
        /// Number of circuits.
        circuits: usize,
        /// Number of scalars in `r`.
        r: usize,
        /// Number of scalars in `s`.
        s: usize,
    },

    /// The parameters were made for a circuit of another shape.
    #[error(
        "the parameters are for another circuit: they have {parameters}, this circuit needs {needed}"
    )]
    WrongParameters {
        /// What parameters for this circuit hold.
        needed: ParametersShape,
        /// What these parameters hold.
        parameters: ParametersShape,
    },

    /// The prover gave up.
    #[error("proving failed")]
    Proving(#[source] SynthesisError),

    /// A file of parameters could not be used.
    #[error(transparent)]
    Parameters(#[from] ParametersError),

    /// Parameters could not be generated.
    #[error(transparent)]
    Generate(#[from] crate::parameters::GenerateError),
}
