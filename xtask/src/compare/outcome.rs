//! A comparison as a whole: every row of the new result against the history that it has.

use crate::bench::judge::covers;
use crate::results::ran::Ran;
use std::collections::BTreeSet;

use serde::Serialize;

use super::changes::{self, ArmChange};
use super::history::{History, Source};
use super::renamed;
use super::rows::{self, Key, Row, Rows, RowsError};
use super::verdict::{self, Change, Verdict};
use crate::results::{ArmRecord, Rules};

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The file that was judged.
    pub new: Named,
    /// The earlier runs, oldest first.
    pub history: Vec<Named>,
    /// The rows, in the order of the new result; missing ones last.
    pub rows: Vec<Judged>,
    /// Arms that are made of something else than in the reference.
    pub changes: Vec<ArmChange>,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// The rules of this comparison.
    pub rules: Rules,
    /// False when the new result was cut short.
    pub complete: bool,
}

/// A run by its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The file.
    pub path: String,
    /// When it began, UTC.
    pub time: String,
}

/// One row of the comparison.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Which row it is.
    pub key: Key,
    /// The row in the reference run.
    pub old: Option<Side>,
    /// The row in the new run.
    pub new: Option<Side>,
    /// From one to the other, where both can be judged.
    pub change: Option<Change>,
    /// How many earlier runs of it there are.
    pub runs: usize,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why no more can be said, or what to know about it.
    pub reason: Option<String>,
}

/// One run's part of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The file.
    pub result: String,
    /// Stamps of baseline and contender.
    pub stamps: [String; 2],
    /// Contender / baseline.
    pub ratio: f64,
    /// Its interval.
    pub ci95: [f64; 2],
    /// Pairs that it was judged from.
    pub pairs: usize,
    /// Medians of baseline and contender, in the metric's unit: for reading, not for comparing runs.
    pub median: [f64; 2],
}

/// A run with its rows.
struct Run<'a> {
    source: &'a Source,
    rows: Rows,
}

/// Compares. `stale` says why an arm of the new result is not what it would be today.
pub fn compare(
    new: &Source,
    history: History,
    stale: impl Fn(&ArmRecord) -> Option<String>,
) -> Result<Outcome, RowsError> {
    let rules = Rules::default();
    let History { runs, mut notes } = history;
    let own = rows::of(&new.path, &new.result)?;
    notes.extend(own.notes);
    if !new.result.complete {
        notes.push(format!(
            "{} was cut short: nothing in it is judged",
            new.path
        ));
    }
    let reference = plan_before(new, &runs);
    let runs = runs
        .iter()
        .filter(|source| {
            shares_a_row(new, source) || reference.is_some_and(|r| std::ptr::eq(r, *source))
        })
        .map(|source| {
            let rows = rows::of(&source.path, &source.result)?;
            notes.extend(rows.notes.iter().cloned());
            Ok(Run { source, rows })
        })
        .collect::<Result<Vec<Run>, RowsError>>()?;

    let mut judged = Vec::new();
    for row in &own.rows {
        let earlier: Vec<(&Run, &Row)> = runs
            .iter()
            .filter_map(|run| Some((run, run.rows.rows.iter().find(|r| r.key == row.key)?)))
            .collect();
        // A detail is of no interest, unless it was a headline before.
        if row.counts() || earlier.iter().any(|(_, old)| old.counts()) {
            judged.push(one(new, row, &earlier, &stale, &rules));
        }
    }
    verdict::correct(judged.iter_mut().filter_map(|row| row.change.as_mut()));
    for row in &mut judged {
        conclude(row, &rules);
    }
    let before = reference.and_then(|r| runs.iter().find(|run| std::ptr::eq(run.source, r)));
    if let Some(before) = before.filter(|_| new.result.complete) {
        missing(new, &mut judged, before);
    }
    let named = |source: &Source| Named {
        path: source.path.clone(),
        time: source.result.time.clone(),
    };
    let references: BTreeSet<&str> = judged
        .iter()
        .filter(|row| row.new.is_some())
        .filter_map(|row| Some(row.old.as_ref()?.result.as_str()))
        .collect();
    let references = runs
        .iter()
        .filter(|run| references.contains(run.source.path.as_str()));
    Ok(Outcome {
        changes: changes::of(new, references.map(|run| run.source)),
        new: named(new),
        history: runs.iter().map(|run| named(run.source)).collect(),
        rows: judged,
        notes,
        rules,
        complete: new.result.complete,
    })
}

