//! A real proof of replication: a 2 KiB sector sealed with filecoin-proofs as published, the circuit of its C1 output,
//! and parameters of it.

use std::path::Path;

use anyhow::{Context, Result};
use bellperson::Circuit;
use bellperson::groth16::Parameters;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::parameters::public_rng;
use cuzk_core::filecoin::{CircuitId, CircuitVisitor, Porep, ProofKind, SectorSize};
use cuzk_core::parameters::{self, Set, Store};
use cuzk_harness::Request;
use cuzk_prove::environment;
use cuzk_prove::sector::{Sector, Tree};
use filecoin_proofs::SealCommitPhase1Output;

/// Constraints of the circuit itself: the prover adds one for each input.
pub const CONSTRAINTS: usize = 2_687_921;
/// Inputs of the circuit, the constant one included.
pub const INPUTS: usize = 40;

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

/// Where parameters lie in a cache folder: where `prove` looks, when it is pointed at that folder.
fn store(cache: &Path) -> Store {
    Store::at(cache.join("cuzk"))
}

/// Generates the parameters unless they are there and whole.
pub fn ensure_parameters(cache: &Path) -> Result<Set> {
    struct Generate;
    impl CircuitVisitor for Generate {
        type Output = Result<Parameters<Bls12>>;
        fn visit<C: Circuit<Fr> + Send>(self, blank: impl Fn() -> C) -> Self::Output {
            Ok(parameters::generate(blank, &mut public_rng(), &())?)
        }
    }
    let make = || -> Result<_> { ID.visit_blank(Generate)? };
    let (set, _) = store(cache).ensure(&ID.parameters_name()?, make, &())?;
    Ok(set)
}

/// The parameters, digest checked. They are made in a process of their own where they are not there.
pub fn parameters(request: &Request) -> Result<Parameters<Bls12>> {
    let (store, name) = (store(&request.cache), ID.parameters_name()?);
    let set = match store.find(&name)? {
        Some(set) => set,
        None => {
            request.prepare_in_child()?;
            store
                .find(&name)?
                .with_context(|| format!("{name} is not there although it was made just now"))?
        }
    };
    Ok(set.read(&())?)
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
