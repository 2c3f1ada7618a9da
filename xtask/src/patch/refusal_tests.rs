//! Patch files that are not accepted, each with the line and the reason.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::apply::{How, apply};
use super::git_tests::patch_text;
use super::parse::{ParseFault, parse};
use crate::stack::tree::tests::tree;

fn good() -> String {
    let (before, after) = (
        tree(&[("src/a.rs", "1\n2\n3\n4\n5\n")]),
        tree(&[("src/a.rs", "1\n2\nx\n4\n5\n")]),
    );
    let message = "open the door\n\nWhy.\n\nDescription: it opens\nDepends: one, two\n";
    String::from_utf8(patch_text(&before, &after, message)).unwrap()
}

fn fault(text: &str) -> ParseFault {
    let error = parse("c/s.patch", text.as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("extern/patches/c/s.patch, line "),
        "{error}"
    );
    error.fault
}

#[test]
fn a_good_patch_says_what_it_is() {
    let patch = parse("c/s.patch", good().as_bytes()).unwrap();
    assert_eq!(patch.message.subject, "open the door");
    assert_eq!(patch.message.trailer_list("depends"), ["one", "two"]);
    assert_eq!(patch.line_counts(), (1, 1));
    assert_eq!(patch.files[0].path(), "src/a.rs");
    assert!(
        parse("c/s.patch", (good() + "-- \n2.47.3\n\n").as_bytes()).is_ok(),
        "a signature is no change"
    );
}

#[test]
fn what_leaves_the_tree_is_refused() {
    for path in ["../a.rs", "/etc/a.rs", "src/../../a.rs", ".git/a.rs"] {
        let found = fault(&good().replace("src/a.rs", path));
        assert!(matches!(found, ParseFault::Path(_)), "{path}: {found}");
    }
}

#[test]
fn what_a_reader_cannot_review_is_refused() {
    let (head, _) = good()
        .split_once("--- a/")
        .map(|(h, t)| (h.to_owned(), t.to_owned()))
        .unwrap();
    let binary = format!("{head}GIT binary patch\nliteral 0\n\n");
    assert!(matches!(fault(&binary), ParseFault::Binary { file } if file == "src/a.rs"));
    let binary = format!("{head}Binary files a/src/a.rs and b/src/a.rs differ\n");
    assert!(matches!(fault(&binary), ParseFault::Binary { .. }));
    assert!(
        matches!(fault(&good().replace(" 100644\n", " 120000\n")), ParseFault::Mode { mode, .. } if mode == "120000")
    );
    let copy = good().replace("index ", "copy from x\ncopy to src/a.rs\nindex ");
    assert!(matches!(fault(&copy), ParseFault::Copy { .. }));
    assert!(matches!(
        fault(&good().replace("index ", "strange\nindex ")),
        ParseFault::Header { .. }
    ));
}

#[test]
fn full_blob_ids_are_required() {
    let text = good();
    let index = text
        .lines()
        .find(|line| line.starts_with("index "))
        .unwrap();
    let short = text.replace(index, "index 1234567..89abcde 100644");
    assert!(matches!(fault(&short), ParseFault::ShortIds { .. }));
    assert!(matches!(
        fault(&text.replace(&format!("{index}\n"), "")),
        ParseFault::ShortIds { .. }
    ));
}

#[test]
fn headers_that_contradict_each_other_are_refused() {
    for (from, to) in [
        ("+++ b/src/a.rs", "+++ b/src/b.rs"),
        ("--- a/src/a.rs", "--- /dev/null"),
        ("diff --git a/src/a.rs b/src/a.rs", "diff --git a/x b/x"),
    ] {
        let found = fault(&good().replace(from, to));
        assert!(
            matches!(found, ParseFault::Contradiction { .. }),
            "{to}: {found}"
        );
    }
    let text = good();
    let second = text[text.find("diff --git").unwrap()..].to_owned();
    assert!(matches!(fault(&(text + &second)), ParseFault::Twice { file } if file == "src/a.rs"));
}

#[test]
fn damaged_hunks_are_refused_by_number_and_header() {
    for (from, to, text) in [
        ("@@ -1,5 +1,5 @@", "@@ -1,6 +1,6 @@", "ends inside"),
        ("@@ -1,5 +1,5 @@", "@@ -1,4 +1,5 @@", "more lines"),
        ("@@ -1,5 +1,5 @@", "@@ -0,5 +1,5 @@", "starts before"),
        ("@@ -1,5 +1,5 @@", "@@ -1;5 +1,5 @@", "malformed"),
        ("@@ -1,5 +1,5 @@", "@@ -1,99999999999 +1,5 @@", "malformed"),
        ("\n 2\n", "\n\n", "leading space"),
        ("\n 2\n", "\n?2\n", "starts with none"),
    ] {
        let found = fault(&good().replace(from, to));
        let ParseFault::Hunk { file, hunk, .. } = &found else {
            panic!("{to}: {found}");
        };
        assert_eq!((file.as_str(), *hunk), ("src/a.rs", 1));
        assert!(found.to_string().contains(text), "{to}: {found}");
    }
}

#[test]
fn a_file_that_is_no_patch_or_more_than_one_is_refused() {
    assert_eq!(fault("hello\n"), ParseFault::Empty);
    assert_eq!(fault(""), ParseFault::Empty);
    assert!(matches!(
        fault(&(good() + &good())),
        ParseFault::Trailing(_)
    ));
    assert_eq!(
        fault(&good().replace('\n', "\r\n")),
        ParseFault::ConvertedLineEndings
    );
}

static GOOD: LazyLock<String> = LazyLock::new(good);

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a damaged file holds: an error, or a patch that applies or does not.
    #[test]
    fn a_damaged_patch_never_panics(
        at in any::<prop::sample::Index>(),
        cut in 0..40_usize,
        insert in prop::sample::select(vec!["@@ -9 +0,0 @@\n", "\\ No newline\n", "\n", "--- ", "\"a/\\9", "9", "\0"]),
    ) {
        let mut bytes = GOOD.clone().into_bytes();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, insert.bytes());
        if let Ok(patch) = parse("c/s.patch", &bytes) {
            let _ = apply(&tree(&[("src/a.rs", "1\n2\n3\n4\n5\n")]), &patch, How::Exact);
        }
    }
}
