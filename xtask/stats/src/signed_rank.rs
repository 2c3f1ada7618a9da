//! Wilcoxon's signed-rank test, exact for any number of pairs and with ties.
//!
//! F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945). Differences of zero are
//! left out, tied magnitudes share the mean of their ranks, and the null distribution is the permutation distribution
//! of the ranks that were observed: under the null hypothesis each rank carries a plus or a minus with equal chance.
//! Mean ranks are multiples of a half, so ranks are doubled and their sums are counted as integers. No normal
//! approximation is used, whatever the number of pairs.
//!
//! `scipy.stats.wilcoxon` agrees where its method is `PermutationMethod` over all signs. Its method `exact` takes the
//! distribution of ranks without ties for ranks with ties as well, so that only untied differences may be compared
//! with it.

use super::ranks::doubled_mid_ranks;

/// What the test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Differences that were not zero.
    pub used: usize,
    /// The sum of the ranks of the positive differences.
    pub w_plus: f64,
    /// The exact two-sided p value; 1 when nothing could be ranked.
    pub p: f64,
}

/// Tests whether the differences are symmetric about zero.
pub fn signed_rank(differences: &[f64]) -> SignedRank {
    let mut ordered: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    ordered.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_mid_ranks(&ordered, |a, b| a.abs() == b.abs());
    let w_plus: usize = ordered
        .iter()
        .zip(&ranks)
        .filter(|(difference, _)| **difference > 0.0)
        .map(|(_, rank)| *rank)
        .sum();
    let distribution = sum_distribution(&ranks);
    let below: f64 = distribution[..=w_plus].iter().sum();
    let above: f64 = distribution[w_plus..].iter().sum();
    SignedRank {
        used: ordered.len(),
        w_plus: w_plus as f64 / 2.0,
        p: (2.0 * below.min(above)).min(1.0),
    }
}

/// The smallest two-sided p value that `pairs` differences can give: all of one sign.
pub fn smallest_p(pairs: usize) -> f64 {
    match i32::try_from(pairs) {
        Ok(0) => 1.0,
        Ok(n) => 2.0f64.powi(1 - n),
        Err(_) => 0.0,
    }
}

