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

    /// The GPU's prover stopped in the middle, as it does on a stack whose errors cannot be returned.
    #[error(
        "the GPU's prover gave up: {message}. Prove again, or on the CPU; a stack with `cuda-errors`, as `patched` is, says more"
    )]
    Panicked {
        /// What it said.
        message: String,
    },

    /// A proof came out that does not verify. It was thrown away, with all others of its batch.
    #[error(
        "the proof of circuit {index} of {circuits} does not verify, so none was handed out: {reason}. Prove again; where it \
         comes again, on the CPU too, the witness or the parameters are at fault, and else the GPU or its driver"
    )]
    NotVerified {
        /// Position in the batch of the first circuit whose proof does not verify.
        index: usize,
        /// How many circuits the batch has.
        circuits: usize,
        /// What the verifier said.
        reason: String,
    },

    /// This program was built without the GPU's prover.
    #[error(
        "this program has no GPU prover in it: build it with the cargo feature `cuda`, which needs NVIDIA's nvcc, or prove on \
         the CPU"
    )]
    NoGpuProver,

    /// The GPU, or the way there.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] crate::cuda::CudaError),

    /// A file of parameters could not be used.
    #[error(transparent)]
    Parameters(#[from] ParametersError),

    /// Parameters could not be generated.
    #[error(transparent)]
    Generate(#[from] crate::parameters::GenerateError),
}

/// An error with all that it came from, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let said = error.to_string();
        // A transparent error says what its source says.
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        source = error.source();
    }
    text
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it left no message").to_owned()
}
