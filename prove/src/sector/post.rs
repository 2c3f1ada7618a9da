//! A sector in proofs of spacetime.

use cuzk_core::filecoin::{Post, SectorSize, window_config, winning_config};
use filecoin_proofs::{
    ChallengeSeed, FallbackPoStSectorProof, PoStConfig, PrivateReplicaInfo, ProverId,
    generate_fallback_sector_challenges, generate_single_vanilla_proof,
};
use storage_proofs_core::sector::SectorId;

use super::{Sector, SectorError, Tree, draw, failed};

const SIZE: SectorSize = SectorSize::Kib2;

/// Which draws from a sector's seed are for proofs of spacetime.
const STREAM: u64 = 1;

impl Sector {
    /// A WinningPoSt over this sector.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs reports one.
    pub fn winning_post(&self) -> Result<Post<Tree>, SectorError> {
        let (prover_id, randomness) = self.prover_and_randomness();
        let proof = self
            .vanilla(&winning_config(SIZE), &randomness, prover_id, &[self.id])
            .map_err(failed("making the vanilla proof of a WinningPoSt"))?;
        Post::winning(SIZE, randomness, prover_id, proof).map_err(failed("making up a WinningPoSt"))
    }

    /// A WindowPoSt over this sector alone.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs reports one.
    pub fn window_post(&self) -> Result<Post<Tree>, SectorError> {
        window_post(&[self])
    }

    /// A miner's id and a beacon's randomness are scalars of the field.
    fn prover_and_randomness(&self) -> (ProverId, ChallengeSeed) {
        let mut randomness = draw(&mut self.later(STREAM));
        let mut prover_id = self.prover_id;
        for scalar in [&mut randomness, &mut prover_id] {
            scalar[31] &= 0x3f;
        }
        (prover_id, randomness)
    }

    fn vanilla(
        &self,
        config: &PoStConfig,
        randomness: &ChallengeSeed,
        prover_id: ProverId,
        all: &[SectorId],
    ) -> anyhow::Result<FallbackPoStSectorProof<Tree>> {
        let challenges =
            generate_fallback_sector_challenges::<Tree>(config, randomness, all, prover_id)?;
        let replica =
            PrivateReplicaInfo::<Tree>::new(self.replica(), self.commitments.comm_r, self.cache())?;
        let challenges = challenges.get(&self.id).map_or(&[][..], Vec::as_slice);
        generate_single_vanilla_proof(config, self.id, &replica, challenges)
    }
}

/// A WindowPoSt over sectors, all taken for the first one's owner's; there are two in a partition.
///
/// # Errors
///
/// Where filecoin-proofs reports one, or there is no sector.
pub fn window_post(sectors: &[&Sector]) -> Result<Post<Tree>, SectorError> {
    let making = "making the vanilla proofs of a WindowPoSt";
    let first = sectors
        .first()
        .ok_or_else(|| failed(making)(anyhow::anyhow!("there is no sector")))?;
    let (prover_id, randomness) = first.prover_and_randomness();
    let mut ids: Vec<SectorId> = sectors.iter().map(|sector| sector.id).collect();
    ids.sort();
    let config = window_config(SIZE);
    let vanilla = sectors
        .iter()
        .map(|sector| sector.vanilla(&config, &randomness, prover_id, &ids))
        .collect::<anyhow::Result<_>>()
        .map_err(failed(making))?;
    Post::window(SIZE, randomness, prover_id, vanilla).map_err(failed("making up a WindowPoSt"))
}
