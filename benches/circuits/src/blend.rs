//! Circuits with the proportions of real ones, of any size and cheap to synthesise: bits and products, no hashing.
//!
//! What a prover's time depends on, beside the size, is how many variables are bits, how many of the others occur in A and
//! in B, and how large the rows of A, B and C are. These proportions are set here, and everything else is as simple as it
//! can be.
//!
//! # Where the proportions come from
//!
//! `cargo test --release -p cuzk-benches census -- --ignored --nocapture` counts, of one circuit each:
//!
//! | of | porep-2k | window-2k |
//! | --- | --- | --- |
//! | constraints, inputs (in B) | 2,687,961, 40 (1) | 21,889, 23 (1) |
//! | private variables: 0, 1, others | 51.2 %, 47.2 %, 1.631 % | 0.5 %, 0.4 %, 99.1 % |
//! | in A: of all, and others among them | 99.60 %, 1.240 % | 75.8 %, 99.3 % |
//! | in B: of all, and others among them | 25.53 %, 4.643 % | 72.4 %, 98.8 % |
//! | tails of L, A and B (values neither 0 nor 1) | 43,806, 33,169, 31,830 | 21,928, 16,650, 15,828 |
//! | runs of such values | 158 | 81 |
//! | rows of a: 0, 1, other from -8 to 8, dense | 49.1, 18.1, 31.1, 1.70 % | 1.0, 0.5, 0, 98.4 % |
//! | rows of b: the same | 49.2, 49.7, 0, 1.18 % | 2.5, 25.1, 0, 72.3 % |
//! | rows of c: the same | 79.8, 3.0, 15.6, 1.68 % | 3.2, 0.1, 0, 96.6 % |
//!
//! [`Blend::Porep`] has those of porep-2k; a test of the workloads counts it the same way. [`Blend::Post`] has 95 % of
//! values dense, and of the dense ones as many in A and B as window-2k. [`Blend::Stress`] has 18 %, all in A and B. Real
//! circuits fill as much of their domain as they do; these fill 97 %, as that of a 32 GiB sector does.

mod variables;

use std::ops::Range;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_chacha::ChaCha8Rng;

use self::variables::{Bits, Others};
use crate::mix;

/// Public inputs, the constant one left out.
const INPUTS: usize = 39;
/// The smallest and the largest size: logarithms of domains.
pub const SIZES: Range<u32> = 8..28;
/// Which draws from a seed are for this circuit.
const STREAM: u64 = 8;

/// Proportions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Of a proof of replication: 1.6 % of the values are dense.
    Porep,
    /// Of a proof of spacetime: 95 %.
    Post,
    /// Between the two: 18 %, where no real circuit is.
    Stress,
}

/// So many of a million private variables.
struct Shares {
    /// Not bits, and in A and B.
    factors: usize,
    /// Not bits, and in A alone.
    shifts: usize,
    /// Not bits, and in C alone.
    leaves: usize,
    /// Bits in A and B. The other bits are in A alone.
    flags: usize,
    /// Private variables for each run of values that are no bits.
    run: usize,
}

impl Blend {
    const fn shares(self) -> Shares {
        match self {
            Self::Porep => Shares {
                factors: 11_852,
                shifts: 498,
                leaves: 3_961,
                flags: 243_400,
                run: 17_000,
            },
            Self::Post => Shares {
                factors: 685_700,
                shifts: 35_600,
                leaves: 228_700,
                flags: 50_000,
                run: 273,
            },
            Self::Stress => Shares {
                factors: 180_000,
                shifts: 0,
                leaves: 0,
                flags: 205_000,
                run: 1_500,
            },
        }
    }
}

/// What a private variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A bit of the witness, proven to be one: in A and B.
    Flag,
    /// The exclusive or of the bit before and the last flag: in A.
    Xor,
    /// The product of the factor before with itself, or the first one, which is of the witness: in A and B.
    Factor,
    /// The last factor and a constant: in A.
    Shift,
    /// A multiple of the last factor: in C alone.
    Leaf,
}

/// A circuit of these proportions.
#[derive(Clone, Debug)]
pub struct BlendCircuit {
    blend: Blend,
    aux: usize,
    witness: ChaCha8Rng,
}

impl BlendCircuit {
    /// The circuit that fills 97 % of a domain of 2^`size`, with the witness of a seed. Those of other numbers `index` are of
    /// the same matrices, and have other witnesses. `None` for a size that is not one of [`SIZES`].
    pub fn from_seed(blend: Blend, seed: u64, index: u32, size: u32) -> Option<Self> {
        if !SIZES.contains(&size) {
            return None;
        }
        // The prover adds a constraint for each input, the constant one included; the first factor has none of its own.
        let constraints = (1_usize << size) * 97 / 100;
        Some(Self {
            blend,
            aux: constraints - (INPUTS + 1) - INPUTS + 1,
            witness: mix::witness(seed, STREAM | u64::from(index) << 8),
        })
    }

