//! Values of variables, and scalars of a multi-scalar multiplication: what they cost depends on how many are bits.

use blstrs::Scalar as Fr;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Of a hundred values of [`Values::Bits`], how many are zero or one. Filecoin's circuits have about as many.
const BITS_IN_A_HUNDRED: u32 = 98;

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// 98 % are zero or one, the rest fill the field.
    Bits,
    /// All of them fill the field.
    Dense,
}

impl Values {
    /// Both.
    pub const ALL: [Values; 2] = [Values::Bits, Values::Dense];

    /// How a bench's name says it.
    pub fn name(self) -> &'static str {
        match self {
            Values::Bits => "bits",
            Values::Dense => "dense",
        }
    }

    /// So many values.
    pub fn draw(self, rng: &mut ChaCha8Rng, count: usize) -> Vec<Fr> {
        let value = |_| match self {
            Values::Bits if rng.next_u32() % 100 < BITS_IN_A_HUNDRED => {
                Fr::from(u64::from(rng.next_u32() & 1))
            }
            Values::Bits | Values::Dense => Fr::random(&mut *rng),
        };
        (0..count).map(value).collect()
    }
}

/// Randomness of one bench: the same in every run and on every stack.
pub fn rng(stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(0x6375_7a6b);
    rng.set_stream(stream);
    rng
}

/// The numbers below `count` in an order that has nothing to do with theirs.
pub fn shuffled(rng: &mut ChaCha8Rng, count: usize) -> Vec<usize> {
    let mut keyed: Vec<(u64, usize)> = (0..count).map(|i| (rng.next_u64(), i)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_values_are_bits() {
        let count = 10_000;
        let bits = |values: Values| {
            let drawn = values.draw(&mut rng(1), count);
            assert_eq!(drawn.len(), count);
            let is_bit = |v: &&Fr| **v == Fr::ZERO || **v == Fr::ONE;
            drawn.iter().filter(is_bit).count()
        };
        assert!((9_700..9_900).contains(&bits(Values::Bits)));
        assert_eq!(bits(Values::Dense), 0);
    }

    #[test]
    fn a_shuffled_order_has_every_number_once() {
        let mut order = shuffled(&mut rng(2), 100);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
