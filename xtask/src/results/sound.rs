//! Whether a result that can be read can also be judged: nothing in it twice, nothing negative, nothing missing.
//!
//! What is refused here would not fail later but be averaged in silence, or counted once where it stands twice.

use std::collections::{BTreeSet, HashMap};

use super::{ResultFile, Rules, TrialRecord, Verdict};
use crate::bench::judge::{covers, verdict};
use crate::bench::stats::median;

/// More bootstrap resamples than a judge should be made to wait for.
const MOST_RESAMPLES: usize = 1_000_000;

/// The first thing that is wrong with a result, if anything is.
pub fn problem(result: &ResultFile) -> Option<String> {
    time(&result.time)
        .or_else(|| names(result))
        .or_else(|| rules(&result.plan.rules))
        .or_else(|| plan(result))
        .or_else(|| twice(result))
        .or_else(|| trials(result))
        .or_else(|| counts(result))
        .or_else(|| comparisons(result))
}

/// Results are ordered by the text of their time, so it has one form.
fn time(time: &str) -> Option<String> {
    let form = "0000-00-00T00:00:00Z";
    let fits = time.len() == form.len()
        && time.bytes().zip(form.bytes()).all(|(found, wanted)| {
            if wanted == b'0' {
                found.is_ascii_digit()
            } else {
                found == wanted
            }
        });
    (!fits).then(|| format!("time is {time:?}, and not of the form 2026-01-31T23:59:59Z"))
}

/// Names become folders, lines of tables and words of messages. The machine's is a folder.
fn names(result: &ResultFile) -> Option<String> {
    let plain = |name: &str, also: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
        !name.is_empty() && !name.contains("..") && name.chars().all(fits)
    };
    let class = &result.host.class;
    if !plain(class, "-.") {
        return Some(format!(
            "host.class is {class:?}, which names no kind of machine"
        ));
    }
    let arms = result.arms.iter().map(|arm| arm.name.as_str());
    let workloads = result.plan.workloads.iter().map(|w| w.name.as_str());
    let rows = result
        .comparisons
        .iter()
        .flat_map(|row| [&*row.workload, &*row.metric]);
    let mut all = arms.chain(workloads).chain(rows);
    all.find(|name| !plain(name, "/._-+:=,"))
        .map(|name| format!("{name:?} is no name of an arm, a workload or a metric"))
}

fn rules(rules: &Rules) -> Option<String> {
    let share = |value: f64| value > 0.0 && value < 1.0;
    let margins = [
        rules.margin_time,
        rules.margin_memory,
        rules.margin_instructions,
    ];
    if !(share(rules.alpha) && share(rules.confidence) && share(rules.power)) {
        return Some("plan.rules: alpha, confidence and power lie between 0 and 1".to_owned());
    }
    if margins.iter().any(|margin| *margin < 0.0) {
        return Some("plan.rules: a margin is negative".to_owned());
    }
    let resamples = rules.resamples;
    (!(1..=MOST_RESAMPLES).contains(&resamples)).then(|| {
        format!("plan.rules: {resamples} resamples, and from 1 to {MOST_RESAMPLES} are possible")
    })
}

fn plan(result: &ResultFile) -> Option<String> {
    let arm = |name: &String| result.arms.iter().any(|arm| arm.name == *name);
    let unknown = result.plan.contrasts.iter().flatten().find(|a| !arm(a));
    if let Some(unknown) = unknown {
        return Some(format!(
            "plan.contrasts speaks of {unknown}, which is not among the arms"
        ));
    }
    let none = result.plan.workloads.iter().find(|w| w.pairs == 0);
    if let Some(none) = none {
        return Some(format!("plan.workloads: zero pairs of {}", none.name));
    }
    let judged = result.complete && !result.plan.workloads.is_empty();
    (judged && result.trials.is_empty())
        .then(|| "it is called complete, and there is no trial in it".to_owned())
}

