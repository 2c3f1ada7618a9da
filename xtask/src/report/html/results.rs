//! Each kept result: what was planned, what ran, what was concluded, and the trials in run order.

use std::fmt::Write;

use super::data::{Machine, Point, subject};
use super::lanes;
use super::markup::{contrast, detectable, escape, minute, stale, table, verdict};
use super::overview;
use crate::bench::{metrics, table as text_table};
use crate::report::{Kept, Today, stale_reason};
use crate::results::ablation::Interaction;
use crate::results::{ArmRecord, Comparison, Family, ResultFile, Verdict};

/// How much of the page is left. Newer results get theirs first.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Bytes for results as a whole.
    pub whole: usize,
    /// Bytes for results without their plots.
    pub brief: usize,
}

/// The section. What finds no room keeps its line.
pub fn section(machine: &Machine, today: &Today, room: &mut Room) -> String {
    let (mut text, mut brief, mut lines) = (String::new(), 0, 0);
    for (number, kept) in &machine.results {
        let head = head(kept, today);
        let numbers = numbers(*number, kept, today);
        let plots = plots(&kept.result);
        let whole = head.len() + numbers.len() + plots.len();
        let _ = write!(text, "<details class=result>{head}{numbers}");
        if whole <= room.whole {
            room.whole -= whole;
            text.push_str(&plots);
        } else if head.len() + numbers.len() <= room.brief {
            // Once one is too long, older ones do not get ahead of it.
            room.whole = 0;
            room.brief -= head.len() + numbers.len();
            brief += 1;
        } else {
            text.truncate(text.len() - numbers.len());
            (room.whole, room.brief) = (0, 0);
            lines += 1;
            let _ = write!(
                text,
                "<p id=r{number}>See <code>{}</code>.",
                escape(&kept.path)
            );
        }
        text.push_str("</details>\n");
    }
    if brief + lines > 0 {
        let _ = writeln!(
            text,
            "<p>To keep this page small, the plots of {brief} older results are left out, and all but a line of {lines}. \
             Their files have everything.</p>"
        );
    }
    text
}

/// The line that is always seen.
fn head(kept: &Kept, today: &Today) -> String {
    let result = &kept.result;
    let workloads: Vec<String> = result
        .plan
        .workloads
        .iter()
        .map(|w| escape(&w.name))
        .collect();
    let arms = match (&result.plan.contrasts[..], &result.arms[..]) {
        ([[a, b]], _) => contrast([a, b]),
        (_, [first, .., last]) => format!(
            "{} … {} ({} arms)",
            escape(&first.name),
            escape(&last.name),
            result.arms.len()
        ),
        _ => "no contrast".to_owned(),
    };
    let all: Vec<&ArmRecord> = result.arms.iter().collect();
    let stale = if stale_reason(&all, today).is_some() {
        " <small class=stale>stale</small>"
    } else {
        ""
    };
    format!(
        "<summary><b>{}</b> {arms}, {}: {}{stale}</summary>",
        minute(&result.time),
        workloads.join(", "),
        conclusion(result)
    )
}

/// `2 improved, 1 equivalent`.
fn conclusion(result: &ResultFile) -> String {
    if !result.complete {
        return "<b class=invalid>cut short</b>".to_owned();
    }
    let verdicts = [
        Verdict::Invalid,
        Verdict::Regressed,
        Verdict::Improved,
        Verdict::Equivalent,
        Verdict::Inconclusive,
    ];
    let said: Vec<String> = verdicts
        .into_iter()
        .filter_map(|one| {
            let rows = result
                .comparisons
                .iter()
                .filter(|row| row.family == Family::Headline && row.verdict == one)
                .count();
            (rows > 0).then(|| format!("{rows} {}", one.word()))
        })
        .collect();
    if said.is_empty() {
        "nothing compared".to_owned()
    } else {
        said.join(", ")
    }
}

