//! `cargo xtask compare` as a process: its exit codes, and what it says on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder that this program takes for the repository: it looks for extern/stack.toml.
struct Checkout(TempDir);

impl Checkout {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("extern")).expect("made");
        fs::write(folder.path().join("extern/stack.toml"), "").expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders above it.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    fn write_result(&self, name: &str, result: &Value) -> PathBuf {
        self.write(name, &result.to_string())
    }

    fn compare(&self, arguments: &[&Path]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("compare")
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("this program starts")
    }

    /// Runs it and holds exit code and words to what they must be.
    fn expect(&self, arguments: &[&Path], code: i32, says: &[&str]) -> String {
        let output = self.compare(arguments);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        for words in says {
            assert!(said.contains(words), "{words:?} is not in:\n{said}");
        }
        said
    }
}

const CLASS: &str = "test-2c-24g";

/// A result of `pristine` and `patched` on one workload, with twelve pairs around a ratio.
fn result(minute: u64, ratio: f64) -> Value {
    let trial = |round: u64, arm: &str, seconds: f64| {
        json!({
            "order": 2 * round + u64::from(arm == "patched"), "round": round, "arm": arm,
            "started": "2026-11-29T10:00:00Z",
            "window": { "wall_s": 1.0, "foreign_cpu_s": null, "steal_s": null, "mhz": null, "disturbed": false },
            "trial": {
                "schema": 1, "workload": "synth/sha256", "seed": 100 * minute + round, "size": 32, "threads": 1,
                "ok": true, "metrics": { "wall_s.warm": seconds }, "answers": { "a": "00" }
            }
        })
    };
    let trials: Vec<Value> = (0..12)
        .flat_map(|round| {
            let shake = 1.0 + 0.002 * ((round * 7 + minute * 3) % 11) as f64;
            [
                trial(round, "pristine", 1.0),
                trial(round, "patched", ratio * shake),
            ]
        })
        .collect();
    let arm = |name: &str| json!({ "name": name, "stamp": format!("{name}{minute:04}"), "inputs": { "stack": minute } });
    json!({
        "schema": 1, "time": format!("2026-11-29T10:{minute:02}:00Z"), "complete": true,
        "host": {
            "class": CLASS, "cpu": "test", "cpu_id": null, "cores": 2, "memory_bytes": 25_769_803_776u64,
            "os": "test", "kernel": "6", "arch": "x86_64"
        },
        "plan": {
            "seed": minute, "stopping": "after the planned number of pairs",
            "rules": {
                "alpha": 0.01, "confidence": 0.95, "resamples": 500, "power": 0.9,
                "margin_time": 0.02, "margin_memory": 0.02, "margin_instructions": 0.001
            },
            "workloads": [{
                "name": "synth/sha256", "size": null, "threads": 1, "headline": ["wall_s.warm"], "pairs": 12
            }],
            "contrasts": [["pristine", "patched"]]
        },
        "arms": [arm("pristine"), arm("patched")],
        "comparisons": [], "trials": trials
    })
}

#[test]
fn a_result_without_history_is_new_and_good() {
    let checkout = Checkout::new();
    let new = checkout.write_result("new.json", &result(30, 0.5));
    let says = [
        "no earlier result of these workloads and arms on this host class",
        "1 new",
    ];
    checkout.expect(&[&new], 0, &says);
}

#[test]
fn a_regression_against_history_ends_with_one() {
    let checkout = Checkout::new();
    let home = format!("results/{CLASS}");
    checkout.write_result(&format!("{home}/a.json"), &result(10, 0.55));
    let good = checkout.write_result("good.json", &result(30, 0.55));
    checkout.expect(&[&good], 0, &["equivalent", "No row regressed"]);
    let bad = checkout.write_result("bad.json", &result(31, 0.60));
    let says = [
        "Regressed: synth/sha256 warm of patched against pristine",
        "Changed: patched: patched0 -> patched0",
        "by stack",
    ];
    checkout.expect(&[&bad], 1, &says);
    // A kept result is not compared with itself.
    let kept = checkout.write_result(&format!("{home}/b.json"), &result(31, 0.60));
    checkout.expect(&[&kept], 1, &["Regressed"]);
    checkout.expect(&[&good, &bad], 1, &["Old: good.json", "New: bad.json"]);
    checkout.expect(
        &[&bad, &good],
        0,
        &["Improved", "is that the order that you mean?"],
    );
}

#[test]
fn history_may_lie_elsewhere_and_other_machines_are_counted() {
    let checkout = Checkout::new();
    let new = checkout.write_result("new.json", &result(30, 0.60));
    checkout.write_result("elsewhere/a.json", &result(10, 0.55));
    let mut other = result(11, 0.55);
    other["host"]["class"] = "other-64c-512g".into();
    checkout.write_result("results/other-64c-512g/b.json", &other);
    let (flag, folder) = (Path::new("--history"), checkout.path("elsewhere"));
    let says = ["Regressed", "1 result of 1 other host class was left out"];
    checkout.expect(&[&new, flag, &folder], 1, &says);
    checkout.expect(&[&new], 0, &["1 new"]);
    let nowhere = checkout.path("nowhere");
    checkout.expect(&[&new, flag, &nowhere], 2, &["nowhere", "no such folder"]);
    let other = checkout.path("results/other-64c-512g/b.json");
    let says = ["other-64c-512g", CLASS, "different machines"];
    checkout.expect(&[&other, &new], 2, &says);
    checkout.expect(&[&new, &other, flag, &folder], 2, &["--history"]);
}

