//! From nothing to verified proofs, and what is refused.

use bellperson::groth16::{prepare_verifying_key, verify_proof};
use blstrs::Scalar;
use cuzk_core::parameters::Store;
use cuzk_core_user::{Chain, Error, parameters, prove};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

#[test]
fn chains_are_proven_with_parameters_of_a_store_and_verify() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (_, made) = parameters(&store, &mut rng).unwrap();
    let (set, again) = parameters(&store, &mut rng).unwrap();
    assert_eq!((made, again), (true, false));

    let starts = [Scalar::from(2), Scalar::from(3)];
    let proofs = prove(&starts, &set, &mut rng).unwrap();
    let key = prepare_verifying_key(&set.verifying_key().unwrap());
    let verifies = |proof: usize, start: usize| {
        verify_proof(&key, &proofs[proof], &[Chain::end(starts[start])]).unwrap()
    };
    assert!(verifies(0, 0) && verifies(1, 1));
    assert!(!verifies(0, 1) && !verifies(1, 0));
}

#[test]
fn a_changed_byte_of_the_parameters_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (set, _) = parameters(&Store::at(folder.path()), &mut rng).unwrap();
    let mut bytes = std::fs::read(&set.params).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&set.params, bytes).unwrap();
    let refused = prove(&[Scalar::from(2)], &set, &mut rng);
    assert!(matches!(refused, Err(Error::Parameters(_))));
}

#[test]
fn no_chain_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (set, _) = parameters(&Store::at(folder.path()), &mut rng).unwrap();
    let refused = prove(&[], &set, &mut rng);
    assert!(matches!(
        refused,
        Err(Error::Prove(cuzk_core::Error::NoCircuits))
    ));
}
