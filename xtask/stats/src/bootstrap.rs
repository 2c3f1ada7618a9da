//! A percentile bootstrap interval of the median.
//!
//! B. Efron, "Bootstrap methods: another look at the jackknife", The Annals of Statistics 7 (1979). Whole pairs are
//! drawn with replacement; the interval is read off the medians of the draws. The generator is seeded by the run's
//! recorded seed and the name of the row, so a result file gives the same interval wherever it is judged again.
//!
//! [`median_interval`] moves no values about: it sorts them once, counts how often each is drawn, and walks along the
//! counts to the middle. [`median_interval_by_sorting`] says the same plainly and is what it is tested against: both
//! take the same words from the generator and give the same interval, to the last bit.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::{interpolated, median_of_sorted, place_of, quantile_of_sorted};

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
    let threshold = threshold(bound);
    loop {
        if let Some(number) = scaled(rng.next_u64(), bound, threshold) {
            return number;
        }
    }
}

/// 2^64 modulo `bound`: so many words are refused, that every number below `bound` is left with as many as any other.
fn threshold(bound: u64) -> u64 {
    bound.wrapping_neg() % bound
}

/// The number that a random word stands for; `None` of a word that is refused.
fn scaled(word: u64, bound: u64, threshold: u64) -> Option<usize> {
    let product = u128::from(word) * u128::from(bound);
    (product as u64 >= threshold).then_some((product >> 64) as usize)
}

/// The interval that holds the median with the given confidence. `None` of nothing.
pub fn median_interval(
    values: &[f64],
    confidence: f64,
    resamples: usize,
    rng: &mut ChaCha8Rng,
) -> Option<[f64; 2]> {
    median_interval_by_counting(values, confidence, resamples, rng)
}

/// [`median_interval`] with any generator. It is compiled with this package only where its caller is in it.
fn median_interval_by_counting(
    values: &[f64],
    confidence: f64,
    resamples: usize,
    rng: &mut impl RngCore,
) -> Option<[f64; 2]> {
    if values.is_empty() {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut draw = Draw::new(values.len());
    let mut medians: Vec<f64> = (0..resamples)
        .filter_map(|_| middle(values, &order, draw.next(rng)))
        .collect();
    let tail = (1.0 - confidence) / 2.0;
    Some([
        quantile_by_selection(&mut medians, tail)?,
        quantile_by_selection(&mut medians, 1.0 - tail)?,
    ])
}

/// [`median_interval`] as the textbook has it: draw values, sort each draw, sort the medians.
pub fn median_interval_by_sorting(
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

/// A draw with replacement, as the number of times that each index is in it.
struct Draw {
    bound: usize,
    threshold: u64,
    words: Vec<u8>,
    counts: Vec<u32>,
}

impl Draw {
    /// `bound` must not be zero.
    fn new(bound: usize) -> Self {
        Self {
            bound,
            threshold: threshold(bound as u64),
            words: vec![0; 8 * bound],
            counts: vec![0; bound],
        }
    }

    /// Draws as many indices as there are. Words are fetched in bulk, and for each that is refused one more, so that
    /// the draw is made of the very words that [`below`] would have taken one by one.
    fn next(&mut self, rng: &mut impl RngCore) -> &[u32] {
        self.counts.fill(0);
        rng.fill_bytes(&mut self.words);
        let mut refused = 0;
        for word in self.words.as_chunks::<8>().0 {
            match scaled(u64::from_le_bytes(*word), self.bound as u64, self.threshold) {
                Some(index) => self.counts[index] += 1,
                None => refused += 1,
            }
        }
        for _ in 0..refused {
            self.counts[below(rng, self.bound)] += 1;
        }
        &self.counts
    }
}

/// The median of a draw: `order` sorts the values, `counts` says how often each is drawn. `None` of nothing.
fn middle(values: &[f64], order: &[usize], counts: &[u32]) -> Option<f64> {
    let mut ranks = order.iter();
    let mut passed = 0;
    let mut value = f64::NAN;
    // The value at a place of the sorted draw; places are asked for in rising order.
    let mut at = |place: usize| {
        while passed <= place {
            let index = *ranks.next()?;
            passed += counts[index] as usize;
            value = values[index];
        }
        Some(value)
    };
    let lower = at(order.len().checked_sub(1)? / 2)?;
    let upper = at(order.len() / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// [`quantile_of_sorted`] of values in any order, which are moved about but not sorted.
fn quantile_by_selection(values: &mut [f64], q: f64) -> Option<f64> {
    let (place, weight) = place_of(values.len(), q)?;
    let (_, lower, above) = values.select_nth_unstable_by(place, f64::total_cmp);
    let lower = *lower;
    let upper = above.iter().copied().min_by(f64::total_cmp);
    Some(interpolated(lower, upper.unwrap_or(lower), weight))
}

/// FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo. Only to tell streams apart.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "bootstrap_tests.rs"]
mod tests;
