//! The verdict on the exact bytes of a proof.

use std::fs::File;
use std::io;
use std::path::Path;

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::filecoin::{CircuitId, StorageProof, groth16};

use crate::ProveError;

/// The name under which the verification against key and public inputs alone is reported.
pub const GROTH16: &str = "groth16";

/// What came of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All verifiers that could be asked accept.
    Verified {
        /// The function of filecoin-proofs that accepts; `None` where it could not be asked, and only the public inputs
        /// that follow from a C1 output were verified against.
        by: Option<&'static str>,
    },
    /// A verifier does not accept.
    Rejected {
        /// Which one.
        by: &'static str,
        /// Why not.
        reason: String,
    },
}

impl Verdict {
    /// Whether the proof is good.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Verified { .. })
    }

    /// Those who accept.
    pub fn verified_by(&self) -> Vec<&'static str> {
        match self {
            Self::Verified { by } => [GROTH16].into_iter().chain(*by).collect(),
            Self::Rejected { .. } => Vec::new(),
        }
    }
}

/// Has a proof verified: against the key and the public inputs, partition by partition, and by filecoin-proofs.
///
/// `keys` is the folder that filecoin-proofs reads verifying keys from ([`isolate`](crate::environment::isolate)): the
/// key is put there for it.
///
/// # Errors
///
/// Where the proof could not be verified. That it is no good is no error.
pub fn judge(
    proof: &dyn StorageProof,
    bytes: &[u8],
    inputs: &[Vec<Fr>],
    key: &VerifyingKey<Bls12>,
    keys: &Path,
) -> Result<Verdict, ProveError> {
    if let Err(rejection) = groth16::verify(key, inputs, bytes) {
        return Ok(Verdict::Rejected {
            by: GROTH16,
            reason: cuzk_core::chain(&rejection),
        });
    }
    let Some(by) = proof.verifier() else {
        return Ok(Verdict::Verified { by: None });
    };
    leave_key(proof.circuit(), key, keys)?;
    if proof.verify(bytes)? {
        return Ok(Verdict::Verified { by: Some(by) });
    }
    Ok(Verdict::Rejected {
        by,
        reason: format!("{by} of filecoin-proofs rejects it"),
    })
}

fn leave_key(circuit: CircuitId, key: &VerifyingKey<Bls12>, keys: &Path) -> Result<(), ProveError> {
    let path = keys.join(format!("{}.vk", circuit.parameters_name()?));
    let write = || {
        let mut file = io::BufWriter::new(File::create(&path)?);
        key.write(&mut file)?;
        file.into_inner()?.sync_all()
    };
    write().map_err(|source| ProveError::Io {
        doing: "writing",
        path,
        source,
    })
}
