//! Circuits whose number of rows, of inputs and of variables in B, and whose share of dense values, are chosen one by one.
//!
//! Private variables stand in chains of eight. Each has one row, so that the number of rows is exact. Values come from the
//! witness alone: the same matrices hold for bits, for small numbers and for values that fill the field.

use std::fmt;

use bellperson::{Circuit, ConstraintSystem, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Variables of a chain.
const CHAIN: usize = 8;
/// Of so many chains one is another than the rest, where few values are dense, or most.
const RARE: usize = 64;

/// Which variables occur in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InB {
    /// None, not even the constant one.
    Empty,
    /// The constant one.
    One,
    /// A quarter of the private ones, and the constant one.
    Quarter,
    /// All private variables and all inputs but the constant one.
    Full,
}

/// How many private values are neither 0 nor 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dense {
    /// None.
    None,
    /// Those of one chain of [`RARE`].
    Few,
    /// Every second chain.
    Half,
    /// All but one chain of [`RARE`].
    Most,
    /// All.
    All,
    /// All, and each is at the edge of some number of bits, or the negative of such a one.
    Edges,
}

impl Dense {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Few,
        Self::Half,
        Self::Most,
        Self::All,
        Self::Edges,
    ];

    fn is_bits(self, chain: usize) -> bool {
        match self {
            Self::None => true,
            Self::Few => !chain.is_multiple_of(RARE),
            Self::Half => !chain.is_multiple_of(2),
            Self::Most => chain.is_multiple_of(RARE),
            Self::All | Self::Edges => false,
        }
    }
}

/// The matrices of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Rows, with those that the prover adds for the inputs.
    pub rows: usize,
    /// Public inputs, without the constant one.
    pub inputs: usize,
    /// Which variables occur in B.
    pub in_b: InB,
}

impl Shape {
    /// Private variables: one a row that is not an input's.
    pub fn private(self) -> usize {
        let of_inputs = match self.in_b {
            InB::Full => 2 * self.inputs + 1,
            _ => self.inputs + 1,
        };
        self.rows - of_inputs
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_b = match self.in_b {
            InB::Empty => "b-empty",
            InB::One => "b-one",
            InB::Quarter => "b-quarter",
            InB::Full => "b-full",
        };
        write!(f, "rows-{}-inputs-{}-{in_b}", self.rows, self.inputs)
    }
}

impl fmt::Display for Dense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "dense-none",
            Self::Few => "dense-few",
            Self::Half => "dense-half",
            Self::Most => "dense-most",
            Self::All => "dense-all",
            Self::Edges => "dense-edges",
        })
    }
}

/// A circuit with a witness.
#[derive(Clone, Debug)]
pub struct Chains {
    shape: Shape,
    dense: Dense,
    seed: u64,
    /// One private value is false, where the shape has a row that shows it.
    pub is_false: bool,
}

impl Chains {
    /// The circuit of these matrices with a witness from a seed.
    pub fn new(shape: Shape, dense: Dense, seed: u64) -> Self {
        Self {
            shape,
            dense,
            seed,
            is_false: false,
        }
    }

    /// All values, inputs first.
    fn values(&self) -> (Vec<Fr>, Vec<Fr>) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let inputs = (0..self.shape.inputs).map(|_| Fr::random(&mut rng));
        let inputs = inputs.collect();
        let mut values: Vec<Fr> = Vec::with_capacity(self.shape.private());
        for i in 0..self.shape.private() {
            let value = match (row_before(self.shape.in_b, i), values.last()) {
                (Before::Square, Some(last)) => last.square(),
                (Before::Copy, Some(last)) => *last,
                _ => self.fresh(i / CHAIN, &mut rng),
            };
            values.push(value);
        }
        if let (true, Some(value)) = (self.is_false, values.get_mut(1)) {
            *value += Fr::ONE;
        }
        (inputs, values)
    }

    fn fresh(&self, chain: usize, rng: &mut ChaCha8Rng) -> Fr {
        if self.dense.is_bits(chain) {
            return Fr::from(u64::from(rng.next_u32() & 1));
        }
        if self.dense != Dense::Edges {
            return Fr::random(rng);
        }
        // 2^bits - 1, 2^bits or 2^bits + 1, of either sign.
        let drawn = rng.next_u32();
        let power = Fr::from(2).pow_vartime([u64::from(drawn >> 8) % 254]);
        let edge = power + Fr::from(u64::from(drawn % 3)) - Fr::ONE;
        match drawn & 0x80 {
            0 => edge,
            _ => -edge,
        }
    }
}

/// What a variable is of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Square,
    Copy,
}

fn row_before(in_b: InB, i: usize) -> Before {
    match (in_b, i % CHAIN) {
        (_, 0) => Before::Nothing,
        (InB::Full, _) | (InB::Quarter, 1 | 2) => Before::Square,
        (InB::Quarter, 7) => Before::Copy,
        _ => Before::Nothing,
    }
}

