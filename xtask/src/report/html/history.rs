//! The same question over time, and what each arm took on this machine.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::data::{Machine, Series, Subject};
use super::markup::{contrast, day, described, escape, minute, table, verdict};
use super::overview::ratio;
use super::results::source;
use super::scale::{Even, Ratios, label};
use crate::bench::metrics;
use crate::results::clock;

/// Points of one plot, the newest.
const POINTS: usize = 200;
/// Rows of the table below a plot, the newest.
const ROWS: usize = 30;
/// The plots' own measure; they are stretched to the width that there is.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 100.0;

/// The section.
pub fn section(machine: &Machine) -> String {
    let mut text = String::new();
    let repeated = || {
        machine
            .series
            .iter()
            .filter(|series| series.points.len() > 1)
    };
    let once = machine.series.len() - repeated().count();
    for series in repeated() {
        text.push_str(&one(series));
    }
    if text.is_empty() {
        text.push_str("<p>Nothing was measured twice on this machine yet.</p>\n");
    } else {
        let _ = writeln!(
            text,
            "<p>{once} other comparisons were measured once: they are in the overview.</p>"
        );
    }
    text + "<h4>Absolute medians</h4>\n<p><b>Not comparable between machines</b>, and between days only as far as the machine was the same. Ratios \
            above come from pairs and do not have this weakness.</p>\n"
        + &medians(machine)
}

fn seconds(time: &str) -> f64 {
    clock::parse(time).unwrap_or(0) as f64
}

/// Strokes of points and intervals: those that hold, and those that are stale.
#[derive(Default)]
struct Paths {
    holds: [String; 2],
    stale: [String; 2],
}

fn one(series: &Series) -> String {
    let points: Vec<_> = series.points.iter().take(POINTS).collect();
    let across = Even::around(points.iter().map(|p| seconds(&p.kept.result.time)));
    let up = Ratios::around(
        points
            .iter()
            .flat_map(|p| [p.row.ci95[0], p.row.ci95[1], p.row.ratio]),
    );
    let mut paths = Paths::default();
    for point in &points {
        let x = (across.at(seconds(&point.kept.result.time)) / 100.0 * WIDTH).round();
        let y = |ratio: f64| ((1.0 - up.at(ratio) / 100.0) * HEIGHT).round();
        let [dots, lines] = match point.stale {
            None => &mut paths.holds,
            Some(_) => &mut paths.stale,
        };
        let _ = write!(dots, "M{x} {}h0", y(point.row.ratio));
        let _ = write!(
            lines,
            "M{x} {}V{}",
            y(point.row.ci95[0]),
            y(point.row.ci95[1])
        );
    }
    let newest = series.newest();
    let what = format!(
        "{} {}: {} to {}",
        series.subject.name(),
        series.metric,
        series.arms[1],
        series.arms[0]
    );
    let [from, to] = [points.last(), points.first()]
        .map(|point| point.map_or("", |point| point.kept.result.time.as_str()));
    let description = format!(
        "{} ratios with intervals from {from} to {to}; the newest is {}, {}",
        points.len(),
        ratio(newest.row),
        newest.row.verdict.word()
    );
    let mut text = format!(
        "<details><summary>{}, {} <code>{}</code>: {} results, now {} {}</summary>\n<div class=time><div class=y>",
        contrast(series.arms),
        escape(&series.subject.name()),
        escape(series.metric),
        series.points.len(),
        ratio(newest.row),
        verdict(newest.row.verdict)
    );
    let ticks = up.ticks();
    for tick in &ticks {
        let _ = write!(
            text,
            "<span style=bottom:{:.1}%>{}</span>",
            up.at(*tick),
            label(*tick)
        );
    }
    let _ = write!(
        text,
        "</div><svg role=img viewBox=\"0 0 400 100\" preserveAspectRatio=none>{}",
        described(&what, &description)
    );
    for tick in &ticks {
        let class = if (tick - 1.0).abs() < 1e-9 {
            "one"
        } else {
            "grid"
        };
        let y = HEIGHT - up.at(*tick);
        let _ = write!(text, "<path class={class} d=M0,{y:.1}h400 />");
    }
    for (class, path) in [
        ("l", &paths.stale[1]),
        ("dh", &paths.stale[0]),
        ("ring", &paths.stale[0]),
        ("l", &paths.holds[1]),
        ("dh", &paths.holds[0]),
    ] {
        if !path.is_empty() {
            let _ = write!(text, "<path class={class} d=\"{path}\" />");
        }
    }
    let _ = writeln!(
        text,
        "</svg><div class=x><span>{}</span><span>{}</span></div></div>\n<p>A ring is stale: its arms have changed since.</p>",
        minute(from),
        minute(to)
    );
    let rows: Vec<Vec<String>> = series
        .points
        .iter()
        .take(ROWS)
        .map(|point| {
            vec![
                source(point),
                ratio(point.row),
                verdict(point.row.verdict),
                point.row.pairs.to_string(),
            ]
        })
        .collect();
    text.push_str(&table(&["measured", "#ratio", "verdict", "#pairs"], &rows));
    if series.points.len() > ROWS {
        let _ = writeln!(text, "<p>The newest {ROWS} rows are shown.</p>");
    }
    text + "</details>\n"
}

