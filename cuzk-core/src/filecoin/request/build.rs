//! From what was sent to a proof that can be made.

use std::any::Any;

use filecoin_proofs::{ChallengeSeed, FallbackPoStSectorProof, PartitionProof, ProverId};
use serde::de::DeserializeOwned;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_update::constants::TreeRHasher;

use super::Vanilla;
use crate::filecoin::shape::with_tree;
use crate::filecoin::{
    CircuitId, FilecoinError, Post, ProofKind, SectorSize, Snap, StorageProof, Update,
};

type Built = Result<Box<dyn StorageProof>, FilecoinError>;

pub(super) fn winning(
    size: SectorSize,
    randomness: ChallengeSeed,
    prover_id: ProverId,
    sector: impl Vanilla,
) -> Built {
    let circuit = CircuitId {
        kind: ProofKind::Winning,
        size,
    };
    with_tree!(size, Tree => {
        let sector = sector.take::<FallbackPoStSectorProof<Tree>>(circuit, 0)?;
        holding(Post::winning(size, randomness, prover_id, sector)?)
    })
}

pub(super) fn window(
    size: SectorSize,
    randomness: ChallengeSeed,
    prover_id: ProverId,
    sectors: Vec<impl Vanilla>,
    partition: Option<usize>,
) -> Built {
    let circuit = CircuitId {
        kind: ProofKind::Window,
        size,
    };
    with_tree!(size, Tree => {
        let sectors = take::<FallbackPoStSectorProof<Tree>>(circuit, sectors)?;
        let count = sectors.len();
        let post = Post::window(size, randomness, prover_id, sectors)?;
        let partitions = post.partitions();
        if let Some(index) = partition.filter(|_| partitions != 1) {
            return Err(FilecoinError::Vanilla {
                circuit,
                what: format!(
                    "{count} sectors are {partitions} partitions: send those of partition {index} alone, or name no partition"
                ),
            });
        }
        holding(post)
    })
}

pub(super) fn snap(size: SectorSize, update: Update, partitions: Vec<impl Vanilla>) -> Built {
    fn of<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>>(
        size: SectorSize,
        update: Update,
        partitions: Vec<impl Vanilla>,
    ) -> Built {
        let circuit = CircuitId {
            kind: ProofKind::Snap,
            size,
        };
        let partitions = take::<PartitionProof<Tree>>(circuit, partitions)?;
        Ok(Box::new(Snap::<Tree>::new(size, update, partitions)?))
    }
    with_tree!(size, Tree => of::<Tree>(size, update, partitions))
}

fn take<P: DeserializeOwned + Any>(
    circuit: CircuitId,
    proofs: Vec<impl Vanilla>,
) -> Result<Vec<P>, FilecoinError> {
    let proofs = proofs.into_iter().enumerate();
    proofs
        .map(|(index, proof)| proof.take(circuit, index))
        .collect()
}

fn holding<Tree: 'static + MerkleTreeTrait>(post: Post<Tree>) -> Built {
    if post.holds()? {
        return Ok(Box::new(post));
    }
    Err(FilecoinError::Vanilla {
        circuit: post.circuit(),
        what: "the vanilla proofs do not hold; were they made with this randomness and prover id, for these sectors?"
            .to_owned(),
    })
}
