//! A comparison as a document for other programs (docs/results.md, "compare").

use serde::Serialize;

use super::changes::ArmChange;
use super::outcome::{Judged, Named, Outcome, Side};
use super::verdict::{Change, Verdict};
use crate::results::Rules;

/// The schema that this code writes.
const SCHEMA: u32 = 1;

/// The document.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: u32,
    kind: &'static str,
    new: &'a Named,
    history: &'a [Named],
    rules: Rules,
    good: bool,
    regressed: usize,
    rows: Vec<Row<'a>>,
    changes: &'a [ArmChange],
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    workload: &'a str,
    size: Option<u64>,
    threads: Option<u64>,
    arms: &'a [String; 2],
    metric: &'a str,
    counter: Option<&'a str>,
    verdict: Verdict,
    reason: Option<&'a str>,
    old: Option<&'a Side>,
    new: Option<&'a Side>,
    change: Option<Change>,
    earlier_runs: usize,
}

/// The document of a comparison.
pub fn document(outcome: &Outcome) -> Document<'_> {
    Document {
        schema: SCHEMA,
        kind: "compare",
        new: &outcome.new,
        history: &outcome.history,
        rules: outcome.rules,
        good: outcome.is_good(),
        regressed: outcome.count(Verdict::Regressed),
        rows: outcome.rows.iter().map(row).collect(),
        changes: &outcome.changes,
        notes: &outcome.notes,
    }
}

fn row(judged: &Judged) -> Row<'_> {
    Row {
        workload: &judged.key.workload.name,
        size: judged.key.workload.size,
        threads: judged.key.workload.threads,
        arms: &judged.key.arms,
        metric: &judged.key.metric,
        counter: judged.key.counter.as_deref(),
        verdict: judged.verdict,
        reason: judged.reason.as_deref(),
        old: judged.old.as_ref(),
        new: judged.new.as_ref(),
        change: judged.change,
        earlier_runs: judged.runs,
    }
}