/// What stands in a result twice, where only one can be meant.
fn twice(result: &ResultFile) -> Option<String> {
    fn first<T: Ord>(what: &str, items: impl Iterator<Item = (T, String)>) -> Option<String> {
        let mut seen = BTreeSet::new();
        for (key, shown) in items {
            if !seen.insert(key) {
                return Some(format!("{what} {shown} is there twice"));
            }
        }
        None
    }
    let arms = result.arms.iter().map(|a| (&a.name, a.name.clone()));
    let workloads = &result.plan.workloads;
    let workloads = workloads.iter().map(|w| (&w.name, w.name.clone()));
    let rows = result.comparisons.iter().map(|c| {
        let key = (c.family, &c.workload, &c.metric, &c.arms);
        let [a, b] = &c.arms;
        (
            key,
            format!("{} {}, {b} against {a},", c.workload, c.metric),
        )
    });
    let trials = result.trials.iter().map(|t| {
        let key = (&t.trial.workload, t.round, &t.arm, t.control);
        let shown = format!("{} of {} in round {}", t.trial.workload, t.arm, t.round);
        (key, shown)
    });
    let matrices = result.matrices.iter().map(|m| {
        let shown = format!("{} of {}", m.workload, m.arm);
        ((&m.workload, &m.arm), shown)
    });
    let counts = result.counts.iter().map(|c| {
        let shown = format!("{} of {} on {}", c.event, c.arm, c.workload);
        ((&c.workload, &c.arm, &c.counter, &c.event), shown)
    });
    let interactions = result.interactions.iter().map(|i| {
        let shown = format!("{} of {} on {}", i.slug, i.metric, i.workload);
        ((&i.workload, &i.metric, &i.slug), shown)
    });
    first("arm", arms)
        .or_else(|| first("the interaction", interactions))
        .or_else(|| first("workload", workloads))
        .or_else(|| first("the row", rows))
        .or_else(|| first("the trial", trials))
        .or_else(|| first("the matrices", matrices))
        .or_else(|| first("the count", counts))
}

fn trials(result: &ResultFile) -> Option<String> {
    for (place, record) in result.trials.iter().enumerate() {
        let negative = record.trial.metrics.iter().find(|(_, v)| **v < 0.0);
        if let Some((metric, value)) = negative {
            return Some(format!(
                "trials[{place}]: {metric} is {value}, and no amount is negative"
            ));
        }
        if record.window.wall_s < 0.0 {
            return Some(format!("trials[{place}]: it took a negative time"));
        }
    }
    None
}

fn counts(result: &ResultFile) -> Option<String> {
    let none = result.counts.iter().find(|count| count.constraints == 0)?;
    Some(format!(
        "counts: {} of {} has zero constraints",
        none.workload, none.arm
    ))
}

fn comparisons(result: &ResultFile) -> Option<String> {
    for (place, row) in result.comparisons.iter().enumerate() {
        let [low, high] = row.ci95;
        let ratios = row.ratio > 0.0 && low > 0.0 && low <= high;
        let medians = row.median.iter().all(|median| *median >= 0.0);
        if !(ratios && medians) {
            return Some(format!(
                "comparisons[{place}]: a ratio, its interval and medians are above zero, and low stands before high"
            ));
        }
        if row.pairs == 0 {
            return Some(format!("comparisons[{place}]: judged from zero pairs"));
        }
    }
    None
}

