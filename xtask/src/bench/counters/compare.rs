//! Rows and lines from counts.
//!
//! Instructions and branches are work that was done or not, so their ratio is judged as it is. Cycles, misses and
//! instructions per cycle depend on the machine's state as times do, and times answer for them: they are shown.

use crate::bench::{grid, metrics, pairs};
use crate::results::{Comparison, CountRecord, Family, ResultFile, Verdict};

use super::Event;

/// Instructions per cycle, as lines name it.
const IPC: &str = "IPC";

/// Events that are judged, and the metrics under which they appear in results.
const JUDGED: [(Event, &str); 2] = [
    (Event::Instructions, metrics::INSTRUCTIONS),
    (Event::Branches, metrics::BRANCHES),
];

/// perf counts interrupts and page faults along the way, so its counts repeat to less than this and not exactly.
const PERF_MARGIN: f64 = 0.005;

/// How many of an event one synthesis has, a constraint.
pub fn per_constraint(record: &CountRecord) -> f64 {
    record.twice.saturating_sub(record.once) as f64 / record.constraints as f64
}

fn find<'a>(
    result: &'a ResultFile,
    workload: &str,
    arm: &str,
    event: Event,
) -> Option<&'a CountRecord> {
    result
        .counts
        .iter()
        .find(|c| c.workload == workload && c.arm == arm && c.event == event.name())
}

/// The rows of a result's counts: an exact ratio each, its interval a point, and no p.
pub fn compare(result: &ResultFile) -> Vec<Comparison> {
    let rules = &result.plan.rules;
    let mut rows = Vec::new();
    for workload in &result.plan.workloads {
        for [first, second] in &result.plan.contrasts {
            for (event, metric) in JUDGED {
                let of = |arm: &str| find(result, &workload.name, arm, event);
                let (Some(a), Some(b)) = (of(first), of(second)) else {
                    continue;
                };
                let median = [per_constraint(a), per_constraint(b)];
                let ratio = median[1] / median[0];
                if !ratio.is_finite() || ratio <= 0.0 {
                    continue;
                }
                let margin = match a.counter.as_str() {
                    super::perf::NAME => PERF_MARGIN,
                    _ => metrics::margin(metric, rules),
                };
                let problem = problem(result, &workload.name, [first, second], a, b);
                rows.push(Comparison {
                    workload: workload.name.clone(),
                    metric: metric.to_owned(),
                    unit: "count".to_owned(),
                    family: Family::Instructions,
                    arms: [first.clone(), second.clone()],
                    stamps: [result.stamp(first), result.stamp(second)],
                    median,
                    ratio,
                    ci95: [ratio, ratio],
                    p: None,
                    p_adjusted: None,
                    pairs: 1,
                    disturbed_pairs: 0,
                    margin,
                    detectable: Some(margin),
                    verdict: if problem.is_none() {
                        exact_verdict(ratio, margin)
                    } else {
                        Verdict::Invalid
                    },
                    answers_equal: problem.is_none(),
                    reason: problem,
                });
            }
        }
    }
    rows
}

/// Why two counts can't be compared, if they can't.
fn problem(
    result: &ResultFile,
    workload: &str,
    [first, second]: [&String; 2],
    a: &CountRecord,
    b: &CountRecord,
) -> Option<String> {
    let trials = pairs::of(result, workload, [first, second], false);
    pairs::problem(result, workload, first, second, &trials).or_else(|| {
        (a.constraints != b.constraints).then(|| {
            format!(
                "{first} has {} constraints and {second} {}",
                a.constraints, b.constraints
            )
        })
    })
}

fn exact_verdict(ratio: f64, margin: f64) -> Verdict {
    if (1.0 / (1.0 + margin)..=1.0 + margin).contains(&ratio) {
        Verdict::Equivalent
    } else if ratio < 1.0 {
        Verdict::Improved
    } else {
        Verdict::Regressed
    }
}