/// The probability of each sum of a random subset of the ranks, every subset equally likely.
fn sum_distribution(ranks: &[usize]) -> Vec<f64> {
    let mut probability = vec![0.0; ranks.iter().sum::<usize>() + 1];
    probability[0] = 1.0;
    let mut highest = 0;
    for rank in ranks {
        highest += rank;
        for sum in (0..=highest).rev() {
            let with = if sum >= *rank {
                probability[sum - rank]
            } else {
                0.0
            };
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    probability
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    /// Darwin's maize, as in Fisher, "The Design of Experiments" (1935), and in the documentation of
    /// `scipy.stats.wilcoxon`: statistic 24, p 0.041259765625.
    #[test]
    fn darwins_maize() {
        let heights = [
            6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.,
        ];
        let found = signed_rank(&heights);
        assert_eq!(found.used, 15);
        close(found.w_plus, 120.0 - 24.0);
        close(found.p, 0.041259765625);
    }

    /// Hollander and Wolfe, "Nonparametric Statistical Methods" (1973), table 3.1, the example of R's `wilcox.test`:
    /// V = 40, one-sided p 0.01953125.
    #[test]
    #[expect(clippy::approx_constant, reason = "a depression score of 3.14")]
    fn hamilton_depression_scale() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(&after).map(|(x, y)| x - y).collect();
        let found = signed_rank(&differences);
        close(found.w_plus, 40.0);
        close(found.p, 2.0 * 0.01953125);
    }

    /// Tail probabilities of the published tables: number of sets of ranks 1..=n with a sum of at most w, over 2^n.
    #[test]
    fn tabulated_tails() {
        for (n, w, p) in [
            (6, 0, 2.0 / 64.0),
            (8, 3, 10.0 / 256.0),
            (10, 8, 50.0 / 1024.0),
            (10, 10, 86.0 / 1024.0),
            (12, 13, 174.0 / 4096.0),
        ] {
            // Ranks whose sum is w carry the minus.
            let mut left = w;
            let differences: Vec<f64> = (1..=n)
                .rev()
                .map(|rank| {
                    if rank <= left {
                        left -= rank;
                        -f64::from(rank)
                    } else {
                        f64::from(rank)
                    }
                })
                .collect();
            assert_eq!(left, 0);
            close(signed_rank(&differences).p, p);
        }
    }

    /// `scipy.stats.wilcoxon(x, method="exact")`, and for the last one, which has ties, its permutation method over
    /// every assignment of signs; scipy 1.17.1.
    #[test]
    fn scipy_agrees() {
        let twelve = [
            0.881118, 0.664572, 0.594132, 0.328422, 0.846713, -0.436454, 0.13709, -0.182119,
            0.898846, 0.339722, 0.007543, -0.481908,
        ];
        close(signed_rank(&twelve).p, 0.0771484375);
        let twenty_five = [
            0.042808, 0.308142, 0.024397, 1.594064, 1.306724, -2.411162, -1.589013, 0.125228,
            -0.12219, 0.513643, 0.517322, 2.417839, -0.812021, -0.077605, 2.342772, 0.946703,
            0.963063, -0.214006, -1.348075, 0.467465, 0.409014, -0.927352, -0.383227, 0.227956,
            -0.644752,
        ];
        close(signed_rank(&twenty_five).p, 0.42614197731018066);
        let forty = [
            0.20173, 0.395483, 0.335586, -0.206292, 0.893748, 1.191167, 0.620848, -0.51823,
            1.031652, -0.20144, 1.179161, -0.771787, 1.214467, 0.279937, -0.948749, -0.013899,
            0.354102, 0.572791, -0.682188, -0.807373, 0.499585, -0.16675, 0.535506, 1.05952,
            -1.348787, 0.554388, 1.524647, 0.002473, -0.510815, 1.052244, 0.553447, 1.195883,
            -0.045216, -1.181818, 0.189989, -0.145828, 1.075324, 0.493633, -1.330849, -0.895163,
        ];
        close(signed_rank(&forty).p, 0.14608894804041483);
        close(
            signed_rank(&[1.2, 1.0, -0.3, 0.3, 0.7, 0.8, 1.2, 0.6, 0.2]).p,
            0.015625,
        );
    }

    /// Every assignment of signs, counted one by one.
    fn enumerated(differences: &[f64]) -> f64 {
        let mut magnitudes: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        magnitudes.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
        let rank = |value: f64| {
            let smaller = magnitudes.iter().filter(|m| m.abs() < value.abs()).count() as f64;
            let equal = magnitudes.iter().filter(|m| m.abs() == value.abs()).count() as f64;
            smaller + (equal + 1.0) / 2.0
        };
        let ranks: Vec<f64> = magnitudes.iter().map(|m| rank(*m)).collect();
        let total: f64 = ranks.iter().sum();
        let plus: f64 = magnitudes
            .iter()
            .zip(&ranks)
            .filter(|(m, _)| **m > 0.0)
            .map(|(_, r)| *r)
            .sum();
        let distance = (plus - total / 2.0).abs();
        let subsets = 1u32 << ranks.len();
        let extreme = (0..subsets).filter(|subset| {
            let sum: f64 = (0..ranks.len())
                .filter(|i| subset >> i & 1 == 1)
                .map(|i| ranks[i])
                .sum();
            (sum - total / 2.0).abs() >= distance
        });
        extreme.count() as f64 / f64::from(subsets)
    }

    #[test]
    fn ties_and_zeros_equal_plain_enumeration() {
        for differences in [
            vec![1.0, -1.0, 2.0, 2.0, 2.0, -3.0, 0.0, 4.0],
            vec![0.5; 7],
            vec![1.0, 1.0, -1.0, 3.0, -3.0, 5.0, 6.0, 6.0, 7.0, -8.0],
            vec![-2.0, -2.0, -1.0, 0.0, 0.0],
        ] {
            close(signed_rank(&differences).p, enumerated(&differences));
        }
    }

    #[test]
    fn nothing_to_rank_decides_nothing() {
        assert_eq!(signed_rank(&[]).p, 1.0);
        assert_eq!(signed_rank(&[0.0, 0.0]).used, 0);
        assert_eq!(signed_rank(&[0.0, 0.0]).p, 1.0);
    }

    #[test]
    fn smallest_p_is_reached_when_all_agree() {
        for n in 1..=12usize {
            let differences: Vec<f64> = (1..=n).map(|i| i as f64).collect();
            close(signed_rank(&differences).p, smallest_p(n));
        }
        assert_eq!(smallest_p(0), 1.0);
    }

    #[test]
    fn sixty_pairs_still_sum_to_one() {
        let ranks: Vec<usize> = (1..=60).map(|r| 2 * r).collect();
        close(sum_distribution(&ranks).iter().sum(), 1.0);
    }
}
