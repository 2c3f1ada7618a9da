//! Instructions per constraint, counted by valgrind's callgrind.
//!
//! A process that synthesises twice minus one that synthesises once leaves one synthesis: setting up, sealing and
//! checking drop out. On one thread the count repeats to a few instructions, so it needs no statistics; counts and
//! times never come from the same run. callgrind simulates a plain processor, so code that picks AVX-512 or SHA
//! instructions at run time shows its portable path here.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};

use super::process::{self, Interrupt};
use super::runner::{Arm, Call};
use super::trial;
use super::{metrics, pairs};
use crate::results::{Comparison, CountRecord, Family, ResultFile, Verdict};

/// What counts, as results name it.
const COUNTER: &str = "callgrind";

/// What to tell a person whose machine can't count; `None` where it can.
pub fn unavailable() -> Option<String> {
    let found = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    (!found).then(|| {
        "instruction counts are absent: `valgrind` cannot be run. Install valgrind with its callgrind tool (Debian, \
         Ubuntu: `apt install valgrind`; Fedora: `dnf install valgrind`) and run again with --instructions"
            .to_owned()
    })
}

/// Counts one workload on every arm, as many processes side by side as there are cores: a count does not mind company.
pub fn count(
    arms: &[Arm],
    call: &Call,
    cache: &Path,
    interrupt: &Interrupt,
    mut done: impl FnMut(&str),
) -> Result<Vec<CountRecord>> {
    let jobs: Vec<(usize, u32)> = (0..arms.len())
        .flat_map(|arm| [(arm, 2), (arm, 1)])
        .collect();
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(jobs.len());
    let (queue, (sender, receiver)) = (Mutex::new(jobs.into_iter()), std::sync::mpsc::channel());
    let mut counted = Vec::new();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                // A poisoned lock only means that another worker died; what it left in the queue is still good.
                let next = || queue.lock().unwrap_or_else(|e| e.into_inner()).next();
                while let Some((arm, repeat)) = next() {
                    let outcome = count_one(&arms[arm], call, repeat, cache, interrupt);
                    if sender.send((arm, repeat, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (arm, repeat, outcome) in receiver {
            let outcome = outcome
                .with_context(|| format!("counting {} on {}", call.workload, arms[arm].name));
            done(&arms[arm].name);
            counted.push((arm, repeat, outcome?));
        }
        Ok::<_, anyhow::Error>(())
    })?;
    arms.iter()
        .enumerate()
        .map(|(index, arm)| {
            let find = |repeat| {
                counted
                    .iter()
                    .find(|(a, r, _)| (*a, *r) == (index, repeat))
                    .map(|(_, _, c)| *c)
            };
            let (once, constraints) =
                find(1).ok_or_else(|| anyhow!("{} was not counted", arm.name))?;
            let (twice, _) = find(2).ok_or_else(|| anyhow!("{} was not counted", arm.name))?;
            if twice <= once {
                bail!(
                    "{}: {} counted {once} instructions once and {twice} twice",
                    arm.name,
                    call.workload
                );
            }
            Ok(CountRecord {
                workload: call.workload.to_owned(),
                arm: arm.name.clone(),
                counter: COUNTER.to_owned(),
                event: "instructions".to_owned(),
                once,
                twice,
                constraints,
            })
        })
        .collect()
}

/// Instructions of one process, and the constraints that it reports.
fn count_one(
    arm: &Arm,
    call: &Call,
    repeat: u32,
    cache: &Path,
    interrupt: &Interrupt,
) -> Result<(u64, u64)> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("callgrind.out");
    let plain = arm.command(
        &Call {
            threads: Some(1),
            ..call.clone()
        },
        cache,
        Some(repeat),
    );
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--dump-instr=no", "--error-exitcode=2"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(plain.get_program())
        .args(plain.get_args().map(OsStr::to_os_string));
    let finished = process::run(&mut command, interrupt)?;
    let trial = trial::parse(&finished.stdout).with_context(|| finished.stderr.clone())?;
    if !(finished.good && trial.ok) {
        bail!(
            "the workload failed its own check: {}",
            trial.check.unwrap_or_default()
        );
    }
    let constraints = trial
        .metrics
        .get("constraints")
        .copied()
        .filter(|c| *c >= 1.0);
    let constraints =
        constraints.context("the workload reports no constraints to divide by")? as u64;
    let profile = std::fs::read_to_string(&out)
        .with_context(|| format!("no profile in {}", out.display()))?;
    let total = total(&profile).context("the profile of callgrind has no total")?;
    Ok((total, constraints))
}