/// A row with its change, still without a verdict where the correction has to come first.
fn one(
    new: &Source,
    row: &Row,
    earlier: &[(&Run, &Row)],
    stale: &impl Fn(&ArmRecord) -> Option<String>,
    rules: &Rules,
) -> Judged {
    let good: Vec<&(&Run, &Row)> = earlier
        .iter()
        .filter(|(_, old)| old.invalid().is_none())
        .collect();
    let mut judged = Judged {
        key: row.key.clone(),
        old: None,
        new: Some(side(new, row)),
        change: None,
        runs: good.len(),
        verdict: Verdict::New,
        reason: None,
    };
    let arms = &new.result.arms;
    let outdated = arms
        .iter()
        .filter(|arm| row.key.arms.contains(&arm.name))
        .find_map(|arm| Some(format!("{}: {}", arm.name, stale(arm)?)));
    if let Some(reason) = row.invalid() {
        judged.verdict = Verdict::Invalid;
        judged.reason = Some(reason.to_owned());
        return judged;
    }
    if outdated.is_some() {
        judged.verdict = Verdict::Stale;
        judged.reason = outdated;
        return judged;
    }
    let decides =
        |(_, old): &&&(&Run, &Row)| old.is_exact() || covers(old.logs.len(), rules.confidence);
    let Some((run, old)) = good.iter().rev().find(decides).or(good.last()) else {
        let left_out = earlier.len();
        judged.reason = (left_out > 0).then(|| {
            format!("the {left_out} earlier of it are invalid, and nothing to compare with")
        });
        return judged;
    };
    let ratios: Vec<f64> = good
        .iter()
        .filter(|(_, old)| covers(old.logs.len(), rules.confidence))
        .map(|(_, old)| old.judged.ratio)
        .collect();
    let seeds = [run.source.result.plan.seed, new.result.plan.seed];
    judged.old = Some(side(run.source, old));
    judged.change = verdict::change(old, row, &ratios, seeds, rules);
    judged
}

fn side(source: &Source, row: &Row) -> Side {
    Side {
        result: source.path.clone(),
        stamps: row.judged.stamps.clone(),
        ratio: row.judged.ratio,
        ci95: row.judged.ci95,
        pairs: row.judged.pairs,
        median: row.judged.median,
    }
}

fn conclude(row: &mut Judged, rules: &Rules) {
    let (Some(change), Some(old), Some(new)) = (&row.change, &row.old, &row.new) else {
        return;
    };
    let pairs = change.p.map(|_| [old.pairs, new.pairs]);
    let (word, reason) = verdict::verdict(change, pairs, rules);
    let moved = matches!(word, Verdict::Regressed | Verdict::Improved);
    let same_binaries = moved && old.stamps == new.stamps;
    row.verdict = word;
    row.reason = reason.or_else(|| {
        same_binaries
            .then(|| "both arms are the binaries of then: look at the machine first".to_owned())
    });
}

fn contrasts(source: &Source) -> BTreeSet<&[String; 2]> {
    source.result.plan.contrasts.iter().collect()
}

fn workloads(source: &Source) -> BTreeSet<Ran> {
    let plan = source.result.plan.workloads.iter();
    plan.map(|w| source.result.ran(&w.name)).collect()
}

/// Judging again takes time, so runs that ask another question are left alone.
fn shares_a_row(new: &Source, other: &Source) -> bool {
    !contrasts(new).is_disjoint(&contrasts(other)) && shares_a_workload(new, other)
}

fn shares_a_workload(new: &Source, other: &Source) -> bool {
    !workloads(new).is_disjoint(&workloads(other))
}

/// The newest earlier run of the same contrasts; if there is one, of a workload in common too.
fn plan_before<'a>(new: &Source, runs: &'a [Source]) -> Option<&'a Source> {
    let same: Vec<&Source> = runs
        .iter()
        .filter(|run| contrasts(run) == contrasts(new))
        .collect();
    let sharing = same.iter().rev().find(|run| shares_a_workload(new, run));
    sharing.or(same.last()).copied()
}

/// Rows that the newest earlier run of the same contrasts has, and the new one has not. Where none of its workloads are
/// shared, it was another question, and only what may have been renamed is spoken of.
fn missing(new: &Source, judged: &mut Vec<Judged>, newest: &Run) {
    let own = workloads(new);
    let is_same_plan = shares_a_workload(new, newest.source);
    let mut gone: Vec<Judged> = newest
        .rows
        .rows
        .iter()
        .filter(|row| row.counts() && !judged.iter().any(|known| known.key == row.key))
        .map(|row| Judged {
            key: row.key.clone(),
            old: Some(side(newest.source, row)),
            new: None,
            change: None,
            runs: 1,
            verdict: Verdict::Missing,
            reason: None,
        })
        .collect();
    let left: BTreeSet<Ran> = gone.iter().map(|row| row.key.workload.clone()).collect();
    let fresh = judged
        .iter_mut()
        .filter(|row| row.verdict == Verdict::New && row.reason.is_none());
    let mut suspected = BTreeSet::new();
    for row in fresh {
        let is_gone = |ran: &&Ran| !own.contains(*ran);
        let found = left.iter().filter(is_gone).find_map(|ran| {
            let why = renamed::why(&newest.source.result, ran, &new.result, &row.key.workload)?;
            Some((ran, why))
        });
        if let Some((ran, why)) = found {
            row.reason = Some(format!("perhaps renamed from {}: {why}", ran.name));
            suspected.insert(ran.clone());
        }
    }
    gone.retain(|row| is_same_plan || suspected.contains(&row.key.workload));
    judged.extend(gone);
}

impl Outcome {
    /// How many rows have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|r| r.verdict == verdict).count()
    }

    /// True when nothing regressed, and there was something to judge.
    pub fn is_good(&self) -> bool {
        let judgeable = |row: &Judged| {
            !matches!(
                row.verdict,
                Verdict::Missing | Verdict::Invalid | Verdict::Stale
            )
        };
        self.rows.iter().any(judgeable) && self.count(Verdict::Regressed) == 0
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