fn numbers(number: usize, kept: &Kept, today: &Today) -> String {
    let result = &kept.result;
    let (plan, rules) = (&result.plan, &result.plan.rules);
    let mut text = format!(
        "<p id=r{number}><code>{}</code><br>Seed {}; stops {}; alpha {}, {:.0} % intervals of {} resamples, power {}; margins: \
         time {:.1} %, memory {:.1} %, instructions {:.1} %. {}, {}.</p>\n",
        escape(&kept.path),
        plan.seed,
        escape(&plan.stopping),
        rules.alpha,
        rules.confidence * 100.0,
        rules.resamples,
        rules.power,
        rules.margin_time * 100.0,
        rules.margin_memory * 100.0,
        rules.margin_instructions * 100.0,
        escape(&result.host.os),
        escape(&result.host.kernel),
    );
    let workloads: Vec<String> = plan
        .workloads
        .iter()
        .map(|w| {
            let control = if w.control { " and the control" } else { "" };
            format!(
                "{}: {} pairs{control}",
                escape(&subject(result, &w.name).name()),
                w.pairs
            )
        })
        .collect();
    let _ = writeln!(text, "<p>{}.</p>", workloads.join("; "));
    let arms: Vec<Vec<String>> = result.arms.iter().map(|arm| cells_of(arm, today)).collect();
    let arms = table(&["arm", "stamp", "compiler", "today"], &arms);
    if result.arms.len() > 4 {
        let _ = writeln!(
            text,
            "<details><summary>{} arms and their stamps</summary>{arms}</details>",
            result.arms.len()
        );
    } else {
        text.push_str(&arms);
    }
    if !result.comparisons.is_empty() {
        let rows: Vec<Vec<String>> = result.comparisons.iter().map(cells).collect();
        let headings = [
            "workload, metric",
            "arms",
            "kind",
            "#medians",
            "#ratio",
            "#p",
            "#pairs",
            "#would show",
            "verdict",
        ];
        text.push_str(&table(&headings, &rows));
    }
    if !result.interactions.is_empty() {
        let rows: Vec<Vec<String>> = result.interactions.iter().map(cells_of_mixing).collect();
        let headings = [
            "workload, metric",
            "optimisation",
            "#last / alone",
            "#p",
            "#pairs",
            "mixing",
        ];
        text.push_str(&table(&headings, &rows));
    }
    if !result.notes.is_empty() {
        text.push_str("<ul>");
        for note in &result.notes {
            let _ = write!(text, "<li>{}", escape(note));
        }
        text.push_str("</ul>\n");
    }
    text
}

fn cells_of(arm: &ArmRecord, today: &Today) -> Vec<String> {
    let rustc = arm.inputs.get("rustc").and_then(|text| text.as_str());
    // Which commit and day it was, the release says.
    let first = rustc.and_then(|text| text.split(" (").next()?.lines().next());
    let holds = stale_reason(&[arm], today);
    vec![
        escape(&arm.name),
        format!(
            "<code>{}</code>",
            escape(&arm.stamp.chars().take(12).collect::<String>())
        ),
        escape(first.unwrap_or("–")).replace(' ', "&nbsp;"),
        holds.map_or_else(|| "the same".to_owned(), |why| stale(Some(&why))),
    ]
}

fn cells(row: &Comparison) -> Vec<String> {
    let kind = match row.family {
        Family::Headline => "headline",
        Family::Memory => "memory",
        Family::Instructions => "instructions",
        Family::Detail => "detail",
        Family::Control => "control, no claim",
        Family::Negative => "negative control, no claim",
    };
    let arms = [row.arms[0].as_str(), row.arms[1].as_str()];
    let disturbed = match row.disturbed_pairs {
        0 => String::new(),
        n => format!("<br><small>{n} disturbed</small>"),
    };
    let reason = row.reason.as_deref().map_or_else(String::new, |reason| {
        format!("<br><small>{}</small>", escape(reason))
    });
    let answers = if row.answers_equal {
        ""
    } else {
        "<br><small class=invalid>answers differ</small>"
    };
    vec![
        format!(
            "{}<br><code>{}</code>",
            escape(&row.workload),
            escape(&row.metric)
        ),
        contrast(arms),
        kind.to_owned(),
        format!(
            "{}<br>{}",
            escape(&metrics::show(row.median[0], &row.unit)),
            escape(&metrics::show(row.median[1], &row.unit))
        ),
        overview::ratio(row),
        row.p_adjusted
            .map_or_else(|| "–".to_owned(), |p| escape(&text_table::probability(p))),
        format!("{}{disturbed}", row.pairs),
        detectable(row),
        format!("{}{answers}{reason}", verdict(row.verdict)),
    ]
}

fn cells_of_mixing(found: &Interaction) -> Vec<String> {
    vec![
        format!(
            "{}<br><code>{}</code>",
            escape(&found.workload),
            escape(&found.metric)
        ),
        escape(&found.slug),
        text_table::interval(found.ratio, found.ci95),
        escape(&text_table::probability(found.p_adjusted)),
        found.pairs.to_string(),
        format!("<b>{}</b>", found.verdict.word()),
    ]
}

fn plots(result: &ResultFile) -> String {
    let mut text = String::new();
    for workload in &result.plan.workloads {
        let plots = lanes::plots(result, &workload.name);
        if result.plan.workloads.len() > 1 && !plots.is_empty() {
            let _ = writeln!(
                text,
                "<details><summary>Trials of {}</summary>{plots}</details>",
                escape(&workload.name)
            );
        } else {
            text.push_str(&plots);
        }
    }
    text
}

/// Where a row of another section comes from, and whether it still holds.
pub fn source(point: &Point) -> String {
    format!(
        "<a href=#r{}>{}</a>{}",
        point.number,
        minute(&point.kept.result.time),
        stale(point.stale.as_deref())
    )
}
