//! Scalars as the four 64-bit limbs of their Montgomery form, and sums of them that are reduced once.

#![allow(
    clippy::needless_range_loop,
    reason = "limbs of several numbers are named by one index"
)]

use blstrs::Scalar as Fr;

/// The limbs of a scalar's Montgomery form, the lowest first.
pub(super) type Limbs = [u64; 4];

/// The order of the scalar field.
pub(super) const MODULUS: Limbs = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// `-1 / MODULUS` modulo 2^64.
const INVERSE: u64 = 0xffff_fffe_ffff_ffff;

/// Montgomery form of 2^256: multiplying by it undoes the division of one Montgomery multiplication.
const R2: Limbs = [
    0xc999_e990_f3f2_9c6d,
    0x2b6c_edcb_8792_5c23,
    0x05d3_1496_7254_398f,
    0x0748_d9d9_9f59_ff11,
];

/// Montgomery form of one.
pub(super) const ONE: Limbs = [
    0x0000_0001_ffff_fffe,
    0x5884_b7fa_0003_4802,
    0x998c_4fef_ecbc_4ff5,
    0x1824_b159_acc5_056f,
];

const _: () = assert!(size_of::<Fr>() == 32 && align_of::<Fr>() == align_of::<Limbs>());

/// The limbs of `scalar`.
#[inline(always)]
pub(super) fn limbs(scalar: &Fr) -> &Limbs {
    // SAFETY: a `Scalar` is a transparent `blst_fr`, a C struct of four 64-bit limbs: same size, same alignment (asserted
    // above), and every bit pattern is a good `u64`.
    unsafe { &*std::ptr::from_ref(scalar).cast::<Limbs>() }
}

/// The scalar with these limbs.
#[inline(always)]
pub(super) fn scalar(limbs: Limbs) -> Fr {
    debug_assert!(is_reduced(&limbs));
    // SAFETY: as in `limbs`; every caller has reduced them below the modulus, and reading them in any case is sound.
    unsafe { std::mem::transmute::<Limbs, Fr>(limbs) }
}

/// Whether `limbs` are below the modulus.
pub(super) fn is_reduced(limbs: &Limbs) -> bool {
    less(limbs, &MODULUS)
}

#[inline(always)]
fn less(a: &Limbs, b: &Limbs) -> bool {
    let mut borrow = false;
    for i in 0..4 {
        (_, borrow) = a[i].borrowing_sub(b[i], borrow);
    }
    borrow
}

/// `MODULUS - limbs`; zero becomes the modulus, which is as good in a sum.
#[inline(always)]
pub(super) fn negated(limbs: &Limbs) -> Limbs {
    minus(&MODULUS, limbs)
}

/// `a - b`, modulo 2^256.
#[inline(always)]
pub(super) fn minus(a: &Limbs, b: &Limbs) -> Limbs {
    let mut out = [0; 4];
    let mut borrow = false;
    for i in 0..4 {
        (out[i], borrow) = a[i].borrowing_sub(b[i], borrow);
    }
    out
}

