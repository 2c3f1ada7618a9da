//! Bits in every form that a gadget can be given, and the two sources of randomness behind a circuit.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::{ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// The form in which a gadget receives a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An allocated bit.
    Is,
    /// The negation of an allocated bit.
    Not,
    /// The constant one.
    True,
    /// The constant zero.
    False,
}

impl Form {
    pub(crate) const ALL: [Form; 4] = [Form::Is, Form::Not, Form::True, Form::False];

    /// Mostly allocated and negated bits with a constant now and then, as circuits in the field have them.
    /// A constant has the value zero twice as often as the value one.
    pub(crate) fn usual(random: u32) -> Form {
        match random % 16 {
            0..=8 => Form::Is,
            9..=12 => Form::Not,
            13 => Form::True,
            _ => Form::False,
        }
    }

    /// This form of an allocated bit; a constant ignores the bit.
    pub(crate) fn of(self, bit: &Boolean) -> Boolean {
        match self {
            Form::Is => bit.clone(),
            Form::Not => bit.not(),
            Form::True => Boolean::constant(true),
            Form::False => Boolean::constant(false),
        }
    }

    /// The value that [`Form::of`] has for a bit of this value.
    pub(crate) fn value(self, bit: bool) -> bool {
        match self {
            Form::Is => bit,
            Form::Not => !bit,
            Form::True => true,
            Form::False => false,
        }
    }
}

/// Randomness that shapes a circuit: the same for every seed.
pub(crate) fn structure(gadget: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(0x6375_7a6b_0000_0000 ^ gadget)
}

/// Randomness of the witness.
pub(crate) fn witness(seed: u64, gadget: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(gadget);
    rng
}

pub(crate) fn random_bits(rng: &mut impl RngCore, count: usize) -> Vec<bool> {
    (0..count).map(|_| rng.next_u32() & 1 == 1).collect()
}

/// Allocates bits under the names `PREFIX 0`, `PREFIX 1`, …
pub(crate) fn alloc_bits<F: PrimeField, CS: ConstraintSystem<F>>(
    cs: &mut CS,
    prefix: &str,
    values: &[bool],
) -> Result<Vec<Boolean>, SynthesisError> {
    values
        .iter()
        .enumerate()
        .map(|(i, &value)| {
            AllocatedBit::alloc(cs.namespace(|| format!("{prefix} {i}")), Some(value))
                .map(Boolean::from)
        })
        .collect()
}