#[test]
fn the_document_is_written_and_replaces_no_result() {
    let checkout = Checkout::new();
    let old = checkout.write_result("old.json", &result(10, 0.55));
    let new = checkout.write_result("new.json", &result(30, 0.60));
    let (flag, document) = (Path::new("--json"), checkout.path("compare.json"));
    checkout.expect(&[&old, &new, flag, &document], 1, &["Regressed"]);
    let text = fs::read_to_string(&document).expect("written");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&value["kind"], &value["regressed"]),
        (&json!("compare"), &json!(1))
    );
    assert_eq!(value["rows"][0]["size"], 32);
    for bad in [&new, checkout.0.path()] {
        checkout.expect(&[&old, &new, flag, bad], 2, &["--json"]);
    }
    let read = fs::read_to_string(&new).expect("still there");
    assert_eq!(read, result(30, 0.60).to_string());
}

#[test]
fn nothing_to_judge_ends_with_one() {
    let checkout = Checkout::new();
    let old = checkout.write_result("old.json", &result(10, 0.55));
    let mut partial = result(30, 0.55);
    partial["complete"] = false.into();
    let partial = checkout.write_result("partial.json", &partial);
    checkout.expect(&[&partial], 1, &["partial.json was cut short"]);
    checkout.expect(&[&partial, &old], 2, &["partial.json was cut short"]);
    let mut wrong = result(31, 0.55);
    wrong["trials"][1]["trial"]["answers"]["a"] = "other".into();
    let wrong = checkout.write_result("wrong.json", &wrong);
    let says = ["invalid: a is the first vector that differs", "Not one row"];
    checkout.expect(&[&old, &wrong], 1, &says);
}

#[test]
fn every_bad_file_is_refused_by_name() {
    let checkout = Checkout::new();
    let good = checkout.write_result("good.json", &result(10, 0.55));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = result(30, 0.55);
        change(&mut value);
        value.to_string()
    };
    let whole = with(&|_| ());
    let metric = "/trials/3/trial/metrics/wall_s.warm";
    let set = |place: &'static str, to: Value| {
        with(&move |value: &mut Value| *value.pointer_mut(place).expect("there") = to.clone())
    };
    let twice = with(&|value| {
        let first = value["trials"][0].clone();
        value["trials"].as_array_mut().expect("trials").push(first);
    });
    let cases = [
        ("empty", String::new(), "the file is empty"),
        (
            "truncated",
            whole[..whole.len() / 2].to_owned(),
            "not a whole JSON document",
        ),
        (
            "doubled",
            format!("{whole}{whole}"),
            "not a whole JSON document",
        ),
        ("old-format", set("/schema", json!(0)), "schema 0"),
        (
            "other-tool",
            "{\"mean\":{\"point_estimate\":1.0}}".to_owned(),
            "schema missing",
        ),
        ("null", set(metric, Value::Null), "wall_s.warm is null"),
        (
            "nan",
            whole.replacen("\"wall_s.warm\":1.0", "\"wall_s.warm\":NaN", 1),
            "NaN",
        ),
        (
            "infinite",
            whole.replacen("\"wall_s.warm\":1.0", "\"wall_s.warm\":1e999", 1),
            "too large for a number",
        ),
        (
            "negative",
            set(metric, json!(-1.0)),
            "no amount is negative",
        ),
        (
            "zero",
            set(metric, json!(0.0)),
            "only a number above zero has a ratio",
        ),
        (
            "no-pairs",
            set("/plan/workloads/0/pairs", json!(0)),
            "zero pairs",
        ),
        ("no-trials", set("/trials", json!([])), "no trial in it"),
        ("twice", twice, "there twice"),
        ("time", set("/time", json!("yesterday")), "time is"),
    ];
    for (name, text, says) in cases {
        let file = format!("{name}.json");
        let path = checkout.write(&file, &text);
        checkout.expect(&[&path], 2, &[&file, says]);
        checkout.expect(&[&good, &path], 2, &[&file, says]);
        checkout.expect(&[&path, &good], 2, &[&file, says]);
    }
    let missing = checkout.path("missing.json");
    checkout.expect(&[&missing], 2, &["missing.json"]);
    let folder = checkout.path("extern");
    checkout.expect(&[&folder], 2, &["extern"]);
    let copy = checkout.write_result("copy.json", &result(10, 0.55));
    checkout.expect(&[&copy, &good], 2, &["hold the same run"]);
    // One bad file among the history is refused too, and not passed over.
    checkout.write(&format!("results/{CLASS}/bad.json"), "");
    checkout.expect(&[&good], 2, &["bad.json", "the file is empty"]);
}

#[test]
fn a_result_that_contradicts_its_trials_is_judged_again() {
    let checkout = Checkout::new();
    let old = checkout.write_result("old.json", &result(10, 0.55));
    let mut edited = result(30, 0.60);
    edited["comparisons"] = json!([{
        "workload": "synth/sha256", "metric": "wall_s.warm", "unit": "s", "family": "headline",
        "arms": ["pristine", "patched"], "stamps": ["", ""], "median": [1.0, 0.5], "ratio": 0.5,
        "ci95": [0.5, 0.5], "p": 0.001, "p_adjusted": 0.001, "pairs": 12, "margin": 0.02,
        "detectable": null, "verdict": "improved", "answers_equal": true
    }]);
    let edited = checkout.write_result("edited.json", &edited);
    let says = ["edited.json: 1 of its rows", "judged again", "Regressed"];
    checkout.expect(&[&old, &edited], 1, &says);
}

#[test]
fn no_file_and_three_files_are_refused_with_the_usage() {
    let checkout = Checkout::new();
    let file = Path::new("a.json");
    checkout.expect(&[], 2, &["Usage"]);
    checkout.expect(&[file, file, file], 2, &["Usage"]);
    checkout.expect(&[Path::new("--help")], 0, &["OLD NEW", "Exit code"]);
}
