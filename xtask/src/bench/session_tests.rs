use std::path::PathBuf;

use super::*;
use crate::bench::judge::judge;
use crate::bench::testing::empty_result;
use crate::results::{Comparison, Family, Verdict};

#[path = "session_steps_tests.rs"]
mod steps;

const W: &str = "synth/sha256";

fn stub() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/stub-workload.sh")
}

fn arm(name: &str, options: &[(&str, &str)]) -> Arm {
    Arm {
        name: name.to_owned(),
        stamp: format!("{name}-stamp"),
        inputs: serde_json::Value::Null,
        binary: stub(),
        options: options
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
        released: name == "released",
        workloads: Arm::list(&stub(), &Interrupt::default()).expect("the stub lists its workloads"),
    }
}

struct Outcome {
    result: ResultFile,
    error: Option<String>,
    /// The progress bar came to its end.
    full: bool,
}

impl Outcome {
    fn headline(&self) -> Comparison {
        let judgement = judge(&self.result).expect("numbers");
        let found = judgement
            .comparisons
            .into_iter()
            .find(|c| c.family == Family::Headline);
        found.expect("a headline row")
    }
}

fn run(workload: &str, rounds: usize, arms: &[Arm]) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run_in(folder.path(), workload, rounds, arms)
}

fn run_in(folder: &Path, workload: &str, rounds: usize, arms: &[Arm]) -> Outcome {
    run_with(folder, workload, rounds, arms, None)
}

fn run_with(
    folder: &Path,
    workload: &str,
    rounds: usize,
    arms: &[Arm],
    counters: Option<&Probe>,
) -> Outcome {
    let mut result = empty_result(&[workload], rounds);
    result.arms = arms.iter().map(Arm::record).collect();
    result.plan.contrasts = arms[1..]
        .iter()
        .map(|other| [arms[0].name.clone(), other.name.clone()])
        .collect();
    let (cache, kept) = (folder.join("params"), folder.join("matrices"));
    let session = Session {
        arms,
        folders: Folders {
            cache: &cache,
            kept: &kept,
        },
        interrupt: &Interrupt::default(),
        counters,
    };
    let mut progress = RunProgress::new(session.steps(&result), false);
    let error = session
        .run(&mut result, &mut progress)
        .err()
        .map(|e| format!("{e:#}"));
    Outcome {
        result,
        error,
        full: progress.is_full(),
    }
}

#[test]
fn a_faster_arm_is_found_in_balanced_pairs_on_equal_inputs() {
    let outcome = run(
        W,
        6,
        &[arm("pristine", &[]), arm("patched", &[("speed", "800")])],
    );
    assert_eq!(outcome.error, None);
    let trials = &outcome.result.trials;
    assert_eq!(trials.len(), 12);
    assert!(trials.iter().enumerate().all(|(i, t)| t.order == i));
    let firsts = trials
        .chunks(2)
        .filter(|pair| pair[0].arm == "pristine")
        .count();
    assert_eq!(firsts, 3);
    for pair in trials.chunks(2) {
        assert_eq!(pair[0].trial.seed, pair[1].trial.seed);
        assert_eq!(pair[0].round, pair[1].round);
        assert_ne!(pair[0].arm, pair[1].arm);
    }
    let mut seeds: Vec<u64> = trials.chunks(2).map(|pair| pair[0].trial.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 6, "every pair has an input of its own");
    let row = outcome.headline();
    assert_eq!(row.verdict, Verdict::Improved);
    assert!((row.ratio - 0.8).abs() < 1e-5, "{}", row.ratio);
    assert!(row.answers_equal);
    assert_eq!(outcome.result.matrices.len(), 2);
}

#[test]
fn a_wrong_answer_is_named_and_located_and_ends_the_workload() {
    let outcome = run(
        W,
        6,
        &[
            arm("pristine", &[]),
            arm("patched", &[("wrong", "aux_assignment")]),
        ],
    );
    assert_eq!(outcome.error, None);
    assert_eq!(
        outcome.result.trials.len(),
        2,
        "there is nothing left to time"
    );
    let row = outcome.headline();
    assert_eq!((row.verdict, row.answers_equal), (Verdict::Invalid, false));
    let note = &outcome.result.notes[0];
    assert!(
        note.starts_with(
            "synth/sha256: aux_assignment is the first vector that differs between pristine and patched \
             at element 2: 0x0 and 0x102 (seed "
        ),
        "{note}"
    );
}

#[test]
fn other_matrices_are_seen_before_anything_is_timed() {
    let outcome = run(
        W,
        6,
        &[arm("pristine", &[]), arm("patched", &[("matrix", "x")])],
    );
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.result.trials.len(), 2);
    assert_eq!(outcome.headline().verdict, Verdict::Invalid);
    assert!(
        outcome.result.notes[0].contains("matrix_b is the first vector"),
        "{:?}",
        outcome.result.notes
    );
}

