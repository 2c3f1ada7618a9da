//! Proofs of spacetime: WinningPoSt and WindowPoSt.

mod config;
mod vanilla;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use blstrs::Scalar as Fr;
use filecoin_hashers::Hasher;
use filecoin_proofs::{
    ChallengeSeed, FallbackPoStSectorProof, PoStConfig, ProverId, PublicReplicaInfo,
    as_safe_commitment, get_num_partition_for_fallback_post, verify_window_post,
    verify_winning_post,
};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_core::sector::SectorId;
use storage_proofs_post::fallback::{
    self, FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound, PublicParams, PublicSector,
};

use super::proof::{Partitions, StorageProof, SynthesizedProof, synthesize_partition};
use super::{CircuitId, FilecoinError, ProofKind, SectorSize, groth16};
use crate::job::{Tools, WorkError};
use crate::synthesis::{Synthesis, SynthesisOptions};

pub(super) use config::public_params;
use config::public_params_of;
pub use config::{window_config, winning_config};

type Domain<Tree> = <<Tree as MerkleTreeTrait>::Hasher as Hasher>::Domain;
type PublicInputs<Tree> = fallback::PublicInputs<Domain<Tree>>;
type Circuits<Tree> = Partitions<FallbackPoStCircuit<Tree>>;

/// A proof of spacetime to be made from the vanilla proofs of its sectors.
pub struct Post<Tree: 'static + MerkleTreeTrait> {
    circuit: CircuitId,
    config: PoStConfig,
    randomness: ChallengeSeed,
    prover_id: ProverId,
    sectors: Vec<FallbackPoStSectorProof<Tree>>,
}

impl<Tree: 'static + MerkleTreeTrait> Post<Tree> {
    /// A WinningPoSt over one sector.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Vanilla`].
    pub fn winning(
        size: SectorSize,
        randomness: ChallengeSeed,
        prover_id: ProverId,
        sector: FallbackPoStSectorProof<Tree>,
    ) -> Result<Self, FilecoinError> {
        let post = Self {
            circuit: CircuitId {
                kind: ProofKind::Winning,
                size,
            },
            config: winning_config(size),
            randomness,
            prover_id,
            sectors: vec![sector],
        };
        post.checked()
    }

    /// A WindowPoSt over these sectors. They are proven in the order of their numbers, as the verifier wants them; the
    /// last partition is filled up with its last sector.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Vanilla`].
    pub fn window(
        size: SectorSize,
        randomness: ChallengeSeed,
        prover_id: ProverId,
        mut sectors: Vec<FallbackPoStSectorProof<Tree>>,
    ) -> Result<Self, FilecoinError> {
        sectors.sort_by_key(|sector| sector.sector_id);
        let post = Self {
            circuit: CircuitId {
                kind: ProofKind::Window,
                size,
            },
            config: window_config(size),
            randomness,
            prover_id,
            sectors,
        };
        post.checked()
    }

    /// What it is made from, in the order in which it is proven.
    pub fn sectors(&self) -> &[FallbackPoStSectorProof<Tree>] {
        &self.sectors
    }

    /// The randomness that the challenges come from.
    pub fn randomness(&self) -> ChallengeSeed {
        self.randomness
    }

    /// Who proves.
    pub fn prover_id(&self) -> ProverId {
        self.prover_id
    }

    /// The circuits of all partitions with their public inputs.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`], where a vanilla proof does not hold too.
    pub fn circuits(&self) -> Result<Circuits<Tree>, FilecoinError> {
        self.circuits_of(&self.config)
    }

    /// As [`circuits`](Self::circuits), of partitions that hold this many sectors each, where those of the registered
    /// proof hold another number. The partitions of large sectors hold thousands: this is their circuit with small ones.
    /// No parameters are published for it.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`], where a vanilla proof does not hold too.
    pub fn circuits_in_partitions_of(
        &self,
        sectors: NonZeroUsize,
    ) -> Result<Circuits<Tree>, FilecoinError> {
        self.circuits_of(&PoStConfig {
            sector_count: sectors.get(),
            ..self.config.clone()
        })
    }

    fn circuits_of(&self, config: &PoStConfig) -> Result<Circuits<Tree>, FilecoinError> {
        self.setup(config)
            .and_then(|setup| {
                let partitions = 0..self.partitions_of(config);
                if !self.hold(&setup, partitions.len())? {
                    anyhow::bail!("the vanilla proofs do not hold");
                }
                let circuits = partitions.clone().map(|k| self.circuit_of(&setup, k));
                Ok(Partitions {
                    circuits: circuits.collect::<anyhow::Result<_>>()?,
                    inputs: partitions
                        .map(|k| setup.inputs_of(k))
                        .collect::<anyhow::Result<_>>()?,
                })
            })
            .map_err(self.failed("making the circuits of the vanilla proofs"))
    }

    /// Whether the vanilla proofs hold for the randomness, the prover and the sectors' commitments.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn holds(&self) -> Result<bool, FilecoinError> {
        self.setup(&self.config)
            .and_then(|setup| self.hold(&setup, self.partitions()))
            .map_err(self.failed("verifying the vanilla proofs"))
    }

    fn hold(&self, setup: &Setup<Tree>, partitions: usize) -> anyhow::Result<bool> {
        let Setup { params, inputs } = setup;
        for (partition, sectors) in inputs.sectors.chunks(params.sector_count).enumerate() {
            let inputs = PublicInputs::<Tree> {
                randomness: inputs.randomness,
                prover_id: inputs.prover_id,
                sectors: sectors.to_vec(),
                k: Some(partition),
            };
            let vanilla = self.vanilla(partition, params.sector_count);
            if partition >= partitions || !FallbackPoSt::<Tree>::verify(params, &inputs, &vanilla)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The circuit of one partition, of vanilla proofs that are taken to hold.
    fn circuit_of(
        &self,
        setup: &Setup<Tree>,
        partition: usize,
    ) -> anyhow::Result<FallbackPoStCircuit<Tree>> {
        FallbackPoStCompound::circuit(
            &setup.inputs,
            Default::default(),
            &self.vanilla(partition, setup.params.sector_count),
            &setup.params,
            Some(partition),
        )
    }

    fn partitions_of(&self, config: &PoStConfig) -> usize {
        get_num_partition_for_fallback_post(config, self.sectors.len())
    }

    fn setup(&self, config: &PoStConfig) -> anyhow::Result<Setup<Tree>> {
        let params = public_params_of::<Tree>(config)?;
        let sectors = self.sectors.iter().map(|sector| PublicSector {
            id: sector.sector_id,
            comm_r: sector.comm_r,
        });
        // The circuit of a WinningPoSt has a sector for each challenge: they are the same one.
        let sectors = match self.circuit.kind {
            ProofKind::Winning => sectors.cycle().take(params.sector_count).collect(),
            _ => sectors.collect(),
        };
        let inputs = PublicInputs::<Tree> {
            randomness: as_safe_commitment(&self.randomness, "randomness")?,
            prover_id: as_safe_commitment(&self.prover_id, "prover_id")?,
            sectors,
            k: None,
        };
        Ok(Setup { params, inputs })
    }

    fn replicas(&self) -> anyhow::Result<Vec<(SectorId, PublicReplicaInfo)>> {
        let of = |sector: &FallbackPoStSectorProof<Tree>| {
            let mut comm_r = [0; 32];
            comm_r.copy_from_slice(sector.comm_r.as_ref());
            Ok((sector.sector_id, PublicReplicaInfo::new(comm_r)?))
        };
        self.sectors.iter().map(of).collect()
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(anyhow::Error) -> FilecoinError {
        FilecoinError::proofs(self.circuit, doing)
    }
}

/// What all partitions have in common.
struct Setup<Tree: 'static + MerkleTreeTrait> {
    params: PublicParams,
    inputs: PublicInputs<Tree>,
}

impl<Tree: 'static + MerkleTreeTrait> Setup<Tree> {
    fn inputs_of(&self, partition: usize) -> anyhow::Result<Vec<Fr>> {
        FallbackPoStCompound::<Tree>::generate_public_inputs(
            &self.inputs,
            &self.params,
            Some(partition),
        )
    }
}

