//! From assignments to proofs.
//!
//! Parameters decide on the prover: those in this process's memory on the CPU's, those that the GPU's loader has taken on
//! the GPU's. Where that is a choice of the run, [`LoadedParameters`] are the ones of the [`Backend`] that was chosen.

mod choice;
mod loaded;
mod prover;
mod verified;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bellperson::groth16::{ParameterSource, Parameters, Proof, VerifyingKey, prove_assignments};
use blstrs::{Bls12, Scalar as Fr};

use crate::error::panic_message;
use crate::synthesis::Synthesis;
use crate::{Error, ParametersShape, Shape};

pub use bellperson::groth16::PhaseTimes;
pub use choice::{Backend, UnknownBackend};
pub use loaded::LoadedParameters;
pub use prover::{CpuProver, GpuProver, Prover};
pub use verified::{prove_verified, rejections};

/// Parameters that a proof can be made with. They decide on the prover: the GPU's own go to the GPU.
pub trait ProvingParameters: ParameterSource<Bls12> {
    /// The number of points in each section; `None` where they cannot be seen from here.
    fn shape(&self) -> Option<ParametersShape>;

    /// What proofs made with them are verified with.
    fn verifying_key(&self) -> &VerifyingKey<Bls12>;

    /// Which prover takes them.
    fn backend(&self) -> Backend;
}

impl ProvingParameters for &Parameters<Bls12> {
    fn shape(&self) -> Option<ParametersShape> {
        Some(ParametersShape::of(self))
    }

    fn verifying_key(&self) -> &VerifyingKey<Bls12> {
        &self.vk
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
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
    /// Wall time of the prover's call.
    pub wall: Duration,
    /// Wall time of verifying all proofs, after that; `None` where they have not been verified.
    pub verification: Option<Duration>,
}

impl Proved {
    /// What the caller waited for after the proofs were there: freeing what the prover held.
    pub fn teardown(&self) -> Duration {
        self.wall.saturating_sub(self.phases.total)
    }
}

/// Proves a batch. Proofs are not verified here: that is for measurements, and for those who verify them at once
/// themselves. All others take [`prove_verified`].
///
/// # Errors
///
/// [`Error::NoCircuits`], [`Error::UnequalCircuits`], [`Error::Randomness`] and [`Error::WrongParameters`] before
/// anything is computed; [`Error::Proving`] where the CPU's prover reports an error, `Error::Cuda` where the GPU's does, and
/// [`Error::Panicked`] where that cannot report it. The process can prove on after any of them.
pub fn prove<P: ProvingParameters>(
    synthesis: Synthesis,
    parameters: P,
    randomness: &Randomness,
) -> Result<Proved, Error> {
    check(&synthesis, parameters.shape(), randomness)?;
    let (r, s) = (randomness.r.clone(), randomness.s.clone());
    let start = Instant::now();
    let backend = parameters.backend();
    let call = || prove_assignments(synthesis.assignments, parameters, r, s, false);
    let (proofs, phases) = match backend {
        Backend::Cpu => call().map_err(Error::Proving)?,
        Backend::Gpu => caught(call)?.map_err(of_gpu)?,
    };
    Ok(Proved {
        proofs,
        phases,
        wall: start.elapsed(),
        verification: None,
    })
}

#[cfg(feature = "cuda")]
fn of_gpu(error: bellperson::SynthesisError) -> Error {
    crate::cuda::CudaError::of_prover(error).map_or_else(Error::Proving, Error::Cuda)
}

#[cfg(not(feature = "cuda"))]
fn of_gpu(error: bellperson::SynthesisError) -> Error {
    Error::Proving(error)
}

/// The release of the GPU's prover answers an error with a panic. Nothing that it held is seen again: assignments are
/// dropped, parameters are only read, and what its C++ half shares between calls has been unlocked on the way.
fn caught<R>(call: impl FnOnce() -> R) -> Result<R, Error> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| Error::Panicked {
        message: panic_message(&*panic),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_words() {
        assert_eq!(caught(|| 7).ok(), Some(7));
        let code = 2;
        for (error, said) in [
            (caught(|| panic!("out of memory")), "out of memory"),
            (caught(|| panic!("error {code}")), "error 2"),
            (caught(|| std::panic::panic_any(7)), "no message"),
        ] {
            let error: Result<(), Error> = error;
            let text = error.expect_err("a panic").to_string();
            assert!(text.contains(said), "{text}");
        }
    }
}
