//! Holm's step-down correction for several tests at once.
//!
//! S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
//! It keeps the chance of even one false claim in the family at the level of a single test, whatever depends on what.

/// The adjusted p values, in the order of the input: each is compared with the level of the whole family.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; count];
    let mut highest: f64 = 0.0;
    for (step, index) in order.into_iter().enumerate() {
        // A later hypothesis is never adjusted below an earlier one: the procedure stops at the first that holds.
        highest = highest
            .max(p_values[index] * (count - step) as f64)
            .min(1.0);
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    /// The worked example of the encyclopedia article on the method: four hypotheses, two of them rejected at 5 %.
    #[test]
    fn four_hypotheses() {
        close(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
    }

    /// R: `p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")`.
    #[test]
    fn five_in_order() {
        close(
            &holm(&[0.01, 0.02, 0.03, 0.04, 0.05]),
            &[0.05, 0.08, 0.09, 0.09, 0.09],
        );
    }

    /// `statsmodels.stats.multitest.multipletests(p, method="holm")`.
    #[test]
    fn statsmodels_agrees() {
        close(
            &holm(&[0.0004, 0.02, 0.02, 0.3, 0.011, 0.9]),
            &[0.0024, 0.08, 0.08, 0.6, 0.055, 0.9],
        );
    }

    #[test]
    fn one_is_left_alone_and_none_stays_none() {
        close(&holm(&[0.03125]), &[0.03125]);
        assert!(holm(&[]).is_empty());
        close(&holm(&[0.9, 0.8]), &[1.0, 1.0]);
    }
}