impl<Tree: 'static + MerkleTreeTrait> StorageProof for Post<Tree> {
    fn circuit(&self) -> CircuitId {
        self.circuit
    }

    fn partitions(&self) -> usize {
        self.partitions_of(&self.config)
    }

    fn public_inputs(&self) -> Result<Vec<Vec<Fr>>, FilecoinError> {
        self.setup(&self.config)
            .and_then(|setup| {
                let partitions = 0..self.partitions();
                partitions.map(|k| setup.inputs_of(k)).collect()
            })
            .map_err(self.failed("computing the public inputs"))
    }

    fn synthesize(&self, options: &SynthesisOptions) -> Result<SynthesizedProof, FilecoinError> {
        self.circuits()?.synthesize(self.circuit, options)
    }

    fn synthesize_partition(
        &self,
        partition: usize,
        tools: &Tools<'_>,
    ) -> Result<Synthesis, WorkError> {
        let failed = || self.failed("making the circuit of a partition");
        let setup = self.setup(&self.config).map_err(failed())?;
        let inputs = setup.inputs_of(partition).map_err(failed())?;
        let circuit = || self.circuit_of(&setup, partition).map_err(failed());
        synthesize_partition(self.circuit, partition, &inputs, circuit, tools)
    }

    fn verifier(&self) -> Option<&'static str> {
        Some(match self.circuit.kind {
            ProofKind::Winning => "verify_winning_post",
            _ => "verify_window_post",
        })
    }

    fn verify(&self, proof: &[u8]) -> Result<bool, FilecoinError> {
        if groth16::decode(proof, self.partitions()).is_err() {
            return Ok(false);
        }
        let (config, randomness, prover) = (&self.config, &self.randomness, self.prover_id);
        match self.circuit.kind {
            ProofKind::Winning => self
                .replicas()
                .and_then(|replicas| {
                    verify_winning_post::<Tree>(config, randomness, &replicas, prover, proof)
                })
                .map_err(self.failed("verify_winning_post")),
            _ => self
                .replicas()
                .and_then(|replicas| {
                    let replicas: BTreeMap<_, _> = replicas.into_iter().collect();
                    verify_window_post::<Tree>(config, randomness, &replicas, prover, proof)
                })
                .map_err(self.failed("verify_window_post")),
        }
    }
}
