//! The same answers as on bellperson as published: the digests below were recorded there.

mod common;

use bellperson::groth16::{create_proof, prepare_verifying_key, verify_proof, Proof};
use bellperson::util_cs::test_cs::TestConstraintSystem;
use bellperson::Circuit;
use bellperson_user::{inputs, Preimage};
use blstrs::{Bls12, Scalar};
use common::{circuit, parameters, MESSAGE};
use sha2::{Digest, Sha256};

const PARAMETERS: &str = "5a40995ffd2edc943ddaaf2a016d82b49059973103465065d0278b82a984fb7e";
const PROOF: &str = "894c7f64dc9a5acba1b1ce0fa8a8f2d5f67c16ad5002ee8ae8aac1dcee680143";

fn sha256_hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn parameters_and_proof_are_the_recorded_bytes_and_the_proof_verifies() {
    let params = parameters();
    let mut bytes = Vec::new();
    params.write(&mut bytes).unwrap();
    assert_eq!(sha256_hex(&bytes), PARAMETERS, "parameters");

    let (r, s) = (Scalar::from(11), Scalar::from(13));
    let proof: Proof<Bls12> = create_proof(circuit(), &params, r, s).unwrap();
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    assert_eq!(sha256_hex(&bytes), PROOF, "proof");

    let key = prepare_verifying_key(&params.vk);
    let digest: [u8; 32] = Sha256::digest(MESSAGE).into();
    assert!(verify_proof(&key, &proof, &inputs(&digest)).unwrap());
    let other: [u8; 32] = Sha256::digest(b"something else").into();
    assert!(!verify_proof(&key, &proof, &inputs(&other)).unwrap());
}

#[test]
fn a_falsified_bit_is_named() {
    let mut cs = TestConstraintSystem::<Scalar>::new();
    Preimage {
        message: Some([7; 32]),
    }
    .synthesize(&mut cs)
    .unwrap();
    assert!(cs.is_satisfied());
    let digest: [u8; 32] = Sha256::digest([7; 32]).into();
    assert!(cs.verify(&inputs(&digest)));
    cs.set("message bit 3/boolean", Scalar::from(2));
    assert_eq!(
        cs.which_is_unsatisfied(),
        Some("message bit 3/boolean constraint")
    );
}