#[test]
fn a_failed_check_is_an_invalid_row_and_no_crash() {
    let outcome = run(
        W,
        6,
        &[arm("pristine", &[]), arm("patched", &[("unsure", "yes")])],
    );
    assert_eq!(outcome.error, None);
    let row = outcome.headline();
    assert_eq!(row.verdict, Verdict::Invalid);
    assert!(
        row.reason
            .is_some_and(|r| r.contains("patched failed its own check"))
    );
}

#[test]
fn a_process_that_fails_ends_the_run_and_keeps_what_there_was() {
    let outcome = run(
        W,
        12,
        &[arm("pristine", &[]), arm("patched", &[("fail", "odd")])],
    );
    let error = outcome.error.expect("a seed of twelve is odd");
    assert!(
        error.contains("synth/sha256 on patched") && error.contains("no memory left"),
        "{error}"
    );
    assert!(outcome.result.trials.len() < 24);
}

#[test]
fn a_metric_that_is_no_number_ends_the_run_by_name() {
    let outcome = run(
        W,
        6,
        &[
            arm("pristine", &[]),
            arm("patched", &[("broken", "wall_s.extra")]),
        ],
    );
    let error = outcome.error.expect("NaN");
    assert!(
        error.contains("metric wall_s.extra is null (NaN or infinite)"),
        "{error}"
    );
}

#[test]
fn released_is_compared_on_what_both_have() {
    let arms = [arm("pristine", &[]), arm("released", &[("thin", "yes")])];
    let outcome = run("prove/sha256", 6, &arms);
    assert_eq!(outcome.error, None);
    let judgement = judge(&outcome.result).expect("numbers");
    let metrics: Vec<&str> = judgement
        .comparisons
        .iter()
        .map(|c| c.metric.as_str())
        .collect();
    assert_eq!(metrics, ["wall_s.total"]);
    assert_eq!(judgement.comparisons[0].verdict, Verdict::Equivalent);
    assert!(outcome.result.matrices.is_empty());
}

#[test]
fn an_arm_without_the_workload_is_left_out_with_a_note() {
    let arms = [
        arm("pristine", &[]),
        arm("patched", &[]),
        arm("released", &[("thin", "yes")]),
    ];
    let outcome = run(W, 2, &arms);
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.result.trials.len(), 4);
    assert_eq!(outcome.result.notes.len(), 1);
    assert!(
        outcome.result.notes[0].contains("left out on released"),
        "{:?}",
        outcome.result.notes
    );
}

#[test]
fn many_arms_run_in_every_round_with_the_control() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arms = [
        arm("pristine", &[]),
        arm("prefix-one", &[("speed", "900")]),
        arm("prefix-two", &[("speed", "700")]),
    ];
    let mut result = empty_result(&[W], 8);
    result.arms = arms.iter().map(Arm::record).collect();
    result.plan.workloads[0].control = true;
    result.plan.contrasts = vec![
        ["pristine".to_owned(), "prefix-one".to_owned()],
        ["prefix-one".to_owned(), "prefix-two".to_owned()],
    ];
    let session = Session {
        arms: &arms,
        folders: Folders {
            cache: folder.path(),
            kept: folder.path(),
        },
        interrupt: &Interrupt::default(),
        counters: None,
    };
    session
        .run(&mut result, &mut RunProgress::new(1, false))
        .expect("a run");
    assert_eq!(result.trials.len(), 8 * 4);
    let judgement = judge(&result).expect("numbers");
    let ratio = |family, second: &str| {
        let row = judgement
            .comparisons
            .iter()
            .find(|c| c.family == family && c.arms[1] == second);
        row.map(|c| (c.ratio * 1000.0).round() as i64)
    };
    assert_eq!(ratio(Family::Headline, "prefix-one"), Some(900));
    assert_eq!(ratio(Family::Headline, "prefix-two"), Some(778));
    assert_eq!(ratio(Family::Control, "pristine"), Some(1000));
}

#[test]
fn an_interrupt_keeps_the_trials_so_far() {
    let interrupt = Interrupt::default();
    interrupt.raise();
    let arms = [arm("pristine", &[]), arm("patched", &[])];
    let mut result = empty_result(&[W], 6);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let session = Session {
        arms: &arms,
        folders: Folders {
            cache: folder.path(),
            kept: folder.path(),
        },
        interrupt: &interrupt,
        counters: None,
    };
    let error = session
        .run(&mut result, &mut RunProgress::new(1, false))
        .expect_err("interrupted");
    assert!(format!("{error:#}").contains("interrupted"), "{error:#}");
}
