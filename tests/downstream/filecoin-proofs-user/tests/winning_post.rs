//! A sector from its data to a verified proof.

use filecoin_proofs_user::{Sector, make_parameters, scalar};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// The one test of this binary: it points filecoin-proofs at a folder of its own before anything else runs.
#[test]
fn a_sealed_sector_is_proven_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["FIL_PROOFS_PARAMETER_CACHE", "FIL_PROOFS_PARENT_CACHE"] {
        // SAFETY: nothing else runs in this process that reads the environment.
        unsafe { std::env::set_var(name, folder.path()) };
    }
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let (prover, randomness) = (scalar(&mut rng), scalar(&mut rng));
    let sector = Sector::seal(folder.path(), 7, prover, &mut rng).unwrap();
    let error = sector.prove(&randomness, prover).unwrap_err();
    assert!(
        error.to_string().contains("No cached parameters"),
        "{error}"
    );

    make_parameters(&mut rng).unwrap();
    let proof = sector.prove(&randomness, prover).unwrap();
    assert_eq!(proof.len(), 192);
    assert!(sector.verify(&randomness, prover, &proof).unwrap());
    let other = scalar(&mut rng);
    assert!(!sector.verify(&other, prover, &proof).unwrap());
}
