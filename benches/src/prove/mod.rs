//! The `prove/*` workloads: synthesise, prove, verify.
//!
//! Parameters are read from the cache before the clock starts, and made in a process of their own where they are not
//! there. Options of the GPU's prover are applied before that, since loading takes memory of the GPUs. r and s come from the seed, so the proofs are the same bytes on every arm, on the CPU and on a GPU.

mod calls;
mod copies;
pub mod gpu;
pub mod options;

use std::path::Path;

use anyhow::{Context, Result};
use cuzk_circuits::parameters::Sha256Parameters;
use cuzk_circuits::{BlendCircuit, Sha256Circuit};
use cuzk_core::backend::LoadedParameters;
use cuzk_harness::{Request, Trial};

use crate::workloads::{CircuitKind, Kind};
use crate::{blend, porep};

pub use options::{OPTIONS, ProveOptions};

/// Makes the parameters of a circuit where they are not there and whole.
pub fn prepare(circuit: CircuitKind, size: Option<u64>, cache: &Path) -> Result<()> {
    match circuit {
        CircuitKind::Porep => porep::prepare(cache),
        CircuitKind::Blend(kind) => blend::prepare(kind, size, cache),
        _ => {
            let blocks = usize::try_from(size.unwrap_or(1))?;
            Ok(Sha256Parameters::new(cache, blocks)?.ensure()?)
        }
    }
}

/// One trial.
pub fn run(request: &Request) -> Result<Trial> {
    Ok(prove(request)?.0)
}

/// As [`run`], with the bytes of the proofs.
pub fn prove(request: &Request) -> Result<(Trial, Vec<u8>)> {
    let options = ProveOptions::of(request)?;
    // Before anything that takes its time.
    options.backend.available()?;
    let mut setup = gpu::Setup::new(&options)?;
    let seed = request.seed;
    match Kind::of(request.workload) {
        Kind::Prove(CircuitKind::Porep) => {
            let parameters = setup.load(&porep::parameters(request)?, options.backend)?;
            let (circuit, inputs) = porep::circuit(seed)?;
            let circuits = vec![circuit; options.circuits];
            let inputs = vec![inputs; options.circuits];
            calls::measure(request, &options, &setup, circuits, &inputs, &parameters)
        }
        Kind::Prove(CircuitKind::Blend(kind)) => {
            let circuits = blend::circuits(kind, seed, request.size, options.circuits)?;
            let inputs: Vec<_> = circuits.iter().map(BlendCircuit::public_inputs).collect();
            let parameters = setup.load(&blend::parameters(request, kind)?, options.backend)?;
            calls::measure(request, &options, &setup, circuits, &inputs, &parameters)
        }
        _ => {
            let blocks = usize::try_from(request.size.unwrap_or(1))?;
            let parameters = Sha256Parameters::new(&request.cache, blocks)?
                .load_or(|| request.prepare_in_child().map_err(std::io::Error::other))?;
            let parameters = LoadedParameters::Cpu(Box::new(parameters));
            let circuit = Sha256Circuit::from_seed(seed, blocks);
            let inputs = circuit
                .public_inputs()
                .context("a circuit from a seed has a witness")?;
            calls::measure(
                request,
                &options,
                &setup,
                vec![circuit],
                &[inputs],
                &parameters,
            )
        }
    }
}
