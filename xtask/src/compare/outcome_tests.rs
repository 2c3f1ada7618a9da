use super::*;
use crate::compare::history;
use crate::compare::testing::{W, around, compared, run, simple, source, warm};
use crate::results::{CountRecord, MatricesRecord, TrialRecord};

fn verdicts(outcome: &Outcome) -> Vec<(&str, &str, Verdict)> {
    outcome
        .rows
        .iter()
        .map(|r| {
            (
                r.key.workload.name.as_str(),
                r.key.metric.as_str(),
                r.verdict,
            )
        })
        .collect()
}

#[test]
fn a_series_that_lost_regressed_though_it_still_wins() {
    let outcome = compared(&simple(20, 0.60, 12), &[simple(10, 0.55, 12)]);
    assert_eq!(
        verdicts(&outcome),
        [
            (W, "wall_s.warm", Verdict::Regressed),
            (W, "peak_bytes", Verdict::Equivalent)
        ]
    );
    let change = warm(&outcome, W).change.expect("a change");
    assert!((change.factor - 0.60 / 0.55).abs() < 0.02, "{change:?}");
    assert!(change.ci95[0] > 1.05 && change.ci95[1] < 1.13, "{change:?}");
    assert!(!outcome.is_good());
    let gained = compared(&simple(20, 0.50, 12), &[simple(10, 0.55, 12)]);
    assert_eq!(warm(&gained, W).verdict, Verdict::Improved);
    assert!(gained.is_good());
}

#[test]
fn absolute_times_are_never_judged() {
    let mut slow = simple(20, 0.55, 12).result;
    for record in &mut slow.trials {
        let time = record.trial.metrics.get_mut("wall_s.warm");
        *time.expect("a time") *= 3.0;
    }
    let outcome = compared(&source(slow), &[simple(10, 0.55, 12)]);
    let row = warm(&outcome, W);
    assert_eq!(row.verdict, Verdict::Equivalent);
    let (old, new) = (
        row.old.as_ref().expect("old"),
        row.new.as_ref().expect("new"),
    );
    assert!(new.median[0] > 2.9 * old.median[0]);
}

#[test]
fn an_interval_that_straddles_zero_is_no_regression() {
    let noisy = |minute, shift: f64| {
        let ratios: Vec<f64> = (0..9)
            .map(|i| shift + 0.1 * ((i * 5 % 9) as f64 / 9.0))
            .collect();
        run(minute, &[(W, &ratios)])
    };
    let outcome = compared(&noisy(20, 0.52), &[noisy(10, 0.50)]);
    let row = warm(&outcome, W);
    let [low, high] = row.change.expect("a change").ci95;
    assert!(low < 1.0 && high > 1.0, "{low} {high}");
    assert_eq!(row.verdict, Verdict::Inconclusive);
    assert!(row.reason.is_some() && outcome.is_good());
}

#[test]
fn without_history_every_row_is_new() {
    let outcome = compared(&simple(20, 0.5, 6), &[]);
    assert_eq!(outcome.count(Verdict::New), 2);
    assert!(outcome.is_good() && outcome.history.is_empty());
}

#[test]
fn new_and_missing_benchmarks_are_listed_and_the_rest_compared() {
    let ratios = around(0.5, 12, 0);
    let old = run(10, &[(W, &ratios), ("synth/gone", &ratios)]);
    let new = run(20, &[(W, &around(0.6, 12, 1)), ("synth/fresh", &ratios)]);
    let outcome = compared(&new, &[old]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::Regressed);
    assert_eq!(warm(&outcome, "synth/fresh").verdict, Verdict::New);
    assert_eq!(warm(&outcome, "synth/fresh").reason, None);
    assert_eq!(warm(&outcome, "synth/gone").verdict, Verdict::Missing);
    // Another question leaves no gap.
    let other = compared(
        &run(30, &[("synth/fresh", &ratios)]),
        &[simple(10, 0.5, 12)],
    );
    assert_eq!(other.rows.len(), 2);
    assert_eq!(other.count(Verdict::New), 2);
}

/// The old run has `synth/before` and the new one `synth/after`; both are changed by `mark`.
fn renamed(mark: impl Fn(&mut crate::results::ResultFile, &str)) -> Option<String> {
    let marked = |minute, name: &str| {
        let mut made = run(
            minute,
            &[(W, &around(0.5, 8, 0)), (name, &around(0.5, 8, 1))],
        );
        mark(&mut made.result, name);
        made
    };
    let outcome = compared(&marked(20, "synth/after"), &[marked(10, "synth/before")]);
    assert_eq!(warm(&outcome, "synth/before").verdict, Verdict::Missing);
    let row = warm(&outcome, "synth/after");
    assert_eq!(row.verdict, Verdict::New);
    row.reason.clone()
}

