//! What each optimisation does: as a step of the series here, and alone and last in the module beside.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::both_ways;
use super::data::{Machine, Point, Series, Subject};
use super::markup::{described, escape, verdict};
use super::overview::{axis_labels, grid, ratio};
use super::results::source;
use super::scale::Ratios;
use crate::arm::ArmSpec;
use crate::report::contrast::{Side, optimisation};
use crate::results::{Family, Verdict};
use crate::stack::manifest::Manifest;
use crate::stack::selection::Selection;

/// One question about all optimisations: a workload and a metric. Its family decides the order.
pub type Question<'a> = (Family, Subject<'a>, &'a str);

/// What a contrast says of an optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The series before it, and up to it.
    Step,
    /// Pristine with what it needs, and the same with it.
    Alone,
    /// The whole series without it, and the whole series.
    Last,
}

/// A contrast in its role.
pub struct Part {
    /// The optimisation.
    pub slug: String,
    /// What the contrast says of it.
    pub role: Role,
    /// Which arm has it.
    pub side: Side,
    /// What comes and goes with it.
    pub together: Vec<String>,
}

/// A step of the series.
struct Step<'a> {
    slug: String,
    arms: [&'a str; 2],
    point: &'a Point<'a>,
}

/// The roles of a series: by the plan of its newest result, or else by the sets of optimisations that its arms have.
pub fn roles(series: &Series, manifest: &Manifest) -> Vec<Part> {
    let mut parts = Vec::new();
    for plan in &series.newest().kept.result.plan.ablation {
        for (role, contrast) in [
            (Role::Step, &plan.step),
            (Role::Alone, &plan.alone),
            (Role::Last, &plan.last),
        ] {
            let this = contrast.as_ref().is_some_and(|arms| series.arms == *arms);
            if this {
                let together = match role {
                    Role::Step => Vec::new(),
                    Role::Alone | Role::Last => plan.together.clone(),
                };
                parts.push(Part {
                    slug: plan.slug.clone(),
                    role,
                    side: Side::Contender,
                    together,
                });
            }
        }
    }
    if parts.is_empty() {
        parts.extend(by_name(series.arms, manifest));
    }
    parts
}

fn by_name(arms: [&str; 2], manifest: &Manifest) -> Option<Part> {
    let [first, second] = arms.map(|arm| arm.parse::<ArmSpec>().ok());
    let role = match (first?.stack, second?.stack) {
        (Selection::Pristine | Selection::Prefix(_), Selection::Prefix(_) | Selection::Patched) => {
            Role::Step
        }
        (Selection::Pristine | Selection::Only(_), Selection::Only(_))
        | (Selection::Only(_), Selection::Pristine) => Role::Alone,
        (Selection::Patched, Selection::Without(_))
        | (Selection::Without(_), Selection::Patched) => Role::Last,
        _ => return None,
    };
    let (slug, side) = optimisation(arms, manifest)?;
    Some(Part {
        slug,
        role,
        side,
        together: Vec::new(),
    })
}

/// The section; what was not measured says how to.
pub fn section(machine: &Machine, manifest: &Manifest) -> String {
    let steps = waterfalls(machine, manifest);
    let both = both_ways::section(machine, manifest);
    if steps.is_empty() && both.is_empty() {
        return "<p>Not measured on this machine yet: <code>cargo xtask bench --ablate --keep</code>.</p>\n".to_owned();
    }
    steps + &both
}

/// The series of a machine by question.
pub fn questions<'a>(machine: &'a Machine) -> BTreeMap<Question<'a>, Vec<&'a Series<'a>>> {
    let mut questions: BTreeMap<Question, Vec<&Series>> = BTreeMap::new();
    for series in &machine.series {
        questions
            .entry((series.newest().row.family, series.subject, series.metric))
            .or_default()
            .push(series);
    }
    questions
}

