//! The pairs that a result holds for two arms, and whether they may be compared at all.

use std::collections::BTreeSet;

use super::answers::first_difference;
use super::trial::{TrialError, positive};
use crate::results::{ResultFile, TrialRecord};

/// The pairs of a contrast: trials of the same round, baseline first.
pub fn of<'a>(
    result: &'a ResultFile,
    workload: &str,
    arms: [&str; 2],
    control: bool,
) -> Vec<[&'a TrialRecord; 2]> {
    let find = |round: usize, arm: &str, control: bool| {
        result.trials.iter().find(|t| {
            t.trial.workload == workload && t.round == round && t.arm == arm && t.control == control
        })
    };
    let rounds: BTreeSet<usize> = result
        .trials
        .iter()
        .filter(|t| t.trial.workload == workload)
        .map(|t| t.round)
        .collect();
    rounds
        .into_iter()
        .filter_map(|round| Some([find(round, arms[0], false)?, find(round, arms[1], control)?]))
        .collect()
}

/// The values of a metric that every trial has: baseline and contender of each pair.
pub fn values(pairs: &[[&TrialRecord; 2]], metric: &str) -> Result<Vec<[f64; 2]>, TrialError> {
    let mut values = Vec::with_capacity(pairs.len());
    for [a, b] in pairs {
        if let (Some(a), Some(b)) = (positive(&a.trial, metric)?, positive(&b.trial, metric)?) {
            values.push([a, b]);
        }
    }
    Ok(values)
}

/// Why two arms can't be compared on a workload, if they can't.
pub fn problem(
    result: &ResultFile,
    workload: &str,
    first: &str,
    second: &str,
    pairs: &[[&TrialRecord; 2]],
) -> Option<String> {
    let common_only = [first, second].iter().any(|arm| is_released(arm));
    if let Some(wrong) = pairs.iter().flatten().find(|t| !t.trial.ok) {
        let check = wrong.trial.check.as_deref().unwrap_or("no reason given");
        return Some(format!(
            "{} failed its own check with seed {}: {check}",
            wrong.arm, wrong.trial.seed
        ));
    }
    let matrices = |arm: &str| {
        result
            .matrices
            .iter()
            .find(|m| m.workload == workload && m.arm == arm)
    };
    if let (Some(a), Some(b)) = (matrices(first), matrices(second))
        && let Some(difference) = first_difference(&a.digests, &b.digests, false)
    {
        return Some(difference.describe(first, second));
    }
    pairs.iter().find_map(|[a, b]| {
        let difference = first_difference(&a.trial.answers, &b.trial.answers, common_only)?;
        Some(format!(
            "{} (seed {})",
            difference.describe(first, second),
            a.trial.seed
        ))
    })
}

/// True for an arm on upstream's public API.
pub fn is_released(arm: &str) -> bool {
    arm == "released" || arm.starts_with("released:")
}
