//! The table that a run ends with, and the sentence below it.

use std::collections::BTreeSet;

use super::{grid, metrics};
use crate::results::{Comparison, Family, ResultFile, Rules, Verdict};

/// The widest line that a table has with names of the usual length.
#[cfg(test)]
const WIDTH: usize = 100;

/// The rows that a person is shown; details stay in the JSON.
fn shown(result: &ResultFile) -> impl Iterator<Item = &Comparison> {
    result.comparisons.iter().filter(|c| c.is_claim())
}

/// What must not move, a remark for each row: the first arm against itself, or the times that nothing can touch.
fn checks<'a>(
    result: &'a ResultFile,
    workload: &'a str,
    control: bool,
    arms: Option<&'a [String; 2]>,
) -> Option<String> {
    let rows: Vec<&Comparison> = result
        .comparisons
        .iter()
        .filter(|c| c.is_check() && c.is_control() == control && c.workload == workload)
        .filter(|c| arms.is_none_or(|arms| c.arms == *arms))
        .collect();
    let said: Vec<String> = rows
        .iter()
        .map(|row| {
            let verdict = match row.verdict {
                Verdict::Improved | Verdict::Regressed => "MOVED",
                other => other.word(),
            };
            let phase = metrics::phase(&row.metric);
            format!("{phase} {} {verdict}", interval(row.ratio, row.ci95))
        })
        .collect();
    let subject = match (control, rows.first()) {
        (true, Some(row)) => format!("{} against itself", row.arms[0]),
        _ => "must not move".to_owned(),
    };
    (!said.is_empty()).then(|| format!("{subject}: {}", said.join(", ")))
}

/// The whole table: a block for each workload and contrast, a line for each metric.
pub fn table(result: &ResultFile) -> String {
    let mut lines: Vec<Line> = vec![Line::Cells(columns(result))];
    let mut headings: Vec<(String, [String; 2])> = Vec::new();
    for row in shown(result) {
        let heading = (row.workload.clone(), row.arms.clone());
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut controlled = BTreeSet::new();
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
        lines.extend(checks(result, &workload, false, Some(&arms)).map(Line::Remark));
        // The control is the workload's, whatever is compared on it.
        if controlled.insert(workload.clone()) {
            lines.extend(checks(result, &workload, true, None).map(Line::Remark));
        }
    }
    render(&lines)
}

/// The header: the arms by name where all rows are about the same two, and their names are short.
fn columns(result: &ResultFile) -> [String; 7] {
    let arms: BTreeSet<&[String; 2]> = shown(result).map(|c| &c.arms).collect();
    let sides = match arms.first() {
        Some([a, b]) if arms.len() == 1 && a.len().max(b.len()) <= 12 => [a.as_str(), b.as_str()],
        _ => ["baseline", "contender"],
    };
    let ratio = "ratio [95 % interval]";
    ["", sides[0], sides[1], ratio, "p", "pairs", "verdict"].map(str::to_owned)
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
    let subject = format!("{} against {}", arms[1], arms[0]);
    let busiest = rows.iter().max_by_key(|row| row.disturbed_pairs);
    let busy = busiest
        .filter(|row| row.disturbed_pairs > 0)
        .map_or_else(String::new, |row| {
            format!(
                ", machine busy in {} of {} pairs",
                row.disturbed_pairs, row.pairs
            )
        });
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
    let cells = lines.iter().filter_map(|line| match line {
        Line::Cells(cells) => Some(cells),
        _ => None,
    });
    let widths = grid::widths(cells);
    let mut text = String::new();
    for line in lines {
        match line {
            Line::Heading(heading) => text.push_str(heading),
            Line::Remark(remark) => text.push_str(&format!("    {remark}")),
            // Names and words to the left, numbers to the right.
            Line::Cells(cells) => text.push_str(&grid::line(cells, &widths, &[0, 3, 6])),
        }
        text.push('\n');
    }
    text
}

