//! From trials to verdicts.
//!
//! Judging is a function of what a result file holds, and of nothing else: trials, plan, matrices, counts. So a stored
//! result can be judged again, and gives the same rows. The rules:
//!
//! - One observation is `ln(contender / baseline)` of a pair. Ratio: the median. Interval: percentile bootstrap over
//!   pairs. p: exact signed-rank test, corrected with Holm over the rows of a family.
//! - *invalid*: an answer differs, a workload's own check failed, the first arm differs from itself, or a time moved that
//!   nothing can touch by which the arms differ.
//! - *equivalent*: the whole interval lies within the margin. This comes before the next rule, because a difference
//!   smaller than what was called relevant before the run is not a claim, however certain it is.
//! - *improved*, *regressed*: the interval excludes 1 and the corrected p is at most alpha.
//! - *inconclusive*: everything else. It says that this run can't tell, and what would.

use std::collections::BTreeSet;

use super::stats::{bootstrap, holm, median, power, signed_rank, standard_deviation};
use super::trial::TrialError;
use super::{interaction, metrics, pairs};
use crate::results::ablation::Interaction;
use crate::results::{Comparison, Family, ResultFile, Rules, Verdict, WorkloadPlan};

/// The pairs that nobody would wait for.
const TOO_MANY_PAIRS: usize = 500;

/// What judging concludes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The rows.
    pub comparisons: Vec<Comparison>,
    /// How the optimisations of an ablation mix.
    pub interactions: Vec<Interaction>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// One metric of one contrast, before families are corrected.
struct Row {
    comparison: Comparison,
    /// `ln` of the ratio.
    centre: f64,
    /// The spread of the log ratios.
    deviation: f64,
}

/// Judges everything that a result holds.
pub fn judge(result: &ResultFile) -> Result<Judgement, TrialError> {
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for workload in &result.plan.workloads {
        for [first, second] in &result.plan.contrasts {
            rows.extend(contrast(
                result, workload, first, second, false, &mut notes,
            )?);
        }
        if let (true, Some(arm)) = (workload.control, result.arms.first()) {
            rows.extend(contrast(
                result, workload, &arm.name, &arm.name, true, &mut notes,
            )?);
        }
    }
    let rules = &result.plan.rules;
    for family in [
        Family::Headline,
        Family::Memory,
        Family::Detail,
        Family::Control,
        Family::Negative,
    ] {
        let mut members: Vec<&mut Row> = rows
            .iter_mut()
            .filter(|row| row.comparison.family == family)
            .collect();
        decide(&mut members, rules);
    }
    let mut comparisons: Vec<Comparison> = rows.into_iter().map(|row| row.comparison).collect();
    invalidate_disturbed(&mut comparisons);
    let interactions = interaction::judge(result, &comparisons)?;
    comparisons.extend(super::counters::compare::compare(result));
    // Several contrasts of a workload may have the same to say.
    let mut said = BTreeSet::new();
    notes.retain(|note| said.insert(note.clone()));
    Ok(Judgement {
        comparisons,
        interactions,
        notes,
    })
}

