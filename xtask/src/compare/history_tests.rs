use super::*;
use crate::compare::testing::{simple, source};

fn paths(history: &History) -> Vec<&str> {
    history.runs.iter().map(|run| run.path.as_str()).collect()
}

#[test]
fn history_is_earlier_whole_runs_of_this_host_each_once() {
    let new = simple(30, 0.5, 6);
    let mut found: Vec<Source> = [20, 10, 40, 30].map(|m| simple(m, 0.5, 6)).to_vec();
    // The same run in another folder, concluded from anew.
    let mut copy = found[1].clone();
    copy.path = "elsewhere/copy.json".to_owned();
    copy.result.comparisons.clear();
    found.push(copy);
    let mut own = new.clone();
    own.path = "target/results/own.json".to_owned();
    own.result.time = "2026-11-29T09:00:00Z".to_owned();
    found.push(own);
    let mut partial = simple(15, 0.5, 6);
    partial.result.complete = false;
    partial.path = "partial.json".to_owned();
    found.push(partial);
    for (minute, class) in [(1, "a-2c-24g"), (2, "b-4c-24g"), (3, "b-4c-24g")] {
        let mut other = simple(minute, 0.5, 6);
        other.result.host.class = class.to_owned();
        found.push(other);
    }
    let mut disguised = simple(4, 0.5, 6);
    disguised.result.host.cores = 64;
    disguised.path = "disguised.json".to_owned();
    found.push(disguised);

    let history = of(&new, found);
    assert_eq!(
        paths(&history),
        [
            "results/2026-11-29T10:10:00Z.json",
            "results/2026-11-29T10:20:00Z.json"
        ]
    );
    let notes = history.notes.join("\n");
    for says in [
        "3 results of 2 other host classes were left out",
        "partial.json is left out: it was cut short",
        "disguised.json is left out: host class test-2c-24g, which one file says of",
        "1 result begun after this one",
    ] {
        assert!(notes.contains(says), "{notes}");
    }
    let one = of(&new, vec![]);
    assert!(one.runs.is_empty() && one.notes.is_empty());
}

#[test]
fn two_machines_are_never_compared_as_one() {
    let new = simple(30, 0.5, 6);
    let mut old = simple(20, 0.5, 6);
    old.result.host.class = "other-64c-512g".to_owned();
    let error = pair(old, &new).expect_err("two machines").to_string();
    assert!(
        error.contains("other-64c-512g") && error.contains("test-2c-24g"),
        "{error}"
    );
    let mut old = simple(20, 0.5, 6);
    old.result.host.cpu = "another".to_owned();
    assert!(matches!(
        pair(old, &new),
        Err(HistoryError::OtherHost { .. })
    ));
}

#[test]
fn two_files_are_two_whole_runs() {
    let new = simple(30, 0.5, 6);
    let mut again = new.clone();
    again.result.comparisons.clear();
    assert!(matches!(
        pair(again, &new),
        Err(HistoryError::SameRun { .. })
    ));
    let mut partial = simple(20, 0.5, 6);
    partial.result.complete = false;
    let error = pair(partial, &new).expect_err("cut short").to_string();
    assert!(error.contains("was cut short"), "{error}");
    assert!(
        pair(simple(20, 0.5, 6), &new)
            .expect("two runs")
            .notes
            .is_empty()
    );
    let turned = pair(simple(40, 0.5, 6), &new).expect("two runs");
    assert!(turned.notes[0].contains("is that the order that you mean?"));
}

#[test]
fn folders_are_read_in_both_forms_and_bad_files_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (results, flat) = (folder.path().join("results"), folder.path().join("flat"));
    let keep = |path: &Path, minute: usize| {
        store::keep(path, &simple(minute, 0.5, 6).result).expect("kept");
    };
    keep(&results.join("test-2c-24g/a.json"), 1);
    keep(&flat.join("b.json"), 2);
    keep(&flat.join("test-2c-24g/c.json"), 3);
    keep(&flat.join("profiles/not-read.json"), 4);
    keep(&flat.join("d.partial.json"), 5);
    let show = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let read = |others: &[PathBuf]| read(&results, others, show);
    let names = |found: Vec<Source>| -> Vec<String> { found.into_iter().map(|s| s.path).collect() };
    assert_eq!(names(read(&[]).expect("one")), ["a.json"]);
    assert_eq!(
        names(read(std::slice::from_ref(&flat)).expect("three")),
        ["a.json", "b.json", "c.json"]
    );
    let nowhere = read(&[folder.path().join("nowhere")]).expect_err("no folder");
    assert!(nowhere.to_string().contains("nowhere"), "{nowhere}");
    std::fs::write(flat.join("old.json"), "{\"schema\": 0}").expect("written");
    let error = read(&[flat]).expect_err("an old file").to_string();
    assert!(
        error.contains("old.json") && error.contains("schema 0"),
        "{error}"
    );
}

#[test]
fn the_same_trials_are_the_same_run_whatever_was_concluded() {
    let one = simple(10, 0.5, 6);
    let mut other = one.result.clone();
    other.plan.rules.alpha = 0.05;
    assert!(same_run(&one.result, &source(other).result));
    assert!(!same_run(&one.result, &simple(11, 0.5, 6).result));
}

#[test]
fn words_agree_in_number() {
    assert_eq!(counted(1, "result"), "1 result");
    assert_eq!(counted(2, "result"), "2 results");
    assert_eq!(counted(2, "other host class"), "2 other host classes");
    assert_eq!(counted(1, "other host class"), "1 other host class");
}
