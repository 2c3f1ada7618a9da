//! SnapDeals: new data in a sector that was sealed before.

use blstrs::Scalar as Fr;
use filecoin_proofs::{
    Commitment, PartitionProof, SectorUpdateConfig, as_safe_commitment,
    verify_empty_sector_update_proof, verify_partition_proofs,
};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_update::constants::TreeRHasher;
use storage_proofs_update::{
    EmptySectorUpdateCircuit, EmptySectorUpdateCompound, PublicInputs, PublicParams,
};

use super::proof::{Partitions, StorageProof, SynthesizedProof};
use super::{CircuitId, FilecoinError, ProofKind, RegisteredSeal, SectorSize, groth16};
use crate::synthesis::SynthesisOptions;

/// The commitments that a SnapDeals proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// Of the replica before.
    pub comm_r_old: Commitment,
    /// Of the replica now.
    pub comm_r_new: Commitment,
    /// Of the data now.
    pub comm_d_new: Commitment,
}

/// A SnapDeals proof to be made from the vanilla proofs of its partitions.
pub struct Snap<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>> {
    size: SectorSize,
    update: Update,
    vanilla: Vec<PartitionProof<Tree>>,
}

impl<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>> Snap<Tree> {
    /// The proof of an update of a sector of this size. The vanilla proofs are verified.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Vanilla`] where they do not hold or are not as many as the sector has partitions,
    /// [`FilecoinError::Proofs`].
    pub fn new(
        size: SectorSize,
        update: Update,
        vanilla: Vec<PartitionProof<Tree>>,
    ) -> Result<Self, FilecoinError> {
        let snap = Self {
            size,
            update,
            vanilla,
        };
        let wrong = |what: String| {
            Err(FilecoinError::Vanilla {
                circuit: snap.circuit(),
                what,
            })
        };
        let (partitions, expected) = (snap.vanilla.len(), snap.params().partition_count);
        if partitions != expected {
            return wrong(format!("{partitions} partition(s), not {expected}"));
        }
        if !snap.holds()? {
            return wrong(
                "the vanilla proofs do not hold for these commitments; were they made from the same update?".to_owned(),
            );
        }
        Ok(snap)
    }

    /// What it is made from.
    pub fn vanilla(&self) -> &[PartitionProof<Tree>] {
        &self.vanilla
    }

    /// The circuits of all partitions with their public inputs.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn circuits(&self) -> Result<Partitions<EmptySectorUpdateCircuit<Tree>>, FilecoinError> {
        let params = self.params();
        self.statement()
            .and_then(|statement| {
                let of = |(partition, vanilla)| {
                    EmptySectorUpdateCompound::circuit(
                        &statement,
                        (),
                        vanilla,
                        &params,
                        Some(partition),
                    )
                };
                let circuits = self.vanilla.iter().enumerate().map(of);
                Ok(Partitions {
                    circuits: circuits.collect::<anyhow::Result<_>>()?,
                    inputs: self.inputs_of_partitions(&statement)?,
                })
            })
            .map_err(self.failed("making the circuits of the vanilla proofs"))
    }

    fn holds(&self) -> Result<bool, FilecoinError> {
        let Update {
            comm_r_old,
            comm_r_new,
            comm_d_new,
        } = self.update;
        // It converts the commitments without looking at them: `statement` has looked.
        self.statement()
            .and_then(|_| {
                verify_partition_proofs::<Tree>(
                    self.config(),
                    &self.vanilla,
                    comm_r_old,
                    comm_r_new,
                    comm_d_new,
                )
            })
            .map_err(self.failed("verifying the vanilla proofs"))
    }

    fn params(&self) -> PublicParams {
        PublicParams::from_sector_size(self.size.bytes())
    }

    fn config(&self) -> SectorUpdateConfig {
        SectorUpdateConfig::from_porep_config(&RegisteredSeal::interactive(self.size).config())
    }

    fn statement(&self) -> anyhow::Result<PublicInputs> {
        Ok(PublicInputs {
            k: 0,
            comm_r_old: as_safe_commitment(&self.update.comm_r_old, "comm_r_old")?,
            comm_d_new: as_safe_commitment(&self.update.comm_d_new, "comm_d_new")?,
            comm_r_new: as_safe_commitment(&self.update.comm_r_new, "comm_r_new")?,
            h: self.config().h,
        })
    }

    fn inputs_of_partitions(&self, statement: &PublicInputs) -> anyhow::Result<Vec<Vec<Fr>>> {
        type Compound<Tree> = EmptySectorUpdateCompound<Tree>;
        let params = self.params();
        (0..self.vanilla.len())
            .map(|k| Compound::<Tree>::generate_public_inputs(statement, &params, Some(k)))
            .collect()
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(anyhow::Error) -> FilecoinError {
        FilecoinError::proofs(self.circuit(), doing)
    }
}

impl<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>> StorageProof for Snap<Tree> {
    fn circuit(&self) -> CircuitId {
        CircuitId {
            kind: ProofKind::Snap,
            size: self.size,
        }
    }

    fn partitions(&self) -> usize {
        self.vanilla.len()
    }

    fn public_inputs(&self) -> Result<Vec<Vec<Fr>>, FilecoinError> {
        self.statement()
            .and_then(|statement| self.inputs_of_partitions(&statement))
            .map_err(self.failed("computing the public inputs"))
    }

    fn synthesize(&self, options: &SynthesisOptions) -> Result<SynthesizedProof, FilecoinError> {
        self.circuits()?.synthesize(self.circuit(), options)
    }

    fn verifier(&self) -> Option<&'static str> {
        Some("verify_empty_sector_update_proof")
    }

    fn verify(&self, proof: &[u8]) -> Result<bool, FilecoinError> {
        if groth16::decode(proof, self.partitions()).is_err() {
            return Ok(false);
        }
        let Update {
            comm_r_old,
            comm_r_new,
            comm_d_new,
        } = self.update;
        let config = RegisteredSeal::interactive(self.size).config();
        verify_empty_sector_update_proof::<Tree>(&config, proof, comm_r_old, comm_r_new, comm_d_new)
            .map_err(self.failed("verify_empty_sector_update_proof"))
    }
}
