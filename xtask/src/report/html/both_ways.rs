//! What each optimisation does alone on the pristine stack and last on the patched one, and how far that differs.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::ablation::{Role, questions, roles};
use super::data::{Machine, Point};
use super::markup::{escape, table, verdict};
use super::results::source;
use crate::bench::table as text_table;
use crate::report::contrast::Side;
use crate::results::{Comparison, Verdict};
use crate::stack::manifest::Manifest;

/// One optimisation in both ways.
#[derive(Default)]
struct Both<'a> {
    slug: String,
    together: Vec<String>,
    alone: Option<Turned<'a>>,
    last: Option<Turned<'a>>,
}

/// The tables; nothing where nothing was measured in either way.
pub fn section(machine: &Machine, manifest: &Manifest) -> String {
    let mut text = String::new();
    for ((_, subject, metric), series) in questions(machine) {
        let mut found: BTreeMap<usize, Both> = BTreeMap::new();
        for series in series {
            for part in roles(series, manifest) {
                let order = manifest
                    .optimisations
                    .iter()
                    .position(|optimisation| optimisation.slug == part.slug)
                    .unwrap_or(usize::MAX);
                // Of what left the series no order is known, and one name must not stand for another.
                if order == usize::MAX || part.role == Role::Step {
                    continue;
                }
                let both = found.entry(order).or_default();
                both.slug = part.slug;
                let way = match part.role {
                    Role::Last => &mut both.last,
                    Role::Alone | Role::Step => &mut both.alone,
                };
                let turned = Turned::new(series.newest(), part.side);
                if way
                    .as_ref()
                    .is_none_or(|known| known.point.time() < turned.point.time())
                {
                    *way = Some(turned);
                    both.together = part.together;
                }
            }
        }
        if found.is_empty() {
            continue;
        }
        let rows: Vec<Vec<String>> = found.values().map(Both::cells).collect();
        let headings = [
            "optimisation",
            "alone on pristine",
            "last on patched",
            "interaction",
        ];
        let _ = writeln!(
            text,
            "<details><summary>{} <code>{}</code>: {} optimisations</summary>\n{}</details>",
            escape(&subject.name()),
            escape(metric),
            rows.len(),
            table(&headings, &rows)
        );
    }
    if text.is_empty() {
        return text;
    }
    "<h4>Alone and last</h4>\n<p>Ratio: with / without. The interaction is last / alone: 1 where the others make no difference \
     to it. Where both come from one run it was judged there, round by round; otherwise its interval adds both variances, and \
     there is no verdict.</p>\n"
        .to_owned()
        + &text
}

impl Both<'_> {
    fn cells(&self) -> Vec<String> {
        let mut name = escape(&self.slug);
        if !self.together.is_empty() {
            let _ = write!(
                name,
                "<br><small>with {}, which need it</small>",
                escape(&self.together.join(", "))
            );
        }
        vec![
            name,
            shown(self.alone.as_ref()),
            shown(self.last.as_ref()),
            self.interaction(),
        ]
    }

    /// How much more or less it does last than alone.
    fn interaction(&self) -> String {
        let (Some(alone), Some(last)) = (&self.alone, &self.last) else {
            return "–".to_owned();
        };
        let row = last.point.row;
        let invalid = |turned: &Turned| turned.point.row.verdict == Verdict::Invalid;
        if invalid(alone) || invalid(last) {
            return "–".to_owned();
        }
        let judged = last
            .point
            .kept
            .result
            .interactions
            .iter()
            .filter(|_| std::ptr::eq(alone.point.kept, last.point.kept))
            .find(|found| {
                found.slug == self.slug
                    && found.workload == row.workload
                    && found.metric == row.metric
            });
        if let Some(found) = judged {
            return format!(
                "{}<br><b>{}</b>, p {}",
                text_table::interval(found.ratio, found.ci95),
                found.verdict.word(),
                escape(&text_table::probability(found.p_adjusted))
            );
        }
        let half = |row: &Turned| (row.interval[1] / row.interval[0]).ln() / 2.0;
        let middle = (last.ratio / alone.ratio).ln();
        let half = half(alone).hypot(half(last));
        text_table::interval(middle.exp(), [(middle - half).exp(), (middle + half).exp()])
            + match std::ptr::eq(alone.point.kept, last.point.kept) {
                true => "<br>not judged",
                false => "<br>from two runs",
            }
    }
}

/// A row with the optimisation on the contender's side.
struct Turned<'a> {
    point: &'a Point<'a>,
    ratio: f64,
    interval: [f64; 2],
    verdict: Verdict,
}

impl<'a> Turned<'a> {
    fn new(point: &'a Point<'a>, side: Side) -> Self {
        let Comparison {
            ratio,
            ci95: [low, high],
            verdict,
            ..
        } = *point.row;
        match side {
            Side::Contender => Self {
                point,
                ratio,
                interval: [low, high],
                verdict,
            },
            Side::Baseline => Self {
                point,
                ratio: 1.0 / ratio,
                interval: [1.0 / high, 1.0 / low],
                verdict: match verdict {
                    Verdict::Improved => Verdict::Regressed,
                    Verdict::Regressed => Verdict::Improved,
                    other => other,
                },
            },
        }
    }
}

fn shown(row: Option<&Turned>) -> String {
    row.map_or_else(
        || "not measured".to_owned(),
        |row| {
            format!(
                "{} {}<br>{}",
                text_table::interval(row.ratio, row.interval),
                verdict(row.verdict),
                source(row.point)
            )
        },
    )
}
