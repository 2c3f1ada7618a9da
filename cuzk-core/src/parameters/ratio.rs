//! Whether points of G1 and of G2 are the same multiples of their bases.
//!
//! A file does not hold the bases g1 and g2 that it was made with, but it holds delta times each. Where the pairing of P
//! with delta_g2 equals that of delta_g1 with Q, then P is to delta_g1 what Q is to delta_g2, and since the two deltas
//! define each other, P and Q are the same multiple of g1 and g2. So beta_g1 can be compared with beta_g2, and b_g1 with
//! b_g2 point by point: all points of a block at once through their random sums, and one by one where these differ.

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt};
use group::{Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};

use super::subgroup::{Coefficients, RandomSums};

/// Compares multiples in G1 with multiples in G2.
pub(super) struct Ratio {
    minus_delta_g1: G1Affine,
    delta_g2: G2Prepared,
}

impl Ratio {
    /// With the deltas of this key, neither of which is the identity.
    pub fn of(vk: &VerifyingKey<Bls12>) -> Self {
        Self {
            minus_delta_g1: -vk.delta_g1,
            delta_g2: vk.delta_g2.into(),
        }
    }

    /// Whether `p` is to delta_g1 what `q` is to delta_g2.
    pub fn same(&self, p: G1Projective, q: G2Projective) -> bool {
        let terms = [
            (&p.to_affine(), &self.delta_g2),
            (&self.minus_delta_g1, &G2Prepared::from(q.to_affine())),
        ];
        Bls12::multi_miller_loop(&terms).final_exponentiation() == Gt::identity()
    }

    /// The first position at which `p` and `q` differ, given that their random sums do. Halves what is left in each step,
    /// with the sums of its first half.
    pub fn first_difference(
        &self,
        p: &[G1Affine],
        q: &[G2Affine],
        coefficients: &Coefficients,
    ) -> usize {
        let (mut start, mut end) = (0, p.len().min(q.len()));
        while end - start > 1 {
            let middle = start + (end - start) / 2;
            let p = RandomSums::of(&p[start..middle], start as u64, coefficients);
            let q = RandomSums::of(&q[start..middle], start as u64, coefficients);
            if self.same(p.weighted(), q.weighted()) {
                start = middle;
            } else {
                end = middle;
            }
        }
        start
    }
}
