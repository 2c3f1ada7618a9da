use super::*;
use crate::compare::json;
use crate::compare::testing::{W, around, compared, run, simple};

#[test]
fn the_table_shows_both_ratios_the_change_and_the_verdict() {
    let outcome = compared(&simple(20, 0.60, 12), &[simple(10, 0.55, 12)]);
    let text = table(&outcome);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[1],
        "synth/sha256, 1 thread: patched against pristine, 1 earlier run"
    );
    let cells = lines[2];
    for part in ["wall_s.warm", "0.55", "0.60", "+9.", "regressed"] {
        assert!(cells.contains(part), "{cells}");
    }
    let at = |line: &str| {
        line.find("regressed")
            .or(line.find("equivalent"))
            .or(line.find("verdict"))
    };
    assert_eq!(at(lines[0]), at(lines[2]));
    assert!(
        lines.iter().all(|line| line.chars().count() <= 110),
        "{text}"
    );
    assert!(sides(&outcome).starts_with("Old: results/2026-11-29T10:10:00Z.json"));
    let said = sentence(&outcome);
    assert!(
        said.starts_with("Regressed: synth/sha256 warm of patched against pristine (+9."),
        "{said}"
    );
    assert!(said.ends_with("Other rows: 1 equivalent."), "{said}");
}

#[test]
fn what_was_not_decided_is_never_called_no_change() {
    let ratios = around(0.5, 3, 0);
    let outcome = compared(&run(20, &[(W, &ratios)]), &[simple(10, 0.5, 12)]);
    let text = table(&outcome);
    assert!(
        text.contains("inconclusive: 3 pairs are too few for an interval"),
        "{text}"
    );
    assert_eq!(
        sentence(&outcome),
        "No row regressed. Other rows: 2 inconclusive."
    );
}

#[test]
fn no_history_and_no_judgeable_row_are_said() {
    let mut new = simple(20, 0.5, 6);
    let outcome = compared(&new, &[]);
    assert!(
        sides(&outcome)
            .contains("no earlier result of these workloads and arms on this host class")
    );
    assert_eq!(sentence(&outcome), "No row regressed. Other rows: 2 new.");
    let answers = &mut new.result.trials[0].trial.answers;
    answers.insert("a".to_owned(), "other".to_owned());
    let said = sentence(&compared(&new, &[]));
    assert!(
        said.ends_with("Not one row of the new result can be judged."),
        "{said}"
    );
    new.result.complete = false;
    assert!(sentence(&compared(&new, &[])).contains("was cut short"));
}

#[test]
fn the_document_has_what_the_table_has() {
    let old = run(
        10,
        &[
            (W, &around(0.55, 12, 0)),
            ("synth/gone", &around(0.5, 12, 1)),
        ],
    );
    let outcome = compared(&simple(20, 0.60, 12), &[old]);
    let value = serde_json::to_value(json::document(&outcome)).expect("JSON");
    assert_eq!(
        (&value["schema"], &value["kind"]),
        (&1.into(), &"compare".into())
    );
    assert_eq!(
        (&value["good"], &value["regressed"]),
        (&false.into(), &1.into())
    );
    let row = &value["rows"][0];
    for key in ["workload", "metric", "verdict"] {
        assert!(row[key].is_string(), "{key}");
    }
    for key in ["factor", "p", "p_adjusted", "margin"] {
        assert!(row["change"][key].is_f64(), "{key}");
    }
    assert_eq!(row["verdict"], "regressed");
    assert_eq!(row["old"]["result"], "results/2026-11-29T10:10:00Z.json");
    assert!(row["change"]["fence"].is_null() && row["counter"].is_null());
    let missing = &value["rows"][2];
    assert_eq!(missing["verdict"], "missing");
    assert!(missing["new"].is_null() && missing["change"].is_null());
}
