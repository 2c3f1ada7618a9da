//! Provers as an engine sees them.

use std::time::Duration;

use rayon::ThreadPool;

use super::{Backend, LoadedParameters, Proved, Randomness};
use crate::Error;
use crate::batch::Batching;
use crate::synthesis::Synthesis;

/// Something that makes proofs, one call at a time.
pub trait Prover: Send + Sync + 'static {
    /// Its name, for reports.
    fn name(&self) -> String;

    /// Which parameters it takes.
    fn backend(&self) -> Backend;

    /// What its calls cost.
    fn batching(&self) -> Batching;

    /// Proves a batch, without verifying: whoever calls does. `pool` has the threads to compute on.
    ///
    /// # Errors
    ///
    /// As [`prove`](super::prove()).
    fn prove(
        &self,
        parameters: &LoadedParameters,
        synthesis: Synthesis,
        randomness: &Randomness,
        pool: &ThreadPool,
    ) -> Result<Proved, Error>;
}

/// bellperson's own prover, on all threads of the pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuProver;

impl Prover for CpuProver {
    fn name(&self) -> String {
        Backend::Cpu.name().to_owned()
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    /// Its circuits share nothing, and a call of several takes the memory of all.
    fn batching(&self) -> Batching {
        Batching::SINGLE
    }

    fn prove(
        &self,
        parameters: &LoadedParameters,
        synthesis: Synthesis,
        randomness: &Randomness,
        pool: &ThreadPool,
    ) -> Result<Proved, Error> {
        pool.install(|| parameters.prove(synthesis, randomness))
    }
}

/// SupraSeal's, on the GPUs that `GpuOptions` name.
#[derive(Clone, Copy, Debug, Default)]
pub struct GpuProver;

impl Prover for GpuProver {
    fn name(&self) -> String {
        Backend::Gpu.name().to_owned()
    }

    fn backend(&self) -> Backend {
        Backend::Gpu
    }

    fn batching(&self) -> Batching {
        let (one, ten) = (
            Duration::from_micros(47_400),
            Duration::from_micros(434_900),
        );
        Batching::measured(one, (10, ten), 1 << 22, 16)
    }

    /// It computes on the GPU and on threads of its own: none of the pool's waits for it.
    fn prove(
        &self,
        parameters: &LoadedParameters,
        synthesis: Synthesis,
        randomness: &Randomness,
        _: &ThreadPool,
    ) -> Result<Proved, Error> {
        parameters.prove(synthesis, randomness)
    }
}