/// Medians of one arm, newest first: when, and how much.
type Medians<'a> = BTreeMap<&'a str, Vec<(&'a str, f64)>>;

fn medians(machine: &Machine) -> String {
    let mut found: BTreeMap<(Subject, &str), (&str, Medians)> = BTreeMap::new();
    for series in &machine.series {
        for point in &series.points {
            let (_, arms) = found
                .entry((series.subject, series.metric))
                .or_insert((&point.row.unit, Medians::new()));
            for side in 0..2 {
                let medians = arms.entry(series.arms[side]).or_default();
                // An arm of several contrasts has one median in each result.
                let time = point.kept.result.time.as_str();
                if !medians.iter().any(|(known, _)| *known == time) {
                    medians.push((time, point.row.median[side]));
                }
            }
        }
    }
    let mut text = String::new();
    for ((subject, metric), (unit, arms)) in found {
        let rows: Vec<Vec<String>> = arms
            .into_iter()
            .map(|(arm, mut medians)| {
                medians.sort_by(|a, b| b.0.cmp(a.0));
                let newest = medians[0];
                vec![
                    escape(arm),
                    format!(
                        "{}<br><small>{}</small>",
                        escape(&metrics::show(newest.1, unit)),
                        day(newest.0)
                    ),
                    range(&medians, unit),
                    medians.len().to_string(),
                    trend(arm, &medians, unit),
                ]
            })
            .collect();
        let _ = writeln!(
            text,
            "<details><summary>{} <code>{}</code>: {} arms</summary>\n{}</details>",
            escape(&subject.name()),
            escape(metric),
            rows.len(),
            table(
                &["arm", "#newest", "#range", "#results", "over time"],
                &rows
            )
        );
    }
    text
}

fn range(medians: &[(&str, f64)], unit: &str) -> String {
    let low = medians.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
    let high = medians.iter().map(|m| m.1).fold(0.0, f64::max);
    if medians.len() == 1 {
        return "–".to_owned();
    }
    format!(
        "{} –<br>{}",
        escape(&metrics::show(low, unit)),
        escape(&metrics::show(high, unit))
    )
}

fn trend(arm: &str, medians: &[(&str, f64)], unit: &str) -> String {
    if medians.len() == 1 {
        return "once".to_owned();
    }
    let drawn = &medians[..medians.len().min(POINTS)];
    let across = Even::around(drawn.iter().map(|(time, _)| seconds(time)));
    let up = Even::around(drawn.iter().map(|(_, value)| *value));
    let mut path = String::new();
    for (time, value) in drawn {
        let _ = write!(
            path,
            "M{:.0} {:.0}h0",
            across.at(seconds(time)) * 2.0,
            (100.0 - up.at(*value)) * 0.4
        );
    }
    format!(
        "<svg class=trend role=img viewBox=\"0 0 200 40\" preserveAspectRatio=none>{}<path class=q d=\"{path}\" /></svg>",
        described(
            &format!("{arm}: medians over time"),
            &format!(
                "{} medians, the newest {}",
                drawn.len(),
                metrics::show(drawn[0].1, unit)
            )
        )
    )
}
