//! What only the patched crates offer: this does not compile without them.
#![cfg(feature = "stack")]

mod common;

use bellperson::groth16::{
    create_proof, prove_assignments, synthesize_circuits_batch, Capacity, Proof,
};
use blstrs::{Bls12, Scalar};
use common::{circuit, parameters};

#[test]
fn synthesis_and_proof_in_two_calls_give_the_proof_of_one() {
    let params = parameters();
    let (r, s) = (Scalar::from(3), Scalar::from(4));
    let in_one: Proof<Bls12> = create_proof(circuit(), &params, r, s).unwrap();

    let plain = synthesize_circuits_batch::<Scalar, _>(vec![circuit()], None).unwrap();
    let capacity = Capacity {
        constraints: plain[0].a().len(),
        inputs: plain[0].input_assignment().len(),
        aux: plain[0].aux_assignment().len(),
    };
    let hinted = synthesize_circuits_batch(vec![circuit()], Some(capacity)).unwrap();
    assert!(plain == hinted);
    let (proofs, times) =
        prove_assignments::<Bls12, _>(hinted, &params, vec![r], vec![s], false).unwrap();
    assert!(proofs == [in_one]);
    assert!(!times.total.is_zero());
}