    /// What a verifier has to be given.
    pub fn public_inputs<F: PrimeField>(&self) -> Vec<F> {
        let mut factor = F::random(self.witness.clone());
        let mut shift = None;
        let mut first = true;
        for kind in kinds(self.blend, self.aux) {
            match kind {
                Kind::Factor if first => first = false,
                Kind::Factor => factor *= factor + shift.take().unwrap_or(F::ZERO),
                Kind::Shift => {
                    shift = Some(factor + shift.take().unwrap_or(F::ZERO) + F::from(SHIFT))
                }
                Kind::Flag | Kind::Xor | Kind::Leaf => {}
            }
        }
        let last = factor + shift.unwrap_or(F::ZERO);
        (1..=INPUTS as u64).map(|i| last + F::from(i)).collect()
    }
}

const SHIFT: u64 = 7;

/// Of `n` things so many that `part` of `whole` come out over all, spread evenly, the first one early.
fn spread(n: usize, part: usize, whole: usize) -> usize {
    (n as u64 * part as u64).div_ceil(whole.max(1) as u64) as usize
}

/// Whether thing number `i` is one of those.
fn is_one(i: usize, part: usize, whole: usize) -> bool {
    spread(i + 1, part, whole) > spread(i, part, whole)
}

/// What each private variable is. Those that are no bits stand in runs, behind the bits of their part of the circuit.
fn kinds(blend: Blend, aux: usize) -> impl Iterator<Item = Kind> {
    const MILLION: usize = 1_000_000;
    let shares = blend.shares();
    let dense = shares.factors + shares.shifts + shares.leaves;
    let runs = (aux / shares.run).max(1);
    let part = move |run: usize| {
        let (start, end) = (aux * run / runs, aux * (run + 1) / runs);
        let before = spread(start, dense, MILLION);
        let after = spread(end, dense, MILLION);
        let bits = (start - before)..(end - after);
        let bits = bits.map(move |i| match is_one(i, shares.flags, MILLION - dense) {
            true => Kind::Flag,
            false => Kind::Xor,
        });
        let others = (before..after).map(move |i| {
            if is_one(i, shares.factors, dense) {
                return Kind::Factor;
            }
            let rest = i + 1 - spread(i + 1, shares.factors, dense);
            match is_one(rest - 1, shares.shifts, dense - shares.factors) {
                true => Kind::Shift,
                false => Kind::Leaf,
            }
        });
        bits.chain(others)
    };
    (0..runs).flat_map(part)
}

impl<F: PrimeField> Circuit<F> for BlendCircuit {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut bits = Bits::new(self.witness.clone());
        let mut others = Others::new(F::random(self.witness));
        for (i, kind) in kinds(self.blend, self.aux).enumerate() {
            match kind {
                Kind::Flag => bits.flag(cs, i)?,
                Kind::Xor => bits.xor(cs, i)?,
                Kind::Factor => others.factor(cs, i)?,
                Kind::Shift => others.shift(cs, i)?,
                Kind::Leaf => others.leaf(cs, i)?,
            }
        }
        others.inputs(cs)
    }
}

#[cfg(test)]
mod tests {
    use blstrs::Scalar;

    use super::*;
    use crate::matrices::Shape;
    use crate::testing;

    const ALL: [Blend; 3] = [Blend::Porep, Blend::Post, Blend::Stress];

    fn circuit(blend: Blend, seed: u64, size: u32) -> BlendCircuit {
        BlendCircuit::from_seed(blend, seed, 0, size).expect("a size")
    }

    #[test]
    fn satisfied_and_equal_to_plain_arithmetic() {
        for blend in ALL {
            for size in [8, 9, 12] {
                let circuit = circuit(blend, 3, size);
                let inputs: Vec<Scalar> = circuit.public_inputs();
                assert_eq!(inputs.len(), INPUTS);
                testing::holds(circuit, &inputs);
            }
        }
    }

    #[test]
    fn seeds_and_numbers_share_their_matrices_and_nothing_else() {
        for blend in ALL {
            testing::same_matrices(circuit(blend, 1, 10), circuit(blend, 2, 10));
            let second = BlendCircuit::from_seed(blend, 1, 1, 10).expect("a size");
            testing::same_matrices(circuit(blend, 1, 10), second.clone());
            let inputs = |circuit: &BlendCircuit| circuit.public_inputs::<Scalar>();
            assert_ne!(inputs(&circuit(blend, 1, 10)), inputs(&second));
            assert_ne!(
                inputs(&circuit(blend, 1, 10)),
                inputs(&circuit(blend, 2, 10))
            );
        }
    }

    #[test]
    fn a_false_value_is_named() {
        testing::falsified(circuit(Blend::Porep, 1, 9), "root", "row ");
    }

    #[test]
    fn the_domain_is_filled_as_promised() {
        for blend in ALL {
            for size in [8, 13] {
                let shape = Shape::of::<Scalar, _>(circuit(blend, 1, size)).expect("synthesises");
                assert_eq!(shape.inputs, INPUTS + 1);
                assert_eq!(shape.constraints, (1 << size) * 97 / 100, "{shape:?}");
                assert_eq!(shape.aux, shape.constraints - 2 * INPUTS);
            }
        }
        for size in [0, 7, 28] {
            assert!(BlendCircuit::from_seed(Blend::Post, 1, 0, size).is_none());
        }
    }
}