/// The scalar of an integer.
pub(super) fn integer(value: i64) -> Fr {
    let magnitude = Fr::from(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

/// A sum of products that is reduced when it is complete.
///
/// `integers` sums scalars times integers below 2^64, in Montgomery form: with fewer than 2^62 terms it stays below
/// 2^(255 + 64 + 62). `products` sums scalars times scalars, so twice in Montgomery form.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    integers: [u64; 6],
    products: [u64; 9],
    any_product: bool,
}

impl Sum {
    /// Adds `scalar`.
    #[inline(always)]
    pub(super) fn add(&mut self, scalar: &Limbs) {
        let mut carry = false;
        for i in 0..4 {
            (self.integers[i], carry) = self.integers[i].carrying_add(scalar[i], carry);
        }
        self.carry(u64::from(carry));
    }

    /// Adds `scalar` times `factor`.
    #[inline(always)]
    pub(super) fn add_times(&mut self, scalar: &Limbs, factor: u64) {
        let mut carry = 0;
        for i in 0..4 {
            (self.integers[i], carry) = scalar[i].carrying_mul_add(factor, self.integers[i], carry);
        }
        self.carry(carry);
    }

    #[inline(always)]
    fn carry(&mut self, carry: u64) {
        let (low, over) = self.integers[4].overflowing_add(carry);
        self.integers[4] = low;
        self.integers[5] += u64::from(over);
    }

    /// Adds `scalar` times a small integer of either sign.
    #[inline(always)]
    pub(super) fn add_small(&mut self, scalar: &Limbs, factor: i64) {
        match factor {
            1 => self.add(scalar),
            -1 => self.add(&negated(scalar)),
            0.. => self.add_times(scalar, factor as u64),
            _ => self.add_times(&negated(scalar), factor.unsigned_abs()),
        }
    }

    /// Adds the product of two scalars.
    #[inline(always)]
    pub(super) fn add_product(&mut self, a: &Limbs, b: &Limbs) {
        self.any_product = true;
        let mut product = [0; 8];
        for i in 0..4 {
            let mut carry = 0;
            for j in 0..4 {
                (product[i + j], carry) = a[i].carrying_mul_add(b[j], product[i + j], carry);
            }
            product[i + 4] = carry;
        }
        let mut carry = false;
        for i in 0..8 {
            (self.products[i], carry) = self.products[i].carrying_add(product[i], carry);
        }
        self.products[8] += u64::from(carry);
    }

    /// The sum.
    #[inline(always)]
    pub(super) fn value(mut self) -> Fr {
        if self.any_product {
            self.fold_products();
        }
        let [low @ .., high, top] = self.integers;
        let low = [low[0], low[1], low[2], low[3]];
        if top == 0 && high < 1 << 16 {
            return scalar(reduced(without_multiples(low, high)));
        }
        // (high + top * 2^64) * 2^256 is far below 2^256 times the modulus, so one Montgomery multiplication does.
        let high = reduced([high, top, 0, 0]);
        scalar(reduced(low)) + scalar(high) * scalar(R2)
    }

    /// Takes the factor 2^256 out of `products` and adds what remains to `integers`.
    #[inline(always)]
    fn fold_products(&mut self) {
        let mut t = self.products;
        // Adds multiples of the modulus until the lower four limbs are zero; each multiple is below 2^64.
        let mut extra = false;
        for i in 0..4 {
            let factor = t[i].wrapping_mul(INVERSE);
            let mut carry = 0;
            for j in 0..4 {
                (t[i + j], carry) = factor.carrying_mul_add(MODULUS[j], t[i + j], carry);
            }
            (t[i + 4], extra) = t[i + 4].carrying_add(carry, extra);
        }
        t[8] += u64::from(extra);
        self.add(&[t[4], t[5], t[6], t[7]]);
        self.carry(t[8]);
    }
}

/// `low + high * 2^256` less a multiple of the modulus, which leaves less than 2^256. `high` is below 2^16.
#[inline(always)]
fn without_multiples(low: Limbs, high: u64) -> Limbs {
    if high == 0 {
        return low;
    }
    // The upper 64 bits by a divisor that is a little too large: the quotient is at most one too small.
    let quotient = (high << 48 | low[3] >> 16) / ((MODULUS[3] >> 16) + 1);
    let mut out = [0; 4];
    let (mut carry, mut borrow) = (0, false);
    for i in 0..4 {
        let (multiple, over) = quotient.carrying_mul(MODULUS[i], carry);
        carry = over;
        (out[i], borrow) = low[i].borrowing_sub(multiple, borrow);
    }
    debug_assert_eq!(high, carry + u64::from(borrow));
    out
}

/// `limbs` modulo the modulus, of which 2^256 has two.
#[inline(always)]
fn reduced(mut limbs: Limbs) -> Limbs {
    while !less(&limbs, &MODULUS) {
        limbs = minus(&limbs, &MODULUS);
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    #[test]
    fn constants_are_those_of_the_field() {
        assert_eq!(*limbs(&Fr::ONE), ONE);
        assert_eq!(scalar(ONE), Fr::ONE);
        assert_eq!(scalar(R2) * scalar([1, 0, 0, 0]), Fr::ONE);
        assert_eq!(INVERSE.wrapping_mul(MODULUS[0]), u64::MAX);
        assert!(!is_reduced(&MODULUS));
        assert!(is_reduced(limbs(&-Fr::ONE)));
    }

    #[test]
    fn multiples_are_taken_away() {
        let two_256 = scalar(R2) * scalar([1, 0, 0, 0]) * scalar(ONE) * scalar(R2);
        for high in (0..1 << 16).step_by(97).chain([1, 2, (1 << 16) - 1]) {
            for low in [
                [0; 4],
                [u64::MAX; 4],
                MODULUS,
                [7, u64::MAX, 0, 1 << 63],
                ONE,
            ] {
                let expected = scalar(reduced(low)) + scalar([high, 0, 0, 0]) * two_256;
                assert_eq!(scalar(reduced(without_multiples(low, high))), expected);
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_field() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let edges = [Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2), Fr::from(3)];
        for length in [0, 1, 2, 5, 40, 3000] {
            let mut sum = Sum::default();
            let mut expected = Fr::ZERO;
            for i in 0..length {
                let pick = |rng: &mut ChaCha8Rng| match rng.next_u32() % 3 {
                    0 => edges[rng.next_u32() as usize % edges.len()],
                    _ => Fr::random(rng),
                };
                let (a, b) = (pick(&mut rng), pick(&mut rng));
                match i % 4 {
                    0 => {
                        sum.add(limbs(&a));
                        expected += a;
                    }
                    1 => {
                        let factor = [rng.next_u64(), u64::MAX, 0, 1][i / 4 % 4];
                        sum.add_times(limbs(&a), factor);
                        expected += a * Fr::from(factor);
                    }
                    2 => {
                        let factor = (rng.next_u32() % 511) as i64 - 255;
                        sum.add_small(limbs(&a), factor);
                        let times = a * Fr::from(factor.unsigned_abs());
                        expected += if factor < 0 { -times } else { times };
                    }
                    _ => {
                        sum.add_product(limbs(&a), limbs(&b));
                        expected += a * b;
                    }
                }
            }
            assert_eq!(sum.value(), expected, "{length} terms");
        }
    }
}
