//! One row against its history: how large the change is, and what may be said of it.

use serde::Serialize;

use super::ENOUGH_RUNS;
use super::rows::Row;
use crate::bench::judge::covers;
use crate::bench::metrics;
use crate::bench::stats::rank_sum::rank_sum;
use crate::bench::stats::{bootstrap, holm, median, quantile_of_sorted};
use crate::results::Rules;

/// What is said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The ratio rose, beyond doubt, beyond the margin, and beyond what it has done before.
    Regressed,
    /// The ratio fell likewise.
    Improved,
    /// No change as large as the margin.
    Equivalent,
    /// These runs can't say.
    Inconclusive,
    /// There is nothing earlier to compare it with.
    New,
    /// It was there before, and is not now.
    Missing,
    /// It says nothing itself: its arms did different work, or the run was disturbed.
    Invalid,
    /// It speaks of what the repository was made of before.
    Stale,
}

impl Verdict {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Stale => "stale",
        }
    }
}

/// How a ratio changed: numbers are factors, 1.05 for five per cent more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// New ratio / old ratio.
    pub factor: f64,
    /// Its interval.
    pub ci95: [f64; 2],
    /// The rank-sum test's p; null for a count.
    pub p: Option<f64>,
    /// The same after Holm's correction.
    pub p_adjusted: Option<f64>,
    /// The margin that applied.
    pub margin: f64,
    /// The factor that stands out of the row's own history; null where that is too short to tell.
    pub fence: Option<f64>,
}

/// The change from `old` to `new`, before the rows are corrected together. `earlier` are the ratios of earlier runs of the
/// row, oldest first, the reference among them.
pub fn change(
    old: &Row,
    new: &Row,
    earlier: &[f64],
    seeds: [u64; 2],
    rules: &Rules,
) -> Option<Change> {
    if new.is_exact() {
        // perf does not repeat as exactly as callgrind, and the rows say so.
        let margin = old.judged.margin.max(new.judged.margin);
        let factor = new.judged.ratio / old.judged.ratio;
        return Some(Change {
            factor,
            ci95: [factor, factor],
            p: None,
            p_adjusted: None,
            margin,
            fence: None,
        });
    }
    let margin = metrics::margin(&new.key.metric, rules);
    let centre = median(&new.logs)? - median(&old.logs)?;
    let [a, b] = &new.key.arms;
    let label = format!(
        "{} {} {a} {b} since {}",
        new.key.workload.name, new.key.metric, seeds[0]
    );
    let interval = interval(&old.logs, &new.logs, seeds[1], &label, rules)?;
    Some(Change {
        factor: centre.exp(),
        ci95: interval.map(f64::exp),
        p: Some(rank_sum(&old.logs, &new.logs)),
        p_adjusted: None,
        margin,
        fence: fence(earlier).map(f64::exp),
    })
}

/// The percentile interval of the difference of medians: whole pairs are drawn with replacement, from each run apart.
fn interval(old: &[f64], new: &[f64], seed: u64, label: &str, rules: &Rules) -> Option<[f64; 2]> {
    let mut rng = bootstrap::generator(seed, label);
    let mut draw = |values: &[f64]| {
        let drawn: Vec<f64> = values
            .iter()
            .map(|_| values[bootstrap::below(&mut rng, values.len())])
            .collect();
        median(&drawn)
    };
    let mut differences: Vec<f64> = (0..rules.resamples)
        .filter_map(|_| Some(draw(new)? - draw(old)?))
        .collect();
    differences.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - rules.confidence) / 2.0;
    Some([
        quantile_of_sorted(&differences, tail)?,
        quantile_of_sorted(&differences, 1.0 - tail)?,
    ])
}

/// The log of the step that would stand out: third quartile plus three interquartile ranges of the steps, whichever way,
/// from each earlier run to the next.
fn fence(earlier: &[f64]) -> Option<f64> {
    if earlier.len() < ENOUGH_RUNS {
        return None;
    }
    let mut steps: Vec<f64> = earlier
        .windows(2)
        .map(|pair| (pair[1] / pair[0]).ln().abs())
        .collect();
    steps.sort_unstable_by(f64::total_cmp);
    let (first, third) = (
        quantile_of_sorted(&steps, 0.25)?,
        quantile_of_sorted(&steps, 0.75)?,
    );
    Some(third + 3.0 * (third - first))
}

/// Corrects the p values of all rows together.
pub fn correct<'a>(changes: impl Iterator<Item = &'a mut Change>) {
    let mut tested: Vec<(&mut Change, f64)> = changes
        .filter_map(|change| change.p.map(|p| (change, p)))
        .collect();
    let p_values: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    for ((change, _), adjusted) in tested.iter_mut().zip(holm::holm(&p_values)) {
        change.p_adjusted = Some(adjusted);
    }
}

/// What may be said of a corrected change, and why no more.
pub fn verdict(
    change: &Change,
    pairs: Option<[usize; 2]>,
    rules: &Rules,
) -> (Verdict, Option<String>) {
    let widest = 1.0 + change.margin;
    let [low, high] = change.ci95;
    let within = |factor: f64| factor >= 1.0 / widest && factor <= widest;
    let direction = if change.factor > 1.0 {
        Verdict::Regressed
    } else {
        Verdict::Improved
    };
    let inconclusive = |reason: String| (Verdict::Inconclusive, Some(reason));
    let Some(pairs) = pairs else {
        let word = if within(change.factor) {
            Verdict::Equivalent
        } else {
            direction
        };
        return (word, None);
    };
    if let Some(few) = pairs
        .iter()
        .find(|pairs| !covers(**pairs, rules.confidence))
    {
        return inconclusive(format!("{few} pairs are too few for an interval"));
    }
    if within(low) && within(high) {
        return (Verdict::Equivalent, None);
    }
    if low <= 1.0 && high >= 1.0 {
        return inconclusive(
            "the interval holds both no change and more than the margin: more pairs would tell"
                .to_owned(),
        );
    }
    if change.p_adjusted.is_none_or(|p| p > rules.alpha) {
        return inconclusive(format!(
            "p is above {} when all rows are corrected together: more pairs would tell",
            rules.alpha
        ));
    }
    if within(change.factor) {
        return inconclusive(format!(
            "a change, and perhaps smaller than the {:.1} % that matter: more pairs would tell",
            change.margin * 100.0
        ));
    }
    let size = change.factor.ln().abs();
    match change.fence.filter(|fence| size <= fence.ln()) {
        Some(fence) => inconclusive(format!(
            "within the {:.1} % by which earlier runs of it differ",
            (fence - 1.0) * 100.0
        )),
        None => (direction, None),
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