/// How to read the table.
pub fn legend(rules: &Rules) -> String {
    format!(
        "Ratio: right / left, the median of pairs. p: exact signed-rank test, corrected for all rows of a kind; a claim \
         takes p of at most {}.\n\
         Equivalent: the interval lies within ±{:.0} % (memory: ±{:.0} %).",
        rules.alpha,
        rules.margin_time * 100.0,
        rules.margin_memory * 100.0
    )
}

/// One sentence that says what the run found.
pub fn sentence(result: &ResultFile) -> String {
    // An ablation has a table of its own; the sentence is about the whole series, its last contrast.
    let whole = result.plan.contrasts.last();
    let whole = whole.filter(|_| !result.plan.ablation.is_empty());
    let rows: Vec<&Comparison> = result
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Headline)
        .filter(|c| whole.is_none_or(|arms| c.arms == *arms))
        .collect();
    if rows.is_empty() {
        return untouched(result);
    }
    let one_contrast = rows
        .iter()
        .map(|row| &row.arms)
        .collect::<BTreeSet<_>>()
        .len()
        == 1;
    let of_one = |row: &Comparison| {
        rows.iter()
            .filter(|other| other.workload == row.workload && other.arms == row.arms)
            .count()
            == 1
    };
    let part = |verdict: Verdict, words: &str| {
        let of_verdict: Vec<String> = rows
            .iter()
            .filter(|row| row.verdict == verdict)
            .map(|row| subject(row, one_contrast, of_one(row)))
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
    let counts = instructions(result, one_contrast);
    let text = format!("{who}{}{counts}{answers}.", parts.join("; "));
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| {
        c.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// Of a run without a time that could differ.
fn untouched(result: &ResultFile) -> String {
    let negative = || {
        let rows = result.comparisons.iter();
        rows.filter(|c| c.family == Family::Negative)
    };
    let moved = |c: &Comparison| matches!(c.verdict, Verdict::Improved | Verdict::Regressed);
    match (negative().next(), negative().any(moved)) {
        (None, _) => "Nothing was compared.".to_owned(),
        (Some(_), true) => "These arms cannot differ in a time of this work, and yet one moved: the run was disturbed, or \
                            an optimisation changes more steps than extern/stack.toml says."
            .to_owned(),
        (Some(row), false) => format!(
            "{} and {} cannot differ in a time of this work, and none moved.",
            row.arms[0], row.arms[1]
        ),
    }
}

/// What the counts say, where there are any.
fn instructions(result: &ResultFile, one_contrast: bool) -> String {
    let rows = result
        .comparisons
        .iter()
        .filter(|c| c.metric == metrics::INSTRUCTIONS);
    let counts: Vec<String> = rows.map(|row| subject(row, one_contrast, true)).collect();
    if counts.is_empty() {
        return String::new();
    }
    format!("; instructions on {}", counts.join(", "))
}

/// `synth/sha256 (-46.2 %)`, with the arms where the sentence speaks of several contrasts, and the phase where it speaks
/// of several times of the workload.
fn subject(row: &Comparison, one_contrast: bool, one_time: bool) -> String {
    let name = if one_time {
        row.workload.clone()
    } else {
        format!("{} {}", row.workload, metrics::phase(&row.metric))
    };
    let mut said = Vec::new();
    if !one_contrast {
        said.push(format!("{} against {}", row.arms[1], row.arms[0]));
    }
    if matches!(
        row.verdict,
        Verdict::Improved | Verdict::Regressed | Verdict::Equivalent
    ) {
        said.push(format!("{:+.1} %", (row.ratio - 1.0) * 100.0));
    }
    if said.is_empty() {
        name
    } else {
        format!("{name} ({})", said.join(", "))
    }
}

/// What the run could have seen, a line for each workload.
pub fn detectable(result: &ResultFile) -> Vec<String> {
    let headlines = result
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Headline);
    let mut lines: Vec<(String, Option<f64>)> = Vec::new();
    for row in headlines {
        // The least sensitive of several contrasts and times speaks for the workload.
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
