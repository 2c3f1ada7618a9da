//! From assignments to proofs.

use std::time::{Duration, Instant};

use bellperson::groth16::{ParameterSource, Parameters, Proof, prove_assignments};
use blstrs::{Bls12, Scalar as Fr};

use crate::synthesis::Synthesis;
use crate::{Error, ParametersShape, Shape};

pub use bellperson::groth16::PhaseTimes;

/// Parameters that a proof can be made with. They decide on the prover: the GPU's own go to the GPU.
pub trait ProvingParameters: ParameterSource<Bls12> {
    /// The number of points in each section; `None` where they cannot be seen from here.
    fn shape(&self) -> Option<ParametersShape>;
}

impl ProvingParameters for &Parameters<Bls12> {
    fn shape(&self) -> Option<ParametersShape> {
        Some(ParametersShape::of(self))
    }
}

#[cfg(feature = "cuda")]
impl ProvingParameters for &bellperson::groth16::SuprasealParameters<Bls12> {
    fn shape(&self) -> Option<ParametersShape> {
        None
    }
}

/// The scalars that hide the witness: one of each a circuit. Draw them from the system's random source; fixed ones are
/// for comparing proofs byte by byte.
#[derive(Clone, Debug)]
pub struct Randomness {
    /// Blinds A and C.
    pub r: Vec<Fr>,
    /// Blinds B and C.
    pub s: Vec<Fr>,
}

/// What a call of [`prove`] returns.
pub struct Proved {
    /// One a circuit, in their order.
    pub proofs: Vec<Proof<Bls12>>,
    /// The prover's own phases.
    pub phases: PhaseTimes,
    /// Wall time of the call.
    pub wall: Duration,
}

impl Proved {
    /// What the caller waited for after the proofs were there: freeing what the prover held.
    pub fn teardown(&self) -> Duration {
        self.wall.saturating_sub(self.phases.total)
    }
}

/// Proves a batch. Proofs are not verified here.
///
/// # Errors
///
/// [`Error::NoCircuits`], [`Error::UnequalCircuits`], [`Error::Randomness`] and [`Error::WrongParameters`] before
/// anything is computed; [`Error::Proving`] where the prover reports an error.
pub fn prove<P: ProvingParameters>(
    synthesis: Synthesis,
    parameters: P,
    randomness: &Randomness,
) -> Result<Proved, Error> {
    check(&synthesis, parameters.shape(), randomness)?;
    let (r, s) = (randomness.r.clone(), randomness.s.clone());
    let start = Instant::now();
    let (proofs, phases) = prove_assignments(synthesis.assignments, parameters, r, s, false)
        .map_err(Error::Proving)?;
    Ok(Proved {
        proofs,
        phases,
        wall: start.elapsed(),
    })
}

/// Everything that the prover below takes for granted. It would panic or read out of bounds where this does not hold.
fn check(
    synthesis: &Synthesis,
    parameters: Option<ParametersShape>,
    randomness: &Randomness,
) -> Result<(), Error> {
    let circuits = synthesis.assignments.len();
    let circuit = Shape::common(&synthesis.assignments)?;
    let (r, s) = (randomness.r.len(), randomness.s.len());
    if r != circuits || s != circuits {
        return Err(Error::Randomness { circuits, r, s });
    }
    let needed = circuit.parameters();
    match parameters {
        Some(parameters) if parameters != needed => {
            Err(Error::WrongParameters { needed, parameters })
        }
        _ => Ok(()),
    }
}
