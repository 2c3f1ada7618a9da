//! What is refused, and what is merged.

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::git_tests::patch;
use crate::stack::tree::tests::tree;

const PART: &str = "fn f() {\n    one();\n    two();\n    three();\n    four();\n}\n";

fn numbered(range: std::ops::Range<u32>) -> String {
    range.map(|n| format!("line {n}\n")).collect()
}

fn known(before: &Tree, patch: &Patch) -> Blobs {
    let mut blobs = Blobs::default();
    blobs.learn_tree(before, patch);
    blobs.learn_patch(patch);
    blobs
}

#[test]
fn a_twin_block_is_not_guessed() {
    // Made where only the second block is left; in the stack in question both are.
    let middle = numbered(0..8);
    let before = tree(&[(
        "a",
        &format!("{}{middle}{PART}", PART.replace("two", "TWO")),
    )]);
    let after = tree(&[(
        "a",
        &format!(
            "{}{middle}{}",
            PART.replace("two", "TWO"),
            PART.replace("three", "THREE")
        ),
    )]);
    let both = tree(&[("a", &format!("{PART}{middle}{PART}"))]);
    let patch = patch(&before, &after);
    let error = apply(&both, &patch, How::Elsewhere(&Blobs::default())).unwrap_err();
    let ApplyError::NotConstructible {
        file, hunk, text, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(file, "a");
    assert!(hunk.starts_with(", hunk 1 (@@ -"), "{hunk}");
    assert!(text.contains("match at 2 places (lines 1, 15)"), "{text}");
    // Where the contents are known, a merge knows which one is meant.
    let made = apply(&both, &patch, How::Elsewhere(&known(&before, &patch))).unwrap();
    assert_eq!(
        made,
        tree(&[(
            "a",
            &format!("{PART}{middle}{}", PART.replace("three", "THREE"))
        )])
    );
}

#[test]
fn the_one_twin_that_is_left_may_be_the_wrong_one() {
    // Made where both blocks are, for the second; in the stack in question another patch took the second away.
    let middle = numbered(0..8);
    let before = tree(&[("a", &format!("{PART}{middle}{PART}"))]);
    let after = tree(&[(
        "a",
        &format!("{PART}{middle}{}", PART.replace("three", "THREE")),
    )]);
    let other = tree(&[("a", &format!("{PART}{middle}fn g() {{}}\n"))]);
    let patch = patch(&before, &after);
    let error = apply(&other, &patch, How::Elsewhere(&known(&before, &patch))).unwrap_err();
    assert!(
        error.to_string().contains("three-way merge has 1 conflict"),
        "{error}"
    );
}

#[test]
fn a_shifted_hunk_finds_its_only_place() {
    let (before, after) = (
        tree(&[("a", PART)]),
        tree(&[("a", &PART.replace("two", "TWO"))]),
    );
    let patch = patch(&before, &after);
    let shifted = |tree: &Tree| {
        let text = String::from_utf8(tree.files["a"].bytes.to_vec()).unwrap();
        super::tests::tree(&[("a", &(numbered(0..5) + &text + &numbered(5..9)))])
    };
    let made = apply(&shifted(&before), &patch, How::Elsewhere(&Blobs::default())).unwrap();
    assert_eq!(made, shifted(&after));
}

#[test]
fn exactly_means_the_same_blob() {
    let (before, after) = (
        tree(&[("a", PART)]),
        tree(&[("a", &PART.replace("two", "TWO"))]),
    );
    let patch = patch(&before, &after);
    let other = tree(&[("a", &(PART.to_owned() + "\n"))]);
    let error = apply(&other, &patch, How::Exact).unwrap_err();
    assert!(matches!(error, ApplyError::PreImage { .. }), "{error}");
    for part in [
        "c/s.patch",
        "`a`",
        &before.files["a"].blob().to_string(),
        &other.files["a"].blob().to_string(),
    ] {
        assert!(error.to_string().contains(part), "{part} in {error}");
    }
    let other = tree(&[("a", &PART.replace("three", "3"))]);
    let error = apply(&other, &patch, How::Exact).unwrap_err().to_string();
    assert!(
        error.contains(", hunk 1 (@@ -1,6 +1,6 @@): its lines match nowhere;"),
        "{error}"
    );
}

#[test]
fn a_patch_file_that_was_changed_by_hand_is_corrupt() {
    let (before, after) = (
        tree(&[("a", PART)]),
        tree(&[("a", &PART.replace("two", "TWO"))]),
    );
    let mut changed = patch(&before, &after);
    for line in &mut changed.files[0].hunks[0].lines {
        if line.bytes.starts_with(b"    TWO") {
            line.bytes = b"    tWo();\n".to_vec();
        }
    }
    let error = apply(&before, &changed, How::Exact).unwrap_err();
    assert!(error.to_string().contains("the patch promises"), "{error}");
    changed.files[0].hunks[0].lines[0].bytes = b"fn h() {\n".to_vec();
    let error = apply(&before, &changed, How::Exact).unwrap_err();
    assert!(error.to_string().contains("hunk 1 (@@ -"), "{error}");
}

#[test]
fn what_is_there_already_is_said_and_left_alone() {
    let (before, after) = (
        tree(&[("a", PART), ("b", "1\n")]),
        tree(&[("a", &PART.replace("two", "TWO")), ("c", "1\n")]),
    );
    let patch = patch(&before, &after);
    for how in [How::Exact, How::Elsewhere(&Blobs::default())] {
        let error = apply(&after, &patch, how).unwrap_err();
        assert!(
            matches!(error, ApplyError::AlreadyApplied { .. }),
            "{error}"
        );
    }
    // A later release that has the change, and more.
    let mut later = after.clone();
    later
        .files
        .extend(tree(&[("a", &(numbered(0..3) + &PART.replace("two", "TWO")))]).files);
    let error = apply(&later, &patch, How::Exact).unwrap_err();
    assert!(
        matches!(error, ApplyError::AlreadyApplied { .. }),
        "{error}"
    );
    // Half of it is not all of it.
    let mut half = before.clone();
    half.files
        .extend(tree(&[("a", &PART.replace("two", "TWO"))]).files);
    let error = apply(&half, &patch, How::Exact).unwrap_err();
    assert!(matches!(error, ApplyError::PreImage { .. }), "{error}");
}

#[test]
fn files_that_are_in_the_way_or_missing_are_named() {
    let (before, after) = (tree(&[("a", "1\n")]), tree(&[("a", "1\n"), ("d/n", "2\n")]));
    let added = patch(&before, &after);
    let deleted = patch(&after, &before);
    for (tree, patch, text) in [
        (
            tree(&[("d/n", "other\n")]),
            &added,
            "is to be added, and is there already",
        ),
        (tree(&[("d", "file\n")]), &added, "below a file"),
        (tree(&[("d/n/x", "file\n")]), &added, "where a folder is"),
        (
            tree(&[("d/n", "other\n")]),
            &deleted,
            "has other content in this stack",
        ),
    ] {
        let error = apply(&tree, patch, How::Elsewhere(&Blobs::default())).unwrap_err();
        assert!(
            matches!(error, ApplyError::NotConstructible { .. }),
            "{error}"
        );
        assert!(
            error.to_string().contains(text) && error.to_string().contains("`d/n`"),
            "{error}"
        );
    }
    let changed = patch(&before, &tree(&[("a", "2\n")]));
    let error = apply(&tree(&[("b", "1\n")]), &changed, How::Exact).unwrap_err();
    assert!(error.to_string().contains("`a` is not there"), "{error}");
}
