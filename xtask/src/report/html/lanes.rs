//! The trials of a result in run order: a lane for each arm, and one for the ratios of its pairs.
//!
//! Every lane is drawn around its own median and all lanes of a plot have the same height in per cent, so that drift and
//! stray trials show whatever the arms' distance is.

use std::fmt::Write;

use super::markup::{described, escape};
use crate::bench::metrics;
use crate::results::{ResultFile, TrialRecord};

/// Points of one plot; of more trials, every second, third, … round is drawn.
const POINTS: usize = 400;
/// The plot's own measure; it is stretched to the width that there is.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 44.0;

/// A value with its place in the run.
#[derive(Clone, Copy, Debug)]
struct Mark {
    x: f64,
    value: f64,
    disturbed: bool,
}

/// One line of a plot.
#[derive(Debug)]
struct Lane {
    name: String,
    median: String,
    /// Of the marks' values.
    middle: f64,
    marks: Vec<Mark>,
}

/// The plots of one workload: times by arm, then ratios by pair. Nothing where no trial has the metric.
pub fn plots(result: &ResultFile, workload: &str) -> String {
    let trials: Vec<&TrialRecord> = result
        .trials
        .iter()
        .filter(|trial| trial.trial.workload == workload)
        .collect();
    let Some(metric) = metric(result, workload, &trials) else {
        return String::new();
    };
    let unit = metrics::unit(&metric);
    let every = trials.len().div_ceil(POINTS).max(1);
    let last = trials.len().saturating_sub(1).max(1) as f64;
    let drawn: Vec<(f64, &TrialRecord, f64)> = trials
        .iter()
        .enumerate()
        .filter(|(_, trial)| trial.round.is_multiple_of(every))
        .filter_map(|(i, trial)| {
            let value = *trial.trial.metrics.get(&metric)?;
            (value > 0.0).then_some((i as f64 / last, *trial, value))
        })
        .collect();
    let mut lanes: Vec<Lane> = Vec::new();
    for (arm, control) in result
        .arms
        .iter()
        .flat_map(|arm| [(&arm.name, false), (&arm.name, true)])
    {
        let marks: Vec<Mark> = drawn
            .iter()
            .filter(|(_, trial, _)| trial.arm == *arm && trial.control == control)
            .map(|(x, trial, value)| Mark {
                x: *x,
                value: *value,
                disturbed: trial.window.disturbed,
            })
            .collect();
        let again = if control { " (control)" } else { "" };
        lanes.extend(lane(format!("{arm}{again}"), marks, |middle| {
            metrics::show(middle, unit)
        }));
    }
    let mut text = String::new();
    let thinned = match every {
        1 => String::new(),
        n => format!(" One round in {n} is drawn."),
    };
    let _ = writeln!(
        text,
        "<h5>{} <code>{}</code></h5><p>By run order, each around its median. A tall stroke is a trial beside other load, a square at the edge lies beyond it.{thinned}</p>",
        escape(workload),
        escape(&metric)
    );
    text.push_str(&draw(&lanes, "times in run order"));
    let ratios = ratios(result, workload, &drawn);
    if !ratios.is_empty() {
        text.push_str("<p>Ratios of the pairs, by round.</p>\n");
        text.push_str(&draw(&ratios, "ratios of pairs by round"));
    }
    text
}

/// The time that the workload is named for, or the first that there is.
fn metric(result: &ResultFile, workload: &str, trials: &[&TrialRecord]) -> Option<String> {
    let first = &trials.first()?.trial.metrics;
    let plan = result.plan.workloads.iter().find(|w| w.name == workload);
    let mut headline = plan
        .into_iter()
        .flat_map(|plan| metrics::times(&plan.headline));
    headline
        .find(|name| first.contains_key(*name))
        .or_else(|| {
            first
                .keys()
                .map(String::as_str)
                .find(|name| name.starts_with("wall_s"))
        })
        .map(str::to_owned)
}

fn ratios(result: &ResultFile, workload: &str, drawn: &[(f64, &TrialRecord, f64)]) -> Vec<Lane> {
    let plan = result.plan.workloads.iter().find(|w| w.name == workload);
    let mut contrasts: Vec<(&str, &str, bool)> = result
        .plan
        .contrasts
        .iter()
        .map(|[a, b]| (a.as_str(), b.as_str(), false))
        .collect();
    if let (Some(true), Some(first)) = (plan.map(|plan| plan.control), result.arms.first()) {
        contrasts.push((&first.name, &first.name, true));
    }
    let mut lanes = Vec::new();
    for (baseline, contender, control) in contrasts {
        let marks: Vec<Mark> = drawn
            .iter()
            .filter(|(_, trial, _)| trial.arm == baseline && !trial.control)
            .filter_map(|(x, trial, value)| {
                let (_, other, with) = drawn.iter().find(|(_, other, _)| {
                    other.arm == contender && other.control == control && other.round == trial.round
                })?;
                Some(Mark {
                    x: *x,
                    value: with / value,
                    disturbed: trial.window.disturbed || other.window.disturbed,
                })
            })
            .collect();
        let name = if control {
            format!("{baseline} / itself")
        } else {
            format!("{contender} / {baseline}")
        };
        lanes.extend(lane(name, marks, |middle| format!("{middle:.3}")));
    }
    lanes
}

