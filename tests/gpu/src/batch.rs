//! Batches of circuits that one proof call takes, with names that stay.

use std::fmt;

use blstrs::Scalar as Fr;
use cuzk_core::backend::Randomness;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::circuit::{Chains, Dense, InB, Shape};

/// So many circuits of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Batch {
    /// Their matrices.
    pub shape: Shape,
    /// The share of dense values of the first; each has the next share, so that a batch has unequal ones.
    pub dense: Dense,
    /// How many.
    pub circuits: usize,
}

impl Batch {
    /// One circuit.
    pub const fn one(rows: usize, inputs: usize, in_b: InB, dense: Dense) -> Self {
        Self {
            shape: Shape { rows, inputs, in_b },
            dense,
            circuits: 1,
        }
    }

    /// The circuits with their witnesses.
    pub fn circuits(&self) -> Vec<Chains> {
        let first = Dense::ALL.iter().position(|dense| *dense == self.dense);
        let first = first.unwrap_or_default();
        (0..self.circuits)
            .map(|i| {
                let dense = Dense::ALL[(first + i) % Dense::ALL.len()];
                Chains::new(self.shape, dense, 1 + i as u64)
            })
            .collect()
    }

    /// Fixed scalars r and s of each proof.
    pub fn randomness(&self) -> Randomness {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut draw = || (0..self.circuits).map(|_| Fr::random(&mut rng)).collect();
        Randomness {
            r: draw(),
            s: draw(),
        }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-x{}", self.shape, self.dense, self.circuits)
    }
}

/// What the proof after an error is made of: two circuits, variables in A and B, bits and others.
pub const NEXT: Batch = Batch {
    shape: Shape {
        rows: 1 << 10,
        inputs: 3,
        in_b: InB::Quarter,
    },
    dense: Dense::Half,
    circuits: 2,
};

/// Logarithms of the domains around which there are circuits.
const AROUND: [u32; 7] = [4, 6, 8, 10, 11, 12, 14];

/// Those whose proofs have to be the CPU's, byte by byte, on every setting.
pub fn equal() -> Vec<Batch> {
    let mut batches = Vec::new();
    for k in AROUND {
        for rows in [(1 << k) - 1, 1 << k, (1 << k) + 1] {
            batches.push(Batch::one(rows, 2, InB::Quarter, Dense::Half));
        }
    }
    for dense in Dense::ALL {
        batches.push(Batch::one(4000, 40, InB::Quarter, dense));
        for in_b in [InB::Empty, InB::One, InB::Full] {
            batches.push(Batch::one(2000, 7, in_b, dense));
        }
    }
    for (rows, inputs, in_b) in [
        (3000, 0, InB::Quarter),
        (3000, 1, InB::Full),
        (3000, 1200, InB::Quarter),
        (3000, 1200, InB::Full),
        (200, 180, InB::One),
    ] {
        batches.push(Batch::one(rows, inputs, in_b, Dense::Most));
    }
    for (rows, circuits) in [(20, 3), (2000, 2), (2000, 3), (2000, 10), (8192, 10)] {
        batches.push(Batch {
            circuits,
            ..Batch::one(rows, 7, InB::Quarter, Dense::None)
        });
    }
    batches
}

/// Those that threads prove at the same time.
pub fn threads() -> Vec<Batch> {
    vec![
        Batch::one(4000, 40, InB::Quarter, Dense::None),
        Batch::one(2000, 7, InB::Full, Dense::All),
    ]
}

/// Large enough that a cap on the GPU's memory is felt.
pub const LARGE: Batch = Batch::one((1 << 20) - 1000, 40, InB::Full, Dense::Half);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_every_kind_is_there() {
        let all = equal();
        let names: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len());
        for dense in Dense::ALL {
            assert!(all.iter().any(|batch| batch.dense == dense));
        }
        for circuits in [1, 2, 3, 10] {
            assert!(all.iter().any(|batch| batch.circuits == circuits));
        }
        assert_eq!(all[0].circuits().len(), 1);
        assert_ne!(NEXT.randomness().r, NEXT.randomness().s);
    }
}
