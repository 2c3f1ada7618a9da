//! Circuits of real sectors, sealed with filecoin-proofs as published: proofs of spacetime, and SnapDeals. The proof of
//! replication has a module of its own.

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar as Fr;
use cuzk_core::filecoin::Partitions;
use cuzk_prove::sector::{Sector, Tree, window_post};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use storage_proofs_update::EmptySectorUpdateCircuit;
use storage_proofs_update::circuit::PrivateInputs;

/// Constraints and inputs of a sector in a WindowPoSt; one more input is the constant one.
pub const WINDOW_SHAPE: (usize, usize) = (10_933, 11);
/// Constraints and inputs of a WinningPoSt, the constant input included.
pub const WINNING_SHAPE: (usize, usize) = (90_750, 133);
/// Constraints and inputs of a SnapDeals proof, the constant input included.
pub const SNAP_SHAPE: (usize, usize) = (1_705_039, 5);

/// The circuit of a WindowPoSt's partition with this many sectors, each sealed for it, and its public inputs. The
/// registered proof of 2 KiB sectors has two in a partition, that of 32 GiB sectors 2,349.
pub fn window(seed: u64, sectors: usize) -> Result<(impl Circuit<Fr> + Clone + Send, Vec<Fr>)> {
    let in_partition = NonZeroUsize::new(sectors).context("a partition without a sector")?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sealed = (0..sectors)
        .map(|_| Sector::seal(rng.next_u64()))
        .collect::<Result<Vec<_>, _>>()
        .context("sealing the sectors")?;
    let post = window_post(&sealed.iter().collect::<Vec<_>>())?;
    only(post.circuits_in_partitions_of(in_partition)?)
}

/// The circuit of a WinningPoSt and its public inputs.
pub fn winning(seed: u64) -> Result<(impl Circuit<Fr> + Clone + Send, Vec<Fr>)> {
    only(Sector::seal(seed)?.winning_post()?.circuits()?)
}

/// The circuit of new data in a sealed sector and its public inputs.
pub fn snap(seed: u64) -> Result<(impl Circuit<Fr> + Clone + Send, Vec<Fr>)> {
    let sector = Sector::seal(seed)?;
    let (circuit, inputs) = only(sector.update()?.proof()?.circuits()?)?;
    Ok((SnapCircuit(circuit), inputs))
}

fn only<C>(mut partitions: Partitions<C>) -> Result<(C, Vec<Fr>)> {
    let one = partitions.circuits.pop().zip(partitions.inputs.pop());
    let count = partitions.circuits.len();
    one.filter(|_| count == 0)
        .context("the proof has another number of partitions than one")
}

/// Upstream's circuit cannot be cloned, and its private inputs only if a type could that they hold no value of.
struct SnapCircuit(EmptySectorUpdateCircuit<Tree>);

impl Clone for SnapCircuit {
    fn clone(&self) -> Self {
        let EmptySectorUpdateCircuit {
            pub_params,
            pub_inputs,
            priv_inputs,
        } = &self.0;
        Self(EmptySectorUpdateCircuit {
            pub_params: pub_params.clone(),
            pub_inputs: pub_inputs.clone(),
            priv_inputs: PrivateInputs {
                comm_c: priv_inputs.comm_c,
                root_r_old: priv_inputs.root_r_old,
                root_r_new: priv_inputs.root_r_new,
                apex_leafs: priv_inputs.apex_leafs.clone(),
                challenge_proofs: priv_inputs.challenge_proofs.clone(),
            },
        })
    }
}

impl Circuit<Fr> for SnapCircuit {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.0.synthesize(cs)
    }
}
