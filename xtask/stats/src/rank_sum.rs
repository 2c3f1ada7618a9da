//! The rank-sum test of Wilcoxon, Mann and Whitney: exact where that is cheap, with ties.
//!
//! F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945); H. B. Mann and D. R. Whitney,
//! "On a test of whether one of two random variables is stochastically larger than the other", The Annals of Mathematical
//! Statistics 18 (1947). Under the null hypothesis every choice of `n` of all `n + m` ranks is equally likely to be the
//! first sample's. Ranks are doubled, so that the mean rank of ties is a whole number.

use super::normal::quantile;
use super::ranks::doubled_mid_ranks;

/// Additions that an exact distribution may cost; beyond it the samples are large, and the normal distribution does.
const EXACT_COST: usize = 20_000_000;

/// The two-sided p value of the hypothesis that two samples come from one distribution; 1 when one of them is empty.
pub fn rank_sum(first: &[f64], second: &[f64]) -> f64 {
    if first.is_empty() || second.is_empty() {
        return 1.0;
    }
    let (few, many) = if first.len() <= second.len() {
        (first, second)
    } else {
        (second, first)
    };
    let mut all: Vec<(f64, bool)> = few.iter().map(|value| (*value, true)).collect();
    all.extend(many.iter().map(|value| (*value, false)));
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let ranks = doubled_mid_ranks(&all, |a, b| a.0 == b.0);
    let of_few = all.iter().zip(&ranks).filter(|((_, is_few), _)| *is_few);
    let observed: usize = of_few.map(|(_, rank)| rank).sum();
    let total: usize = ranks.iter().sum();
    if ranks.len() * few.len() * total <= EXACT_COST {
        exact(&ranks, few.len(), observed)
    } else {
        approximate(&ranks, few.len(), observed)
    }
}

/// Sums of every choice of `size` ranks, by how often they occur, each divided by the number of choices as it is built.
fn exact(ranks: &[usize], size: usize, observed: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    // ways[k][s]: choices of k of the ranks seen so far that add up to s.
    let mut ways = vec![vec![0.0f64; total + 1]; size + 1];
    ways[0][0] = 1.0;
    let mut highest = 0;
    for rank in ranks {
        highest += rank;
        for chosen in (1..=size).rev() {
            let (fewer, same) = ways.split_at_mut(chosen);
            let (fewer, same) = (&fewer[chosen - 1], &mut same[0]);
            for sum in *rank..=highest {
                same[sum] += fewer[sum - rank];
            }
        }
    }
    let choices: f64 = ways[size].iter().sum();
    let below: f64 = ways[size][..=observed].iter().sum();
    let above: f64 = ways[size][observed..].iter().sum();
    (2.0 * below.min(above) / choices).min(1.0)
}

/// The normal approximation, with the variance of the ranks as they are (so ties count) and a correction for continuity.
fn approximate(ranks: &[usize], size: usize, observed: usize) -> f64 {
    let count = ranks.len() as f64;
    let size = size as f64;
    let mean = ranks.iter().sum::<usize>() as f64 / count;
    let squares: f64 = ranks.iter().map(|rank| (*rank as f64 - mean).powi(2)).sum();
    let variance = size * (count - size) / (count * (count - 1.0)) * squares;
    if variance <= 0.0 {
        return 1.0;
    }
    // Doubled ranks: half a rank is one.
    let distance = ((observed as f64 - size * mean).abs() - 1.0).max(0.0);
    (2.0 * upper_tail(distance / variance.sqrt())).min(1.0)
}

/// The probability that a standard normal variable is above `z`, which is not negative: the quantile turned over, by
/// halving an interval of logarithms.
fn upper_tail(z: f64) -> f64 {
    let (mut low, mut high) = (-690.0f64, 0.5f64.ln());
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if -quantile(middle.exp()) > z {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() < within,
            "{found} is not {expected}"
        );
    }

    /// Hollander and Wolfe, "Nonparametric Statistical Methods" (1973), table 4.1, the example of R's `wilcox.test`:
    /// W = 35, one-sided p 0.1272.
    #[test]
    fn permeability_of_membranes() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        close(rank_sum(&at_term, &earlier), 2.0 * 0.12721, 1e-4);
        close(
            rank_sum(&earlier, &at_term),
            rank_sum(&at_term, &earlier),
            1e-12,
        );
    }

    /// Complete separation: two of all choices are as extreme.
    #[test]
    fn complete_separation() {
        for (n, m, choices) in [(6usize, 6usize, 924.0), (4, 4, 70.0), (9, 9, 48_620.0)] {
            let first: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let second: Vec<f64> = (0..m).map(|i| 100.0 + i as f64).collect();
            close(rank_sum(&first, &second), 2.0 / choices, 1e-12);
        }
    }

    /// Every choice of positions, one by one.
    fn enumerated(first: &[f64], second: &[f64]) -> f64 {
        let mut all: Vec<(f64, bool)> = first.iter().map(|v| (*v, true)).collect();
        all.extend(second.iter().map(|v| (*v, false)));
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let ranks = doubled_mid_ranks(&all, |a, b| a.0 == b.0);
        let observed: usize = (0..all.len()).filter(|i| all[*i].1).map(|i| ranks[i]).sum();
        let (mut below, mut above, mut count) = (0.0, 0.0, 0.0);
        for choice in 0..1u32 << ranks.len() {
            if choice.count_ones() as usize != first.len() {
                continue;
            }
            let chosen = (0..ranks.len()).filter(|i| choice >> i & 1 == 1);
            let sum: usize = chosen.map(|i| ranks[i]).sum();
            count += 1.0;
            below += f64::from(sum <= observed);
            above += f64::from(sum >= observed);
        }
        (2.0 * f64::min(below, above) / count).min(1.0)
    }

    #[test]
    fn ties_equal_plain_enumeration() {
        for (first, second) in [
            (vec![1.0, 2.0, 2.0, 3.0], vec![2.0, 3.0, 3.0, 5.0, 8.0]),
            (vec![1.0; 5], vec![1.0; 6]),
            (
                vec![0.0, 0.0, 7.0],
                vec![-1.0, 0.0, 2.0, 2.0, 9.0, 9.0, 10.0],
            ),
        ] {
            close(
                rank_sum(&first, &second),
                enumerated(&first, &second),
                1e-12,
            );
        }
    }

    /// Where both can be had, the approximation is near the exact value.
    #[test]
    fn large_samples_take_the_normal_distribution() {
        close(upper_tail(1.959_963_984_540_054), 0.025, 1e-12);
        close(upper_tail(0.0), 0.5, 1e-12);
        let ranks: Vec<usize> = (1..=50).map(|rank| 2 * rank).collect();
        for observed in [1_050, 1_150, 1_250] {
            let (exact, near) = (
                exact(&ranks, 25, observed),
                approximate(&ranks, 25, observed),
            );
            close(near, exact, 0.03 * exact + 1e-4);
        }
        let first: Vec<f64> = (0..150).map(f64::from).collect();
        let shifted: Vec<f64> = first.iter().map(|v| v + 60.5).collect();
        assert!(rank_sum(&first, &shifted) < 1e-9);
        assert!(rank_sum(&first, &first) > 0.99);
        close(approximate(&[7; 400], 200, 1400), 1.0, 1e-12);
    }

    #[test]
    fn nothing_to_rank_decides_nothing() {
        close(rank_sum(&[], &[1.0]), 1.0, 1e-12);
        close(rank_sum(&[1.0], &[1.0]), 1.0, 1e-12);
    }
}
