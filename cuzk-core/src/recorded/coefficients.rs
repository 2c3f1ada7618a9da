//! Coefficients as numbers of a dictionary.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::limbs::{self, Limbs, MODULUS, is_reduced};

/// A number that stands for a coefficient: `integer + SMALL_ZERO` for the small integers, in order, and from [`SMALL_COUNT`]
/// on the coefficients of the dictionary.
pub(super) type Code = u32;

/// Bits of a code.
pub(super) const CODE_BITS: u32 = 20;
/// Number of small integers, from `-SMALL_ZERO` on.
pub(super) const SMALL_COUNT: u32 = 511;
/// The code of zero, which no term has.
pub(super) const SMALL_ZERO: u32 = 255;

/// The small integer of a code.
#[inline(always)]
pub(super) fn small(code: Code) -> Option<i64> {
    (code < SMALL_COUNT).then(|| i64::from(code) - i64::from(SMALL_ZERO))
}

/// The small integer that a scalar is, if it is one that has a code.
pub(super) fn small_of(scalar: &Limbs) -> Option<i64> {
    static CODES: OnceLock<Codes> = OnceLock::new();
    let codes = CODES.get_or_init(|| Coder::default().codes);
    small(*codes.get(scalar)?)
}

type Codes = HashMap<Limbs, Code, BuildHasherDefault<LimbHasher>>;

/// The dictionary: the scalar of each code.
#[derive(Clone, Debug)]
pub(super) struct Coefficients {
    scalars: Vec<Limbs>,
}

impl Default for Coefficients {
    fn default() -> Self {
        let scalars = (0..SMALL_COUNT)
            .map(|code| *limbs::limbs(&limbs::integer(i64::from(code) - i64::from(SMALL_ZERO))))
            .collect();
        Self { scalars }
    }
}

impl Coefficients {
    /// The dictionary with these scalars besides the small integers; `None` where one is not below the modulus, or there
    /// are more than codes.
    pub(super) fn with(others: impl IntoIterator<Item = Limbs>) -> Option<Self> {
        let mut all = Self::default();
        all.scalars.extend(others);
        let good = all.scalars.len() <= 1 << CODE_BITS && all.scalars.iter().all(is_reduced);
        good.then_some(all)
    }

    /// One for each code.
    pub(super) fn scalars(&self) -> &[Limbs] {
        &self.scalars
    }

    /// Those that are not small integers.
    pub(super) fn others(&self) -> &[Limbs] {
        &self.scalars[SMALL_COUNT as usize..]
    }
}

/// A dictionary that grows as coefficients are met.
#[derive(Debug)]
pub(super) struct Coder {
    coefficients: Coefficients,
    codes: Codes,
}

impl Default for Coder {
    fn default() -> Self {
        let coefficients = Coefficients::default();
        let codes = coefficients.scalars.iter().copied().zip(0..).collect();
        Self {
            coefficients,
            codes,
        }
    }
}

impl Coder {
    /// The code of `coefficient`; `None` where there are no codes left.
    #[inline]
    pub(super) fn code(&mut self, coefficient: &Limbs) -> Option<Code> {
        if *coefficient == limbs::ONE {
            return Some(SMALL_ZERO + 1);
        }
        if let Some(code) = self.codes.get(coefficient) {
            return Some(*code);
        }
        let code = self.coefficients.scalars.len() as Code;
        if code >= 1 << CODE_BITS {
            return None;
        }
        self.coefficients.scalars.push(*coefficient);
        self.codes.insert(*coefficient, code);
        Some(code)
    }

    pub(super) fn limbs(&self, code: Code) -> &Limbs {
        &self.coefficients.scalars[code as usize]
    }

    pub(super) fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    pub(super) fn finish(self) -> Coefficients {
        self.coefficients
    }
}

/// Coefficients come from circuits, not from an adversary who profits from a slow dictionary: mixing is enough.
#[derive(Default)]
struct LimbHasher(u64);

impl Hasher for LimbHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, _: usize) {}
}

/// Twice `coefficient`.
pub(super) fn doubled(coefficient: &Limbs) -> Limbs {
    // Below 2^256, since the modulus is below 2^255.
    let mut out = [0; 4];
    let mut carry = 0;
    for (out, limb) in out.iter_mut().zip(coefficient) {
        (*out, carry) = (limb << 1 | carry, limb >> 63);
    }
    match is_reduced(&out) {
        true => out,
        false => limbs::minus(&out, &MODULUS),
    }
}

#[cfg(test)]
mod tests {
    use super::super::limbs::{limbs, scalar};
    use super::*;
    use blstrs::Scalar as Fr;
    use ff::Field;
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    #[test]
    fn codes_and_back() {
        let mut coder = Coder::default();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut all = vec![Fr::ONE, -Fr::ONE, Fr::from(255), -Fr::from(255)];
        assert_eq!(
            small(coder.code(limbs(&-Fr::from(3))).expect("free")),
            Some(-3)
        );
        all.extend((0..50).map(|_| Fr::random(&mut rng)));
        all.extend([Fr::from(256), -Fr::from(256)]);
        for coefficient in all.iter().chain(&all) {
            let code = coder.code(limbs(coefficient)).expect("free");
            assert_eq!(coder.limbs(code), limbs(coefficient));
            assert_eq!(
                small(code).is_some(),
                all.iter().position(|c| c == coefficient) < Some(4)
            );
            assert_eq!(scalar(doubled(limbs(coefficient))), coefficient.double());
        }
        let coefficients = coder.finish();
        assert_eq!(coefficients.others().len(), 52);
        let again = Coefficients::with(coefficients.others().iter().copied()).expect("good");
        assert_eq!(again.scalars(), coefficients.scalars());
        assert!(Coefficients::with([MODULUS]).is_none());
    }
}