/// The first row that does not follow from the trials, as far as that can be told without drawing random numbers: their
/// pairs, their ratios, and the verdict that interval and p give. A reader that shows rows without judging again asks this.
pub fn contradiction(result: &ResultFile) -> Option<String> {
    let trials: HashMap<(&str, &str, usize, bool), &TrialRecord> = result
        .trials
        .iter()
        .map(|t| ((&*t.trial.workload, &*t.arm, t.round, t.control), t))
        .collect();
    let rules = &result.plan.rules;
    for (place, row) in result.comparisons.iter().enumerate() {
        let Some(p_adjusted) = row.p.and(row.p_adjusted) else {
            continue;
        };
        let value = |arm: &str, round, control| {
            let trial = trials.get(&(&*row.workload, arm, round, control))?;
            trial.trial.metrics.get(&row.metric).copied()
        };
        let workload = result
            .plan
            .workloads
            .iter()
            .find(|w| w.name == row.workload);
        let logs: Vec<f64> = (0..workload.map_or(0, |w| w.pairs))
            .filter_map(|round| {
                let first = value(&row.arms[0], round, false)?;
                Some((value(&row.arms[1], round, row.is_control())? / first).ln())
            })
            .collect();
        let said = format!(
            "comparisons[{place}] ({} {}, {} against {})",
            row.workload, row.metric, row.arms[1], row.arms[0]
        );
        if logs.len() != row.pairs {
            return Some(format!(
                "{said} speaks of {} pairs, and its trials make {}",
                row.pairs,
                logs.len()
            ));
        }
        let ratio = median(&logs).unwrap_or(0.0).exp();
        let beside = row.ratio < row.ci95[0] * 0.999_999 || row.ratio > row.ci95[1] * 1.000_001;
        // A ratio that is no number is another one, too.
        let same = (ratio / row.ratio - 1.0).abs() < 1e-9;
        if beside || !same {
            return Some(format!(
                "{said} has the ratio {}, and its trials give {ratio}",
                row.ratio
            ));
        }
        let expected = match covers(row.pairs, rules.confidence) {
            true => verdict(row.ci95, p_adjusted, row.margin, rules.alpha),
            false => Verdict::Inconclusive,
        };
        if ![expected, Verdict::Invalid].contains(&row.verdict) {
            return Some(format!(
                "{said} is called {}, and its numbers say {}",
                row.verdict.word(),
                expected.word()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result};
    use crate::results::CountRecord;

    fn good() -> ResultFile {
        let mut result = empty_result(&["synth/sha256"], 6);
        add_pairs(&mut result, "synth/sha256", &[0.8; 6]);
        result.comparisons = judge(&result).expect("numbers").comparisons;
        result
    }

    #[test]
    fn what_a_run_leaves_is_sound() {
        assert_eq!(problem(&good()), None);
        let mut cut_short = empty_result(&["synth/sha256"], 6);
        cut_short.complete = false;
        assert_eq!(problem(&cut_short), None);
    }

    #[test]
    fn rows_that_do_not_follow_from_their_trials_are_named() {
        assert_eq!(contradiction(&good()), None);
        type Harm = fn(&mut ResultFile);
        let cases: [(&str, Harm); 5] = [
            ("is called regressed, and its numbers say improved", |r| {
                r.comparisons[0].verdict = Verdict::Regressed;
            }),
            ("has the ratio 0.1", |r| r.comparisons[0].ratio = 0.1),
            ("has the ratio", |r| r.comparisons[0].ci95 = [0.9, 0.95]),
            ("and its trials make 6", |r| r.comparisons[0].pairs = 5),
            ("and its trials give", |r| {
                for trial in &mut r.trials {
                    if trial.arm == "patched" {
                        trial.trial.metrics.insert("wall_s.warm".to_owned(), 0.001);
                    }
                }
            }),
        ];
        for (expected, harm) in cases {
            let mut result = good();
            harm(&mut result);
            let found = contradiction(&result).unwrap_or_default();
            assert!(found.contains(expected), "{expected}: {found}");
        }
        let mut invalid = good();
        invalid.comparisons[0].verdict = Verdict::Invalid;
        assert_eq!(contradiction(&invalid), None);
    }

    #[test]
    fn every_way_to_be_unsound_is_named() {
        type Harm = fn(&mut ResultFile);
        let cases: [(&str, Harm); 19] = [
            ("names no kind of machine", |r| {
                r.host.class = "../../x".to_owned()
            }),
            ("is no name of an arm", |r| {
                r.comparisons[0].metric = "<b>|".to_owned()
            }),
            ("time is \"yesterday\"", |r| r.time = "yesterday".to_owned()),
            ("alpha, confidence and power", |r| r.plan.rules.alpha = 0.0),
            ("a margin is negative", |r| r.plan.rules.margin_time = -0.1),
            ("0 resamples", |r| r.plan.rules.resamples = 0),
            ("speaks of other", |r| {
                r.plan.contrasts[0][1] = "other".to_owned();
            }),
            ("zero pairs of synth/sha256", |r| {
                r.plan.workloads[0].pairs = 0;
            }),
            ("no trial in it", |r| r.trials.clear()),
            ("arm pristine is there twice", |r| {
                r.arms.push(r.arms[0].clone());
            }),
            ("workload synth/sha256 is there twice", |r| {
                r.plan.workloads.push(r.plan.workloads[0].clone());
            }),
            ("patched against pristine, is there twice", |r| {
                r.comparisons.push(r.comparisons[0].clone());
            }),
            ("in round 0 is there twice", |r| {
                r.trials.push(r.trials[0].clone());
            }),
            ("no amount is negative", |r| {
                let metrics = &mut r.trials[3].trial.metrics;
                metrics.insert("wall_s.warm".to_owned(), -1.0);
            }),
            ("it took a negative time", |r| {
                r.trials[0].window.wall_s = -1.0;
            }),
            ("has zero constraints", |r| {
                r.counts.push(CountRecord {
                    workload: "synth/sha256".to_owned(),
                    arm: "patched".to_owned(),
                    counter: "callgrind".to_owned(),
                    event: "instructions".to_owned(),
                    once: 1,
                    twice: 2,
                    constraints: 0,
                });
            }),
            ("above zero", |r| r.comparisons[0].ratio = 0.0),
            ("low stands before high", |r| {
                r.comparisons[0].ci95 = [0.9, 0.7];
            }),
            ("zero pairs", |r| r.comparisons[0].pairs = 0),
        ];
        for (says, harm) in cases {
            let mut result = good();
            harm(&mut result);
            let found = problem(&result).unwrap_or_default();
            assert!(found.contains(says), "{found:?} does not say {says:?}");
        }
    }
}
