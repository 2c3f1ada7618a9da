//! A storage proof as the work of an engine.

use bellperson::groth16::Proof;
use blstrs::{Bls12, Scalar as Fr};

use crate::filecoin::{FilecoinError, StorageProof, groth16};
use crate::job::{Tools, Work, WorkError};
use crate::synthesis::Synthesis;

/// The partitions of a storage proof, to be proven one by one.
pub struct FilecoinWork {
    proof: Box<dyn StorageProof>,
    inputs: Vec<Vec<Fr>>,
}

impl FilecoinWork {
    /// The work of this proof.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`] where its public inputs cannot be computed.
    pub fn new(proof: Box<dyn StorageProof>) -> Result<Self, FilecoinError> {
        let inputs = proof.public_inputs()?;
        Ok(Self { proof, inputs })
    }

    /// The proof to be made.
    pub fn proof(&self) -> &dyn StorageProof {
        &*self.proof
    }

    /// The public inputs of each partition, the constant one left out.
    pub fn inputs(&self) -> &[Vec<Fr>] {
        &self.inputs
    }
}

impl Work for FilecoinWork {
    fn partitions(&self) -> usize {
        self.inputs.len()
    }

    fn synthesize(&self, partition: usize, tools: &Tools<'_>) -> Result<Synthesis, WorkError> {
        self.proof.synthesize_partition(partition, tools)
    }

    fn encode(&self, proofs: &[Proof<Bls12>]) -> Vec<u8> {
        groth16::encode(proofs)
    }
}
