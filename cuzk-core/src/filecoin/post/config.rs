//! What filecoin-proofs wants to know about proofs of spacetime.

use filecoin_proofs::parameters::{window_post_public_params, winning_post_public_params};
use filecoin_proofs::{
    PoStConfig, PoStType, WINDOW_POST_CHALLENGE_COUNT, WINDOW_POST_SECTOR_COUNT,
    WINNING_POST_CHALLENGE_COUNT, WINNING_POST_SECTOR_COUNT,
};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::merkle::MerkleTreeTrait;
use storage_proofs_post::fallback::PublicParams;

use crate::filecoin::{CircuitId, ProofKind, SectorSize};

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

pub(in crate::filecoin) fn public_params<Tree: 'static + MerkleTreeTrait>(
    circuit: CircuitId,
) -> anyhow::Result<PublicParams> {
    public_params_of::<Tree>(&match circuit.kind {
        ProofKind::Winning => winning_config(circuit.size),
        _ => window_config(circuit.size),
    })
}

pub(super) fn public_params_of<Tree: 'static + MerkleTreeTrait>(
    config: &PoStConfig,
) -> anyhow::Result<PublicParams> {
    match config.typ {
        PoStType::Winning => winning_post_public_params::<Tree>(config),
        PoStType::Window => window_post_public_params::<Tree>(config),
    }
}
