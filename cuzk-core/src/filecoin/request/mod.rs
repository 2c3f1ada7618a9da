//! What clients send, made into work.
//!
//! A [`ProofRequest`] holds what came from outside and knows its circuit and its weight before anything of it is read.
//! Preparing it reads the vanilla proofs, compares every length with what the circuit needs, verifies them, and looks for
//! the parameters. What comes out can be synthesised without a panic anywhere below.

mod build;
mod vanilla;
mod work;

use std::sync::Arc;

use filecoin_proofs::{ChallengeSeed, ProverId};

use super::c1::{self, C1Error, Expected};
use super::{
    CircuitId, FilecoinError, ProofKind, RecordingFolder, SectorSize, SrsSource, StorageProof,
    Update,
};
use crate::job::{Prepared, Request, WorkError};

pub use vanilla::Vanilla;
pub use work::FilecoinWork;

/// Where requests get what they are proven with.
#[derive(Clone)]
pub struct Sources {
    /// Parameters.
    pub parameters: Arc<dyn SrsSource>,
    /// Recordings; `None`: synthesis is plain.
    pub recordings: Option<RecordingFolder>,
}

type Build = Box<dyn FnOnce() -> Result<Box<dyn StorageProof>, FilecoinError> + Send>;

/// A storage proof that somebody wants.
///
/// Vanilla proofs are given as [`Vanilla`] is implemented for: typed, or as the bytes that bincode writes.
pub struct ProofRequest {
    circuit: CircuitId,
    bytes: u64,
    build: Build,
    sources: Sources,
}

/// What reading vanilla proofs takes, in their own bytes: what was given, and what comes of it.
const GIVEN_AND_READ: u64 = 2;

impl ProofRequest {
    /// A proof of replication from C1 output, in any of the forms that [`c1`] reads. What is expected of it has to say the
    /// size of the sector, alone or by its registered proof.
    ///
    /// # Errors
    ///
    /// [`C1Error::NoSize`]. All else is looked at later.
    pub fn porep(
        json: Vec<u8>,
        expected: Expected,
        sources: &Sources,
    ) -> Result<Self, FilecoinError> {
        let registered = expected.registered.map(|registered| registered.size);
        let size = expected.size.or(registered).ok_or(C1Error::NoSize)?;
        let bytes = json.len() as u64;
        let build = Box::new(move || Ok(c1::read(&json, &expected)?.proof));
        Ok(Self::new(ProofKind::Porep, size, bytes, build, sources))
    }

    /// A WinningPoSt from the vanilla proof of its sector.
    pub fn winning(
        size: SectorSize,
        randomness: ChallengeSeed,
        prover_id: ProverId,
        sector: impl Vanilla,
        sources: &Sources,
    ) -> Self {
        let bytes = sector.bytes();
        let build = Box::new(move || build::winning(size, randomness, prover_id, sector));
        Self::new(ProofKind::Winning, size, bytes, build, sources)
    }

    /// A WindowPoSt from the vanilla proofs of its sectors, one each. They are proven in the order of their numbers; the
    /// last partition is filled up with its last sector.
    ///
    /// With the index of a partition the sectors are those of that one alone, and one proof comes of them: more sectors
    /// than a partition holds are an error. The proof is the same whatever the index, as the registered WindowPoSt draws
    /// a sector's challenges from its number alone and not from its place.
    pub fn window(
        size: SectorSize,
        randomness: ChallengeSeed,
        prover_id: ProverId,
        sectors: Vec<impl Vanilla>,
        partition: Option<usize>,
        sources: &Sources,
    ) -> Self {
        let bytes = sectors.iter().map(Vanilla::bytes).sum();
        let build =
            Box::new(move || build::window(size, randomness, prover_id, sectors, partition));
        Self::new(ProofKind::Window, size, bytes, build, sources)
    }

    /// A SnapDeals proof from the vanilla proofs of its partitions, in their order.
    pub fn snap(
        size: SectorSize,
        update: Update,
        partitions: Vec<impl Vanilla>,
        sources: &Sources,
    ) -> Self {
        let bytes = partitions.iter().map(Vanilla::bytes).sum();
        let build = Box::new(move || build::snap(size, update, partitions));
        Self::new(ProofKind::Snap, size, bytes, build, sources)
    }

    fn new(kind: ProofKind, size: SectorSize, given: u64, build: Build, sources: &Sources) -> Self {
        Self {
            circuit: CircuitId { kind, size },
            bytes: given.saturating_mul(GIVEN_AND_READ),
            build,
            sources: sources.clone(),
        }
    }

    /// The circuit.
    pub fn circuit_id(&self) -> CircuitId {
        self.circuit
    }

    /// Reads and verifies what was sent, and looks for nothing else.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::C1`], [`FilecoinError::Encoding`], [`FilecoinError::Vanilla`] and [`FilecoinError::Proofs`], with
    /// what is wrong.
    pub fn read(self) -> Result<Box<dyn StorageProof>, FilecoinError> {
        (self.build)()
    }
}

impl Request for ProofRequest {
    fn circuit(&self) -> String {
        self.circuit.to_string()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn prepare(self: Box<Self>) -> Result<Prepared, WorkError> {
        let Sources {
            parameters,
            recordings,
        } = self.sources.clone();
        let circuit = self.circuit;
        // A client wants to know first what is wrong with what it has sent.
        let proof = self.read()?;
        let found = parameters.srs(circuit)?;
        let (recording, sizes) = match recordings {
            Some(recordings) => {
                let (source, sizes) = recordings.source(circuit, &found.shape)?;
                (Some(source), sizes)
            }
            None => (None, crate::budget::Sizes::at_most(&found.shape)),
        };
        Ok(Prepared {
            work: Arc::new(FilecoinWork::new(proof)?),
            srs: found.srs,
            sizes,
            recording,
        })
    }
}