fn lane(name: String, marks: Vec<Mark>, show: impl Fn(f64) -> String) -> Option<Lane> {
    let mut values: Vec<f64> = marks.iter().map(|mark| mark.value).collect();
    values.sort_by(f64::total_cmp);
    let middle = *values.get(values.len() / 2)?;
    Some(Lane {
        name,
        median: show(middle),
        middle,
        marks,
    })
}

/// Half the height of all lanes: what nearly all values lie within, at least one per cent.
fn reach(lanes: &[Lane]) -> f64 {
    let mut far: Vec<f64> = lanes
        .iter()
        .flat_map(|lane| {
            lane.marks
                .iter()
                .map(|mark| (mark.value / lane.middle).ln().abs())
        })
        .collect();
    far.sort_by(f64::total_cmp);
    let nearly_all = far.len().saturating_sub(1) * 98 / 100;
    far.get(nearly_all).map_or(0.01, |reach| reach.max(0.01))
}

fn draw(lanes: &[Lane], what: &str) -> String {
    let reach = reach(lanes);
    let mut text = String::from("<div class=lanes>\n");
    for lane in lanes {
        let (mut quiet, mut disturbed, mut outside) = (Pen::new(), Pen::new(), Pen::new());
        for mark in &lane.marks {
            let place = (mark.value / lane.middle).ln() / reach;
            let x = (3.0 + mark.x * (WIDTH - 6.0)).round() as i32;
            let middle = HEIGHT / 2.0;
            let y = (middle - place.clamp(-1.0, 1.0) * (middle - 4.0)).round() as i32;
            if mark.disturbed {
                disturbed.stroke(x, (y - 5).clamp(1, HEIGHT as i32 - 11), "v10");
            } else if place.abs() > 1.0 {
                outside.stroke(x, y, "h0");
            } else {
                quiet.stroke(x, y, "h0");
            }
        }
        let title = format!("{}: {what}", lane.name);
        let description = format!(
            "{} values around {}, {} of them beside other load",
            lane.marks.len(),
            lane.median,
            lane.marks.iter().filter(|mark| mark.disturbed).count()
        );
        let _ = write!(
            text,
            "<div>{}<br><small>{}</small></div><svg role=img viewBox=\"0 0 400 44\" preserveAspectRatio=none>{}<path class=one d=M0,22h400 />",
            escape(&lane.name),
            escape(&lane.median),
            described(&title, &description)
        );
        for (pen, class) in [(quiet, "q"), (outside, "o"), (disturbed, "d")] {
            if !pen.path.is_empty() {
                let _ = write!(text, "<path class={class} d=\"{}\" />", pen.path);
            }
        }
        let _ = writeln!(
            text,
            "</svg><small>+{0:.0}&nbsp;%<br>−{1:.0}&nbsp;%</small>",
            reach.exp_m1() * 100.0,
            -(-reach).exp_m1() * 100.0
        );
    }
    text.push_str("</div>\n");
    text
}

/// A path of many strokes, each told as its distance from the one before, which is shorter.
struct Pen {
    path: String,
    at: Option<(i32, i32)>,
}

impl Pen {
    fn new() -> Self {
        Self {
            path: String::new(),
            at: None,
        }
    }

    /// A stroke that begins here. `stroke` is `h0` (a dot), `hN` or `vN`.
    fn stroke(&mut self, x: i32, y: i32, stroke: &str) {
        let _ = match self.at {
            None => write!(self.path, "M{x} {y}{stroke}"),
            Some((was_x, was_y)) => {
                let (dx, dy) = (x - was_x, y - was_y);
                // A minus parts two numbers by itself.
                let gap = if dy < 0 { "" } else { " " };
                write!(self.path, "m{dx}{gap}{dy}{stroke}")
            }
        };
        let long: i32 = stroke[1..].parse().unwrap_or(0);
        self.at = Some(if stroke.starts_with('h') {
            (x + long, y)
        } else {
            (x, y + long)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{add_pairs, empty_result};

    #[test]
    fn strokes_are_told_by_their_distance() {
        let mut pen = Pen::new();
        pen.stroke(3, 22, "h0");
        pen.stroke(7, 20, "v10");
        pen.stroke(9, 31, "h0");
        assert_eq!(pen.path, "M3 22h0m4-2v10m2 1h0");
    }

    #[test]
    fn a_lane_for_each_arm_and_for_its_pairs() {
        let mut result = empty_result(&["synth/sha256"], 40);
        add_pairs(&mut result, "synth/sha256", &[0.8; 40]);
        result.trials[5].window.disturbed = true;
        let text = plots(&result, "synth/sha256");
        assert_eq!(text.matches("<svg").count(), 3, "{text}");
        assert_eq!(text.matches("class=d ").count(), 2, "its arm and its pair");
        assert!(text.contains("patched / pristine<br><small>0.800</small>"));
        assert!(text.contains("40 values around 0.800, 1 of them beside other load"));
        assert_eq!(plots(&result, "other"), "");
    }

    #[test]
    fn long_runs_are_thinned_by_whole_rounds() {
        let mut result = empty_result(&["synth/sha256"], 700);
        add_pairs(&mut result, "synth/sha256", &[0.8; 700]);
        let text = plots(&result, "synth/sha256");
        assert!(text.contains("One round in 4 is drawn."), "{text}");
        assert!(text.contains("175 values around 0.800"), "{text}");
        assert!(text.len() < 8_000, "{}", text.len());
    }
}
