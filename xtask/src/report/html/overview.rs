//! The newest answer to every question: a table in which each row has its interval drawn on one axis.

use std::fmt::Write;

use super::data::{Machine, Point, Series};
use super::markup::{contrast, day, described, detectable, escape, stale, verdict};
use super::scale::{Ratios, label};
use crate::bench::table;
use crate::results::Comparison;

/// The section: a group for each pair of arms, with an axis of its own.
pub fn section(machine: &Machine) -> String {
    if machine.series.is_empty() {
        return "<p>No complete comparison of this machine is kept.</p>\n".to_owned();
    }
    let mut text = String::from(
        "<p>Ratio: contender / baseline, below 1 is less time or less memory. The line is the interval; the band is what \
         counts as no difference. Each pair of arms has its own axis.</p>\n<div class=scroll tabindex=0><table class=forest>\
         <tr class=head><th>workload, metric<th class=n>ratio [95&nbsp;%]<th class=plot><th>verdict<th class=n>p<th class=n>pairs\
         <th class=n>would show<th>measured\n",
    );
    for group in machine.series.chunk_by(|a, b| a.arms == b.arms) {
        let axis = Ratios::around(group.iter().flat_map(|series| {
            let row = series.newest().row;
            [row.ratio, row.ci95[0], row.ci95[1]]
        }));
        // One reason for all of them is said once.
        let first = group[0].newest().stale.as_deref();
        let shared = first.filter(|_| {
            group
                .iter()
                .all(|series| series.newest().stale.as_deref() == first)
        });
        let _ = writeln!(
            text,
            "<tr class=group><th colspan=2>{}<th class=plot>{}<th colspan=5>{}",
            contrast(group[0].arms),
            axis_labels(axis),
            stale(shared)
        );
        for series in group {
            text.push_str(&row(series, axis, shared.is_some()));
        }
    }
    text.push_str("</table></div>\n");
    text
}

fn row(series: &Series, axis: Ratios, reason_is_said: bool) -> String {
    let point = series.newest();
    let c = point.row;
    let stale = match &point.stale {
        Some(_) if reason_is_said => "<small class=stale>stale</small>".to_owned(),
        reason => stale(reason.as_deref()),
    };
    format!(
        "<tr><td>{}<br><code>{}</code><td class=n>{}<td class=plot>{}<td>{}{stale}<td class=n data-l=\"p \">{}\
         <td class=n data-l=\"pairs \">{}<td class=n data-l=\"would show \">{}<td><a href=#r{}>{}</a>\n",
        escape(&series.subject.name()),
        escape(series.metric),
        ratio(c),
        interval(point, axis),
        verdict(c.verdict),
        c.p_adjusted
            .map_or_else(|| "–".to_owned(), |p| escape(&table::probability(p))),
        if c.p.is_some() {
            c.pairs.to_string()
        } else {
            "–".to_owned()
        },
        detectable(c),
        point.number,
        day(&point.kept.result.time),
    )
}

/// Ratio and interval, or that it is a count.
pub fn ratio(row: &Comparison) -> String {
    match row.p {
        Some(_) => table::interval(row.ratio, row.ci95),
        None => format!("{:.4} exact", row.ratio),
    }
}

/// The words over an axis, each at its place.
pub fn axis_labels(axis: Ratios) -> String {
    let mut text = String::from("<div class=axis>");
    for tick in axis.ticks() {
        let _ = write!(
            text,
            "<span style=left:{:.1}%>{}</span>",
            axis.at(tick),
            label(tick)
        );
    }
    text.push_str("</div>");
    text
}

/// The lines of an axis, and the band of no difference, for a plot of this height.
pub fn grid(axis: Ratios, margin: f64, height: u32) -> String {
    let mut text = String::new();
    if margin > 0.0 {
        let (low, high) = (axis.at(1.0 / (1.0 + margin)), axis.at(1.0 + margin));
        let _ = write!(
            text,
            "<rect class=band x={low:.2}% width={:.2}% height={height} />",
            high - low
        );
    }
    for tick in axis.ticks() {
        let class = if (tick - 1.0).abs() < 1e-9 {
            "one"
        } else {
            "grid"
        };
        let x = axis.at(tick);
        let _ = write!(
            text,
            "<line class={class} x1={x:.2}% x2={x:.2}% y2={height} />"
        );
    }
    text
}

/// One interval on its axis.
fn interval(point: &Point, axis: Ratios) -> String {
    let c = point.row;
    let word = c.verdict.word();
    let (x, low, high) = (axis.at(c.ratio), axis.at(c.ci95[0]), axis.at(c.ci95[1]));
    let hollow = if point.stale.is_some() { " hollow" } else { "" };
    format!(
        "<svg role=img width=100% height=28>{}{}<line class=\"ci {word}\" x1={low:.2}% x2={high:.2}% y1=14 y2=14 /><circle class=\"dot {word}{hollow}\" cx={x:.2}% cy=14 r=5 /></svg>",
        described(
            &format!("{} {}: {}", c.workload, c.metric, word),
            &format!(
                "{} to {}: {}, no difference within {:.1} per cent",
                c.arms[1],
                c.arms[0],
                ratio(c),
                c.margin * 100.0
            ),
        ),
        grid(axis, c.margin, 28),
    )
}
