//! New data in a sealed sector.

use std::fs::{self, File};

use cuzk_core::filecoin::{SectorSize, Snap, Update};
use filecoin_proofs::{SectorUpdateConfig, encode_into, generate_partition_proofs};

use super::{Sector, SectorError, Tree, config, failed, stage};

/// Which draws from a sector's seed are for its new data.
const STREAM: u64 = 2;

/// A sector with new data in it.
pub struct UpdatedSector<'a> {
    sector: &'a Sector,
    update: Update,
}

impl Sector {
    /// Encodes new data into a copy of the replica.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs or the file system reports one.
    pub fn update(&self) -> Result<UpdatedSector<'_>, SectorError> {
        let update = self.encode().map_err(failed("encoding the new data"))?;
        Ok(UpdatedSector {
            sector: self,
            update,
        })
    }

    fn encode(&self) -> anyhow::Result<Update> {
        let (staged, replica, cache) = (
            self.path("new-staged"),
            self.path("new-replica"),
            self.path("new-cache"),
        );
        let piece = stage(&mut self.later(STREAM), &staged)?;
        fs::create_dir(&cache)?;
        File::create(&replica)?.set_len(fs::metadata(self.replica())?.len())?;
        let encoded = encode_into::<Tree>(
            &SectorUpdateConfig::from_porep_config(&config()),
            &replica,
            &cache,
            &self.replica(),
            &self.cache(),
            &staged,
            &[piece],
        )?;
        Ok(Update {
            comm_r_old: self.commitments.comm_r,
            comm_r_new: encoded.comm_r_new,
            comm_d_new: encoded.comm_d_new,
        })
    }
}

impl UpdatedSector<'_> {
    /// The commitments before and after.
    pub fn update(&self) -> Update {
        self.update
    }

    /// The SnapDeals proof of the update.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs reports one.
    pub fn proof(&self) -> Result<Snap<Tree>, SectorError> {
        let (sector, update) = (self.sector, self.update);
        let vanilla = generate_partition_proofs::<Tree>(
            SectorUpdateConfig::from_porep_config(&config()),
            update.comm_r_old,
            update.comm_r_new,
            update.comm_d_new,
            &sector.replica(),
            &sector.cache(),
            &sector.path("new-replica"),
            &sector.path("new-cache"),
        )
        .map_err(failed("making the vanilla proofs of an update"))?;
        Snap::new(SectorSize::Kib2, update, vanilla).map_err(failed("making up a SnapDeals proof"))
    }
}
