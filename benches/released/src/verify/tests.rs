use bellperson::groth16::{create_proof_batch, generate_random_parameters};
use bellperson::{Circuit, ConstraintSystem};
use ff::Field;

use super::*;

/// Knowledge of a square root.
#[derive(Clone)]
pub struct Root(pub Option<u64>);

impl Circuit<Scalar> for Root {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let root = || {
            self.0
                .map(Scalar::from)
                .ok_or(SynthesisError::AssignmentMissing)
        };
        let x = cs.alloc(|| "root", root)?;
        let y = cs.alloc_input(|| "square", || Ok(root()?.square()))?;
        cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + y);
        Ok(())
    }
}

struct Files {
    proof: Vec<u8>,
    key: Vec<u8>,
    inputs: Vec<u8>,
}

impl Files {
    fn good() -> Self {
        let (r, s) = cuzk_circuits::parameters::blinding(1);
        let mut rng = cuzk_circuits::parameters::public_rng();
        let parameters = generate_random_parameters::<Bls12, _, _>(Root(None), &mut rng)
            .expect("parameters of a small circuit");
        let proofs =
            create_proof_batch::<Bls12, _, _>(vec![Root(Some(3))], &parameters, vec![r], vec![s])
                .expect("a proof of a small circuit");
        let (mut proof, mut key) = (Vec::new(), Vec::new());
        proofs[0].write(&mut proof).expect("memory");
        parameters.vk.write(&mut key).expect("memory");
        Files {
            proof,
            key,
            inputs: Scalar::from(9).to_repr().to_vec(),
        }
    }

    fn verify(&self) -> Result<bool, VerifyError> {
        bytes(&self.proof, &self.key, &self.inputs)
    }

    fn refused(&self) -> String {
        self.verify().expect_err("malformed").to_string()
    }
}

/// Otherwise a key without gamma and delta would let any proof through.
#[test]
fn a_key_with_a_point_at_infinity_is_refused() {
    let g1 = [("alpha_g1", 0), ("beta_g1", 96), ("delta_g1", 576)].map(|point| (point, 96));
    let g2 = [("beta_g2", 192), ("gamma_g2", 384), ("delta_g2", 672)].map(|point| (point, 192));
    for ((point, offset), length) in g1.into_iter().chain(g2) {
        let mut files = Files::good();
        let bytes = &mut files.key[offset..][..length];
        bytes.fill(0);
        bytes[0] = 0x40;
        assert_eq!(
            files.refused(),
            format!("the verifying key's {point} is the point at infinity")
        );
    }
}

#[test]
fn a_proof_verifies_for_its_own_input_only() {
    let mut files = Files::good();
    assert!(files.verify().expect("well-formed"));
    files.inputs = Scalar::from(10).to_repr().to_vec();
    assert!(!files.verify().expect("well-formed"));
}

#[test]
fn a_proof_of_another_length_is_refused_with_its_length() {
    let good = Files::good();
    for length in [0, 1, 191, 193, 383, 384] {
        let mut files = Files::good();
        files.proof = good.proof.iter().copied().cycle().take(length).collect();
        let error = files.refused();
        assert!(error.contains(&format!("has {length}")), "{error}");
    }
}

#[test]
fn bytes_that_are_no_points_are_refused() {
    let mut files = Files::good();
    files.proof = vec![0xff; PROOF];
    assert!(files.refused().contains("not a proof"));
    // Three compressed points at infinity.
    files.proof = vec![0; PROOF];
    for start in [0, 48, 144] {
        files.proof[start] = 0xc0;
    }
    assert!(files.refused().contains("infinity"));
}

#[test]
fn keys() {
    // A key ends with its number of input points and the points.
    const POINT: usize = 96;
    let good = Files::good();
    let count = good.key.len() - 2 * POINT - 4;

    let mut files = Files::good();
    files.key.truncate(count);
    files.key.extend([0; 4]);
    assert!(files.refused().contains("no input points"));

    let mut files = Files::good();
    files.key.push(0);
    assert!(files.refused().contains("1 bytes follow"));

    let mut files = Files::good();
    files.key.pop();
    assert!(files.refused().contains("not a verifying key"));

    let mut files = Files::good();
    files.key[count..count + 4].copy_from_slice(&[0xff; 4]);
    assert!(files.refused().contains("not a verifying key"));
}

#[test]
fn inputs() {
    let mut files = Files::good();
    files.inputs.push(0);
    assert!(files.refused().contains("33 bytes"));

    let mut files = Files::good();
    files.inputs = vec![0xff; 32];
    assert!(files.refused().contains("public input 0"));

    for inputs in [vec![], [files.inputs.clone(), vec![0; 32]].concat()] {
        let mut files = Files::good();
        let given = inputs.len() / 32;
        files.inputs = inputs.iter().map(|_| 0).collect();
        assert!(files.refused().contains(&format!("there are {given}")));
    }
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let absent = folder.path().join("absent.proof");
    let error = files(&absent, &absent, &absent).expect_err("not there");
    assert!(error.to_string().contains("absent.proof"), "{error}");
}
