//! The `prove/*` workloads: synthesise, prove, verify.
//!
//! Parameters are read from the cache before the clock starts, and made in a process of their own where they are not
//! there. r and s come from the seed, so the proof is the same bytes on every arm.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use bellperson::Circuit;
use bellperson::groth16::Parameters;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::parameters::{Sha256Parameters, blinding};
use cuzk_circuits::{Sha256Circuit, proofs};
use cuzk_core::backend::{self, Proved, Randomness};
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use cuzk_core::teardown;
use cuzk_harness::{Region, Request, Trial, metric};

use crate::porep;
use crate::workloads::{CircuitKind, Kind};

/// Makes the parameters of a circuit where they are not there and whole.
pub fn prepare(circuit: CircuitKind, size: Option<u64>, cache: &Path) -> Result<()> {
    if circuit == CircuitKind::Porep {
        porep::ensure_parameters(cache)?;
        return Ok(());
    }
    let blocks = usize::try_from(size.unwrap_or(1))?;
    Ok(Sha256Parameters::new(cache, blocks)?.ensure()?)
}

/// One trial.
pub fn run(request: &Request) -> Result<Trial> {
    Ok(prove(request)?.0)
}

/// As [`run`], with the bytes of the proof.
pub fn prove(request: &Request) -> Result<(Trial, Vec<u8>)> {
    if Kind::of(request.workload) == Kind::Prove(CircuitKind::Porep) {
        let parameters = porep::parameters(request)?;
        let (circuit, inputs) = porep::circuit(request.seed)?;
        return measure(request, circuit, &inputs, &parameters);
    }
    let blocks = usize::try_from(request.size.unwrap_or(1))?;
    let parameters = Sha256Parameters::new(&request.cache, blocks)?
        .load_or(|| request.prepare_in_child().map_err(std::io::Error::other))?;
    let circuit = Sha256Circuit::from_seed(request.seed, blocks);
    let inputs = circuit
        .public_inputs()
        .context("a circuit from a seed has a witness")?;
    measure(request, circuit, &inputs, &parameters)
}

fn measure<C: Circuit<Fr> + Send>(
    request: &Request,
    circuit: C,
    inputs: &[Fr],
    parameters: &Parameters<Bls12>,
) -> Result<(Trial, Vec<u8>)> {
    let (r, s) = blinding(request.seed);
    let randomness = Randomness {
        r: vec![r],
        s: vec![s],
    };
    let circuits = vec![circuit];

    let region = Region::start();
    let synthesis = synthesize(circuits, &SynthesisOptions::default())?;
    let synthesis_wall = synthesis.wall;
    let shape = synthesis.shape();
    let proved = backend::prove(synthesis, parameters, &randomness)?;
    let (total, cost) = region.stop();
    teardown::drain();

    let mut trial = request.trial();
    trial.measured(metric::WALL_SYNTHESIS, synthesis_wall);
    trial.measured(metric::WALL_PROVE, proved.wall);
    trial.measured(metric::WALL_TOTAL, total);
    trial.measured(metric::CONSTRAINTS, shape.constraints - shape.inputs);
    trial.cost(&cost);
    phases(&mut trial, &proved);

    let proof = proved.proofs.first().context("no proof was returned")?;
    let bytes = proofs::answer(&mut trial, &parameters.vk, proof, inputs)?;
    Ok((trial, bytes))
}

fn phases(trial: &mut Trial, proved: &Proved) {
    let phases = &proved.phases;
    let mut phase = |name, wall: Duration| {
        // A prover that has no such phase reports zero: that is no measurement.
        if !wall.is_zero() {
            trial.phase(name, wall);
        }
    };
    phase("convert", phases.convert);
    phase("fft", phases.fft);
    phase("multiexp-start", phases.multiexp_start);
    phase("multiexp-wait", phases.multiexp_wait);
    phase("gpu", phases.gpu);
    phase("teardown", proved.teardown());
}