/// Everything that was counted, a table for each workload; nothing where only instructions and branches were.
pub fn table(result: &ResultFile) -> Option<String> {
    let beyond =
        |record: &CountRecord| JUDGED.iter().all(|(event, _)| event.name() != record.event);
    if !result.counts.iter().any(beyond) {
        return None;
    }
    let mut text = String::new();
    for workload in &result.plan.workloads {
        let mut rows = vec![["", "arm", "a constraint"].map(str::to_owned)];
        for arm in &result.arms {
            for event in Event::ALL {
                let Some(record) = find(result, &workload.name, &arm.name, event) else {
                    continue;
                };
                let value = metrics::show(per_constraint(record), "count");
                rows.push([format!("  {}", event.name()), arm.name.clone(), value]);
            }
            if let Some(ipc) = ipc(result, &workload.name, &arm.name) {
                rows.push([format!("  {IPC}"), arm.name.clone(), format!("{ipc:.3}")]);
            }
        }
        if rows.len() > 1 {
            text.push_str(&format!("{}, counted:\n", workload.name));
            text.push_str(&grid::render(&rows, &[0, 1]));
        }
    }
    Some(text)
}

/// Instructions per cycle of one synthesis.
fn ipc(result: &ResultFile, workload: &str, arm: &str) -> Option<f64> {
    let of = |event| find(result, workload, arm, event).map(per_constraint);
    let (instructions, cycles) = (of(Event::Instructions)?, of(Event::Cycles)?);
    (cycles > 0.0).then(|| instructions / cycles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{add_pairs, empty_result};

    fn record(arm: &str, event: Event, twice: u64) -> CountRecord {
        CountRecord {
            workload: "synth/sha256".to_owned(),
            arm: arm.to_owned(),
            counter: "callgrind".to_owned(),
            event: event.name().to_owned(),
            once: 1_000,
            twice,
            constraints: 10,
        }
    }

    fn counted() -> ResultFile {
        let mut result = empty_result(&["synth/sha256"], 2);
        add_pairs(&mut result, "synth/sha256", &[0.8, 0.8]);
        for (arm, twice) in [("pristine", 3_000), ("patched", 2_500)] {
            for event in [Event::Instructions, Event::Branches] {
                result.counts.push(record(arm, event, twice));
            }
        }
        result
    }

    #[test]
    fn two_minus_one_is_one_synthesis() {
        assert_eq!(
            per_constraint(&record("pristine", Event::Instructions, 2_000)),
            100.0
        );
    }

    #[test]
    fn counts_of_arms_with_other_answers_compare_nothing() {
        let mut result = counted();
        let rows = compare(&result);
        let named: Vec<&str> = rows.iter().map(|row| row.metric.as_str()).collect();
        assert_eq!(named, [metrics::INSTRUCTIONS, metrics::BRANCHES]);
        assert_eq!(
            (rows[0].verdict, rows[0].answers_equal, rows[0].margin),
            (Verdict::Improved, true, 0.001)
        );
        let wrong = &mut result.trials[1].trial.answers;
        wrong.insert("a".to_owned(), "other".to_owned());
        let row = &compare(&result)[0];
        assert_eq!((row.verdict, row.answers_equal), (Verdict::Invalid, false));
        assert!(
            row.reason
                .as_ref()
                .is_some_and(|r| r.contains("a is the first vector"))
        );
    }

    #[test]
    fn exact_ratios_need_no_statistics() {
        assert_eq!(exact_verdict(0.72, 0.001), Verdict::Improved);
        assert_eq!(exact_verdict(1.01, 0.001), Verdict::Regressed);
        assert_eq!(exact_verdict(1.0005, 0.001), Verdict::Equivalent);
    }

    #[test]
    fn what_is_not_judged_is_shown() {
        let mut result = counted();
        assert_eq!(table(&result), None);
        for (arm, cycles) in [("pristine", 2_000), ("patched", 1_500)] {
            result.counts.push(record(arm, Event::Cycles, cycles));
        }
        for record in &mut result.counts {
            record.counter = "perf".to_owned();
        }
        let text = table(&result).expect("cycles");
        assert!(text.contains("IPC"), "{text}");
        // 200 instructions and 100 cycles a constraint; then 150 and 50.
        assert!(text.contains("2.000") && text.contains("3.000"), "{text}");
        assert_eq!(compare(&result)[0].margin, PERF_MARGIN);
    }
}