#[test]
fn a_renamed_benchmark_is_suspected() {
    assert_eq!(renamed(|_, _| ()), None);
    let matrices = |same: bool| {
        move |result: &mut crate::results::ResultFile, name: &str| {
            let digest = if same { "one" } else { name };
            result.matrices.push(MatricesRecord {
                workload: name.to_owned(),
                arm: "pristine".to_owned(),
                digests: [("matrix_a".to_owned(), digest.to_owned())].into(),
            });
        }
    };
    let reason = renamed(matrices(true)).unwrap_or_default();
    assert_eq!(
        reason,
        "perhaps renamed from synth/before: its matrices are the same"
    );
    assert_eq!(renamed(matrices(false)), None);
    let constraints = |value: f64| {
        move |result: &mut crate::results::ResultFile, name: &str| {
            for record in result
                .trials
                .iter_mut()
                .filter(|t| t.trial.workload == name)
            {
                let metrics = &mut record.trial.metrics;
                metrics.insert("constraints".to_owned(), value);
            }
        }
    };
    let reason = renamed(constraints(26_000.0)).unwrap_or_default();
    assert!(reason.ends_with("it has as many constraints"), "{reason}");
    let answers = |result: &mut crate::results::ResultFile, name: &str| {
        for record in result
            .trials
            .iter_mut()
            .filter(|t| t.trial.workload == name)
        {
            record.trial.seed = record.round as u64;
            let answer = record.round.to_string();
            record.trial.answers.insert("a".to_owned(), answer);
        }
    };
    let reason = renamed(answers).unwrap_or_default();
    assert!(reason.ends_with("its answers are the same"), "{reason}");
}

#[test]
fn another_size_is_another_workload_and_a_null_size_is_what_the_trials_tell() {
    let sized = |minute, plan: Option<u64>, real: u64| {
        let mut made = simple(minute, 0.5, 8);
        made.result.plan.workloads[0].size = plan;
        for record in &mut made.result.trials {
            record.trial.size = Some(real);
        }
        made
    };
    let outcome = compared(&sized(20, None, 8), &[sized(10, None, 32)]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::New);
    let outcome = compared(&sized(20, Some(32), 32), &[sized(10, None, 32)]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::Equivalent);
}

#[test]
fn invalid_stale_and_partial_are_said_and_not_judged() {
    let old = simple(10, 0.5, 8);
    let mut wrong = simple(20, 0.9, 8).result;
    let answers = &mut wrong.trials[3].trial.answers;
    answers.insert("a".to_owned(), "other".to_owned());
    let wrong = source(wrong);
    let outcome = compared(&wrong, std::slice::from_ref(&old));
    assert_eq!(outcome.count(Verdict::Invalid), 2);
    assert!(
        warm(&outcome, W)
            .reason
            .as_ref()
            .is_some_and(|r| r.contains("differs"))
    );
    assert!(!outcome.is_good());

    // An invalid run is no history either.
    let later = compared(&simple(30, 0.5, 8), std::slice::from_ref(&wrong));
    let row = warm(&later, W);
    assert_eq!((row.verdict, row.runs), (Verdict::New, 0));
    assert!(row.reason.as_ref().is_some_and(|r| r.contains("invalid")));
    let later = compared(&simple(30, 0.5, 8), &[old.clone(), wrong]);
    assert_eq!(warm(&later, W).verdict, Verdict::Equivalent);

    let new = simple(20, 0.9, 8);
    let history = history::of(&new, vec![old.clone()]);
    let stale = |arm: &ArmRecord| (arm.name == "patched").then(|| "moved".to_owned());
    let outcome = compare(&new, history, stale).expect("numbers");
    assert_eq!(outcome.count(Verdict::Stale), 2);
    assert_eq!(warm(&outcome, W).reason.as_deref(), Some("patched: moved"));
    assert!(!outcome.is_good());

    let mut partial = simple(20, 0.9, 8);
    partial.result.complete = false;
    let outcome = compared(&partial, &[old]);
    assert!(outcome.rows.is_empty() && !outcome.is_good());
    assert!(
        outcome
            .notes
            .iter()
            .any(|note| note.contains("was cut short"))
    );
}

#[test]
fn what_a_file_concludes_is_not_believed() {
    let mut edited = simple(20, 0.60, 12);
    edited.result.comparisons[0].ratio = 0.55;
    let outcome = compared(&edited, &[simple(10, 0.55, 12)]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::Regressed);
    let note = outcome.notes.join("\n");
    assert!(
        note.contains("1 of its rows are not what this code concludes"),
        "{note}"
    );
    let mut emptied = simple(20, 0.55, 12);
    emptied.result.comparisons.clear();
    let outcome = compared(&emptied, &[simple(10, 0.55, 12)]);
    assert!(outcome.notes.join("").contains("2 of its rows"));
    assert_eq!(warm(&outcome, W).verdict, Verdict::Equivalent);
}

#[test]
fn a_number_that_is_none_is_refused_by_the_name_of_its_file() {
    let mut bad = simple(10, 0.55, 12);
    let metrics = &mut bad.result.trials[0].trial.metrics;
    metrics.insert("wall_s.warm".to_owned(), 0.0);
    let new = simple(20, 0.55, 12);
    let history = history::of(&new, vec![bad]);
    let error = compare(&new, history, |_| None)
        .expect_err("zero")
        .to_string();
    assert!(
        error.starts_with("results/2026-11-29T10:10:00Z.json: "),
        "{error}"
    );
    assert!(error.contains("only a number above zero"), "{error}");
}

