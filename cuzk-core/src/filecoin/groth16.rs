//! Proofs as bytes, and their verification against a verifying key and public inputs alone.
//!
//! A storage proof is the proofs of its partitions, each of [`PROOF_BYTES`] bytes, one after the other.

use std::io;

use bellperson::groth16::{Proof, VerifyingKey, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar as Fr};

/// Bytes of one Groth16 proof: two compressed points of G1, one of G2.
pub const PROOF_BYTES: usize = 192;

/// Why bytes are no proof of a statement.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// Not so many bytes as the partitions need.
    #[error(
        "the proof has {actual} bytes, not {} for each of {partitions} partition(s)",
        PROOF_BYTES
    )]
    Length {
        /// Number of partitions.
        partitions: usize,
        /// Number of bytes.
        actual: usize,
    },
    /// A partition's bytes are not three points of their groups.
    #[error("the proof of partition {partition} does not consist of points of the groups")]
    Points {
        /// The partition, from 0.
        partition: usize,
        /// What is wrong with them.
        source: io::Error,
    },
    /// The verifying key is for another number of public inputs.
    #[error("partition {partition} has {inputs} public inputs, the verifying key is for {key}")]
    Inputs {
        /// The partition, from 0.
        partition: usize,
        /// Number of public inputs, the constant one left out.
        inputs: usize,
        /// The number that the key is for, the constant one left out.
        key: usize,
    },
    /// The pairing equation does not hold.
    #[error("the proof of partition {partition} does not verify")]
    Equation {
        /// The partition, from 0.
        partition: usize,
    },
}

/// The bytes of a storage proof.
pub fn encode(proofs: &[Proof<Bls12>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(proofs.len() * PROOF_BYTES);
    for proof in proofs {
        proof
            .write(&mut bytes)
            .expect("writing to memory does not fail");
    }
    bytes
}

/// The proofs of `partitions` partitions. Every point is checked to be one of its group.
///
/// # Errors
///
/// [`Rejection::Length`] and [`Rejection::Points`].
pub fn decode(bytes: &[u8], partitions: usize) -> Result<Vec<Proof<Bls12>>, Rejection> {
    if partitions.checked_mul(PROOF_BYTES) != Some(bytes.len()) || partitions == 0 {
        return Err(Rejection::Length {
            partitions,
            actual: bytes.len(),
        });
    }
    let read = |(partition, bytes)| {
        Proof::read(bytes).map_err(|source| Rejection::Points { partition, source })
    };
    bytes
        .chunks_exact(PROOF_BYTES)
        .enumerate()
        .map(read)
        .collect()
}

/// Verifies a storage proof: `inputs` are the public inputs of each partition, the constant one left out.
///
/// # Errors
///
/// The first reason why it does not hold.
pub fn verify(
    key: &VerifyingKey<Bls12>,
    inputs: &[Vec<Fr>],
    bytes: &[u8],
) -> Result<(), Rejection> {
    let proofs = decode(bytes, inputs.len())?;
    for (partition, inputs) in inputs.iter().enumerate() {
        if inputs.len() + 1 != key.ic.len() {
            return Err(Rejection::Inputs {
                partition,
                inputs: inputs.len(),
                key: key.ic.len().saturating_sub(1),
            });
        }
    }
    let key = prepare_verifying_key(key);
    for (partition, (proof, inputs)) in proofs.iter().zip(inputs).enumerate() {
        if !verify_proof(&key, proof, inputs).unwrap_or(false) {
            return Err(Rejection::Equation { partition });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cuzk_circuits::SquareCircuit;
    use ff::Field;
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::backend::{Randomness, prove};
    use crate::parameters::generate;
    use crate::synthesis::synthesize;

    #[test]
    fn lengths_that_no_proof_has_are_refused() {
        for (bytes, partitions) in [
            (0, 0),
            (0, 1),
            (191, 1),
            (193, 1),
            (192, 2),
            (383, 2),
            (192, 0),
        ] {
            let refused = decode(&vec![0; bytes], partitions);
            let Err(Rejection::Length { actual, .. }) = refused else {
                panic!("{bytes} bytes for {partitions}: {refused:?}");
            };
            assert_eq!(actual, bytes);
        }
        assert!(matches!(
            decode(&[], usize::MAX),
            Err(Rejection::Length { .. })
        ));
    }

    #[test]
    fn proofs_of_partitions_verify_in_their_order_and_no_other_bytes_do() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let parameters = generate(|| SquareCircuit(None), &mut rng, &()).expect("generates");
        let roots = [Fr::from(3), Fr::from(5)];
        let circuits = roots.map(|root| SquareCircuit(Some(root))).into();
        let synthesis = synthesize(circuits, &Default::default()).expect("synthesises");
        let [r, s] = [roots.to_vec(), roots.to_vec()];
        let proved = prove(synthesis, &parameters, &Randomness { r, s }).expect("proves");
        let bytes = encode(&proved.proofs);
        let inputs = roots.map(|root| vec![root.square()]);
        let key = &parameters.vk;
        verify(key, &inputs, &bytes).expect("verifies");

        let rejected = |inputs: &[Vec<Fr>], bytes: &[u8]| {
            verify(key, inputs, bytes)
                .expect_err("rejected")
                .to_string()
        };
        let swapped = [inputs[1].clone(), inputs[0].clone()];
        assert!(rejected(&swapped, &bytes).contains("partition 0 does not verify"));
        let doubled = [inputs[0].clone(), [&inputs[1][..], &inputs[1]].concat()];
        assert!(rejected(&doubled, &bytes).contains("partition 1 has 2 public inputs"));
        // A and C are points of the same group.
        let mut exchanged = bytes.clone();
        let (a, c) = (PROOF_BYTES..PROOF_BYTES + 48, 2 * PROOF_BYTES - 48);
        exchanged.copy_within(c.., a.start);
        exchanged[c..].copy_from_slice(&bytes[a]);
        assert!(rejected(&inputs, &exchanged).contains("partition 1 does not verify"));
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 1;
            rejected(&inputs, &flipped);
        }
        let mut no_inputs = parameters.vk.clone();
        no_inputs.ic.clear();
        let rejection = verify(&no_inputs, &inputs, &bytes).expect_err("rejected");
        assert!(
            matches!(rejection, Rejection::Inputs { key: 0, .. }),
            "{rejection}"
        );
    }

    #[test]
    fn bytes_that_are_no_points_are_refused_by_partition() {
        let refused = decode(&[0xff; 2 * PROOF_BYTES], 2);
        assert!(
            matches!(refused, Err(Rejection::Points { partition: 0, .. })),
            "{refused:?}"
        );
    }
}
