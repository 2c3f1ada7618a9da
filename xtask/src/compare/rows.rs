//! The rows of one result, judged again from its trials.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::bench::judge::judge;
use crate::bench::pairs;
use crate::bench::trial::TrialError;
use crate::results::ran::Ran;
use crate::results::{Comparison, Family, ResultFile, Verdict};

/// A result that can't be judged again.
#[derive(Debug, Error)]
#[error("{path}: {source}")]
pub struct RowsError {
    /// The file.
    pub path: String,
    /// What is wrong in it.
    pub source: TrialError,
}

/// What makes two rows of different runs the same row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The workload.
    pub workload: Ran,
    /// Baseline and contender, by name.
    pub arms: [String; 2],
    /// The metric.
    pub metric: String,
    /// What counted, for a count.
    pub counter: Option<String>,
}

/// One row of one result.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which row it is.
    pub key: Key,
    /// What was concluded, from the trials.
    pub judged: Comparison,
    /// `ln(contender / baseline)` of each pair; empty for a count.
    pub logs: Vec<f64>,
}

impl Row {
    /// True for a row that makes a claim, as the table of a run shows it.
    pub fn counts(&self) -> bool {
        self.judged.is_claim()
    }

    /// True for a ratio without spread.
    pub fn is_exact(&self) -> bool {
        self.judged.family == Family::Instructions
    }

    /// Why it says nothing, if it is invalid.
    pub fn invalid(&self) -> Option<&str> {
        if !(self.judged.ratio.is_finite() && self.judged.ratio > 0.0) {
            return Some("its ratio is not a number above zero");
        }
        let reason = self.judged.reason.as_deref();
        (self.judged.verdict == Verdict::Invalid).then(|| reason.unwrap_or("no reason given"))
    }
}

/// The rows of a result, and what to say about the file.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// All of its rows but controls.
    pub rows: Vec<Row>,
    /// Where what is written in it is not what its trials say.
    pub notes: Vec<String>,
}

/// Judges a result again. One that was cut short has no rows.
pub fn of(path: &str, result: &ResultFile) -> Result<Rows, RowsError> {
    if !result.complete {
        return Ok(Rows::default());
    }
    let named = |source| RowsError {
        path: path.to_owned(),
        source,
    };
    let judgement = judge(result).map_err(named)?;
    let notes = disagreement(path, &result.comparisons, &judgement.comparisons);
    let claims = judgement
        .comparisons
        .into_iter()
        .filter(|c| !matches!(c.family, Family::Control | Family::Negative));
    let mut rows = Vec::new();
    for judged in claims {
        let [first, second] = [judged.arms[0].as_str(), judged.arms[1].as_str()];
        let is_count = judged.family == Family::Instructions;
        let logs = if is_count {
            Vec::new()
        } else {
            let pairs = pairs::of(result, &judged.workload, [first, second], false);
            let values = pairs::values(&pairs, &judged.metric).map_err(named)?;
            values.iter().map(|[a, b]| (b / a).ln()).collect()
        };
        let key = Key {
            workload: result.ran(&judged.workload),
            arms: judged.arms.clone(),
            metric: judged.metric.clone(),
            counter: is_count.then(|| counter(result, &judged)),
        };
        rows.push(Row { key, judged, logs });
    }
    Ok(Rows {
        rows,
        notes: notes.into_iter().collect(),
    })
}

/// What counted the events of a row: counts of different counters differ by what they count.
fn counter(result: &ResultFile, row: &Comparison) -> String {
    let event = row.metric.split('.').next().unwrap_or(&row.metric);
    let counters: BTreeSet<&str> = result
        .counts
        .iter()
        .filter(|c| c.workload == row.workload && row.arms.contains(&c.arm) && c.event == event)
        .map(|c| c.counter.as_str())
        .collect();
    counters.into_iter().collect::<Vec<_>>().join("+")
}

/// What a file concludes and its trials do not say. Intervals and p may come from another version of the statistics; which
/// rows there are, their ratios, their pairs and whether their answers agree, may not.
pub fn disagreement(path: &str, written: &[Comparison], judged: &[Comparison]) -> Option<String> {
    let same_row = |a: &Comparison, b: &Comparison| {
        (a.family, &a.workload, &a.metric, &a.arms) == (b.family, &b.workload, &b.metric, &b.arms)
    };
    let says_the_same = |a: &Comparison, b: &Comparison| {
        (a.ratio / b.ratio - 1.0).abs() < 1e-9
            && (a.pairs, a.answers_equal) == (b.pairs, b.answers_equal)
    };
    let holds = |row: &&Comparison| {
        let again = judged.iter().find(|other| same_row(row, other));
        again.is_some_and(|again| says_the_same(row, again))
    };
    let wrong: Vec<&Comparison> = written.iter().filter(|row| !holds(row)).collect();
    let left_out = |row: &&Comparison| {
        !matches!(row.family, Family::Control | Family::Negative)
            && !written.iter().any(|other| same_row(row, other))
    };
    let lacking: Vec<&Comparison> = judged.iter().filter(left_out).collect();
    let first = wrong.first().or(lacking.first())?;
    Some(format!(
        "{path}: {} of its rows are not what this code concludes from its trials ({} {}, {} against {}, is the first): judged again",
        wrong.len() + lacking.len(),
        first.workload,
        first.metric,
        first.arms[1],
        first.arms[0],
    ))
}
