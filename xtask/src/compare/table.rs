//! The table of a comparison, and the sentence below it.

use std::fmt::Write;

use super::history::counted;
use super::outcome::{Judged, Outcome, Side};
use super::rows::Key;
use super::verdict::{Change, Verdict};
use crate::bench::metrics;
use crate::bench::table::{interval, probability};
use crate::results::ran::Ran;

/// Cells of a line, and remarks that take all of its width.
enum Line {
    Cells([String; 6]),
    Text(String),
}

/// The whole table: a block for each workload and pair of arms, a line for each metric.
pub fn table(outcome: &Outcome) -> String {
    let header = [
        "",
        "old ratio [95 %]",
        "new ratio [95 %]",
        "change [95 %]",
        "p",
        "verdict",
    ];
    let mut lines = vec![Line::Cells(header.map(str::to_owned))];
    let mut headings: Vec<(&Ran, &[String; 2])> = Vec::new();
    for row in &outcome.rows {
        let heading = (&row.key.workload, &row.key.arms);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for (workload, arms) in headings {
        let rows = outcome
            .rows
            .iter()
            .filter(|row| (&row.key.workload, &row.key.arms) == (workload, arms));
        let rows: Vec<&Judged> = rows.collect();
        lines.push(Line::Text(heading(workload, arms, &rows)));
        for row in rows {
            lines.push(Line::Cells(cells(row)));
            if let Some(reason) = &row.reason {
                lines.push(Line::Text(format!("    {}: {reason}", row.verdict.word())));
            }
        }
    }
    render(&lines)
}

fn heading(workload: &Ran, arms: &[String; 2], rows: &[&Judged]) -> String {
    let runs = rows.iter().filter(|row| row.new.is_some());
    let runs = match runs.map(|row| row.runs).max() {
        None => "in an earlier run only".to_owned(),
        Some(0) => "no earlier run".to_owned(),
        Some(runs) => counted(runs, "earlier run"),
    };
    format!("{}: {} against {}, {runs}", ran(workload), arms[1], arms[0])
}

/// `synth/sha256, size 32, 1 thread`.
fn ran(workload: &Ran) -> String {
    let mut text = workload.name.clone();
    if let Some(size) = workload.size {
        let _ = write!(text, ", size {size}");
    }
    if let Some(threads) = workload.threads {
        let _ = write!(text, ", {}", counted(threads as usize, "thread"));
    }
    text
}

fn cells(row: &Judged) -> [String; 6] {
    let exact = row.key.counter.is_some();
    let dash = || "-".to_owned();
    let side = |side: &Option<Side>| match side {
        Some(side) if exact => format!("{:.4} exact", side.ratio),
        Some(side) => interval(side.ratio, side.ci95),
        None => dash(),
    };
    [
        format!("  {}", row.key.metric),
        side(&row.old),
        side(&row.new),
        row.change.as_ref().map_or_else(dash, change),
        row.change
            .and_then(|c| c.p_adjusted)
            .map_or_else(dash, probability),
        row.verdict.word().to_owned(),
    ]
}

/// `+9.1 % [+5.2, +13.0]`.
fn change(change: &Change) -> String {
    let per_cent = |factor: f64| format!("{:+.1}", (factor - 1.0) * 100.0);
    if change.p.is_none() {
        return format!("{:+.2} % exact", (change.factor - 1.0) * 100.0);
    }
    let [low, high] = change.ci95.map(per_cent);
    format!("{} % [{low}, {high}]", per_cent(change.factor))
}

fn render(lines: &[Line]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| match line {
            Line::Cells(cells) => cells[column].chars().count(),
            Line::Text(_) => 0,
        });
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut text = String::new();
    for line in lines {
        match line {
            Line::Text(words) => text.push_str(words),
            Line::Cells(cells) => {
                let mut out = String::new();
                for (cell, width) in cells.iter().zip(&widths) {
                    let _ = write!(out, "{cell:<width$}  ");
                }
                text.push_str(out.trim_end());
            }
        }
        text.push('\n');
    }
    text
}

/// How to read the table.
pub fn legend(outcome: &Outcome) -> String {
    let rules = &outcome.rules;
    format!(
        "Ratio: contender / baseline, pairs side by side. Change: new ratio / old ratio; above zero is worse.\n\
         p: rank-sum test, corrected for all rows. Equivalent: the interval lies within ±{:.0} % (memory: ±{:.0} %).",
        rules.margin_time * 100.0,
        rules.margin_memory * 100.0
    )
}

/// The two sides by name.
pub fn sides(outcome: &Outcome) -> String {
    let new = format!("New: {} (begun {})", outcome.new.path, outcome.new.time);
    let old = match outcome.history.as_slice() {
        [] => "Old: no earlier result of these workloads and arms on this host class".to_owned(),
        [one] => format!("Old: {} (begun {})", one.path, one.time),
        [.., newest] => format!(
            "Old: the newest of each row in {} of this host class, up to {} (begun {})",
            counted(outcome.history.len(), "earlier result"),
            newest.path,
            newest.time
        ),
    };
    format!("{old}\n{new}")
}

/// One sentence that says what the comparison found.
pub fn sentence(outcome: &Outcome) -> String {
    if !outcome.complete {
        return format!("{} was cut short: nothing was judged.", outcome.new.path);
    }
    let named = |verdict: Verdict, word: &str| {
        let rows: Vec<String> = outcome
            .rows
            .iter()
            .filter(|row| row.verdict == verdict)
            .map(|row| subject(&row.key, row.change.as_ref()))
            .collect();
        (!rows.is_empty()).then(|| format!("{word}: {}", rows.join("; ")))
    };
    let count = |verdict: Verdict| {
        let count = outcome.count(verdict);
        (count > 0).then(|| format!("{count} {}", verdict.word()))
    };
    let others: Vec<String> = [
        Verdict::Equivalent,
        Verdict::Inconclusive,
        Verdict::New,
        Verdict::Missing,
        Verdict::Invalid,
        Verdict::Stale,
    ]
    .into_iter()
    .filter_map(count)
    .collect();
    let regressed = named(Verdict::Regressed, "Regressed");
    let none = regressed.is_none().then(|| "No row regressed".to_owned());
    let rest = (!others.is_empty()).then(|| format!("Other rows: {}", others.join(", ")));
    let parts: Vec<String> = [regressed, none, named(Verdict::Improved, "Improved"), rest]
        .into_iter()
        .flatten()
        .collect();
    let judgeable = if outcome.is_good() || outcome.count(Verdict::Regressed) > 0 {
        ""
    } else {
        " Not one row of the new result can be judged."
    };
    format!("{}.{judgeable}", parts.join(". "))
}

/// `synth/sha256 wall_s.warm of patched against pristine (+9.1 %)`.
fn subject(key: &Key, change: Option<&Change>) -> String {
    let by = change.map_or_else(String::new, |change| {
        format!(" ({:+.1} %)", (change.factor - 1.0) * 100.0)
    });
    format!(
        "{} {} of {} against {}{by}",
        key.workload.name,
        metrics::phase(&key.metric),
        key.arms[1],
        key.arms[0]
    )
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
