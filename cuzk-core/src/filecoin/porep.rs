//! Proofs of replication: from C1 output to circuits, public inputs and a verdict.

use std::ops::Range;

use anyhow::Context;
use blstrs::Scalar as Fr;
use filecoin_hashers::Hasher;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs::{
    Commitment, DefaultPieceDomain, PoRepConfig, ProverId, SealCommitPhase1Output,
    as_safe_commitment, verify_seal,
};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::{MerkleProofTrait, MerkleTreeTrait};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_core::sector::SectorId;
use storage_proofs_porep::stacked::{
    self, StackedCircuit, StackedCompound, StackedDrg, Tau, generate_replica_id,
};

use super::proof::{Partitions, StorageProof, SynthesizedProof, synthesize_partition};
use super::shape::PieceHasher;
use super::{CircuitId, FilecoinError, ProofKind, RegisteredSeal, groth16};
use crate::job::{Tools, WorkError};
use crate::synthesis::{Synthesis, SynthesisOptions};

type Compound<Tree> = StackedCompound<Tree, PieceHasher>;
type Drg<'a, Tree> = StackedDrg<'a, Tree, PieceHasher>;
type PublicInputs<Tree> = stacked::PublicInputs<
    <<Tree as MerkleTreeTrait>::Hasher as Hasher>::Domain,
    DefaultPieceDomain,
>;

/// Who sealed a sector: with this, a replica id can be computed from scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The prover: the miner's address, padded with zeros.
    pub prover_id: ProverId,
    /// The number of the sector.
    pub sector: u64,
}

/// A proof of replication to be made from C1 output.
pub struct Porep<Tree: 'static + MerkleTreeTrait> {
    registered: RegisteredSeal,
    owner: Option<Owner>,
    c1: SealCommitPhase1Output<Tree>,
}

impl<Tree: 'static + MerkleTreeTrait> Porep<Tree> {
    /// The proof that `c1` is for, a sector of the registered proof. The output is taken as it is: what comes from
    /// outside goes through [`c1::read`](super::c1::read).
    pub fn new(
        registered: RegisteredSeal,
        owner: Option<Owner>,
        c1: SealCommitPhase1Output<Tree>,
    ) -> Self {
        Self {
            registered,
            owner,
            c1,
        }
    }

    /// What it is made from.
    pub fn c1(&self) -> &SealCommitPhase1Output<Tree> {
        &self.c1
    }

    /// The circuits of all partitions with their public inputs.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn circuits(&self) -> Result<Partitions<StackedCircuit<Tree, PieceHasher>>, FilecoinError> {
        self.setup()
            .and_then(|setup| {
                let partitions = 0..self.c1.vanilla_proofs.len();
                let circuits = partitions.clone().map(|k| self.circuit_of(&setup, k));
                Ok(Partitions {
                    circuits: circuits.collect::<anyhow::Result<_>>()?,
                    inputs: setup.public_inputs(partitions)?,
                })
            })
            .map_err(self.failed("making the circuits of C1 output"))
    }

    fn circuit_of(
        &self,
        setup: &Setup<Tree>,
        partition: usize,
    ) -> anyhow::Result<StackedCircuit<Tree, PieceHasher>> {
        let vanilla = self.c1.vanilla_proofs.get(partition);
        let vanilla = vanilla.with_context(|| format!("there is no partition {partition}"))?;
        Compound::<Tree>::circuit(&setup.inputs, (), vanilla, &setup.params, Some(partition))
    }

    /// Whether the vanilla proofs hold for the commitments, the replica id and the seed beside them.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn holds(&self) -> Result<bool, FilecoinError> {
        // Of these two storage-proofs compares the root and the index, and follows no path; the circuit does.
        let mut challenges = self.c1.vanilla_proofs.iter().flatten();
        if !challenges.all(|proof| proof.comm_d_proofs.verify() && proof.comm_r_last_proof.verify())
        {
            return Ok(false);
        }
        self.setup()
            .and_then(|setup| {
                Drg::<Tree>::verify_all_partitions(
                    &setup.params,
                    &setup.inputs,
                    &self.c1.vanilla_proofs,
                )
            })
            .map_err(self.failed("verifying the vanilla proofs"))
    }

    /// Whether the replica id is the one of this owner's sector.
    pub fn belongs_to(&self, owner: &Owner) -> bool {
        let expected = generate_replica_id::<Tree::Hasher, _>(
            &owner.prover_id,
            owner.sector,
            &self.c1.ticket,
            self.c1.comm_d,
            &self.registered.porep_id(),
        );
        expected == self.c1.replica_id
    }

    fn setup(&self) -> anyhow::Result<Setup<Tree>> {
        let config = self.registered.config();
        let inputs = PublicInputs::<Tree> {
            replica_id: self.c1.replica_id,
            tau: Some(Tau {
                comm_d: as_safe_commitment(&self.c1.comm_d, "comm_d")?,
                comm_r: as_safe_commitment(&self.c1.comm_r, "comm_r")?,
            }),
            k: None,
            seed: Some(self.c1.seed),
        };
        let params = public_params(&config)?;
        Ok(Setup { inputs, params })
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(anyhow::Error) -> FilecoinError {
        FilecoinError::proofs(self.circuit(), doing)
    }
}

struct Setup<Tree: 'static + MerkleTreeTrait> {
    inputs: PublicInputs<Tree>,
    params: stacked::PublicParams<Tree>,
}

impl<Tree: 'static + MerkleTreeTrait> Setup<Tree> {
    fn public_inputs(&self, partitions: Range<usize>) -> anyhow::Result<Vec<Vec<Fr>>> {
        partitions.map(|k| self.inputs_of(k)).collect()
    }

    fn inputs_of(&self, partition: usize) -> anyhow::Result<Vec<Fr>> {
        Compound::<Tree>::generate_public_inputs(&self.inputs, &self.params, Some(partition))
    }
}

impl<Tree: 'static + MerkleTreeTrait> StorageProof for Porep<Tree> {
    fn circuit(&self) -> CircuitId {
        CircuitId {
            kind: ProofKind::Porep,
            size: self.registered.size,
        }
    }

    fn partitions(&self) -> usize {
        self.c1.vanilla_proofs.len()
    }

    fn public_inputs(&self) -> Result<Vec<Vec<Fr>>, FilecoinError> {
        self.setup()
            .and_then(|setup| setup.public_inputs(0..self.partitions()))
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
        let setup = self.setup().map_err(failed())?;
        let inputs = setup.inputs_of(partition).map_err(failed())?;
        let circuit = || self.circuit_of(&setup, partition).map_err(failed());
        synthesize_partition(self.circuit(), partition, &inputs, circuit, tools)
    }

    fn verifier(&self) -> Option<&'static str> {
        self.owner.map(|_| "verify_seal")
    }

    fn verify(&self, proof: &[u8]) -> Result<bool, FilecoinError> {
        let owner = self.owner.ok_or(FilecoinError::UnknownOwner {
            circuit: self.circuit(),
        })?;
        if groth16::decode(proof, self.partitions()).is_err() {
            return Ok(false);
        }
        let c1 = &self.c1;
        let (comm_r, comm_d): (Commitment, Commitment) = (c1.comm_r, c1.comm_d);
        let config: PoRepConfig = self.registered.config();
        verify_seal::<Tree>(
            &config,
            comm_r,
            comm_d,
            owner.prover_id,
            SectorId::from(owner.sector),
            c1.ticket,
            c1.seed,
            proof,
        )
        .map_err(self.failed("verify_seal"))
    }
}
