//! Parameters of the backend that was chosen.

use std::path::Path;

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::Bls12;

use super::{Backend, Proved, Randomness, prove, prove_verified};
#[cfg(feature = "cuda")]
use crate::cuda::GpuParameters;
use crate::parameters::{self, Trust};
use crate::progress::Progress;
use crate::synthesis::Synthesis;
use crate::{Error, ParametersShape};

/// Parameters where one prover or the other wants them.
pub enum LoadedParameters {
    /// In memory, for the CPU's.
    Cpu(Box<Parameters<Bls12>>),
    /// In the GPU loader's hands.
    #[cfg(feature = "cuda")]
    Gpu(Box<GpuParameters>),
}

impl LoadedParameters {
    /// Reads a file for a backend, believing of it what `trust` says. For the GPU its points are decoded in the background,
    /// until the first proof or [`wait`](Self::wait); that can take memory of the GPUs already, so `GpuOptions` are applied
    /// before.
    ///
    /// # Errors
    ///
    /// Those of [`Backend::available`], before the file is looked at; [`Error::Parameters`]; for the GPU those of
    /// its `GpuParameters::read` too.
    pub fn read(
        backend: Backend,
        path: &Path,
        trust: Trust<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        backend.available()?;
        match backend {
            Backend::Cpu => {
                let parameters = parameters::read(path, trust, progress)?;
                Ok(Self::Cpu(Box::new(parameters)))
            }
            #[cfg(feature = "cuda")]
            Backend::Gpu => {
                let parameters = GpuParameters::read(path, trust, progress)?;
                Ok(Self::Gpu(Box::new(parameters)))
            }
            #[cfg(not(feature = "cuda"))]
            Backend::Gpu => Err(Error::NoGpuProver),
        }
    }

    /// Waits until they are there, so that no proof waits for them. False where that cannot be told, on a GPU only: as
    /// `GpuParameters::wait`.
    pub fn wait(&self) -> bool {
        match self {
            Self::Cpu(_) => true,
            #[cfg(feature = "cuda")]
            Self::Gpu(parameters) => parameters.wait(),
        }
    }

    /// Which prover takes them.
    pub fn backend(&self) -> Backend {
        match self {
            Self::Cpu(_) => Backend::Cpu,
            #[cfg(feature = "cuda")]
            Self::Gpu(_) => Backend::Gpu,
        }
    }

    /// The number of points in each section.
    pub fn shape(&self) -> ParametersShape {
        match self {
            Self::Cpu(parameters) => ParametersShape::of(parameters),
            #[cfg(feature = "cuda")]
            Self::Gpu(parameters) => parameters.shape(),
        }
    }

    /// What proofs made with them are verified with.
    pub fn verifying_key(&self) -> &VerifyingKey<Bls12> {
        match self {
            Self::Cpu(parameters) => &parameters.vk,
            #[cfg(feature = "cuda")]
            Self::Gpu(parameters) => parameters.verifying_key(),
        }
    }

    /// As [`prove_verified`], with these.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prove_verified(
        &self,
        synthesis: Synthesis,
        randomness: &Randomness,
    ) -> Result<Proved, Error> {
        match self {
            Self::Cpu(parameters) => prove_verified(synthesis, &**parameters, randomness),
            #[cfg(feature = "cuda")]
            Self::Gpu(parameters) => prove_verified(synthesis, &**parameters, randomness),
        }
    }

    /// As [`prove`], with these: proofs are not verified.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prove(&self, synthesis: Synthesis, randomness: &Randomness) -> Result<Proved, Error> {
        match self {
            Self::Cpu(parameters) => prove(synthesis, &**parameters, randomness),
            #[cfg(feature = "cuda")]
            Self::Gpu(parameters) => prove(synthesis, &**parameters, randomness),
        }
    }
}
