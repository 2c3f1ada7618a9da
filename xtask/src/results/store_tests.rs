use super::*;
use crate::bench::judge::judge;
use crate::bench::testing::{add_pairs, empty_result};

fn result() -> ResultFile {
    let mut result = empty_result(&["synth/sha256", "prove/sha256"], 6);
    add_pairs(
        &mut result,
        "synth/sha256",
        &[0.80, 0.81, 0.79, 0.82, 0.80, 0.78],
    );
    result.comparisons = judge(&result).expect("numbers").comparisons;
    result
}

fn refused(text: &str) -> (StoreError, String) {
    let error = parse(Path::new("results/host/bad.json"), text).expect_err("refused");
    let words = error.to_string();
    assert!(words.starts_with("results/host/bad.json: "), "{words}");
    (error, words)
}

#[test]
fn each_trial_takes_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("r.json");
    let mut result = empty_result(&["synth/sha256"], 2);
    result.complete = false;
    write(&path, &result).expect("written");
    assert_eq!(read(&path).expect("read back"), result);
    add_pairs(&mut result, "synth/sha256", &[0.8, 0.9]);
    write(&path, &result).expect("written");
    assert_eq!(read(&path).expect("read back"), result);
    let text = std::fs::read_to_string(&path).expect("text");
    let trials = text
        .lines()
        .filter(|line| line.trim_start().starts_with("{\"order\""));
    assert_eq!(trials.count(), 4);
}

#[test]
fn a_result_survives_its_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("deep/down/result.json");
    let result = result();
    write(&path, &result).expect("written");
    assert_eq!(read(&path).expect("read"), result);
    write(&path, &result).expect("results of this machine may be replaced");
}

#[test]
fn contrasts_that_cannot_be_made_survive_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("result.json");
    let mut result = result();
    result.plan.ablation = vec![super::super::ablation::AblationPlan {
        slug: "one".to_owned(),
        ..Default::default()
    }];
    write(&path, &result).expect("written");
    assert_eq!(read(&path).expect("read"), result);
}

#[test]
fn pages_read_times_and_leave_answers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let result = result();
    let path = folder.path().join(&result.host.class).join("result.json");
    keep(&path, &result).expect("kept");
    let found = kept_for_pages(folder.path()).expect("listed");
    let (_, read) = found[0].as_ref().expect("read");
    assert_eq!(read.comparisons, result.comparisons);
    let trial = |result: &ResultFile| result.trials[0].trial.clone();
    assert_eq!(trial(read).metrics, trial(&result).metrics);
    assert!(trial(read).answers.is_empty());
}

#[test]
fn kept_results_are_never_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("result.json");
    keep(&path, &result()).expect("kept");
    let mut other = result();
    other.plan.seed = 99;
    assert!(matches!(
        keep(&path, &other),
        Err(StoreError::Exists { .. })
    ));
    assert_eq!(read(&path).expect("read").plan.seed, 7);
    let leftovers = fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(leftovers, 1);
}

#[test]
fn the_form_of_design_md() {
    let value = serde_json::to_value(result()).expect("JSON");
    assert_eq!(value["schema"], 1);
    let row = &value["comparisons"][0];
    for key in ["workload", "metric", "unit", "verdict"] {
        assert!(row[key].is_string(), "{key}");
    }
    for key in ["arms", "stamps", "median", "ci95"] {
        assert_eq!(row[key].as_array().map(Vec::len), Some(2), "{key}");
    }
    assert!(row["ratio"].is_f64() && row["p"].is_f64() && row["pairs"] == 6);
    assert_eq!(
        (&row["verdict"], &row["answers_equal"]),
        (&"improved".into(), &true.into())
    );
}

