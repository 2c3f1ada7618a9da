//! The table that a run ends with, and the sentence below it.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::metrics;
use crate::results::{Comparison, Family, ResultFile, Verdict};

/// The widest line that a table has with names of the usual length.
#[cfg(test)]
const WIDTH: usize = 100;

/// The rows that a person is shown; details stay in the JSON.
fn shown(result: &ResultFile) -> impl Iterator<Item = &Comparison> {
    result
        .comparisons
        .iter()
        .filter(|c| c.family != Family::Detail)
}

/// The whole table: a block for each workload and contrast, a line for each metric.
pub fn table(result: &ResultFile) -> String {
    let columns = [
        "",
        "baseline",
        "contender",
        "ratio [95 % interval]",
        "p",
        "pairs",
        "verdict",
    ];
    let mut lines: Vec<Line> = vec![Line::Cells(columns.map(str::to_owned))];
    let mut headings: Vec<(String, [String; 2])> = Vec::new();
    for row in shown(result) {
        let heading = (row.workload.clone(), row.arms.clone());
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for (workload, arms) in headings {
        let rows: Vec<&Comparison> = shown(result)
            .filter(|c| c.workload == workload && c.arms == arms)
            .collect();
        lines.push(Line::Heading(heading(result, &workload, &arms, &rows)));
        for row in rows {
            lines.push(Line::Cells(cells(row)));
            lines.extend(
                row.reason
                    .iter()
                    .map(|reason| Line::Remark(format!("{}: {reason}", row.verdict.word()))),
            );
        }
    }
    render(&lines)
}

enum Line {
    Heading(String),
    Cells([String; 7]),
    Remark(String),
}

fn heading(
    result: &ResultFile,
    workload: &str,
    arms: &[String; 2],
    rows: &[&Comparison],
) -> String {
    let plan = result.plan.workloads.iter().find(|w| w.name == workload);
    let size = plan
        .and_then(|w| w.size)
        .map_or_else(String::new, |size| format!(", size {size}"));
    let threads = match plan.and_then(|w| w.threads) {
        Some(1) => ", 1 thread".to_owned(),
        Some(n) => format!(", {n} threads"),
        None => ", all cores".to_owned(),
    };
    let answers = if rows.iter().all(|row| row.answers_equal) {
        "answers equal"
    } else {
        "ANSWERS DIFFER"
    };
    let subject = if rows.iter().any(|row| row.is_control()) {
        format!("{} against itself", arms[0])
    } else {
        format!("{} against {}", arms[1], arms[0])
    };
    let disturbed = rows
        .iter()
        .map(|row| row.disturbed_pairs)
        .max()
        .unwrap_or(0);
    let busy = if disturbed == 0 {
        String::new()
    } else {
        format!(", machine busy in {disturbed} pairs")
    };
    format!("{workload}: {subject}{size}{threads}, {answers}{busy}")
}

fn cells(row: &Comparison) -> [String; 7] {
    [
        format!("  {}", row.metric),
        metrics::show(row.median[0], &row.unit),
        metrics::show(row.median[1], &row.unit),
        match row.p {
            Some(_) => interval(row.ratio, row.ci95),
            None => format!("{:.4} exact", row.ratio),
        },
        row.p_adjusted.map_or_else(|| "-".to_owned(), probability),
        if row.p.is_some() {
            row.pairs.to_string()
        } else {
            "-".to_owned()
        },
        row.verdict.word().to_owned(),
    ]
}

/// `0.812 [0.801, 0.823]`.
pub fn interval(ratio: f64, ci95: [f64; 2]) -> String {
    format!("{ratio:.3} [{:.3}, {:.3}]", ci95[0], ci95[1])
}

/// A p value: three digits are all that anybody reads.
pub fn probability(p: f64) -> String {
    if p < 0.001 {
        "<0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

fn render(lines: &[Line]) -> String {
    let rows: Vec<&[String; 7]> = lines
        .iter()
        .filter_map(|line| {
            if let Line::Cells(cells) = line {
                Some(cells)
            } else {
                None
            }
        })
        .collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let mut text = String::new();
    for line in lines {
        match line {
            Line::Heading(heading) => text.push_str(&format!("{heading}\n")),
            Line::Remark(remark) => text.push_str(&format!("    {remark}\n")),
            Line::Cells(cells) => {
                let mut out = String::new();
                for (column, cell) in cells.iter().enumerate() {
                    // Names and words to the left, numbers to the right.
                    let _ = match column {
                        0 | 3 | 6 => write!(out, "{cell:<0$}  ", width(column)),
                        _ => write!(out, "{cell:>0$}  ", width(column)),
                    };
                }
                text.push_str(out.trim_end());
                text.push('\n');
            }
        }
    }
    text
}

/// One sentence that says what the run found.
pub fn sentence(result: &ResultFile) -> String {
    let rows: Vec<&Comparison> = result
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Headline)
        .collect();
    if rows.is_empty() {
        return "Nothing was compared.".to_owned();
    }
    let one_contrast = rows
        .iter()
        .map(|row| &row.arms)
        .collect::<BTreeSet<_>>()
        .len()
        == 1;
    let part = |verdict: Verdict, words: &str| {
        let of_verdict: Vec<String> = rows
            .iter()
            .filter(|row| row.verdict == verdict)
            .map(|row| subject(row, one_contrast))
            .collect();
        (!of_verdict.is_empty()).then(|| format!("{words} on {}", of_verdict.join(", ")))
    };
    let parts: Vec<String> = [
        part(Verdict::Invalid, "not comparable"),
        part(Verdict::Regressed, "slower"),
        part(Verdict::Improved, "faster"),
        part(Verdict::Equivalent, "equivalent"),
        part(Verdict::Inconclusive, "undecided"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let who = if one_contrast {
        format!("{} against {}: ", rows[0].arms[1], rows[0].arms[0])
    } else {
        String::new()
    };
    let answers = if rows.iter().all(|row| row.answers_equal) {
        "; every answer agreed"
    } else {
        ""
    };
    let text = format!("{who}{}{answers}.", parts.join("; "));
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| {
        c.to_uppercase().collect::<String>() + letters.as_str()
    })
}

fn subject(row: &Comparison, one_contrast: bool) -> String {
    let arms = if one_contrast {
        String::new()
    } else {
        format!(" ({} against {})", row.arms[1], row.arms[0])
    };
    match row.verdict {
        Verdict::Improved | Verdict::Regressed | Verdict::Equivalent => {
            format!(
                "{}{arms} ({:+.1} %)",
                row.workload,
                (row.ratio - 1.0) * 100.0
            )
        }
        _ => format!("{}{arms}", row.workload),
    }
}

/// What the run could have seen, a line for each headline.
pub fn detectable(result: &ResultFile) -> Vec<String> {
    let headlines = result
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Headline);
    let mut lines: Vec<(String, Option<f64>)> = Vec::new();
    for row in headlines {
        // The least sensitive of several contrasts speaks for the workload.
        let worse = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.max(b));
        match lines
            .iter_mut()
            .find(|(workload, _)| *workload == row.workload)
        {
            Some((_, found)) => *found = worse(*found, row.detectable),
            None => lines.push((row.workload.clone(), row.detectable)),
        }
    }
    lines
        .into_iter()
        .map(|(workload, found)| match found {
            Some(effect) => format!("{workload} ±{:.1} %", effect * 100.0),
            None => format!("{workload} nothing"),
        })
        .collect()
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
