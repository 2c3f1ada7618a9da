use super::*;
use crate::bench::judge::judge;
use crate::bench::testing::{add_pairs, empty_result};

fn judged(workloads: &[(&str, [f64; 7])]) -> ResultFile {
    let names: Vec<&str> = workloads.iter().map(|(name, _)| *name).collect();
    let mut result = empty_result(&names, 7);
    for (name, ratios) in workloads {
        add_pairs(&mut result, name, ratios);
    }
    result.comparisons = judge(&result).expect("numbers").comparisons;
    result
}

const FASTER: [f64; 7] = [0.80, 0.81, 0.79, 0.82, 0.80, 0.78, 0.80];
const SAME: [f64; 7] = [1.001, 0.999, 1.002, 0.998, 1.0, 1.001, 0.999];
const WILD: [f64; 7] = [1.10, 0.95, 1.12, 0.97, 1.15, 1.08, 0.94];

#[test]
fn columns_are_aligned_and_lines_short() {
    let result = judged(&[
        ("synth/gadgets/enforce-equal", FASTER),
        ("prove/sha256", SAME),
    ]);
    let text = table(&result);
    assert!(
        text.lines().all(|line| line.chars().count() <= WIDTH),
        "{text}"
    );
    let column = |line: &str, word: &str| line.find(word);
    let rows: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("  wall_s") || l.starts_with("  peak"))
        .collect();
    assert_eq!(rows.len(), 4);
    let header = text.lines().next().unwrap_or_default();
    let verdicts: Vec<_> = rows
        .iter()
        .map(|r| column(r, "improved").or(column(r, "equivalent")))
        .collect();
    assert!(
        verdicts
            .iter()
            .all(|place| *place == column(header, "verdict")),
        "{text}"
    );
    assert!(text.contains(
        "synth/gadgets/enforce-equal: patched against pristine, 1 thread, answers equal"
    ));
}

#[test]
fn inconclusive_is_said_with_what_would_decide_it() {
    let text = table(&judged(&[("synth/sha256", WILD)]));
    assert!(text.contains("inconclusive"), "{text}");
    assert!(text.contains("    inconclusive: "), "{text}");
    assert!(!text.contains("no change"));
}

#[test]
fn the_sentence_names_what_was_found() {
    let result = judged(&[
        ("synth/porep-2k", FASTER),
        ("prove/sha256", SAME),
        ("synth/sha256", WILD),
    ]);
    assert_eq!(
        sentence(&result),
        "Patched against pristine: faster on synth/porep-2k (-20.0 %); equivalent on prove/sha256 (+0.0 %); \
         undecided on synth/sha256; every answer agreed."
    );
    assert_eq!(sentence(&empty_result(&[], 1)), "Nothing was compared.");
}

#[test]
fn the_sentence_tells_the_times_of_a_workload_apart() {
    let mut result = empty_result(&["synth/sha256"], 7);
    result.plan.workloads[0]
        .headline
        .push("wall_s.cold".to_owned());
    add_pairs(&mut result, "synth/sha256", &FASTER);
    for trial in &mut result.trials {
        trial.trial.metrics.insert("wall_s.cold".to_owned(), 2.0);
    }
    result.comparisons = judge(&result).expect("numbers").comparisons;
    assert_eq!(
        sentence(&result),
        "Patched against pristine: faster on synth/sha256 warm (-20.0 %); equivalent on synth/sha256 cold (+0.0 %); \
         every answer agreed."
    );
    assert_eq!(detectable(&result).len(), 1);
}

#[test]
fn a_wrong_answer_shouts() {
    let mut result = judged(&[("synth/sha256", FASTER)]);
    result.trials[1]
        .trial
        .answers
        .insert("a".to_owned(), "other".to_owned());
    result.comparisons = judge(&result).expect("numbers").comparisons;
    let text = table(&result);
    assert!(
        text.contains("ANSWERS DIFFER") && text.contains("invalid: a is the first vector"),
        "{text}"
    );
    assert_eq!(
        sentence(&result),
        "Patched against pristine: not comparable on synth/sha256."
    );
}

#[test]
fn what_could_have_been_seen_is_told() {
    let lines = detectable(&judged(&[("synth/sha256", SAME)]));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("synth/sha256 ±0."), "{lines:?}");
}

#[test]
fn small_p_values_are_not_spelled_out() {
    assert_eq!(probability(0.0156), "0.016");
    assert_eq!(probability(0.00002), "<0.001");
}
