//! Which row stands for all.

use super::*;
use crate::bench::judge::judge;
use crate::bench::testing::{add_pairs, empty_result};

#[test]
fn the_row_that_stands_for_all_holds_and_is_decided() {
    let mut result = empty_result(&["synth/sha256"], 6);
    add_pairs(&mut result, "synth/sha256", &[0.8; 6]);
    let comparison = judge(&result).expect("numbers").comparisons[0].clone();
    let kept = Kept {
        path: "results/x.json".to_owned(),
        result,
    };
    let row = |workload: &str, family: Family, verdict: Verdict, stale: bool, arms: [&str; 2]| {
        let mut comparison = comparison.clone();
        comparison.workload = workload.to_owned();
        comparison.family = family;
        comparison.verdict = verdict;
        comparison.arms = arms.map(str::to_owned);
        Row {
            kept: &kept,
            comparison,
            stale: stale.then(|| "old".to_owned()),
        }
    };
    use Family::{Headline, Instructions, Memory};
    use Verdict::{Equivalent, Improved, Regressed};
    let (step, alone) = (["a", "prefix-x"], ["pristine", "pristine+x"]);
    let rows = [
        row("stale", Headline, Improved, true, step),
        row("memory", Memory, Improved, false, step),
        row("count", Instructions, Improved, false, step),
        row("undecided", Headline, Equivalent, false, step),
        row("alone", Headline, Improved, false, alone),
        row("step", Headline, Regressed, false, step),
        row("older", Headline, Improved, false, step),
    ];
    let steps = step.map(str::to_owned);
    let best = |left: &[&str]| {
        let rows: Vec<Row> = rows
            .iter()
            .filter(|row| !left.contains(&row.comparison.workload.as_str()))
            .cloned()
            .collect();
        shown(&rows, &steps).map(|row| row.comparison.workload.clone())
    };
    let mut left = vec![];
    for expected in [
        "step",
        "older",
        "alone",
        "undecided",
        "count",
        "memory",
        "stale",
    ] {
        assert_eq!(best(&left).as_deref(), Some(expected));
        left.push(expected);
    }
    assert_eq!(best(&left), None);
}
