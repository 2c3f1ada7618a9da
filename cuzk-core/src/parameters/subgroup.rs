//! Checking many points at once: random sums of them.
//!
//! Whether a point on the curve is in the subgroup of prime order costs a scalar multiplication. A sum of points that are
//! in it is in it. If one is not, the sum over a random half of the points is outside with a probability of at least one
//! half: whatever the rest adds up to, it cannot make up for that point both when it is taken and when it is left out. So
//! as many such sums as there are bits in a [`Coefficient`], with independent bits, all in the subgroup, let a bad point
//! pass with a probability of 2^-128, whoever made the file, as long as the bits were drawn after it was made.
//!
//! The sums are shared: each point goes into one of 256 buckets for each of the 16 bytes of its coefficient, and the sum
//! over the points with bit j of that byte set is the sum over the buckets whose number has it. A point costs 16 additions.
//!
//! The sums with the weights 2^j are the sum of the points times their coefficients, which serves to compare b_g1 with
//! b_g2.

use group::{Curve, Group};
use rand_chacha::ChaCha12Rng;
use rand_core::{OsRng, RngCore, SeedableRng};
use rayon::prelude::*;

use super::point::Point;

/// A random multiplier of 128 bits.
type Coefficient = [u8; BYTES];

/// Bytes of a coefficient.
const BYTES: usize = 16;
/// Sums that are checked.
const ROUNDS: usize = 8 * BYTES;
/// Numbers of a byte, and so buckets for one.
const BUCKETS: usize = 256;
/// Points that go into one set of buckets, so that adding these up costs little beside filling them.
const RUN: usize = 1 << 13;

/// The random coefficients of a check: the same index has the same one in every section.
#[derive(Clone)]
pub(super) struct Coefficients {
    seed: [u8; 32],
}

impl Coefficients {
    /// Draws them from the system's random source.
    pub fn random() -> Result<Self, rand_core::Error> {
        let mut seed = [0; 32];
        OsRng.try_fill_bytes(&mut seed)?;
        Ok(Self { seed })
    }

    /// Those of `count` points from `first` on.
    fn range(&self, first: u64, count: usize) -> Vec<Coefficient> {
        const WORDS: u128 = (BYTES / 4) as u128;
        let mut rng = ChaCha12Rng::from_seed(self.seed);
        rng.set_word_pos(u128::from(first) * WORDS);
        let mut coefficients = vec![[0; BYTES]; count];
        rng.fill_bytes(coefficients.as_flattened_mut());
        coefficients
    }
}

/// For each bit of the coefficients, the sum of the points whose coefficient has it.
pub(super) struct RandomSums<P: Point> {
    sums: Vec<P::Curve>,
}

impl<P: Point> RandomSums<P> {
    /// Adds up, on all cores, points on the curve of which the first has the index `first`.
    pub fn of(points: &[P], first: u64, coefficients: &Coefficients) -> Self {
        let sums = points
            .par_chunks(RUN)
            .enumerate()
            .map(|(run, points)| {
                let first = first + (run * RUN) as u64;
                let coefficients = coefficients.range(first, points.len());
                (0..BYTES)
                    .into_par_iter()
                    .flat_map_iter(|byte| sums_of_byte(points, &coefficients, byte))
                    .collect()
            })
            .reduce(
                || vec![P::Curve::identity(); ROUNDS],
                |mut sums: Vec<P::Curve>, other| {
                    for (sum, other) in sums.iter_mut().zip(other) {
                        *sum += other;
                    }
                    sums
                },
            );
        Self { sums }
    }

    /// Whether all sums are in the subgroup: so are all points, but for a chance of 2^-128.
    pub fn in_subgroup(&self) -> bool {
        self.sums
            .par_iter()
            .all(|sum| sum.to_affine().in_subgroup())
    }

    /// The sum of the points times their coefficients.
    pub fn weighted(&self) -> P::Curve {
        let sums = self.sums.iter().rev();
        sums.fold(P::Curve::identity(), |weighted, sum| {
            weighted.double() + sum
        })
    }
}

/// The sums for the eight bits of one byte of the coefficients, from the lowest on.
fn sums_of_byte<P: Point>(
    points: &[P],
    coefficients: &[Coefficient],
    byte: usize,
) -> [P::Curve; 8] {
    let mut buckets = [P::Curve::identity(); BUCKETS];
    for (point, coefficient) in points.iter().zip(coefficients) {
        buckets[usize::from(coefficient[byte])] += point;
    }
    let mut sums = [P::Curve::identity(); 8];
    for (bit, sum) in sums.iter_mut().enumerate().rev() {
        // Of the buckets up to twice this number, the upper half has the bit; without it they are those of the lower half.
        let (lower, upper) = buckets[..2 << bit].split_at_mut(1 << bit);
        for (lower, upper) in lower.iter_mut().zip(upper) {
            *sum += &*upper;
            *lower += &*upper;
        }
    }
    sums
}

