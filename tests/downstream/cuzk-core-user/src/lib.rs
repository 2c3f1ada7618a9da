//! A chain of cubes: who knows its start can prove what its end is. Parameters, synthesis and proofs go through
//! cuzk-core.

use bellperson::groth16::Proof;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::{Bls12, Scalar};
use cuzk_core::backend::{self, Randomness};
use cuzk_core::parameters::{self, ParametersError, Set, Store};
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use ff::Field;
use rand_core::RngCore;

/// Links of a chain.
pub const LINKS: u64 = 1000;

/// Knows where a chain starts.
#[derive(Clone)]
pub struct Chain {
    /// Its start; none to make parameters of the circuit.
    pub start: Option<Scalar>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Parameters could not be made.
    #[error(transparent)]
    Generate(#[from] parameters::GenerateError),
    /// Parameters could not be kept or read.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// No proof could be made.
    #[error(transparent)]
    Prove(#[from] cuzk_core::Error),
}

impl Chain {
    /// Where the chain ends: each link is the cube of the one before it, and its number more.
    pub fn end(start: Scalar) -> Scalar {
        (0..LINKS).fold(start, |x, link| x.cube() + Scalar::from(link))
    }
}

impl Circuit<Scalar> for Chain {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let known = |value: Option<Scalar>| value.ok_or(SynthesisError::AssignmentMissing);
        let mut value = self.start;
        let mut x = cs.alloc(|| "start", || known(value))?;
        for link in 0..LINKS {
            let mut cs = cs.namespace(|| format!("link {link}"));
            let number = Scalar::from(link);
            let square = value.map(|x| x.square());
            let squared = cs.alloc(|| "square", || known(square))?;
            cs.enforce(|| "square", |lc| lc + x, |lc| lc + x, |lc| lc + squared);
            let next = value.map(|x| x.cube() + number);
            let y = if link + 1 == LINKS {
                cs.alloc_input(|| "end", || known(next))?
            } else {
                cs.alloc(|| "cube", || known(next))?
            };
            cs.enforce(
                || "cube",
                |lc| lc + squared,
                |lc| lc + x,
                |lc| lc + y - (number, CS::one()),
            );
            (x, value) = (y, next);
        }
        Ok(())
    }
}

/// The parameters in a store; made from `rng` where they are not there, and whether they were. Whoever knows `rng` can
/// forge proofs.
pub fn parameters(store: &Store, rng: &mut impl RngCore) -> Result<(Set, bool), Error> {
    let make = || Ok::<_, Error>(parameters::generate(|| Chain { start: None }, rng, &())?);
    store.ensure("chain-of-cubes", make, &())
}

/// Proves chains, one proof each.
pub fn prove(
    starts: &[Scalar],
    set: &Set,
    rng: &mut impl RngCore,
) -> Result<Vec<Proof<Bls12>>, Error> {
    let circuits = starts.iter().map(|start| Chain {
        start: Some(*start),
    });
    let synthesis = synthesize(circuits.collect(), &SynthesisOptions::default())?;
    let mut draw = || starts.iter().map(|_| Scalar::random(&mut *rng)).collect();
    let randomness = Randomness {
        r: draw(),
        s: draw(),
    };
    let parameters = set.read(&())?;
    Ok(backend::prove(synthesis, &parameters, &randomness)?.proofs)
}