fn waterfalls(machine: &Machine, manifest: &Manifest) -> String {
    let mut text = String::new();
    for ((_, subject, metric), series) in questions(machine) {
        let steps = chain(&series, manifest);
        if steps.len() < 2 {
            continue;
        }
        let last = steps.last().map_or("", |step| step.arms[1]);
        let whole = series
            .iter()
            .find(|series| series.arms == ["pristine", last])
            .map(|series| series.newest());
        let open = if text.is_empty() { " open" } else { "" };
        let _ = writeln!(
            text,
            "<details{open}><summary>{} <code>{}</code>: {} steps from pristine to {}</summary>\n{}</details>",
            escape(&subject.name()),
            escape(metric),
            steps.len(),
            escape(last),
            waterfall(&steps, whole)
        );
    }
    if text.is_empty() {
        return text;
    }
    "<h4>Step by step</h4>\n<p>Each bar begins where the one before ended. The thin line is the interval of its own step, not \
     of the sum. Steps may come from different runs.</p>\n"
        .to_owned()
        + &text
}

/// The steps that hang together, from pristine on; of two that begin at the same arm, the newer.
fn chain<'a>(series: &[&'a Series<'a>], manifest: &Manifest) -> Vec<Step<'a>> {
    let candidates: Vec<Step> = series
        .iter()
        .flat_map(|series| {
            roles(series, manifest)
                .into_iter()
                .filter(|part| part.role == Role::Step && part.side == Side::Contender)
                .map(|part| Step {
                    slug: part.slug,
                    arms: series.arms,
                    point: series.newest(),
                })
        })
        .collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut at = "pristine";
    loop {
        let next = candidates
            .iter()
            .filter(|step| step.arms[0] == at)
            // What did not compare its arms is no step of a sum; the chain ends there.
            .filter(|step| step.point.row.verdict != Verdict::Invalid)
            .filter(|step| steps.iter().all(|known| known.slug != step.slug))
            .max_by_key(|step| step.point.time());
        let Some(step) = next else {
            return steps;
        };
        at = step.arms[1];
        steps.push(Step {
            slug: step.slug.clone(),
            ..*step
        });
    }
}

fn waterfall(steps: &[Step], whole: Option<&Point>) -> String {
    let mut product = 1.0;
    let mut values = Vec::new();
    for step in steps {
        let row = step.point.row;
        values.extend([product * row.ci95[0], product * row.ci95[1]]);
        product *= row.ratio;
        values.push(product);
    }
    values.extend(whole.iter().flat_map(|point| point.row.ci95));
    let axis = Ratios::around(values);
    let mut text = String::from(
        "<div class=scroll tabindex=0><table class=forest><tr class=\"group steps\"><th>step<th class=n>ratio [95&nbsp;%]",
    );
    let _ = writeln!(
        text,
        "<th class=plot>{}<th class=n>so far<th>verdict<th>measured",
        axis_labels(axis)
    );
    let mut before = 1.0;
    for step in steps {
        let after = before * step.point.row.ratio;
        line(&mut text, &step.slug, step.point, axis, before, after);
        before = after;
    }
    if let Some(point) = whole {
        let name = format!("all, measured as one: {}", point.row.arms[1]);
        line(&mut text, &name, point, axis, 1.0, point.row.ratio);
    }
    text.push_str("</table></div>\n");
    text
}

fn line(text: &mut String, name: &str, point: &Point, axis: Ratios, before: f64, after: f64) {
    let row = point.row;
    let word = row.verdict.word();
    let (from, to) = (axis.at(before), axis.at(after));
    let (low, high) = (axis.at(before * row.ci95[0]), axis.at(before * row.ci95[1]));
    let hollow = if point.stale.is_some() { " hollow" } else { "" };
    let _ = writeln!(
        text,
        "<tr><td>{}<td class=n>{}<td class=plot><svg role=img width=100% height=28>{}{}<rect class=\"bar {word}{hollow}\" x={:.2}% width={:.2}% y=7 height=14 /><line class=ci x1={low:.2}% x2={high:.2}% y1=14 y2=14 /></svg><td class=n data-l=\"so far \">{after:.3}<td>{}<td>{}",
        escape(name),
        ratio(row),
        described(
            &format!("{name}: {word}"),
            &format!(
                "from {before:.3} to {after:.3}, interval of the step {}",
                ratio(row)
            ),
        ),
        grid(axis, 0.0, 28),
        from.min(to),
        (from - to).abs().max(0.3),
        verdict(row.verdict),
        source(point),
    );
}
