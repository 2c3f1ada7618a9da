//! The end of every proving trial, whoever proved: the bytes are the answer, and they verify.

use std::io;

use bellperson::SynthesisError;
use bellperson::groth16::{Proof, VerifyingKey, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar};
use cuzk_harness::{Trial, digest};

/// Records the digest of the proof as the trial's answer and whether it verifies; returns its bytes. What is verified
/// is what a verifier would read.
///
/// # Errors
///
/// Where the proof cannot be written. What cannot be read back or verified is told by the trial.
pub fn answer(
    trial: &mut Trial,
    vk: &VerifyingKey<Bls12>,
    proof: &Proof<Bls12>,
    inputs: &[Scalar],
) -> Result<Vec<u8>, SynthesisError> {
    answer_all(trial, vk, &[vec![proof.clone()]], &[inputs.to_vec()])
}

/// As [`answer`], of a batch that was proven several times. Of each call there are the proofs of all circuits, and of each
/// circuit its `inputs`. Every proof is verified; the bytes of all calls have to be the first one's, which are returned, one
/// proof after another. Of one circuit, they are those of [`answer`].
///
/// # Errors
///
/// As [`answer`].
pub fn answer_all(
    trial: &mut Trial,
    vk: &VerifyingKey<Bls12>,
    calls: &[Vec<Proof<Bls12>>],
    inputs: &[Vec<Scalar>],
) -> Result<Vec<u8>, SynthesisError> {
    let mut first: Option<Vec<u8>> = None;
    let mut wrong: Option<String> = None;
    let key = prepare_verifying_key(vk);
    for (call, proofs) in calls.iter().enumerate() {
        let mut bytes = Vec::with_capacity(proofs.len() * Proof::<Bls12>::size());
        for proof in proofs {
            proof.write(&mut bytes)?;
        }
        if proofs.len() != inputs.len() {
            let (is, should) = (proofs.len(), inputs.len());
            wrong.get_or_insert(format!(
                "call {call} gave {is} proofs for {should} circuits"
            ));
        }
        let each = bytes.chunks(Proof::<Bls12>::size()).zip(inputs);
        for (circuit, (proof, inputs)) in each.enumerate() {
            let verifies = Proof::<Bls12>::read(proof)
                .and_then(|proof| verify_proof(&key, &proof, inputs).map_err(io::Error::other));
            let fault = match verifies {
                Ok(true) => continue,
                Ok(false) => "does not verify".to_owned(),
                Err(error) => format!("is none: {error}"),
            };
            wrong.get_or_insert(format!(
                "call {call}: the proof of circuit {circuit} {fault}"
            ));
        }
        match &first {
            Some(first) if *first != bytes => {
                wrong.get_or_insert(format!("call {call} gave other bytes than call 0"));
            }
            Some(_) => {}
            None => first = Some(bytes),
        }
    }
    let bytes = first.unwrap_or_default();
    trial.answer("proof", digest::bytes(&bytes));
    match (wrong, calls.len(), inputs.len()) {
        (Some(wrong), ..) => trial.failed(wrong),
        (None, 1, 1) => trial.passed("the proof verifies"),
        (None, 0, _) | (None, _, 0) => trial.failed("there is no proof"),
        (None, calls, circuits) => trial.passed(format!(
            "the proofs of {circuits} circuit(s) verify, the same bytes in each of {calls} call(s)"
        )),
    }
    Ok(bytes)
}
