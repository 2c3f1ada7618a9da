//! What is proven: sectors of our own, sent as clients send them.

use cuzk_core::filecoin::c1::{self, Expected};
use cuzk_core::filecoin::{ProofKind, ProofRequest, SectorSize, Sources, StorageProof};
use serde::Serialize;

use crate::ProveError;
use crate::sector::Sector;

/// A request as a client makes it, and the same proof for those who judge.
pub(super) struct Material {
    pub request: ProofRequest,
    pub proof: Box<dyn StorageProof>,
}

impl Material {
    /// Of the sector of a seed.
    pub fn of(kind: ProofKind, seed: u64, sources: &Sources) -> Result<Self, ProveError> {
        let sector = Sector::seal(seed)?;
        Ok(match kind {
            ProofKind::Porep => {
                let expected = Expected {
                    registered: Some(Sector::registered()),
                    prover_id: Some(sector.owner().prover_id),
                    sector: Some(sector.owner().sector),
                    ..Expected::default()
                };
                let json = crate::subject::json(&sector.c1()?);
                let proof = c1::read(&json, &expected)?.proof;
                Self {
                    request: ProofRequest::porep(json, expected, sources)?,
                    proof,
                }
            }
            ProofKind::Winning | ProofKind::Window => {
                let post = match kind {
                    ProofKind::Winning => sector.winning_post()?,
                    _ => sector.window_post()?,
                };
                let (randomness, prover) = (post.randomness(), post.prover_id());
                let sectors = encoded(post.sectors())?;
                let size = SectorSize::Kib2;
                let request = match (kind, sectors) {
                    (ProofKind::Winning, mut sectors) => {
                        ProofRequest::winning(size, randomness, prover, sectors.remove(0), sources)
                    }
                    (_, sectors) => {
                        ProofRequest::window(size, randomness, prover, sectors, None, sources)
                    }
                };
                Self {
                    request,
                    proof: Box::new(post),
                }
            }
            ProofKind::Snap => {
                let updated = sector.update()?;
                let snap = updated.proof()?;
                let partitions = encoded(snap.vanilla())?;
                let request =
                    ProofRequest::snap(SectorSize::Kib2, updated.update(), partitions, sources);
                Self {
                    request,
                    proof: Box::new(snap),
                }
            }
        })
    }
}

/// Vanilla proofs as clients send them.
fn encoded<T: Serialize>(proofs: &[T]) -> Result<Vec<Vec<u8>>, ProveError> {
    let encode = |proof| bincode::serialize(proof).map_err(ProveError::Encode);
    proofs.iter().map(encode).collect()
}
