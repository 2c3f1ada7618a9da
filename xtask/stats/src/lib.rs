//! The statistics that verdicts rest on, each small enough to check by hand.
//!
//! One observation is one pair of processes, reduced to `ln(b / a)`. Everything here works on a slice of those. What
//! the numbers mean for a comparison is decided where results are judged, in `xtask`.
//!
//! A package of its own, so that it is optimised where the rest of `xtask` is not: a comparison draws millions of
//! random numbers. For the same reason nothing here that takes long is generic, since generic code is compiled, and
//! left as it is, by the package that calls it.
//!
//! `reference/` holds the same numbers by other hands: `tests/reference.rs` compares them.

pub mod bootstrap;
pub mod holm;
pub mod normal;
pub mod power;
pub mod rank_sum;
mod ranks;
pub mod signed_rank;

/// The median: the middle value, or the mean of the two middle ones. `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// [`median`] of values that are sorted already.
pub fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The quantile `q` of sorted values, with linear interpolation between neighbours: definition 7 of Hyndman and Fan,
/// "Sample quantiles in statistical packages", The American Statistician 50 (1996). `None` of nothing.
pub fn quantile_of_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    let (place, weight) = place_of(sorted.len(), q)?;
    let above = (place + 1).min(sorted.len() - 1);
    Some(interpolated(sorted[place], sorted[above], weight))
}

/// Where a quantile lies among `count` sorted values: the place of the value below it, and how far it is from there to
/// the next. `None` of nothing.
fn place_of(count: usize, q: f64) -> Option<(usize, f64)> {
    let position = q.clamp(0.0, 1.0) * count.checked_sub(1)? as f64;
    let place = position.floor() as usize;
    Some((place, position - place as f64))
}

fn interpolated(lower: f64, upper: f64, weight: f64) -> f64 {
    lower + weight * (upper - lower)
}

/// The sample standard deviation (divisor n − 1). `None` of fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_nothing() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    /// `numpy.quantile([1, 2, 4, 8], q)`, whose default is the same definition.
    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let values = [1.0, 2.0, 4.0, 8.0];
        for (q, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0)] {
            let found = quantile_of_sorted(&values, q).expect("four values have every quantile");
            assert!((found - expected).abs() < 1e-12, "{q}: {found}");
        }
        assert_eq!(quantile_of_sorted(&[], 0.5), None);
    }

    #[test]
    fn deviation_has_the_sample_divisor() {
        let found =
            standard_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("eight values");
        assert!((found - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(standard_deviation(&[1.0]), None);
    }
}