#[test]
fn empty_old_and_odd_files_are_refused_by_name() {
    assert!(matches!(refused("").0, StoreError::Empty { .. }));
    assert!(matches!(refused(" \n").0, StoreError::Empty { .. }));
    assert!(matches!(
        refused("{\"schema\": 1, \"trials\": [").0,
        StoreError::NotJson { .. }
    ));
    assert!(refused("{\"schema\": 0}").1.contains("schema 0"));
    assert!(
        refused("{\"comparisons\": []}")
            .1
            .contains("schema missing")
    );
    assert!(refused("{\"schema\": \"1\"}").1.contains("schema \"1\""));
    assert!(matches!(
        refused("{\"schema\": 1}").0,
        StoreError::Shape { .. }
    ));
    assert!(matches!(refused("[1, 2]").0, StoreError::Schema { .. }));
}

#[test]
fn what_is_not_a_number_is_refused_with_its_place() {
    let text = serde_json::to_string(&result()).expect("JSON");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["trials"][3]["trial"]["metrics"]["wall_s.warm"] = Value::Null;
    let words = refused(&value.to_string()).1;
    assert!(
        words.contains("trials[3].trial.metrics.wall_s.warm is null"),
        "{words}"
    );

    let ratio = format!(
        "\"ratio\":{}",
        serde_json::from_str::<Value>(&text).expect("JSON")["comparisons"][0]["ratio"]
    );
    assert!(text.contains(&ratio));
    for bad in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let (error, words) = refused(&text.replacen(&ratio, &format!("\"ratio\":{bad}"), 1));
        assert!(matches!(error, StoreError::NotANumber { .. }), "{words}");
    }
}

#[test]
fn results_lie_with_those_of_their_machine() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let result = result();
    let home = folder.path().join(&result.host.class);
    keep(&home.join(file_name(&result)), &result).expect("kept");
    fs::write(folder.path().join("README.md"), "an index").expect("written");
    let found = kept(folder.path()).expect("one good result");
    assert_eq!(found.len(), 1);
    keep(&folder.path().join("other-machine/result.json"), &result).expect("kept");
    assert!(matches!(
        kept(folder.path()),
        Err(StoreError::OtherHost { .. })
    ));
    assert!(
        kept(&folder.path().join("nowhere"))
            .expect("no folder is no result")
            .is_empty()
    );
}

#[test]
fn names_say_when_and_what() {
    let mut result = result();
    assert_eq!(
        file_name(&result),
        "2026-11-29T142530Z-synth-sha256+prove-sha256-patcheds.json"
    );
    result.complete = false;
    assert!(file_name(&result).ends_with(".partial.json"));
    let plan = result.plan.workloads[0].clone();
    result.plan.workloads = vec![plan; 5];
    assert!(file_name(&result).contains("-5-workloads-"));
}

#[test]
fn what_contradicts_itself_is_refused_by_name() {
    let mut unsound = result();
    unsound.trials.push(unsound.trials[0].clone());
    let text = serde_json::to_string(&unsound).expect("JSON");
    let (error, words) = refused(&text);
    assert!(matches!(error, StoreError::Unsound { .. }), "{words}");
    assert!(words.contains("there twice"), "{words}");

    let folder = tempfile::tempdir().expect("a temporary folder");
    let home = folder.path().join(&unsound.host.class);
    keep(&home.join("bad.json"), &unsound).expect("writing does not judge");
    let error = kept(folder.path()).expect_err("one bad result");
    assert!(error.to_string().contains("bad.json"), "{error}");
}

#[test]
fn what_is_no_file_of_ours_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("missing.json");
    let binary = folder.path().join("binary.json");
    fs::write(&binary, [0xff, 0xfe, 0x00]).expect("written");
    for path in [folder.path(), &missing, &binary] {
        let error = read(path).expect_err("no result");
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
        let name = path.display().to_string();
        assert!(error.to_string().starts_with(&name), "{error}");
    }
    for other_tool in [
        r#"{"mean":{"point_estimate":1.0},"median":{"point_estimate":1.0}}"#,
        r#"{"schema":1,"time":"2026-11-29T14:25:30Z","host":{},"categories":[]}"#,
    ] {
        refused(other_tool);
    }
}
