//! A sealed 2 KiB sector and everything that each kind of proof needs of it, all from one seed.
//!
//! Sealing is filecoin-proofs' own, in a folder for temporary files that goes with the [`Sector`].

mod post;
mod update;

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use cuzk_core::filecoin::{Owner, RegisteredSeal, SectorShapeBase, SectorSize};
use filecoin_proofs::{
    ChallengeSeed, PieceInfo, PoRepConfig, ProverId, SealCommitPhase1Output, SealPreCommitOutput,
    Ticket, add_piece, seal_commit_phase1, seal_pre_commit_phase1, seal_pre_commit_phase2,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use storage_proofs_core::sector::SectorId;

pub use post::window_post;

/// The trees of a 2 KiB sector.
pub type Tree = SectorShapeBase;

/// What went wrong, and while doing what.
#[derive(Debug, thiserror::Error)]
#[error("{doing} failed")]
pub struct SectorError {
    /// What was being done.
    pub doing: &'static str,
    /// What filecoin-proofs or the system said.
    pub source: anyhow::Error,
}

fn failed<E: Into<anyhow::Error>>(doing: &'static str) -> impl FnOnce(E) -> SectorError {
    move |source| SectorError {
        doing,
        source: source.into(),
    }
}

/// A sealed sector.
pub struct Sector {
    folder: tempfile::TempDir,
    prover_id: ProverId,
    id: SectorId,
    ticket: Ticket,
    challenge_seed: ChallengeSeed,
    pieces: Vec<PieceInfo>,
    commitments: SealPreCommitOutput,
    /// Where all that comes after the seal is drawn from.
    later: ChaCha8Rng,
}

impl Sector {
    /// Seals a sector whose data, owner, number and randomness come from `seed`, as the interactive proof of version
    /// 1.1.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs or the file system reports one.
    pub fn seal(seed: u64) -> Result<Self, SectorError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (prover_id, ticket, challenge_seed) = (draw(&mut rng), draw(&mut rng), draw(&mut rng));
        let id = SectorId::from(rng.next_u64());
        let folder = tempfile::tempdir().map_err(failed("making a folder for the sector"))?;
        let piece =
            stage(&mut rng, &folder.path().join(STAGED)).map_err(failed("staging the data"))?;
        let mut sector = Self {
            folder,
            prover_id,
            id,
            ticket,
            challenge_seed,
            pieces: vec![piece],
            commitments: SealPreCommitOutput {
                comm_r: [0; 32],
                comm_d: [0; 32],
            },
            later: rng,
        };
        sector.commitments = sector.replicate().map_err(failed("sealing"))?;
        Ok(sector)
    }

    /// The registered proof that it is sealed as.
    pub fn registered() -> RegisteredSeal {
        RegisteredSeal::interactive(SectorSize::Kib2)
    }

    /// Who sealed it.
    pub fn owner(&self) -> Owner {
        Owner {
            prover_id: self.prover_id,
            sector: self.id.into(),
        }
    }

    /// C1: the vanilla proofs of its replication, which filecoin-proofs has verified.
    ///
    /// # Errors
    ///
    /// Where filecoin-proofs reports one.
    pub fn c1(&self) -> Result<SealCommitPhase1Output<Tree>, SectorError> {
        seal_commit_phase1(
            &config(),
            self.cache(),
            self.replica(),
            self.prover_id,
            self.id,
            self.ticket,
            self.challenge_seed,
            self.commitments.clone(),
            &self.pieces,
        )
        .map_err(failed("C1"))
    }

    fn replicate(&self) -> anyhow::Result<SealPreCommitOutput> {
        let (cache, replica) = (self.cache(), self.replica());
        std::fs::create_dir(&cache)?;
        File::create(&replica)?;
        let labels = seal_pre_commit_phase1::<_, _, _, Tree>(
            &config(),
            &cache,
            self.path(STAGED),
            &replica,
            self.prover_id,
            self.id,
            self.ticket,
            &self.pieces,
        )?;
        seal_pre_commit_phase2(&config(), labels, &cache, &replica)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn replica(&self) -> PathBuf {
        self.path("replica")
    }

    fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    /// A source of randomness for one use of the sector after its seal; each has its own.
    fn later(&self, stream: u64) -> ChaCha8Rng {
        let mut rng = self.later.clone();
        rng.set_stream(stream);
        rng
    }
}

/// The file of the data that is sealed.
const STAGED: &str = "staged";

fn config() -> PoRepConfig {
    Sector::registered().config()
}

fn draw(rng: &mut ChaCha8Rng) -> [u8; 32] {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// Fills a sector with one piece of random data.
fn stage(rng: &mut ChaCha8Rng, path: &Path) -> anyhow::Result<PieceInfo> {
    let size = config().unpadded_bytes_amount();
    let mut data = vec![0; usize::try_from(u64::from(size))?];
    rng.fill_bytes(&mut data);
    let mut file = File::create(path)?;
    let (piece, _) = add_piece(Cursor::new(data), &mut file, size, &[])?;
    file.flush()?;
    Ok(piece)
}
