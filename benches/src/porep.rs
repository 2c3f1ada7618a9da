//! A real proof of replication: a 2 KiB sector sealed with filecoin-proofs as published, the circuit of its C1 output,
//! and parameters of it.

use std::path::Path;

use anyhow::{Context, Result};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_core::filecoin::{CircuitId, Porep, ProofKind, SectorSize};
use cuzk_harness::Request;
use cuzk_prove::environment;
use cuzk_prove::parameters::test_parameters;
use cuzk_prove::sector::{Sector, Tree};
use filecoin_proofs::SealCommitPhase1Output;

use crate::stored::{self, Stored};

/// Constraints of the circuit itself, to which the prover adds one for each input, and inputs, the constant one included.
pub const SHAPE: (usize, usize) = (2_687_921, 40);

/// Points filecoin-proofs at a folder of this process for all that it keeps, and frees it of settings that the user
/// may have made for a production prover.
///
/// # Safety
///
/// No other thread may have been started in this process yet, because it could be reading the environment.
pub unsafe fn set_environment(scratch: &Path) {
    // SAFETY: the caller vouches for there being no other thread.
    unsafe { environment::isolate(scratch, None) };
}

const ID: CircuitId = CircuitId {
    kind: ProofKind::Porep,
    size: SectorSize::Kib2,
};

/// Generates the parameters unless they are there.
pub fn prepare(cache: &Path) -> Result<()> {
    test_parameters(ID, &stored::store(cache), &())?;
    Ok(())
}

/// Where the parameters lie. They are made in a process of their own where they are not there.
pub fn parameters(request: &Request) -> Result<Stored> {
    Stored::of(request, &ID.parameters_name()?)
}

/// The circuit of a sector whose data, owner, number and randomness come from a seed, with its public inputs.
pub fn circuit(seed: u64) -> Result<(impl Circuit<Fr> + Clone + Send, Vec<Fr>)> {
    let sealed = Sector::seal(seed)
        .and_then(|sector| sector.c1())
        .context("sealing a 2 KiB sector")?;
    // A prover gets C1 output as JSON from somebody else.
    let json = serde_json::to_vec(&sealed).context("writing C1 output")?;
    let c1: SealCommitPhase1Output<Tree> =
        serde_json::from_slice(&json).context("reading C1 output")?;

    let mut partitions = Porep::new(Sector::registered(), None, c1).circuits()?;
    let only = "a 2 KiB sector has one partition";
    let circuit = partitions.circuits.pop().context(only)?;
    Ok((circuit, partitions.inputs.pop().context(only)?))
}
