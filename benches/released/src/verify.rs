//! Verification of one Groth16 proof from files.

use std::fs;
use std::path::{Path, PathBuf};

use bellperson::SynthesisError;
use bellperson::groth16::{
    PreparedVerifyingKey, Proof, VerifyingKey, prepare_verifying_key, verify_proof,
};
use blstrs::{Bls12, Scalar};
use ff::PrimeField;
use group::prime::PrimeCurveAffine;
use thiserror::Error;

/// Bytes of a proof: two compressed points of G1 and one of G2.
pub const PROOF: usize = 192;
/// Bytes of a public input.
pub const INPUT: usize = 32;

/// Why a proof could not even be judged.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// A file could not be read.
    #[error("reading {path}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A proof of another length.
    #[error("a proof has {PROOF} bytes, this one has {length}")]
    ProofLength {
        /// Its length.
        length: usize,
    },
    /// Bytes that are not three points of their groups, or a point at infinity.
    #[error("not a proof: {0}")]
    Proof(std::io::Error),
    /// Bytes that are not a verifying key.
    #[error("not a verifying key, of {length} bytes")]
    Key {
        /// Its length.
        length: usize,
        /// What bellperson said.
        source: std::io::Error,
    },
    /// A verifying key for no input, not even the constant one. Any proof for it would be about nothing.
    #[error("the verifying key has no input points")]
    KeyWithoutInputs,
    /// A verifying key with a point at infinity: with some of them any proof would verify.
    #[error("the verifying key's {point} is the point at infinity")]
    KeyIdentity {
        /// Which point.
        point: &'static str,
    },
    /// A verifying key with something behind it.
    #[error("{extra} bytes follow the verifying key, which ends after {used}")]
    KeyTrailing {
        /// Bytes that belong to the key.
        used: usize,
        /// Bytes behind it.
        extra: usize,
    },
    /// Inputs that are no sequence of scalars.
    #[error("public inputs are {INPUT} bytes each; {length} bytes are no whole number of them")]
    InputsLength {
        /// Their length.
        length: usize,
    },
    /// An input that is not below the field's modulus.
    #[error("public input {index} is not below the modulus")]
    Input {
        /// Which one.
        index: usize,
    },
    /// Another number of inputs than the key is for.
    #[error("the verifying key is for {expected} public inputs, there are {given}")]
    InputCount {
        /// What the key is for.
        expected: usize,
        /// What was given.
        given: usize,
    },
    /// bellperson refused.
    #[error("verifying: {0}")]
    Verify(SynthesisError),
}

/// Whether the proof in one file verifies with the key and the inputs in two others.
pub fn files(proof: &Path, key: &Path, inputs: &Path) -> Result<bool, VerifyError> {
    let read = |path: &Path| {
        fs::read(path).map_err(|source| VerifyError::Read {
            path: path.to_owned(),
            source,
        })
    };
    bytes(&read(proof)?, &read(key)?, &read(inputs)?)
}

/// Whether a proof verifies, all three given as bytes.
pub fn bytes(proof: &[u8], key: &[u8], inputs: &[u8]) -> Result<bool, VerifyError> {
    // In this order, so that the shortest of the three files is the first to be complained of.
    parse_proof(proof)?;
    Key::parse(key)?.verify(proof, inputs)
}

/// A verifying key, ready for any number of proofs.
pub struct Key {
    prepared: PreparedVerifyingKey<Bls12>,
    inputs: usize,
}

impl Key {
    /// The key that these bytes are.
    pub fn parse(bytes: &[u8]) -> Result<Self, VerifyError> {
        let key = parse_key(bytes)?;
        Ok(Key {
            inputs: key.ic.len() - 1,
            prepared: prepare_verifying_key(&key),
        })
    }

    /// Whether a proof verifies with this key.
    pub fn verify(&self, proof: &[u8], inputs: &[u8]) -> Result<bool, VerifyError> {
        let proof = parse_proof(proof)?;
        let inputs = parse_inputs(inputs)?;
        if inputs.len() != self.inputs {
            return Err(VerifyError::InputCount {
                expected: self.inputs,
                given: inputs.len(),
            });
        }
        verify_proof(&self.prepared, &proof, &inputs).map_err(VerifyError::Verify)
    }
}

fn parse_proof(bytes: &[u8]) -> Result<Proof<Bls12>, VerifyError> {
    if bytes.len() != PROOF {
        return Err(VerifyError::ProofLength {
            length: bytes.len(),
        });
    }
    Proof::read(bytes).map_err(VerifyError::Proof)
}

fn parse_key(bytes: &[u8]) -> Result<VerifyingKey<Bls12>, VerifyError> {
    let mut rest = bytes;
    let key: VerifyingKey<Bls12> =
        VerifyingKey::read(&mut rest).map_err(|source| VerifyError::Key {
            length: bytes.len(),
            source,
        })?;
    if !rest.is_empty() {
        return Err(VerifyError::KeyTrailing {
            used: bytes.len() - rest.len(),
            extra: rest.len(),
        });
    }
    if key.ic.is_empty() {
        return Err(VerifyError::KeyWithoutInputs);
    }
    // bellperson refuses these in the input points only.
    let identities = [
        ("alpha_g1", key.alpha_g1.is_identity()),
        ("beta_g1", key.beta_g1.is_identity()),
        ("beta_g2", key.beta_g2.is_identity()),
        ("gamma_g2", key.gamma_g2.is_identity()),
        ("delta_g1", key.delta_g1.is_identity()),
        ("delta_g2", key.delta_g2.is_identity()),
    ];
    for (point, identity) in identities {
        if identity.into() {
            return Err(VerifyError::KeyIdentity { point });
        }
    }
    Ok(key)
}

fn parse_inputs(bytes: &[u8]) -> Result<Vec<Scalar>, VerifyError> {
    let (inputs, rest) = bytes.as_chunks::<INPUT>();
    if !rest.is_empty() {
        return Err(VerifyError::InputsLength {
            length: bytes.len(),
        });
    }
    inputs
        .iter()
        .enumerate()
        .map(|(index, repr)| {
            Option::from(Scalar::from_repr(*repr)).ok_or(VerifyError::Input { index })
        })
        .collect()
}

#[cfg(test)]
pub mod tests;
