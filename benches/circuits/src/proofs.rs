//! The end of every proving trial, whoever proved: the bytes are the answer, and they verify.

use bellperson::SynthesisError;
use bellperson::groth16::{Proof, VerifyingKey, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar};
use cuzk_harness::{Trial, digest};

/// Records the digest of the proof as the trial's answer and whether it verifies; returns its bytes. What is verified
/// is what a verifier would read.
///
/// # Errors
///
/// Where the proof cannot be written or read back, or the verifying key does not fit the number of `inputs`.
pub fn answer(
    trial: &mut Trial,
    vk: &VerifyingKey<Bls12>,
    proof: &Proof<Bls12>,
    inputs: &[Scalar],
) -> Result<Vec<u8>, SynthesisError> {
    let mut bytes = Vec::with_capacity(Proof::<Bls12>::size());
    proof.write(&mut bytes)?;
    trial.answer("proof", digest::bytes(&bytes));

    let read = Proof::<Bls12>::read(&bytes[..])?;
    if verify_proof(&prepare_verifying_key(vk), &read, inputs)? {
        trial.passed("the proof verifies");
    } else {
        trial.failed("the proof does not verify");
    }
    Ok(bytes)
}
