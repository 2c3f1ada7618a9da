//! From circuits to assignments.

use std::time::{Duration, Instant};

use bellperson::Circuit;
use bellperson::groth16::{ProvingAssignment, synthesize_circuits_batch};
use blstrs::Scalar as Fr;

use crate::{Error, Shape};

pub use bellperson::groth16::Capacity;

/// How to synthesise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynthesisOptions {
    /// Memory to reserve for each circuit before it starts; `None`: as it grows.
    pub capacity: Option<Capacity>,
}

/// A batch of synthesised circuits, all of one shape.
pub struct Synthesis {
    /// One a circuit, in their order; never empty.
    pub assignments: Vec<ProvingAssignment<Fr>>,
    /// Wall time of the synthesis.
    pub wall: Duration,
}

impl Synthesis {
    /// The shape of its circuits.
    pub fn shape(&self) -> Shape {
        Shape::of(&self.assignments[0])
    }
}

/// Synthesises `circuits` side by side, each on one thread of the current rayon pool.
///
/// # Errors
///
/// [`Error::NoCircuits`], [`Error::Synthesis`] where a circuit reports an error, [`Error::UnequalCircuits`] where they
/// are not all of one shape.
pub fn synthesize<C>(circuits: Vec<C>, options: &SynthesisOptions) -> Result<Synthesis, Error>
where
    C: Circuit<Fr> + Send,
{
    if circuits.is_empty() {
        return Err(Error::NoCircuits);
    }
    let start = Instant::now();
    let assignments =
        synthesize_circuits_batch(circuits, options.capacity).map_err(Error::Synthesis)?;
    let wall = start.elapsed();

    Shape::common(&assignments)?;
    Ok(Synthesis { assignments, wall })
}
