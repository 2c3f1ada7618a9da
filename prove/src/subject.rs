//! What is to be proven: a sector of our own, or the C1 output of somebody else's.

use std::path::PathBuf;

use cuzk_core::filecoin::c1::{self, Expected};
use cuzk_core::filecoin::{
    CircuitId, FilecoinError, Post, ProofKind, RegisteredSeal, SectorSize, Snap, StorageProof,
    Update,
};
use filecoin_proofs::{FallbackPoStSectorProof, PartitionProof};
use serde::Serialize;

use crate::ProveError;
use crate::phases::Phases;
use crate::sector::{Sector, Tree};

/// Where a proof comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A 2 KiB sector that is sealed for it, from this seed.
    Sector {
        /// What all of it comes from.
        seed: u64,
    },
    /// A C1 output that was made elsewhere.
    C1 {
        /// The file.
        path: PathBuf,
        /// The registered proof, where the caller knows it.
        registered: Option<RegisteredSeal>,
        /// Who sealed it, where the caller knows it.
        prover_id: Option<[u8; 32]>,
        /// The number of the sector, where the caller knows it.
        sector: Option<u64>,
    },
}

impl Source {
    /// Refuses a circuit that this cannot be the source of.
    pub(crate) fn check(&self, circuit: CircuitId) -> Result<(), ProveError> {
        match self {
            Self::Sector { .. } if circuit.size != SectorSize::Kib2 => {
                Err(ProveError::NeedsC1 { circuit })
            }
            Self::C1 { .. } if circuit.kind != ProofKind::Porep => {
                Err(ProveError::NotOfC1 { circuit })
            }
            _ => Ok(()),
        }
    }
}

/// A proof to be made, and what it is made from, to be kept beside it.
pub(crate) struct Subject {
    pub proof: Box<dyn StorageProof>,
    /// Name of the file for `material`.
    pub file: &'static str,
    /// C1 output or vanilla proofs, as JSON.
    pub material: Vec<u8>,
}

impl Subject {
    pub fn prepare(
        circuit: CircuitId,
        source: &Source,
        phases: &mut Phases<'_>,
    ) -> Result<Self, ProveError> {
        source.check(circuit)?;
        match source {
            Source::Sector { seed } => Ok(of_sector(circuit.kind, *seed, phases)?),
            Source::C1 {
                path,
                registered,
                prover_id,
                sector,
            } => phases.run("C1: read and verify", || {
                let expected = Expected {
                    size: Some(circuit.size),
                    registered: *registered,
                    prover_id: *prover_id,
                    sector: *sector,
                };
                let material = c1::read_file(path).map_err(FilecoinError::from)?;
                let c1 = c1::read(&material, &expected)?;
                Ok(Subject {
                    proof: c1.proof,
                    file: "c1.json",
                    material,
                })
            }),
        }
    }
}

fn of_sector(kind: ProofKind, seed: u64, phases: &mut Phases<'_>) -> Result<Subject, ProveError> {
    let sector = phases.run("seal", || Sector::seal(seed))?;
    match kind {
        ProofKind::Porep => phases.run("C1", || {
            let material = json(&sector.c1()?);
            // What is proven has gone through JSON, as in the field.
            let expected = Expected {
                registered: Some(Sector::registered()),
                prover_id: Some(sector.owner().prover_id),
                sector: Some(sector.owner().sector),
                ..Expected::default()
            };
            let c1 = c1::read(&material, &expected)?;
            Ok(Subject {
                proof: c1.proof,
                file: "c1.json",
                material,
            })
        }),
        ProofKind::Winning => {
            let post = phases.run("vanilla proofs", || sector.winning_post())?;
            Ok(of_post(post))
        }
        ProofKind::Window => {
            let post = phases.run("vanilla proofs", || sector.window_post())?;
            Ok(of_post(post))
        }
        ProofKind::Snap => {
            let updated = phases.run("encode new data", || sector.update())?;
            let snap = phases.run("vanilla proofs", || updated.proof())?;
            Ok(of_snap(updated.update(), snap))
        }
    }
}

/// The vanilla proofs of a proof of spacetime with what they answer.
#[derive(Serialize)]
struct PostMaterial<'a> {
    randomness: [u8; 32],
    prover_id: [u8; 32],
    vanilla_proofs: &'a [FallbackPoStSectorProof<Tree>],
}

fn of_post(post: Post<Tree>) -> Subject {
    let material = json(&PostMaterial {
        randomness: post.randomness(),
        prover_id: post.prover_id(),
        vanilla_proofs: post.sectors(),
    });
    Subject {
        proof: Box::new(post),
        file: "vanilla.json",
        material,
    }
}

/// The vanilla proofs of an update, one a partition, with what they are about.
#[derive(Serialize)]
struct SnapMaterial<'a> {
    comm_r_old: [u8; 32],
    comm_r_new: [u8; 32],
    comm_d_new: [u8; 32],
    vanilla_proofs: &'a [PartitionProof<Tree>],
}

fn of_snap(update: Update, snap: Snap<Tree>) -> Subject {
    let material = json(&SnapMaterial {
        comm_r_old: update.comm_r_old,
        comm_r_new: update.comm_r_new,
        comm_d_new: update.comm_d_new,
        vanilla_proofs: snap.vanilla(),
    });
    Subject {
        proof: Box::new(snap),
        file: "vanilla.json",
        material,
    }
}

pub(crate) fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("writing these types as JSON to memory does not fail")
}
