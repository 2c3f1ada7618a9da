//! SnapDeals: new data in a sector that was sealed before.

use anyhow::Context;
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

use super::paths::{self, is_scalar};
use super::proof::{Partitions, StorageProof, SynthesizedProof, synthesize_partition};
use super::{CircuitId, FilecoinError, ProofKind, RegisteredSeal, SectorSize, groth16};
use crate::job::{Tools, WorkError};
use crate::synthesis::{Synthesis, SynthesisOptions};

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
        for (partition, vanilla) in snap.vanilla.iter().enumerate() {
            if let Err(what) = snap.check(vanilla) {
                return wrong(format!("partition {partition} {what}"));
            }
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
        self.statement()
            .and_then(|statement| {
                let partitions = 0..self.vanilla.len();
                let circuits = partitions.clone().map(|k| self.circuit_of(&statement, k));
                Ok(Partitions {
                    circuits: circuits.collect::<anyhow::Result<_>>()?,
                    inputs: partitions
                        .map(|k| self.inputs_of(&statement, k))
                        .collect::<anyhow::Result<_>>()?,
                })
            })
            .map_err(self.failed("making the circuits of the vanilla proofs"))
    }

    fn circuit_of(
        &self,
        statement: &PublicInputs,
        partition: usize,
    ) -> anyhow::Result<EmptySectorUpdateCircuit<Tree>> {
        let vanilla = self.vanilla.get(partition);
        let vanilla = vanilla.with_context(|| format!("there is no partition {partition}"))?;
        EmptySectorUpdateCompound::circuit(statement, (), vanilla, &self.params(), Some(partition))
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

    fn inputs_of(&self, statement: &PublicInputs, partition: usize) -> anyhow::Result<Vec<Fr>> {
        type Compound<Tree> = EmptySectorUpdateCompound<Tree>;
        // storage-proofs asserts it.
        anyhow::ensure!(
            partition < self.vanilla.len(),
            "there is no partition {partition}"
        );
        Compound::<Tree>::generate_public_inputs(statement, &self.params(), Some(partition))
    }

    /// What filecoin-proofs takes for granted about a partition's vanilla proof, and would panic without.
    fn check(&self, vanilla: &PartitionProof<Tree>) -> Result<(), String> {
        let params = self.params();
        let (leaves, challenges) = (params.apex_leaf_count, params.challenge_count);
        let counts = [
            ("leaves of its apex", vanilla.apex_leafs.len(), leaves),
            ("challenges", vanilla.challenge_proofs.len(), challenges),
        ];
        for (what, actual, expected) in counts {
            if actual != expected {
                return Err(format!("has {actual} {what}, not {expected}"));
            }
        }
        if !is_scalar(&vanilla.comm_c) || !vanilla.apex_leafs.iter().all(is_scalar) {
            return Err("has a comm_c or a leaf of its apex that is no scalar".to_owned());
        }
        let (tree, data) = (paths::tree_steps(self.size), paths::data_steps(self.size));
        for (challenge, proof) in vanilla.challenge_proofs.iter().enumerate() {
            paths::check(&proof.proof_r_old, &tree)
                .and_then(|()| paths::check(&proof.proof_d_new, &data))
                .and_then(|()| paths::check(&proof.proof_r_new, &tree))
                .map_err(|what| format!("answers challenge {challenge} wrongly: {what}"))?;
        }
        Ok(())
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
            .and_then(|statement| {
                let partitions = 0..self.partitions();
                partitions.map(|k| self.inputs_of(&statement, k)).collect()
            })
            .map_err(self.failed("computing the public inputs"))
    }

    fn synthesize(&self, options: &SynthesisOptions) -> Result<SynthesizedProof, FilecoinError> {
        self.circuits()?.synthesize(self.circuit(), options)
    }

    fn synthesize_partition(
        &self,
        partition: usize,
        tools: &Tools<'_>,
    ) -> Result<Synthesis, WorkError> {
        let failed = || self.failed("making the circuit of a partition");
        let statement = self.statement().map_err(failed())?;
        let inputs = self.inputs_of(&statement, partition).map_err(failed())?;
        let circuit = || self.circuit_of(&statement, partition).map_err(failed());
        synthesize_partition(self.circuit(), partition, &inputs, circuit, tools)
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
