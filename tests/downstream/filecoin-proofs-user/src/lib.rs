//! A 2 KiB sector, sealed, and a WinningPoSt over it, all by filecoin-proofs.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use anyhow::Result;
use filecoin_proofs::parameters::winning_post_public_params;
use filecoin_proofs::{
    ChallengeSeed, Commitment, PoRepConfig, PoStConfig, PoStType, PrivateReplicaInfo, ProverId,
    PublicReplicaInfo, SectorShape2KiB, UnpaddedBytesAmount, WINNING_POST_CHALLENGE_COUNT,
    WINNING_POST_SECTOR_COUNT, add_piece, generate_winning_post, seal_pre_commit_phase1,
    seal_pre_commit_phase2, verify_winning_post,
};
use rand_core::RngCore;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::sector::SectorId;
use storage_proofs_post::fallback::{FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound};

type Tree = SectorShape2KiB;

/// Bytes of a sector.
const SECTOR_BYTES: u64 = 2048;

/// Any number of 32 bytes that is not that of a registered proof.
const POREP_ID: [u8; 32] = [5; 32];

/// A sealed sector.
pub struct Sector {
    id: SectorId,
    comm_r: Commitment,
    replica: PathBuf,
    cache: PathBuf,
}

impl Sector {
    /// Seals random data in `folder`, which has to be there.
    pub fn seal(folder: &Path, id: u64, prover: ProverId, rng: &mut impl RngCore) -> Result<Self> {
        let config = PoRepConfig::new_groth16(SECTOR_BYTES, POREP_ID, ApiVersion::V1_1_0);
        let (staged, replica, cache) = (
            folder.join("staged"),
            folder.join("replica"),
            folder.join("cache"),
        );
        fs::create_dir(&cache)?;
        File::create(&replica)?;
        let size: UnpaddedBytesAmount = config.clone().into();
        let mut data = vec![0; usize::try_from(u64::from(size))?];
        rng.fill_bytes(&mut data);
        let (piece, _) = add_piece(Cursor::new(data), File::create(&staged)?, size, &[])?;
        let mut ticket = [0; 32];
        rng.fill_bytes(&mut ticket);
        let id = SectorId::from(id);
        let labels = seal_pre_commit_phase1::<_, _, _, Tree>(
            &config,
            &cache,
            &staged,
            &replica,
            prover,
            id,
            ticket,
            &[piece],
        )?;
        let sealed = seal_pre_commit_phase2(&config, labels, &cache, &replica)?;
        Ok(Self {
            id,
            comm_r: sealed.comm_r,
            replica,
            cache,
        })
    }

    /// A WinningPoSt over it.
    pub fn prove(&self, randomness: &ChallengeSeed, prover: ProverId) -> Result<Vec<u8>> {
        let replica =
            PrivateReplicaInfo::<Tree>::new(self.replica.clone(), self.comm_r, self.cache.clone())?;
        generate_winning_post(&config(), randomness, &[(self.id, replica)], prover)
    }

    /// Asks filecoin-proofs whether a WinningPoSt over it is good.
    pub fn verify(
        &self,
        randomness: &ChallengeSeed,
        prover: ProverId,
        proof: &[u8],
    ) -> Result<bool> {
        let replica = PublicReplicaInfo::new(self.comm_r)?;
        verify_winning_post::<Tree>(&config(), randomness, &[(self.id, replica)], prover, proof)
    }
}

/// Makes the parameters of a WinningPoSt in the folder of parameters that filecoin-proofs is set to, by way of the
/// compound proof that it proves with. Whoever knows `rng` can forge proofs for them: for tests.
pub fn make_parameters(rng: &mut impl RngCore) -> Result<()> {
    let params = winning_post_public_params::<Tree>(&config())?;
    <FallbackPoStCompound<Tree> as CompoundProof<
        FallbackPoSt<'_, Tree>,
        FallbackPoStCircuit<Tree>,
    >>::groth_params(Some(&mut *rng), &params)?;
    <FallbackPoStCompound<Tree> as CompoundProof<
        FallbackPoSt<'_, Tree>,
        FallbackPoStCircuit<Tree>,
    >>::verifying_key(Some(rng), &params)?;
    Ok(())
}

/// A random number that is a scalar of the field.
pub fn scalar(rng: &mut impl RngCore) -> [u8; 32] {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    bytes[31] &= 0x3f;
    bytes
}

fn config() -> PoStConfig {
    PoStConfig {
        sector_size: SECTOR_BYTES.into(),
        challenge_count: WINNING_POST_CHALLENGE_COUNT,
        sector_count: WINNING_POST_SECTOR_COUNT,
        typ: PoStType::Winning,
        priority: false,
        api_version: ApiVersion::V1_1_0,
    }
}
