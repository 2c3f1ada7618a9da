//! A percentile bootstrap interval of the median.
//!
//! B. Efron, "Bootstrap methods: another look at the jackknife", The Annals of Statistics 7 (1979). Whole pairs are
//! drawn with replacement; the interval is read off the sorted medians of the draws. The generator is seeded by the
//! run's recorded seed and the name of the row, so a result file gives the same interval wherever it is judged again.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::{median_of_sorted, quantile_of_sorted};

/// A generator for one purpose of one run: the same seed and label give the same stream on every machine.
pub fn generator(seed: u64, label: &str) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(fnv1a(label.as_bytes()));
    rng
}

/// A number below `bound`, each equally likely: D. Lemire, "Fast random integer generation in an interval", ACM
/// Transactions on Modeling and Computer Simulation 29 (2019). `bound` must not be zero.
pub fn below(rng: &mut impl RngCore, bound: usize) -> usize {
    let bound = bound as u64;
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        if product as u64 >= threshold {
            return (product >> 64) as usize;
        }
    }
}

/// The interval that holds the median with the given confidence. `None` of nothing.
pub fn median_interval(
    values: &[f64],
    confidence: f64,
    resamples: usize,
    rng: &mut impl RngCore,
) -> Option<[f64; 2]> {
    if values.is_empty() {
        return None;
    }
    let mut draw = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..resamples)
        .filter_map(|_| {
            for slot in &mut draw {
                *slot = values[below(rng, values.len())];
            }
            draw.sort_unstable_by(f64::total_cmp);
            median_of_sorted(&draw)
        })
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Some([
        quantile_of_sorted(&medians, tail)?,
        quantile_of_sorted(&medians, 1.0 - tail)?,
    ])
}

/// FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo. Only to tell streams apart.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 9] = [
        -0.12, -0.11, -0.13, -0.10, -0.125, -0.09, -0.14, -0.115, -0.118,
    ];

    fn interval(seed: u64, label: &str) -> [f64; 2] {
        median_interval(&VALUES, 0.95, 10_000, &mut generator(seed, label)).expect("nine values")
    }

    #[test]
    fn a_seed_and_a_label_decide_the_interval() {
        assert_eq!(interval(7, "row"), interval(7, "row"));
        let streams: Vec<u64> = [(7, "row"), (8, "row"), (7, "other")]
            .map(|(seed, label)| generator(seed, label).next_u64())
            .to_vec();
        assert!(streams[0] != streams[1] && streams[0] != streams[2]);
    }

    /// For an odd number of distinct values the bootstrap distribution of the median is known in closed form: the
    /// median is at most the k-th value when at least (n + 1) / 2 of n draws are, a binomial probability.
    #[test]
    fn ends_agree_with_the_closed_form() {
        let n = VALUES.len() as i32;
        let mut sorted = VALUES.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let choose = |k: i32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        let at_most = |k: i32| {
            let share = f64::from(k) / f64::from(n);
            (n / 2 + 1..=n)
                .map(|j| choose(j) * share.powi(j) * (1.0 - share).powi(n - j))
                .sum::<f64>()
        };
        let value_at = |q: f64| {
            let k = (1..=n)
                .find(|k| at_most(*k) >= q)
                .expect("the last is certain");
            sorted[k as usize - 1]
        };
        assert_eq!(interval(1, "row"), [value_at(0.025), value_at(0.975)]);
    }

    #[test]
    fn one_value_is_its_own_interval() {
        let found = median_interval(&[0.5], 0.95, 100, &mut generator(1, "")).expect("one value");
        assert_eq!(found, [0.5, 0.5]);
        assert_eq!(median_interval(&[], 0.95, 100, &mut generator(1, "")), None);
    }

    #[test]
    fn numbers_below_a_bound_cover_it_evenly() {
        let mut rng = generator(3, "below");
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[below(&mut rng, 6)] += 1;
        }
        assert!(
            seen.iter().all(|count| (9_500..10_500).contains(count)),
            "{seen:?}"
        );
    }

    /// The published check values of FNV-1a, 64 bits.
    #[test]
    fn hash_of_labels() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
