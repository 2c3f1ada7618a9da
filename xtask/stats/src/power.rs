//! How small a change a number of pairs can show, and how many pairs a change needs.
//!
//! The signed-rank test needs π/3 times the observations of the t test when differences are normal (E. L. Lehmann,
//! "Nonparametrics", 1975, appendix), so the usual formula for a paired design is used with that factor. It is an
//! approximation, good to a pair or two, and is only printed: no verdict depends on it.

use std::f64::consts::PI;

use super::normal::quantile;
use super::signed_rank::smallest_p;

/// The fewest pairs whose smallest possible p value passes at `alpha` when `rows` tests are corrected together.
pub fn fewest_pairs(alpha: f64, rows: usize) -> usize {
    (1..1024)
        .find(|pairs| smallest_p(*pairs) * rows.max(1) as f64 <= alpha)
        .unwrap_or(1024)
}

/// The log ratio that `pairs` pairs with this standard deviation show with probability `power`, at `alpha` shared by
/// `rows` tests. `None` when no difference, however large, could pass.
pub fn detectable(
    deviation: f64,
    pairs: usize,
    alpha: f64,
    rows: usize,
    power: f64,
) -> Option<f64> {
    let rows = rows.max(1) as f64;
    if smallest_p(pairs) * rows > alpha {
        return None;
    }
    Some(reach(alpha / rows, power) * deviation * (PI / 3.0 / pairs as f64).sqrt())
}

/// The pairs that show a log ratio of `effect`, the inverse of [`detectable`]. `None` when there is no effect to show.
pub fn pairs_to_detect(
    effect: f64,
    deviation: f64,
    alpha: f64,
    rows: usize,
    power: f64,
) -> Option<usize> {
    if effect == 0.0 {
        return None;
    }
    let per_effect = reach(alpha / rows.max(1) as f64, power) * deviation / effect.abs();
    let pairs = (per_effect.powi(2) * PI / 3.0).ceil() as usize;
    Some(pairs.max(fewest_pairs(alpha, rows)))
}

/// The pairs whose interval of the median is expected to fit between −`margin` and `margin` when the median is
/// `centre`. `None` when it lies outside, where no number would do.
pub fn pairs_to_fit(centre: f64, margin: f64, deviation: f64, confidence: f64) -> Option<usize> {
    let room = margin - centre.abs();
    if room <= 0.0 {
        return None;
    }
    // The median of n normal values has a standard error of sqrt(π/2n) deviations.
    let half_width = quantile(f64::midpoint(1.0, confidence)) * deviation;
    Some(((half_width / room).powi(2) * PI / 2.0).ceil() as usize)
}

/// The distance between the null hypothesis and an effect that is found with this power, in standard errors.
fn reach(alpha: f64, power: f64) -> f64 {
    quantile(1.0 - alpha / 2.0) + quantile(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewest_pairs_that_can_decide() {
        // 2^-5 = 0.031 passes 0.05 alone, 2^-6 = 0.016 passes a third of it, 2^-7 = 0.008 a sixth.
        assert_eq!(fewest_pairs(0.05, 1), 6);
        assert_eq!(fewest_pairs(0.05, 3), 7);
        assert_eq!(fewest_pairs(0.05, 6), 8);
        assert_eq!(fewest_pairs(0.05, 0), 6);
    }

    /// A t test at 5 % with 90 % power reaches (1.960 + 1.282) deviations / sqrt(n).
    #[test]
    fn detectable_shrinks_with_the_root_of_the_pairs() {
        let found = detectable(0.01, 16, 0.05, 1, 0.9).expect("16 pairs can decide");
        assert!(
            (found - 3.241_515_5 * 0.01 / 4.0 * (PI / 3.0).sqrt()).abs() < 1e-8,
            "{found}"
        );
        let four_times = detectable(0.01, 64, 0.05, 1, 0.9).expect("64 pairs can decide");
        assert!((found / four_times - 2.0).abs() < 1e-12);
        assert_eq!(detectable(0.01, 5, 0.05, 1, 0.9), None);
    }

    #[test]
    fn pairs_and_effects_are_inverse() {
        let effect = detectable(0.02, 30, 0.05, 3, 0.9).expect("30 pairs can decide");
        let pairs = pairs_to_detect(effect, 0.02, 0.05, 3, 0.9).expect("an effect");
        assert!((30..=31).contains(&pairs), "{pairs}");
        assert_eq!(pairs_to_detect(0.0, 0.02, 0.05, 3, 0.9), None);
        assert_eq!(pairs_to_detect(1.0, 0.001, 0.05, 1, 0.9), Some(6));
    }

    #[test]
    fn an_interval_fits_only_where_its_centre_does() {
        assert_eq!(pairs_to_fit(0.03, 0.02, 0.01, 0.95), None);
        let found = pairs_to_fit(0.0, 0.02, 0.04, 0.95).expect("room");
        // (1.96 × 0.04 / 0.02)² × π/2 = 24.1.
        assert_eq!(found, 25);
    }
}