impl Circuit<Fr> for Chains {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let in_b = self.shape.in_b;
        let (inputs, values) = self.values();
        for (i, input) in inputs.into_iter().enumerate() {
            let input = cs.alloc_input(|| format!("input {i}"), || Ok(input))?;
            if in_b == InB::Full {
                cs.enforce(
                    || format!("input {i} in b"),
                    |lc| lc,
                    |lc| lc + input,
                    |lc| lc,
                );
            }
        }
        let variables = values
            .into_iter()
            .enumerate()
            .map(|(i, value)| cs.alloc(|| format!("variable {i}"), || Ok(value)))
            .collect::<Result<Vec<Variable>, _>>()?;
        for (i, &x) in variables.iter().enumerate() {
            let next = variables.get(i + 1).copied();
            let next = next.map(|next| (row_before(in_b, i + 1), next));
            let row = || format!("row {i}");
            match (in_b, row_before(in_b, i), next) {
                (InB::Empty, ..) => cs.enforce(row, |lc| lc + x, |lc| lc, |lc| lc),
                (_, _, Some((Before::Square, next))) => {
                    cs.enforce(row, |lc| lc + x, |lc| lc + x, |lc| lc + next);
                }
                (InB::Full, ..) => cs.enforce(row, |lc| lc, |lc| lc + x, |lc| lc),
                (_, _, Some((Before::Copy, next))) => {
                    cs.enforce(row, |lc| lc + x, |lc| lc + CS::one(), |lc| lc + next);
                }
                // A row of zeros: its variable occurs in C alone, in the row before.
                (_, Before::Copy, _) => cs.enforce(row, |lc| lc, |lc| lc, |lc| lc),
                _ => cs.enforce(row, |lc| lc + x, |lc| lc + CS::one(), |lc| lc + x),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bellperson::util_cs::test_cs::TestConstraintSystem;
    use cuzk_core::synthesis::synthesize;

    use super::*;

    fn shape(rows: usize, inputs: usize, in_b: InB) -> Shape {
        Shape { rows, inputs, in_b }
    }

    const IN_B: [InB; 4] = [InB::Empty, InB::One, InB::Quarter, InB::Full];

    #[test]
    fn rows_inputs_and_variables_in_b_are_as_promised() {
        for in_b in IN_B {
            for rows in [15, 16, 17, 255, 1000] {
                let shape = shape(rows, 2, in_b);
                let circuit = Chains::new(shape, Dense::Half, 1);
                let is = synthesize(vec![circuit], &Default::default())
                    .expect("synthesised")
                    .shape();
                assert_eq!((is.constraints, is.inputs), (rows, 3));
                assert_eq!(is.aux, shape.private());
                let inputs = match in_b {
                    InB::Empty => 0,
                    InB::One | InB::Quarter => 1,
                    InB::Full => 2,
                };
                assert_eq!(is.b_input_density, inputs, "{in_b:?}");
                let private = is.b_aux_density as f64 / is.aux as f64;
                let wanted = match in_b {
                    InB::Empty | InB::One => 0.0..=0.0,
                    InB::Quarter => 0.2..=0.34,
                    InB::Full => 1.0..=1.0,
                };
                assert!(wanted.contains(&private), "{in_b:?} {rows}: {private}");
            }
        }
    }

    #[test]
    fn every_witness_satisfies_but_the_false_one() {
        for in_b in IN_B {
            for dense in Dense::ALL {
                for is_false in [false, true] {
                    let mut circuit = Chains::new(shape(700, 5, in_b), dense, 3);
                    circuit.is_false = is_false;
                    let mut cs = TestConstraintSystem::<Fr>::new();
                    circuit.synthesize(&mut cs).expect("synthesises");
                    let shows = is_false && matches!(in_b, InB::Quarter | InB::Full);
                    assert_eq!(cs.is_satisfied(), !shows, "{in_b:?} {dense:?}");
                }
            }
        }
    }

    #[test]
    fn the_share_of_dense_values_is_as_promised() {
        for (dense, wanted) in [
            (Dense::None, 0.0..=0.0),
            (Dense::Few, 0.01..=0.03),
            (Dense::Half, 0.49..=0.51),
            (Dense::Most, 0.97..=0.99),
            (Dense::All, 1.0..=1.0),
        ] {
            let circuit = Chains::new(shape(4096, 1, InB::One), dense, 2);
            let (_, values) = circuit.values();
            let is = values.iter().filter(|v| **v != Fr::ZERO && **v != Fr::ONE);
            let share = is.count() as f64 / values.len() as f64;
            assert!(wanted.contains(&share), "{dense:?}: {share}");
        }
    }
}
