//! Knowledge of a SHA-256 preimage: the circuit whose constraints look most like those of a proof of replication.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::gadgets::{multipack, sha256::sha256};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_core::RngCore;
use sha2::{Digest, Sha256};

use crate::mix;

/// Bytes of one block of preimage.
pub const BLOCK: usize = 64;

/// "I know `blocks` blocks of 64 bytes whose SHA-256 is …", the digest packed into public inputs.
#[derive(Clone, Debug)]
pub struct Sha256Circuit {
    preimage: Option<Vec<u8>>,
    blocks: usize,
}

impl Sha256Circuit {
    /// A preimage of `blocks` blocks drawn from a seed.
    pub fn from_seed(seed: u64, blocks: usize) -> Self {
        let mut preimage = vec![0; blocks * BLOCK];
        mix::witness(seed, 1).fill_bytes(&mut preimage);
        Sha256Circuit {
            preimage: Some(preimage),
            blocks,
        }
    }

    /// The circuit without a witness, for making parameters.
    pub fn blank(blocks: usize) -> Self {
        Sha256Circuit {
            preimage: None,
            blocks,
        }
    }

    /// What a verifier has to be given; `None` without a witness.
    pub fn public_inputs<F: PrimeField>(&self) -> Option<Vec<F>> {
        let digest = Sha256::digest(self.preimage.as_ref()?);
        Some(multipack::compute_multipacking(&multipack::bytes_to_bits(
            &digest,
        )))
    }
}

impl<F: PrimeField> Circuit<F> for Sha256Circuit {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        // The gadget reads each byte from its most significant bit on.
        let values: Vec<Option<bool>> = match &self.preimage {
            Some(bytes) => multipack::bytes_to_bits(bytes)
                .into_iter()
                .map(Some)
                .collect(),
            None => vec![None; self.blocks * BLOCK * 8],
        };
        let bits = values
            .into_iter()
            .enumerate()
            .map(|(i, value)| {
                AllocatedBit::alloc(cs.namespace(|| format!("preimage bit {i}")), value)
                    .map(Boolean::from)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &bits)?;
        multipack::pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use bellperson::util_cs::test_cs::TestConstraintSystem;
    use blstrs::Scalar;

    #[test]
    fn satisfied_and_equal_to_the_plain_hash() {
        for (seed, blocks) in [(1, 1), (2, 1), (3, 2)] {
            let circuit = Sha256Circuit::from_seed(seed, blocks);
            let inputs = circuit.public_inputs::<Scalar>().expect("has a witness");
            assert_eq!(inputs.len(), 2);
            testing::holds(circuit, &inputs);
        }
    }

    #[test]
    fn a_false_preimage_bit_is_named() {
        testing::falsified(
            Sha256Circuit::from_seed(1, 1),
            "preimage bit 17/boolean",
            "sha256/",
        );
    }

    #[test]
    fn seeds_share_their_matrices_with_the_blank_circuit() {
        testing::same_matrices(
            Sha256Circuit::from_seed(1, 1),
            Sha256Circuit::from_seed(2, 1),
        );
        testing::same_matrices(Sha256Circuit::from_seed(1, 1), Sha256Circuit::blank(1));
    }

    #[test]
    fn a_blank_circuit_has_no_assignment() {
        let blank = Sha256Circuit::blank(1);
        assert!(blank.public_inputs::<Scalar>().is_none());
        let result = blank.synthesize(&mut TestConstraintSystem::<Scalar>::new());
        assert!(matches!(result, Err(SynthesisError::AssignmentMissing)));
    }
}
