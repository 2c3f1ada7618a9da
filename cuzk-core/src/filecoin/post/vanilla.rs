//! The vanilla proofs of sectors: what is taken for granted below is looked at here, and they are put together as the
//! circuit of a partition wants them.

use filecoin_proofs::FallbackPoStSectorProof;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_post::fallback::{Proof, SectorProof};

use super::Post;
use crate::filecoin::paths::{self, is_scalar};
use crate::filecoin::{FilecoinError, ProofKind};

impl<Tree: 'static + MerkleTreeTrait> Post<Tree> {
    /// What filecoin-proofs takes for granted, and would panic without.
    pub(super) fn checked(self) -> Result<Self, FilecoinError> {
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
        let steps = paths::tree_steps(self.circuit.size);
        for sector in &self.sectors {
            if let Err(what) = check(sector, self.config.challenge_count, &steps) {
                let id = u64::from(sector.sector_id);
                return wrong(format!("sector {id} {what}"));
            }
        }
        Ok(self)
    }

    /// The vanilla proof of one partition that holds this many sectors: so many from `partition * sectors` on, and the
    /// last one again until it is full.
    pub(super) fn vanilla(&self, partition: usize, sectors: usize) -> Proof<Tree::Proof> {
        let mut all: Vec<SectorProof<Tree::Proof>> = match self.circuit.kind {
            // One sector, and in the circuit one for each of its challenges.
            ProofKind::Winning => self.sectors.iter().flat_map(one_each_challenge).collect(),
            _ => {
                let of = self.sectors.chunks(sectors).nth(partition);
                let proofs = of.unwrap_or_default().iter();
                let proofs = proofs.flat_map(|sector| &sector.vanilla_proof.sectors);
                proofs.cloned().collect()
            }
        };
        if let Some(last) = all.last().cloned() {
            all.resize(sectors.max(all.len()), last);
        }
        Proof { sectors: all }
    }
}

fn one_each_challenge<Tree: MerkleTreeTrait>(
    sector: &FallbackPoStSectorProof<Tree>,
) -> impl Iterator<Item = SectorProof<Tree::Proof>> {
    let of = |proof: &SectorProof<Tree::Proof>| {
        let (comm_c, comm_r_last) = (proof.comm_c, proof.comm_r_last);
        let challenges = proof.inclusion_proofs.clone().into_iter();
        challenges.map(move |challenge| SectorProof {
            inclusion_proofs: vec![challenge],
            comm_c,
            comm_r_last,
        })
    };
    sector.vanilla_proof.sectors.iter().flat_map(of)
}

/// What is wrong with a sector's vanilla proof, said of the sector.
fn check<Tree: MerkleTreeTrait>(
    sector: &FallbackPoStSectorProof<Tree>,
    challenges: usize,
    steps: &[(usize, usize)],
) -> Result<(), String> {
    let proofs = &sector.vanilla_proof.sectors;
    let [proof] = &proofs[..] else {
        let count = proofs.len();
        return Err(format!("has {count} vanilla proofs, not one"));
    };
    let answered = proof.inclusion_proofs.len();
    if answered != challenges {
        return Err(format!("answers {answered} challenges, not {challenges}"));
    }
    for (name, commitment) in [
        ("comm_r", &sector.comm_r),
        ("comm_c", &proof.comm_c),
        ("comm_r_last", &proof.comm_r_last),
    ] {
        if !is_scalar(commitment) {
            return Err(format!("has a {name} that is no scalar of the field"));
        }
    }
    for (challenge, inclusion) in proof.inclusion_proofs.iter().enumerate() {
        paths::check(inclusion, steps)
            .map_err(|what| format!("answers challenge {challenge} wrongly: {what}"))?;
    }
    // The verifier of vanilla proofs takes the root of the first path for it, the circuit what is written.
    if proof.comm_r_last() != proof.comm_r_last {
        return Err("has a comm_r_last that is not the root of its Merkle paths".to_owned());
    }
    Ok(())
}