/// The first of `points`, all of them on the curve, that is not in the subgroup.
///
/// `Err` where the points are not in it together and yet each of them is, which only faulty hardware can bring about.
pub(super) fn first_outside<P: Point>(
    points: &[P],
    sums: &RandomSums<P>,
) -> Result<Option<usize>, Unfounded> {
    // A few points are checked sooner than their sums.
    if points.len() <= ROUNDS {
        return Ok(first_outside_one_by_one(points));
    }
    if sums.in_subgroup() {
        return Ok(None);
    }
    first_outside_one_by_one(points).map(Some).ok_or(Unfounded)
}

/// The sums are outside the subgroup, and none of their points is.
#[derive(Debug)]
pub(super) struct Unfounded;

/// As [`first_outside`], from the definition.
pub(super) fn first_outside_one_by_one<P: Point>(points: &[P]) -> Option<usize> {
    points
        .par_iter()
        .position_first(|point| !point.in_subgroup())
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Affine, G1Projective, G2Affine, Scalar};
    use ff::{Field, PrimeField};

    use group::prime::PrimeCurveAffine;

    use super::*;
    use crate::parameters::point::decode;
    use crate::parameters::test_points::{g1_outside_subgroup, g2_outside_subgroup, on_curve};

    fn multiples<P: PrimeCurveAffine>(count: usize) -> Vec<P> {
        let step = P::generator();
        let points = std::iter::successors(Some(step.to_curve()), |point| Some(*point + step));
        points.take(count).map(|point| point.to_affine()).collect()
    }

    fn coefficients() -> Coefficients {
        Coefficients { seed: [7; 32] }
    }

    #[test]
    fn coefficients_do_not_depend_on_how_they_are_cut() {
        let all = coefficients().range(0, 100);
        assert_eq!(all[37..90], coefficients().range(37, 53));
        assert_ne!(all[0], all[1]);
        let random = || Coefficients::random().expect("random numbers").range(0, 1);
        assert_ne!(random(), random());
    }

    #[test]
    fn the_weighted_sum_is_that_of_the_definition() {
        // More than one run, and a first index that is not zero.
        let points = multiples::<G1Affine>(RUN + 100);
        let scalars = coefficients().range(5, points.len());
        let expected: G1Projective = points
            .iter()
            .zip(scalars)
            .map(|(point, coefficient)| {
                *point * Scalar::from_u128(u128::from_le_bytes(coefficient))
            })
            .sum();
        let sums = RandomSums::of(&points, 5, &coefficients());
        assert_eq!(sums.weighted(), expected);
        assert!(sums.in_subgroup());
    }

    fn finds_what_one_by_one_finds<P: Point>(outside: &[u8]) {
        let good = multiples::<P>(ROUNDS + 200);
        let outside = decode::<P>(outside).expect("a point on the curve");
        let last = good.len() - 1;
        for bad in [vec![], vec![0], vec![last], vec![3, 9], vec![ROUNDS, 200]] {
            let mut points = good.clone();
            for index in &bad {
                points[*index] = outside;
            }
            for points in [&points[..], &points[..20]] {
                let sums = RandomSums::of(points, 0, &coefficients());
                let found = first_outside(points, &sums).expect("consistent");
                assert_eq!(found, first_outside_one_by_one(points), "{bad:?}");
            }
        }
        // Two points that cancel out are found all the same.
        let mut points = good;
        points[4] = outside;
        points[8] = (-outside.to_curve()).to_affine();
        let sums = RandomSums::of(&points, 0, &coefficients());
        assert_eq!(first_outside(&points, &sums).expect("consistent"), Some(4));
    }

    #[test]
    fn points_outside_the_subgroup_are_found_in_g1() {
        finds_what_one_by_one_finds::<G1Affine>(&g1_outside_subgroup());
    }

    #[test]
    fn points_outside_the_subgroup_are_found_in_g2() {
        finds_what_one_by_one_finds::<G2Affine>(&g2_outside_subgroup());
    }

    #[test]
    fn a_part_of_order_three_is_found() {
        // The smallest order there is: every third multiplier hides it.
        fn times(point: G1Projective, multiplier: &[u8]) -> G1Projective {
            let bits = multiplier
                .iter()
                .flat_map(|byte| (0..8).map(move |bit| byte >> (7 - bit) & 1));
            bits.fold(G1Projective::identity(), |product, bit| {
                let product = product.double();
                if bit == 1 { product + point } else { product }
            })
        }
        // The curve has r (n / 3)^2 * 3 points, where n is one more than the absolute value of the curve's parameter.
        let order = (-Scalar::ONE).to_bytes_be();
        let third = (0xd201_0000_0001_0001_u64 / 3).to_be_bytes();
        let points = on_curve::<G1Affine>().map(G1Projective::from);
        let parts = points
            .map(|point| times(point, &order) + point)
            .map(|point| times(times(point, &third), &third));
        let point = parts
            .into_iter()
            .find(|point| !bool::from(point.is_identity()));
        let point = point.expect("two thirds of the curve have such a part");
        assert!(bool::from((point.double() + point).is_identity()));

        let mut points = multiples::<G1Affine>(ROUNDS + 1);
        points[7] = (point + points[7]).to_affine();
        let sums = RandomSums::of(&points, 0, &coefficients());
        assert_eq!(first_outside(&points, &sums).expect("consistent"), Some(7));
    }
}
