//! A real proof of replication: a 2 KiB sector sealed with filecoin-proofs as published, and the circuit of its C1
//! output.

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use blstrs::Scalar as Fr;
use filecoin_proofs::{
    DefaultPieceDomain, DefaultPieceHasher, DefaultTreeDomain, PoRepConfig, ProverId,
    SECTOR_SIZE_2_KIB, SealCommitPhase1Output, SectorShape2KiB, add_piece, as_safe_commitment,
    parameters::setup_params, seal_commit_phase1, seal_pre_commit_phase1, seal_pre_commit_phase2,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::{self, CompoundProof};
use storage_proofs_core::sector::SectorId;
use storage_proofs_porep::stacked::{
    PublicInputs, StackedCircuit, StackedCompound, StackedDrg, Tau,
};

/// Constraints of the circuit itself: the prover adds one for each input.
pub const CONSTRAINTS: usize = 2_687_921;
/// Inputs of the circuit, the constant one included.
pub const INPUTS: usize = 40;

type Tree = SectorShape2KiB;
type Circuit = StackedCircuit<Tree, DefaultPieceHasher>;
type Compound = StackedCompound<Tree, DefaultPieceHasher>;
type Drg<'a> = StackedDrg<'a, Tree, DefaultPieceHasher>;

/// The number that the network has registered for interactive proofs of 2 KiB sectors, version 1.1.
const REGISTERED_PROOF: u64 = 5;

/// Points filecoin-proofs at a folder of this process for all that it keeps, and frees it of settings that the user
/// may have made for a production prover.
///
/// # Safety
///
/// No other thread may have been started in this process yet, because it could be reading the environment.
pub unsafe fn set_environment(scratch: &Path) {
    let settings: Vec<_> = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("FIL_PROOFS_"))
        .collect();
    for name in settings {
        // SAFETY: the caller vouches for there being no other thread.
        unsafe { std::env::remove_var(name) };
    }
    for name in ["FIL_PROOFS_PARENT_CACHE", "FIL_PROOFS_PARAMETER_CACHE"] {
        // SAFETY: as above.
        unsafe { std::env::set_var(name, scratch) };
    }
}

/// The circuit of a sector whose data, owner, number and randomness come from a seed, with its public inputs.
pub fn circuit(seed: u64) -> Result<(Circuit, Vec<Fr>)> {
    let mut porep_id = [0; 32];
    porep_id[..8].copy_from_slice(&REGISTERED_PROOF.to_le_bytes());
    let config = PoRepConfig::new_groth16(SECTOR_SIZE_2_KIB, porep_id, ApiVersion::V1_2_0);

    let sealed = seal(&config, seed).context("sealing a 2 KiB sector")?;
    // A prover gets C1 output as JSON from somebody else.
    let json = serde_json::to_vec(&sealed).context("writing C1 output")?;
    let c1: SealCommitPhase1Output<Tree> =
        serde_json::from_slice(&json).context("reading C1 output")?;
    circuit_of(&config, &c1).context("making the circuit of C1 output")
}

fn seal(config: &PoRepConfig, seed: u64) -> Result<SealCommitPhase1Output<Tree>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut random = || {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        bytes
    };
    let (prover_id, ticket, challenge_seed): (ProverId, _, _) = (random(), random(), random());
    let sector_id = SectorId::from(rng.next_u64());
    let size = config.unpadded_bytes_amount();
    let mut data = vec![0; usize::try_from(u64::from(size))?];
    rng.fill_bytes(&mut data);

    let folder = tempfile::tempdir().context("making a folder for the sector")?;
    let staged = folder.path().join("staged");
    let replica = folder.path().join("replica");
    let cache = folder.path().join("cache");
    std::fs::create_dir(&cache).context("making a folder for the sector's trees")?;

    let mut file = File::create(&staged).context("creating the staged sector")?;
    let (piece, _) = add_piece(Cursor::new(data), &mut file, size, &[])?;
    file.flush()?;
    drop(file);
    File::create(&replica).context("creating the replica")?;

    let pieces = [piece];
    let labels = seal_pre_commit_phase1::<_, _, _, Tree>(
        config, &cache, &staged, &replica, prover_id, sector_id, ticket, &pieces,
    )?;
    let commitments = seal_pre_commit_phase2(config, labels, &cache, &replica)?;
    seal_commit_phase1(
        config,
        &cache,
        &replica,
        prover_id,
        sector_id,
        ticket,
        challenge_seed,
        commitments,
        &pieces,
    )
}

/// What filecoin-proofs' C2 does between its input and the prover.
fn circuit_of(
    config: &PoRepConfig,
    c1: &SealCommitPhase1Output<Tree>,
) -> Result<(Circuit, Vec<Fr>)> {
    ensure!(
        c1.vanilla_proofs.len() == 1,
        "{} partitions, not one",
        c1.vanilla_proofs.len()
    );
    let public_inputs = PublicInputs {
        replica_id: c1.replica_id,
        tau: Some(Tau {
            comm_d: as_safe_commitment::<DefaultPieceDomain, _>(&c1.comm_d, "comm_d")?,
            comm_r: as_safe_commitment::<DefaultTreeDomain, _>(&c1.comm_r, "comm_r")?,
        }),
        k: None,
        seed: Some(c1.seed),
    };
    let setup = compound_proof::SetupParams {
        vanilla_params: setup_params(config)?,
        partitions: Some(usize::from(config.partitions)),
        priority: false,
    };
    let public_params =
        <Compound as CompoundProof<'_, Drg<'_>, Circuit>>::setup(&setup)?.vanilla_params;
    let inputs = Compound::generate_public_inputs(&public_inputs, &public_params, Some(0))?;
    let circuit = Compound::circuit(
        &public_inputs,
        (),
        &c1.vanilla_proofs[0],
        &public_params,
        Some(0),
    )?;
    Ok((circuit, inputs))
}