#[test]
fn the_reference_is_the_newest_run_that_can_decide() {
    let runs = [simple(1, 0.7, 12), simple(2, 0.5, 12), simple(3, 0.7, 3)];
    let outcome = compared(&simple(20, 0.5, 12), &runs);
    let row = warm(&outcome, W);
    let old = row.old.as_ref().expect("a reference");
    assert_eq!((old.pairs, row.verdict), (12, Verdict::Equivalent));
    assert_eq!(old.result, runs[1].path);
    let few = compared(&simple(20, 0.9, 12), &runs[2..]);
    assert_eq!(warm(&few, W).verdict, Verdict::Inconclusive);
}

#[test]
fn counts_are_compared_exactly_and_by_one_counter() {
    let counted = |minute, twice: u64, counter: &str| {
        let mut result = simple(minute, 0.5, 8).result;
        for (arm, twice) in [("pristine", 3_000_000), ("patched", twice)] {
            result.counts.push(CountRecord {
                workload: W.to_owned(),
                arm: arm.to_owned(),
                counter: counter.to_owned(),
                event: "instructions".to_owned(),
                once: 1_000_000,
                twice,
                constraints: 10,
            });
        }
        source(result)
    };
    let count = |outcome: &Outcome| {
        let row = outcome.rows.iter().find(|r| r.key.counter.is_some());
        row.expect("a count").clone()
    };
    let old = [counted(10, 2_000_000, "callgrind")];
    let more = count(&compared(&counted(20, 2_005_000, "callgrind"), &old));
    assert_eq!(more.verdict, Verdict::Regressed);
    assert_eq!(more.change.and_then(|c| c.p), None);
    let same = count(&compared(&counted(20, 2_000_500, "callgrind"), &old));
    assert_eq!(same.verdict, Verdict::Equivalent);
    let other = count(&compared(&counted(20, 2_005_000, "perf"), &old));
    assert_eq!(other.verdict, Verdict::New);
    let none = count(&compared(&counted(20, 1_000_000, "callgrind"), &old));
    assert_eq!(none.verdict, Verdict::Missing, "no ratio, no row");
}

#[test]
fn a_headline_that_became_a_detail_is_still_compared() {
    let mut demoted = simple(20, 0.9, 12).result;
    demoted.plan.workloads[0].headline.clear();
    let outcome = compared(&source(demoted), &[simple(10, 0.5, 12)]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::Regressed);
}

#[test]
fn details_and_controls_make_no_claim() {
    let detailed = |minute, detail: f64| {
        let mut result = simple(minute, 0.5, 8).result;
        for record in &mut result.trials {
            let value = if record.arm == "patched" { detail } else { 1.0 };
            record
                .trial
                .metrics
                .insert("wall_s.drain".to_owned(), value);
        }
        source(result)
    };
    let outcome = compared(&detailed(20, 3.0), &[detailed(10, 1.0)]);
    assert!(outcome.rows.iter().all(|r| r.key.metric != "wall_s.drain"));
    assert!(outcome.is_good());
    let mut control = simple(20, 0.5, 8).result;
    control.plan.workloads[0].control = true;
    let of_first = |t: &&TrialRecord| t.arm == "pristine";
    let mut again: Vec<TrialRecord> = control.trials.iter().filter(of_first).cloned().collect();
    for record in &mut again {
        record.control = true;
        record.trial.metrics.insert("wall_s.warm".to_owned(), 2.0);
    }
    control.trials.extend(again);
    // An arm that differs from itself makes its run invalid.
    let outcome = compared(&source(control), &[simple(10, 0.5, 8)]);
    assert_eq!(warm(&outcome, W).verdict, Verdict::Invalid);
}

#[test]
fn what_moved_is_listed_and_the_same_binaries_are_pointed_out() {
    let old = simple(10, 0.5, 12);
    let same = compared(&simple(20, 0.6, 12), std::slice::from_ref(&old));
    assert!(same.changes.is_empty());
    let reason = warm(&same, W).reason.clone().unwrap_or_default();
    assert!(reason.contains("the binaries of then"), "{reason}");
    let mut moved = simple(20, 0.6, 12).result;
    moved.arms[1].stamp = "0123456789abcdef".to_owned();
    moved.arms[1].inputs = serde_json::json!({ "profile": "other", "cc": "gcc" });
    let outcome = compared(&source(moved), &[old]);
    assert_eq!(outcome.changes.len(), 1);
    assert_eq!(outcome.changes[0].moved, ["profile", "cc"]);
    let line = outcome.changes[0].line();
    assert!(
        line.starts_with("patched: patched- -> 01234567 since"),
        "{line}"
    );
    assert_eq!(warm(&outcome, W).reason, None);
}