fn contrast(
    result: &ResultFile,
    workload: &WorkloadPlan,
    first: &str,
    second: &str,
    control: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Row>, TrialError> {
    let pairs = pairs::of(result, &workload.name, [first, second], control);
    let problem = pairs::problem(result, &workload.name, first, second, &pairs);
    let names: BTreeSet<&str> = pairs
        .iter()
        .flatten()
        .flat_map(|t| t.trial.metrics.keys())
        .map(String::as_str)
        .collect();
    let everywhere = |name: &str| {
        pairs
            .iter()
            .flatten()
            .all(|t| t.trial.metrics.contains_key(name))
    };
    let (common, partial): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| everywhere(name));
    let headline = &workload.headline;
    let missed: Vec<&str> = partial
        .into_iter()
        .filter(|name| metrics::family(name, headline).is_some())
        .collect();
    if !missed.is_empty() {
        notes.push(format!(
            "{}: left out, as {first} and {second} do not both have it: {}",
            workload.name,
            missed.join(", ")
        ));
    }
    // That binary holds less code than a workload's, and resident code counts as memory.
    let other_program = pairs::is_released(first) != pairs::is_released(second);
    let untouched = untouched(result, &workload.name, [first, second]);
    let mut rows = Vec::new();
    for metric in &common {
        let family = match metrics::family(metric, headline) {
            Some(Family::Detail | Family::Headline)
                if !control && untouched.iter().any(|name| name == metric) =>
            {
                Family::Negative
            }
            Some(Family::Memory) if other_program => {
                notes.push(format!(
                    "{}: {metric} is left out, released is another program, with less code in it",
                    workload.name
                ));
                continue;
            }
            Some(Family::Headline) if control => Family::Control,
            Some(family) if !control => family,
            _ => continue,
        };
        let values = match pairs::values(&pairs, metric) {
            Ok(values) => values,
            // A phase that takes no time in one arm has no ratio; the times that count must have one.
            Err(TrialError::NotPositive { .. })
                if matches!(family, Family::Detail | Family::Negative) =>
            {
                notes.push(format!(
                    "{}: {metric} is left out, a trial has zero there",
                    workload.name
                ));
                continue;
            }
            Err(error) => return Err(error),
        };
        let label = format!("{} {metric} {first} {second} {control}", workload.name);
        if let Some(mut row) = estimate(result, &label, &values) {
            let unit = metrics::unit(metric).to_owned();
            row.comparison = Comparison {
                workload: workload.name.clone(),
                metric: (*metric).to_owned(),
                unit,
                family,
                arms: [first.to_owned(), second.to_owned()],
                stamps: [result.stamp(first), result.stamp(second)],
                disturbed_pairs: pairs
                    .iter()
                    .filter(|p| p.iter().any(|t| t.window.disturbed))
                    .count(),
                margin: metrics::margin(metric, &result.plan.rules),
                answers_equal: problem.is_none(),
                reason: problem.clone(),
                ..row.comparison
            };
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| row.comparison.family);
    Ok(rows)
}

/// The negative controls of a contrast.
fn untouched<'a>(result: &'a ResultFile, workload: &str, arms: [&str; 2]) -> &'a [String] {
    let planned = result.plan.untouched.iter();
    planned
        .filter(|u| u.workload == workload && u.arms == arms)
        .map(|u| u.metrics.as_slice())
        .next()
        .unwrap_or_default()
}

/// Names the random numbers of a row.
pub fn label(workload: &str, metric: &str, first: &str, second: &str) -> String {
    format!("{workload} {metric} {first} {second}")
}

/// Ratio, interval and p of pairs of values; `None` of no pair.
fn estimate(result: &ResultFile, label: &str, values: &[[f64; 2]]) -> Option<Row> {
    let rules = &result.plan.rules;
    let logs: Vec<f64> = values.iter().map(|[a, b]| (b / a).ln()).collect();
    let centre = median(&logs)?;
    let mut rng = bootstrap::generator(result.plan.seed, label);
    let interval = bootstrap::median_interval(&logs, rules.confidence, rules.resamples, &mut rng)?;
    let side = |i: usize| median(&values.iter().map(|pair| pair[i]).collect::<Vec<_>>());
    Some(Row {
        centre,
        deviation: standard_deviation(&logs).unwrap_or(0.0),
        comparison: Comparison {
            workload: String::new(),
            metric: String::new(),
            unit: String::new(),
            family: Family::Detail,
            arms: Default::default(),
            stamps: Default::default(),
            median: [side(0)?, side(1)?],
            ratio: centre.exp(),
            ci95: interval.map(f64::exp),
            p: Some(signed_rank::signed_rank(&logs).p),
            p_adjusted: None,
            pairs: values.len(),
            disturbed_pairs: 0,
            margin: 0.0,
            detectable: None,
            verdict: Verdict::Invalid,
            answers_equal: true,
            reason: None,
        },
    })
}

