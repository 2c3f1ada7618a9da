//! `prove/sha256` through the one public function that does it all, so only its whole time is known.

use std::path::Path;

use anyhow::{Context, Result};
use bellperson::groth16::create_proof_batch;
use blstrs::Bls12;
use cuzk_circuits::parameters::{Sha256Parameters, blinding};
use cuzk_circuits::{Matrices, Sha256Circuit, proofs};
use cuzk_harness::{Region, Request, Trial, metric};

/// Makes the parameters where they are not there and whole.
pub fn prepare(size: Option<u64>, cache: &Path) -> Result<()> {
    let blocks = usize::try_from(size.unwrap_or(1))?;
    Ok(Sha256Parameters::new(cache, blocks)?.ensure()?)
}

/// One trial and the bytes of its proof.
pub fn prove(request: &Request) -> Result<(Trial, Vec<u8>)> {
    let blocks = usize::try_from(request.size.unwrap_or(1))?;
    let parameters = Sha256Parameters::new(&request.cache, blocks)?
        .load_or(|| request.prepare_in_child().map_err(std::io::Error::other))?;
    let circuit = Sha256Circuit::from_seed(request.seed, blocks);
    let inputs = circuit
        .public_inputs()
        .context("a circuit from a seed has a witness")?;
    let (r, s) = blinding(request.seed);
    let circuits = vec![circuit];
    let (r, s) = (vec![r], vec![s]);

    let region = Region::start();
    let proofs = create_proof_batch::<Bls12, _, _>(circuits, &parameters, r, s)?;
    let (total, cost) = region.stop();

    let mut trial = request.trial();
    trial.measured(metric::WALL_TOTAL, total);
    trial.cost(&cost);
    let proof = proofs.first().context("no proof was returned")?;
    let bytes = proofs::answer(&mut trial, &parameters.vk, proof, &inputs)?;
    Ok((trial, bytes))
}

/// The circuit's matrices.
pub fn matrices(request: &Request) -> Result<Matrices> {
    let blocks = usize::try_from(request.size.unwrap_or(1))?;
    let circuit = Sha256Circuit::from_seed(request.seed, blocks);
    Ok(Matrices::of::<blstrs::Scalar, _>(circuit)?)
}
