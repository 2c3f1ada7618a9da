//! Whether a workload that is new may be one that is gone, under another name.

use std::collections::BTreeSet;

use crate::results::ResultFile;
use crate::results::ran::Ran;

/// What speaks for it that `new` of one result is `old` of an earlier one; `None` when nothing does.
///
/// The same matrices are the same circuit. Answers tell only where a seed was used twice, for inputs follow from seeds.
/// The same number of constraints is the weakest sign, and counts only where the metrics have the same names too.
pub fn why(before: &ResultFile, old: &Ran, now: &ResultFile, new: &Ran) -> Option<&'static str> {
    if old.name == new.name {
        return None;
    }
    let (matrices_before, matrices) = (matrices(before, &old.name), matrices(now, &new.name));
    if !matrices.is_empty() && !matrices_before.is_empty() {
        // They are what a circuit is; where both have them, nothing else is needed.
        return (!matrices.is_disjoint(&matrices_before)).then_some("its matrices are the same");
    }
    if !answers(before, &old.name).is_disjoint(&answers(now, &new.name)) {
        return Some("its answers are the same");
    }
    let constraints = constraints(now, &new.name)?;
    let same = constraints == self::constraints(before, &old.name)?
        && metrics(before, &old.name) == metrics(now, &new.name);
    same.then_some("it has as many constraints")
}

/// The digests of every arm's matrices, as one text each.
fn matrices(result: &ResultFile, workload: &str) -> BTreeSet<String> {
    let of_workload = result.matrices.iter().filter(|m| m.workload == workload);
    of_workload
        .filter(|m| !m.digests.is_empty())
        .map(|m| format!("{:?}", m.digests))
        .collect()
}

/// Seeds with all the answers to them.
fn answers(result: &ResultFile, workload: &str) -> BTreeSet<String> {
    let trials = result.trials.iter().map(|record| &record.trial);
    trials
        .filter(|trial| trial.workload == workload && !trial.answers.is_empty())
        .map(|trial| format!("{} {:?}", trial.seed, trial.answers))
        .collect()
}

fn constraints(result: &ResultFile, workload: &str) -> Option<f64> {
    let mut trials = result.trials.iter().map(|record| &record.trial);
    let trial = trials.find(|trial| trial.workload == workload)?;
    trial.metrics.get("constraints").copied()
}

fn metrics<'r>(result: &'r ResultFile, workload: &str) -> BTreeSet<&'r String> {
    let trials = result.trials.iter().map(|record| &record.trial);
    trials
        .filter(|trial| trial.workload == workload)
        .flat_map(|trial| trial.metrics.keys())
        .collect()
}