/// Corrects the rows of a family together and gives each its verdict. Invalid rows test nothing and cost nothing.
fn decide(rows: &mut [&mut Row], rules: &Rules) {
    let mut valid: Vec<&mut &mut Row> = rows
        .iter_mut()
        .filter(|row| row.comparison.answers_equal)
        .collect();
    let p_values: Vec<f64> = valid
        .iter()
        .map(|row| row.comparison.p.unwrap_or(1.0))
        .collect();
    let count = valid.len();
    for (row, adjusted) in valid.iter_mut().zip(holm::holm(&p_values)) {
        let effect = power::detectable(
            row.deviation,
            row.comparison.pairs,
            rules.alpha,
            count,
            rules.power,
        );
        let verdict = if covers(row.comparison.pairs, rules.confidence) {
            verdict(
                row.comparison.ci95,
                adjusted,
                row.comparison.margin,
                rules.alpha,
            )
        } else {
            Verdict::Inconclusive
        };
        let reason =
            (verdict == Verdict::Inconclusive).then(|| what_would_decide(row, count, rules));
        row.comparison.p_adjusted = Some(adjusted);
        row.comparison.detectable = effect.map(|log| log.exp() - 1.0);
        row.comparison.verdict = verdict;
        row.comparison.reason = reason;
    }
}

/// Whether the widest interval that so many pairs can give, from the least ratio to the greatest, covers the median with
/// this confidence: all pairs lie on one side of it with probability 2^(1 - pairs).
pub fn covers(pairs: usize, confidence: f64) -> bool {
    let missed = (1..pairs).fold(1.0, |p, _| p / 2.0);
    pairs > 0 && 1.0 - missed >= confidence
}

/// The verdict of a row whose answers are right.
pub fn verdict(interval: [f64; 2], p_adjusted: f64, margin: f64, alpha: f64) -> Verdict {
    let [low, high] = interval;
    let widest = 1.0 + margin;
    if low >= 1.0 / widest && high <= widest {
        Verdict::Equivalent
    } else if high < 1.0 && p_adjusted <= alpha {
        Verdict::Improved
    } else if low > 1.0 && p_adjusted <= alpha {
        Verdict::Regressed
    } else {
        Verdict::Inconclusive
    }
}

/// For a row that can't be decided: how many pairs of this spread would do.
fn what_would_decide(row: &Row, rows: usize, rules: &Rules) -> String {
    let margin = (1.0 + row.comparison.margin).ln();
    let claim = power::pairs_to_detect(row.centre, row.deviation, rules.alpha, rows, rules.power);
    let fit = power::pairs_to_fit(row.centre, margin, row.deviation, rules.confidence);
    let fewest = claim.into_iter().chain(fit).min().unwrap_or(TOO_MANY_PAIRS);
    let needed = fewest.max(row.comparison.pairs + 1);
    if needed >= TOO_MANY_PAIRS {
        "more pairs would not help: make the machine quieter or the workload larger".to_owned()
    } else {
        format!("about {needed} pairs of this spread would decide it: --pairs {needed}")
    }
}

/// A machine on which an arm differs from itself can't tell two arms apart, nor one on which a time moved that the
/// difference between the arms can't touch.
fn invalidate_disturbed(comparisons: &mut [Comparison]) {
    let moved: Vec<Comparison> = comparisons
        .iter()
        .filter(|c| c.is_check() && matches!(c.verdict, Verdict::Improved | Verdict::Regressed))
        .cloned()
        .collect();
    for comparison in comparisons.iter_mut().filter(|c| !c.is_check()) {
        let check = moved.iter().find(|c| {
            c.workload == comparison.workload && (c.is_control() || c.arms == comparison.arms)
        });
        let (Some(check), true) = (check, comparison.answers_equal) else {
            continue;
        };
        let change = (check.ratio - 1.0) * 100.0;
        comparison.verdict = Verdict::Invalid;
        comparison.reason = Some(if check.is_control() {
            format!(
                "the run was disturbed: {} against itself shows {change:+.1} % of {}; run it again on a quieter machine",
                check.arms[0], check.metric
            )
        } else {
            format!(
                "{} moved by {change:+.1} %, and nothing can touch it by which {} and {} differ: the machine treated them \
                 differently, or an optimisation changes more steps than extern/stack.toml says",
                check.metric, check.arms[0], check.arms[1]
            )
        });
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
