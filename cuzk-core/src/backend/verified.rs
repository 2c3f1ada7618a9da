//! Proofs that are verified before anybody has them.

use std::time::Instant;

use bellperson::SynthesisError;
use bellperson::groth16::{
    PreparedVerifyingKey, Proof, VerifyingKey, prepare_verifying_key, verify_proof,
};
use blstrs::{Bls12, Scalar as Fr};
use rayon::prelude::*;

use super::{Proved, ProvingParameters, Randomness, prove};
use crate::Error;
use crate::synthesis::Synthesis;

/// Proves a batch and verifies each proof against the public inputs that its circuit has computed. What is verified is what
/// a verifier would read, from the bytes on. Takes a few milliseconds more than [`prove`], side by side for all proofs.
///
/// # Errors
///
/// Those of [`prove`]; [`Error::NotVerified`] where one of the proofs does not verify: then none is handed out.
pub fn prove_verified<P: ProvingParameters>(
    synthesis: Synthesis,
    parameters: P,
    randomness: &Randomness,
) -> Result<Proved, Error> {
    let key = parameters.verifying_key().clone();
    let inputs: Vec<Vec<Fr>> = synthesis
        .assignments
        .iter()
        .map(|assignment| assignment.input_assignment().get(1..).unwrap_or_default())
        .map(<[Fr]>::to_vec)
        .collect();
    let mut proved = prove(synthesis, parameters, randomness)?;
    let start = Instant::now();
    check(&key, &proved.proofs, &inputs)?;
    proved.verification = Some(start.elapsed());
    Ok(proved)
}

/// That there is a proof of each circuit, and each verifies.
fn check(
    key: &VerifyingKey<Bls12>,
    proofs: &[Proof<Bls12>],
    inputs: &[Vec<Fr>],
) -> Result<(), Error> {
    let circuits = inputs.len();
    let failed = |index, reason| Error::NotVerified {
        index,
        circuits,
        reason,
    };
    if proofs.len() != circuits {
        let reason = format!("the prover returned {} proofs", proofs.len());
        return Err(failed(proofs.len().min(circuits), reason));
    }
    let first = rejections(key, proofs, inputs).into_iter().enumerate();
    match first.filter_map(|(i, wrong)| Some((i, wrong?))).next() {
        Some((index, reason)) => Err(failed(index, reason)),
        None => Ok(()),
    }
}

/// Why each of these proofs is none, if it is none, for its public inputs, the constant one left out. They are verified side by
/// side, from their bytes on.
pub fn rejections(
    key: &VerifyingKey<Bls12>,
    proofs: &[Proof<Bls12>],
    inputs: &[Vec<Fr>],
) -> Vec<Option<String>> {
    let key = prepare_verifying_key(key);
    let each = proofs.par_iter().zip(inputs);
    each.map(|(proof, inputs)| wrong(&key, proof, inputs))
        .collect()
}

/// Why a proof is none.
fn wrong(key: &PreparedVerifyingKey<Bls12>, proof: &Proof<Bls12>, inputs: &[Fr]) -> Option<String> {
    let verify = || -> Result<bool, SynthesisError> {
        let mut bytes = Vec::with_capacity(Proof::<Bls12>::size());
        proof.write(&mut bytes)?;
        // Points that are not on the curve, outside the subgroup or the identity are found here.
        let read = Proof::<Bls12>::read(&bytes[..])?;
        verify_proof(key, &read, inputs)
    };
    match verify() {
        Ok(true) => None,
        Ok(false) => Some("the pairings differ".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}
