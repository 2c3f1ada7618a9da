//! Each outcome of a patch on a tree that it was not made for.

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::git_tests::patch;
use crate::stack::tree::tests::tree;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

fn lines(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(LINES.to_owned(), |text, (from, to)| {
        text.replace(&format!("\n{from}\n"), &format!("\n{to}\n"))
    })
}

/// The patch from `before` to `after` on `now`.
fn tried(before: &Tree, after: &Tree, now: &Tree, renamed: &[(&str, &str)]) -> Attempt {
    let patch = patch(before, after);
    let mut known = Blobs::default();
    known.learn_tree(before, &patch);
    known.learn_tree(after, &patch);
    let renamed = renamed
        .iter()
        .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
        .collect();
    let labels = Labels {
        ours: "c 2.0.0".to_owned(),
        base: "c 1.0.0".to_owned(),
        theirs: "s.patch".to_owned(),
    };
    attempt(
        Ground {
            tree: now,
            known: &known,
            renamed: &renamed,
            labels: &labels,
        },
        &patch,
    )
    .expect("git works")
}

fn text<'a>(tree: &'a Tree, path: &str) -> &'a str {
    std::str::from_utf8(&tree.files[path].bytes).expect("text")
}

fn applied(attempt: Attempt) -> Applied {
    match attempt {
        Attempt::Applied(applied) => applied,
        other => panic!("{other:?}"),
    }
}

fn conflict(attempt: Attempt) -> Conflict {
    match attempt {
        Attempt::Conflict(conflict) => conflict,
        other => panic!("{other:?}"),
    }
}

#[test]
fn exact_moved_and_merged_are_told_apart() {
    let (before, after) = (
        tree(&[("a", LINES)]),
        tree(&[("a", &lines(&[("10", "ten")]))]),
    );
    let exact = applied(tried(&before, &after, &before, &[]));
    assert_eq!((exact.way, &exact.tree), (Way::Exact, &after));
    let above = tree(&[("a", &format!("0\n{LINES}"))]);
    let moved = applied(tried(&before, &after, &above, &[]));
    assert_eq!(moved.way, Way::Moved);
    assert_eq!(
        text(&moved.tree, "a"),
        format!("0\n{}", lines(&[("10", "ten")]))
    );
    let near = tree(&[("a", &lines(&[("8", "eight")]))]);
    let merged = applied(tried(&before, &after, &near, &[]));
    assert_eq!(merged.way, Way::Merged);
    assert_eq!(
        text(&merged.tree, "a"),
        lines(&[("8", "eight"), ("10", "ten")])
    );
    assert_eq!(merged.there, []);
}

#[test]
fn what_upstream_has_is_said_whole_or_in_part() {
    let before = tree(&[("a", LINES), ("b", "x\n")]);
    let after = tree(&[
        ("a", &lines(&[("3", "three"), ("15", "fifteen")])),
        ("b", "y\n"),
    ]);
    let later = tree(&[
        (
            "a",
            &format!("{}more\n", lines(&[("3", "three"), ("15", "fifteen")])),
        ),
        ("b", "y\n"),
    ]);
    assert!(matches!(
        tried(&before, &after, &later, &[]),
        Attempt::Already
    ));
    // The same change beside another one, which only a merge sees.
    let beside = tree(&[
        (
            "a",
            &lines(&[("3", "three"), ("5", "five"), ("15", "fifteen")]),
        ),
        ("b", "y\n"),
    ]);
    assert!(matches!(
        tried(&before, &after, &beside, &[]),
        Attempt::Already
    ));
    let half = tree(&[("a", &lines(&[("3", "three")])), ("b", "y\n")]);
    let part = applied(tried(&before, &after, &half, &[]));
    assert_eq!(part.tree, after);
    let there: Vec<(&str, Option<usize>)> = part
        .there
        .iter()
        .map(|p| (p.file.as_str(), p.hunk.as_ref().map(|h| h.0)))
        .collect();
    assert_eq!(there, [("a", Some(1)), ("b", None)]);
}

#[test]
fn a_conflict_names_its_hunks_and_marks_the_file() {
    let before = tree(&[("a", LINES), ("b", "x\n")]);
    let after = tree(&[
        ("a", &lines(&[("3", "three"), ("15", "fifteen")])),
        ("b", "y\n"),
    ]);
    let now = tree(&[("a", &lines(&[("15", "XV")])), ("b", "x\n")]);
    let found = conflict(tried(&before, &after, &now, &[]));
    let [file] = &found.files[..] else {
        panic!("{found:?}");
    };
    let hunks: Vec<(usize, &str)> = file.hunks.iter().map(|h| (h.0, h.1.as_str())).collect();
    assert_eq!(hunks, [(2, "@@ -12,7 +12,7 @@")]);
    assert_eq!((file.place.as_deref(), file.marked), (Some("a"), 1));
    let marked = "\nthree\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n<<<<<<< c 2.0.0\nXV\n||||||| c 1.0.0\n15\n=======\nfifteen\n>>>>>>> s.patch\n16\n";
    assert!(
        text(&found.tree, "a").contains(marked),
        "{}",
        text(&found.tree, "a")
    );
    assert_eq!(text(&found.tree, "b"), "y\n");
}

