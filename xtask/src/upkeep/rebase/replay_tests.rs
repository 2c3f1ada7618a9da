//! A small line of patches on other releases.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::git_tests::patch;
use crate::stack::manifest::{Kind, Manifest, Optimisation};
use crate::stack::tree::tests::tree;

const LINES: &str =
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n";

fn with(text: &str, changes: &[(&str, &str)]) -> Tree {
    let text = changes
        .iter()
        .fold(format!("\n{text}"), |text, (from, to)| {
            text.replace(&format!("\n{from}\n"), &format!("\n{to}\n"))
        });
    tree(&[("a", &text[1..])])
}

fn optimisation(
    slug: &str,
    default: bool,
    depends: &[&str],
    before: &Tree,
    after: &Tree,
) -> Optimisation {
    Optimisation {
        slug: slug.to_owned(),
        kind: Kind::Perf,
        default,
        depends: depends.iter().map(|s| (*s).to_owned()).collect(),
        steps: BTreeSet::new(),
        because: None,
        patches: BTreeMap::from([("c".to_owned(), patch(before, after))]),
    }
}

/// early: line 3; late: the line that early makes; far: 20; needs: 23, and says that it needs early; odd (off): 9, made
/// for the place behind early.
fn manifest() -> Manifest {
    let states: [&[(&str, &str)]; 5] = [
        &[],
        &[("3", "early")],
        &[("3", "late")],
        &[("3", "late"), ("20", "far")],
        &[("3", "late"), ("20", "far"), ("23", "needs")],
    ];
    let states = states.map(|changes| with(LINES, changes));
    let odd = with(LINES, &[("3", "early"), ("9", "odd")]);
    Manifest {
        releases: Vec::new(),
        optimisations: vec![
            optimisation("early", true, &[], &states[0], &states[1]),
            optimisation("odd", false, &[], &states[1], &odd),
            optimisation("late", true, &[], &states[1], &states[2]),
            optimisation("far", true, &[], &states[2], &states[3]),
            optimisation("needs", true, &["early"], &states[3], &states[4]),
        ],
    }
}

fn on(new: &Tree, decisions: &BTreeMap<String, Decision>, stop: Stop) -> Vec<(String, Row)> {
    let (manifest, old) = (manifest(), with(LINES, &[]));
    let line = Line::new(&manifest, "c", &old).expect("the series applies");
    assert_eq!(
        line.steps.last().map(|s| (s.slug(), s.base)),
        Some(("odd", Base::Series(1)))
    );
    let target = Target {
        old: "c 1.0.0".to_owned(),
        new: "c 2.0.0".to_owned(),
        release: new,
        renamed: &BTreeMap::new(),
    };
    let rows = replay(&line, &target, decisions, stop).expect("git works");
    let slugs: Vec<String> = line.steps.iter().map(|s| s.slug().to_owned()).collect();
    slugs.into_iter().zip(rows).collect()
}

fn words(rows: &[(String, Row)]) -> Vec<String> {
    rows.iter()
        .map(|(slug, row)| match &row.outcome {
            Outcome::Blocked(by) => format!("{slug} blocked by {by:?}"),
            other => format!("{slug} {}", other.word()),
        })
        .collect()
}

#[test]
fn nothing_changed_is_exact_and_ends_in_the_same_trees() {
    let rows = on(&with(LINES, &[]), &BTreeMap::new(), Stop::Never);
    assert_eq!(
        words(&rows),
        [
            "early exact",
            "late exact",
            "far exact",
            "needs exact",
            "odd exact"
        ]
    );
    assert_eq!(
        rows[4].1.after,
        with(LINES, &[("3", "early"), ("9", "odd")])
    );
}

#[test]
fn moved_and_merged_patches_go_on() {
    let rows = on(
        &with(&format!("0\n{LINES}"), &[("18", "XVIII")]),
        &BTreeMap::new(),
        Stop::AtConflict,
    );
    assert_eq!(
        words(&rows),
        [
            "early clean",
            "late clean",
            "far three-way",
            "needs clean",
            "odd clean"
        ]
    );
}

#[test]
fn a_conflict_blocks_what_needs_it_and_nothing_else() {
    let rows = on(&with(LINES, &[("3", "III")]), &BTreeMap::new(), Stop::Never);
    assert_eq!(
        words(&rows),
        [
            "early conflict",
            "late blocked by {\"early\"}",
            "far clean",
            "needs blocked by {\"early\"}",
            "odd clean"
        ]
    );
    let stopped = on(
        &with(LINES, &[("3", "III")]),
        &BTreeMap::new(),
        Stop::AtConflict,
    );
    assert_eq!(words(&stopped), ["early conflict"]);
}

#[test]
fn a_decision_is_followed() {
    let new = with(LINES, &[("3", "III")]);
    let resolved = Decision::Resolved(with(LINES, &[("3", "early")]));
    let rows = on(
        &new,
        &BTreeMap::from([("early".to_owned(), resolved)]),
        Stop::AtConflict,
    );
    assert_eq!(
        words(&rows),
        [
            "early resolved",
            "late exact",
            "far exact",
            "needs exact",
            "odd exact"
        ]
    );
    let rows = on(
        &new,
        &BTreeMap::from([("early".to_owned(), Decision::Skip)]),
        Stop::AtConflict,
    );
    assert_eq!(
        words(&rows),
        [
            "early skipped",
            "late blocked by {\"early\"}",
            "far clean",
            "needs blocked by {\"early\"}",
            "odd clean"
        ]
    );
}

#[test]
fn what_upstream_has_is_not_missing_below_the_others() {
    let rows = on(
        &with(LINES, &[("3", "early")]),
        &BTreeMap::new(),
        Stop::AtConflict,
    );
    assert_eq!(
        words(&rows),
        [
            "early already upstream",
            "late exact",
            "far exact",
            "needs exact",
            "odd exact"
        ]
    );
}

#[test]
fn what_takes_back_a_part_of_what_is_left_out_is_not_upstream() {
    let old = with(LINES, &[]);
    let back = tree(&[("a", LINES), ("b", "x\n")]);
    let also = tree(&[
        ("a", &LINES.replacen("\n3\n", "\nearly\n", 1)),
        ("b", "x\n"),
    ]);
    let mut manifest = manifest();
    manifest.optimisations = vec![
        optimisation("early", true, &[], &old, &also),
        optimisation("back", true, &[], &also, &back),
    ];
    let line = Line::new(&manifest, "c", &old).expect("the series applies");
    let new = tree(&[("a", LINES), ("b", "theirs\n")]);
    let target = Target {
        old: "c 1.0.0".to_owned(),
        new: "c 2.0.0".to_owned(),
        release: &new,
        renamed: &BTreeMap::new(),
    };
    let rows = replay(&line, &target, &BTreeMap::new(), Stop::Never).expect("git works");
    assert_eq!(rows[0].outcome.word(), "conflict");
    assert_eq!(rows[1].outcome.word(), "blocked");
}
