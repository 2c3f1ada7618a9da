//! Parameters of a real circuit: they pass the check, and what is read from a set proves.

use bellperson::groth16::{generate_random_parameters, prepare_verifying_key, verify_proof};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar as Fr;
use cuzk_core::parameters::{ParametersError, Store, Trust, check, read, resolve};
use cuzk_core::{Error, ParametersShape, backend, synthesis};
use ff::{Field, PrimeField};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tempfile::tempdir;

/// Squares a secret number so many times; the result is public.
#[derive(Clone)]
struct Squares {
    secret: Option<Fr>,
    times: usize,
}

impl Circuit<Fr> for Squares {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let known = |value: Option<Fr>| value.ok_or(SynthesisError::AssignmentMissing);
        let mut value = self.secret;
        let mut variable = cs.alloc(|| "secret", || known(value))?;
        for step in 0..self.times {
            value = value.map(|value| value.square());
            let last = step + 1 == self.times;
            let mut cs = cs.namespace(|| format!("step {step}"));
            let square = match last {
                true => cs.alloc_input(|| "square", || known(value))?,
                false => cs.alloc(|| "square", || known(value))?,
            };
            cs.enforce(
                || "square",
                |lc| lc + variable,
                |lc| lc + variable,
                |lc| lc + square,
            );
            variable = square;
        }
        Ok(())
    }
}

#[test]
fn parameters_of_a_circuit_pass_the_check_and_prove() {
    let folder = tempdir().unwrap();
    let store = Store::at(folder.path());
    let blank = Squares {
        secret: None,
        times: 50,
    };
    let make = || {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        generate_random_parameters(blank, &mut rng).map_err(Error::Synthesis)
    };
    let (set, _) = store.ensure("v28-squares", make, &()).unwrap();

    let circuit = Squares {
        secret: Some(Fr::from(3)),
        times: 50,
    };
    let synthesis = synthesis::synthesize(vec![circuit], &Default::default()).unwrap();
    let report = check(&set.params, &()).unwrap();
    assert_eq!(report.shape, synthesis.shape().parameters());

    let parameters = set.read(&()).unwrap();
    assert_eq!(ParametersShape::of(&parameters), report.shape);
    let randomness = backend::Randomness {
        r: vec![Fr::from(5)],
        s: vec![Fr::from(7)],
    };
    let proved = backend::prove(synthesis, &parameters, &randomness).unwrap();
    let vk = prepare_verifying_key(&set.verifying_key().unwrap());
    let result = (0..50).fold(Fr::from_u128(3), |value, _| value.square());
    assert!(verify_proof(&vk, &proved.proofs[0], &[result]).unwrap());
    assert!(!verify_proof(&vk, &proved.proofs[0], &[result + Fr::ONE]).unwrap());

    // A set is not found where production files are looked for, and would not be believed there.
    assert_eq!(resolve("v28-squares", store.root(), None).unwrap(), None);
    let flat = tempdir().unwrap();
    let copy = flat.path().join("v28-squares.params");
    std::fs::copy(&set.params, &copy).unwrap();
    let refused = resolve("v28-squares", flat.path(), None);
    assert!(matches!(refused, Err(ParametersError::Unverified { .. })));
    assert!(Trust::recorded(&copy).unwrap().is_none());
    assert!(read(&copy, Trust::Sha256(&set.digest), &()).is_ok());
}