#[test]
fn a_file_that_upstream_has_moved_or_removed_is_said() {
    let (before, after) = (
        tree(&[("a", LINES)]),
        tree(&[("a", &lines(&[("10", "ten")]))]),
    );
    let moved = tree(&[("b", &lines(&[("2", "two")]))]);
    let found = conflict(tried(&before, &after, &moved, &[("a", "b")]));
    let file = &found.files[0];
    assert_eq!(file.text, "upstream has renamed it to b");
    assert_eq!((file.place.as_deref(), file.marked), (Some("b"), 0));
    assert_eq!(
        text(&found.tree, "b"),
        lines(&[("2", "two"), ("10", "ten")])
    );
    let gone = tree(&[("c", "")]);
    let found = conflict(tried(&before, &after, &gone, &[]));
    assert_eq!(found.files[0].text, "upstream has removed it");
    assert_eq!((&found.files[0].place, &found.tree), (&None, &gone));
}

#[test]
fn a_deleted_file_that_upstream_has_moved_is_not_gone() {
    let (before, after) = (tree(&[("a", LINES), ("c", "x\n")]), tree(&[("c", "x\n")]));
    let moved = tree(&[("b", &lines(&[("2", "two")])), ("c", "x\n")]);
    let found = conflict(tried(&before, &after, &moved, &[("a", "b")]));
    let [file] = &found.files[..] else {
        panic!("{found:?}");
    };
    assert_eq!(file.text, "upstream has renamed it to b");
    assert_eq!(file.renamed.as_deref(), Some("b"));
    assert_eq!((&file.place, &found.tree), (&None, &moved));
    // Beside a change that fits.
    let after = tree(&[("c", "y\n")]);
    let found = conflict(tried(&before, &after, &moved, &[("a", "b")]));
    assert_eq!((found.files.len(), &found.there), (1, &Vec::new()));
    assert_eq!(text(&found.tree, "c"), "y\n");
    // Removed, or removed after it was moved: there is nothing left to delete.
    let gone = tree(&[("c", "x\n")]);
    let cases: [&[(&str, &str)]; 2] = [&[], &[("a", "b")]];
    for renamed in cases {
        let after = tree(&[("c", "x\n")]);
        assert!(matches!(
            tried(&before, &after, &gone, renamed),
            Attempt::Already
        ));
    }
}

#[test]
fn what_is_added_or_deleted_and_differs_is_a_conflict() {
    let (without, with) = (
        tree(&[("a", "1\n")]),
        tree(&[("a", "1\n"), ("n", "mine\n")]),
    );
    let theirs = tree(&[("a", "1\n"), ("n", "theirs\n")]);
    let added = conflict(tried(&without, &with, &theirs, &[]));
    assert_eq!(added.files[0].place.as_deref(), Some("n"));
    assert!(text(&added.tree, "n").contains("theirs\n"));
    assert!(text(&added.tree, "n").contains("mine\n"));
    let deleted = conflict(tried(&with, &without, &theirs, &[]));
    assert_eq!((&deleted.files[0].place, &deleted.tree), (&None, &theirs));
    // A path that the patch needs, and another file has: nothing is written over it.
    let long = lines(&[]);
    let (before, after) = (tree(&[("a", &long)]), tree(&[("z", &long)]));
    let taken = tree(&[("a", &long), ("z", "theirs\n")]);
    let found = conflict(tried(&before, &after, &taken, &[]));
    assert_eq!((&found.files[0].place, &found.tree), (&None, &taken));
}

#[test]
fn lines_taken_from_an_end_are_gone_only_where_the_end_is() {
    let (before, after) = (
        tree(&[("a", LINES)]),
        tree(&[("a", &LINES.replace("18\n19\n20\n", ""))]),
    );
    // Upstream has another line there, which is not nothing.
    let now = tree(&[("a", &LINES.replace("19", "XIX"))]);
    assert!(matches!(
        tried(&before, &after, &now, &[]),
        Attempt::Conflict(_)
    ));
    let gone = tree(&[("a", &format!("0\n{}", LINES.replace("18\n19\n20\n", "")))]);
    assert!(matches!(
        tried(&before, &after, &gone, &[]),
        Attempt::Already
    ));
}
