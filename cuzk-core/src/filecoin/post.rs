//! Proofs of spacetime: WinningPoSt and WindowPoSt.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use blstrs::Scalar as Fr;
use filecoin_hashers::Hasher;
use filecoin_proofs::parameters::{window_post_public_params, winning_post_public_params};
use filecoin_proofs::{
    ChallengeSeed, FallbackPoStSectorProof, PoStConfig, PoStType, ProverId, PublicReplicaInfo,
    WINDOW_POST_CHALLENGE_COUNT, WINDOW_POST_SECTOR_COUNT, WINNING_POST_CHALLENGE_COUNT,
    WINNING_POST_SECTOR_COUNT, as_safe_commitment, get_num_partition_for_fallback_post,
    partition_vanilla_proofs, verify_window_post, verify_winning_post,
};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_core::sector::SectorId;
use storage_proofs_post::fallback::{
    self, FallbackPoStCircuit, FallbackPoStCompound, PublicParams, PublicSector,
};

use super::proof::{Partitions, StorageProof, SynthesizedProof};
use super::{CircuitId, FilecoinError, ProofKind, SectorSize, groth16};
use crate::synthesis::SynthesisOptions;

type Domain<Tree> = <<Tree as MerkleTreeTrait>::Hasher as Hasher>::Domain;
type PublicInputs<Tree> = fallback::PublicInputs<Domain<Tree>>;
type Circuits<Tree> = Partitions<FallbackPoStCircuit<Tree>>;

/// What filecoin-proofs wants to know about a WinningPoSt. The registered one counts challenges over all of the proof:
/// version 1.
pub fn winning_config(size: SectorSize) -> PoStConfig {
    PoStConfig {
        sector_size: size.bytes().into(),
        challenge_count: WINNING_POST_CHALLENGE_COUNT,
        sector_count: WINNING_POST_SECTOR_COUNT,
        typ: PoStType::Winning,
        priority: false,
        api_version: ApiVersion::V1_0_0,
    }
}

/// What filecoin-proofs wants to know about a WindowPoSt. The registered one counts challenges anew for each sector:
/// version 1.2.
pub fn window_config(size: SectorSize) -> PoStConfig {
    let sectors = WINDOW_POST_SECTOR_COUNT
        .read()
        .expect("nothing writes to the table, so nothing has panicked while it did");
    PoStConfig {
        sector_size: size.bytes().into(),
        challenge_count: WINDOW_POST_CHALLENGE_COUNT,
        sector_count: *sectors
            .get(&size.bytes())
            .expect("the table has every size that parameters were published for"),
        typ: PoStType::Window,
        priority: false,
        api_version: ApiVersion::V1_2_0,
    }
}

pub(super) fn public_params<Tree: 'static + MerkleTreeTrait>(
    circuit: CircuitId,
) -> anyhow::Result<PublicParams> {
    public_params_of::<Tree>(&match circuit.kind {
        ProofKind::Winning => winning_config(circuit.size),
        _ => window_config(circuit.size),
    })
}

fn public_params_of<Tree: 'static + MerkleTreeTrait>(
    config: &PoStConfig,
) -> anyhow::Result<PublicParams> {
    match config.typ {
        PoStType::Winning => winning_post_public_params::<Tree>(config),
        PoStType::Window => window_post_public_params::<Tree>(config),
    }
}

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

    /// What filecoin-proofs takes for granted.
    fn checked(self) -> Result<Self, FilecoinError> {
        let wrong = |what: String| {
            Err(FilecoinError::Vanilla {
                circuit: self.circuit,
                what,
            })
        };
        if self.sectors.is_empty() {
            return wrong("there is no sector to prove".to_owned());
        }
        for pair in self.sectors.windows(2) {
            if pair[0].sector_id == pair[1].sector_id {
                let sector = u64::from(pair[0].sector_id);
                return wrong(format!("sector {sector} is there twice"));
            }
        }
        for sector in &self.sectors {
            let id = u64::from(sector.sector_id);
            let proofs = &sector.vanilla_proof.sectors;
            let [proof] = &proofs[..] else {
                return wrong(format!(
                    "sector {id} has {} vanilla proofs, not one",
                    proofs.len()
                ));
            };
            let (challenges, expected) =
                (proof.inclusion_proofs.len(), self.config.challenge_count);
            if challenges != expected {
                return wrong(format!(
                    "sector {id} answers {challenges} challenges, not {expected}"
                ));
            }
        }
        Ok(self)
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
            .and_then(|(params, inputs)| {
                let partitions = self.partitions_of(config);
                let vanilla =
                    partition_vanilla_proofs(config, &params, &inputs, partitions, &self.sectors)?;
                let of = |(partition, vanilla)| {
                    FallbackPoStCompound::circuit(
                        &inputs,
                        Default::default(),
                        vanilla,
                        &params,
                        Some(partition),
                    )
                };
                let circuits = vanilla.iter().enumerate().map(of);
                Ok(Partitions {
                    circuits: circuits.collect::<anyhow::Result<_>>()?,
                    inputs: inputs_of_partitions::<Tree>(partitions, &params, &inputs)?,
                })
            })
            .map_err(self.failed("making the circuits of the vanilla proofs"))
    }

    fn partitions_of(&self, config: &PoStConfig) -> usize {
        get_num_partition_for_fallback_post(config, self.sectors.len())
    }

    fn setup(&self, config: &PoStConfig) -> anyhow::Result<(PublicParams, PublicInputs<Tree>)> {
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
        Ok((params, inputs))
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

fn inputs_of_partitions<Tree: 'static + MerkleTreeTrait>(
    partitions: usize,
    params: &PublicParams,
    inputs: &PublicInputs<Tree>,
) -> anyhow::Result<Vec<Vec<Fr>>> {
    (0..partitions)
        .map(|k| FallbackPoStCompound::<Tree>::generate_public_inputs(inputs, params, Some(k)))
        .collect()
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
            .and_then(|(params, inputs)| {
                inputs_of_partitions::<Tree>(self.partitions(), &params, &inputs)
            })
            .map_err(self.failed("computing the public inputs"))
    }

    fn synthesize(&self, options: &SynthesisOptions) -> Result<SynthesizedProof, FilecoinError> {
        self.circuits()?.synthesize(self.circuit, options)
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