/// The total of a callgrind profile: the first number of its `totals:` or `summary:` line.
fn total(profile: &str) -> Option<u64> {
    let value = |key: &str| {
        let line = profile
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse().ok()
    };
    value("totals:")
        .or_else(|| value("summary:"))
        .filter(|total| *total > 0)
}

/// Instructions of one synthesis, a constraint.
pub fn per_constraint(record: &CountRecord) -> f64 {
    record.twice.saturating_sub(record.once) as f64 / record.constraints as f64
}

/// The rows of a result's counts: an exact ratio each, its interval a point, and no p.
pub fn compare(result: &ResultFile) -> Vec<Comparison> {
    let rules = &result.plan.rules;
    let margin = metrics::margin(metrics::INSTRUCTIONS, rules);
    let find = |workload: &str, arm: &str| {
        result
            .counts
            .iter()
            .find(|c| c.workload == workload && c.arm == arm)
    };
    let stamp = |name: &str| {
        let arm = result.arms.iter().find(|arm| arm.name == name);
        arm.map_or_else(String::new, |arm| arm.stamp.clone())
    };
    let mut rows = Vec::new();
    for workload in &result.plan.workloads {
        for [first, second] in &result.plan.contrasts {
            let (Some(a), Some(b)) = (find(&workload.name, first), find(&workload.name, second))
            else {
                continue;
            };
            let median = [per_constraint(a), per_constraint(b)];
            let ratio = median[1] / median[0];
            let trials = pairs::of(result, &workload.name, [first, second], false);
            let problem =
                pairs::problem(result, &workload.name, first, second, &trials).or_else(|| {
                    (a.constraints != b.constraints).then(|| {
                        format!(
                            "{first} has {} constraints and {second} {}",
                            a.constraints, b.constraints
                        )
                    })
                });
            rows.push(Comparison {
                workload: workload.name.clone(),
                metric: metrics::INSTRUCTIONS.to_owned(),
                unit: "count".to_owned(),
                family: Family::Instructions,
                arms: [first.clone(), second.clone()],
                stamps: [stamp(first), stamp(second)],
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
    rows
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{add_pairs, empty_result};

    #[test]
    fn the_total_of_a_profile() {
        let profile =
            "version: 1\nevents: Ir\nsummary: 12\n\nfn=(1) main\n1 12\n\ntotals: 13924879127\n";
        assert_eq!(total(profile), Some(13_924_879_127));
        assert_eq!(total("events: Ir\nsummary: 77 3\n"), Some(77));
        assert_eq!(total("events: Ir\n"), None);
        assert_eq!(
            total("totals: 0\n"),
            None,
            "a count that is missing is absent, never zero"
        );
    }

    #[test]
    fn two_minus_one_is_one_synthesis() {
        let record = CountRecord {
            workload: "synth/sha256".to_owned(),
            arm: "pristine".to_owned(),
            counter: COUNTER.to_owned(),
            event: "instructions".to_owned(),
            once: 1_500,
            twice: 2_500,
            constraints: 10,
        };
        assert_eq!(per_constraint(&record), 100.0);
    }

    #[test]
    fn counts_of_arms_with_other_answers_compare_nothing() {
        let mut result = empty_result(&["synth/sha256"], 2);
        add_pairs(&mut result, "synth/sha256", &[0.8, 0.8]);
        for (arm, twice) in [("pristine", 3_000), ("patched", 2_500)] {
            result.counts.push(CountRecord {
                workload: "synth/sha256".to_owned(),
                arm: arm.to_owned(),
                counter: COUNTER.to_owned(),
                event: "instructions".to_owned(),
                once: 1_000,
                twice,
                constraints: 10,
            });
        }
        let row = &compare(&result)[0];
        assert_eq!((row.verdict, row.answers_equal), (Verdict::Improved, true));
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
}
