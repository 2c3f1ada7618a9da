//! What is printed is read back, applied here and by git, and in git's own form.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::super::apply::{How, apply};
use super::super::diff::between;
use super::super::git_tests::{git, pair, patch_text};
use super::super::parse::{ParseFault, parse};
use super::*;
use crate::stack::tree::Tree;
use crate::stack::tree::tests::tree;

fn message(body: &str) -> Message {
    Message {
        author: "cuzk <cuzk@invalid>".into(),
        date: "Sun, 29 Nov 2026 00:00:00 +0000".into(),
        subject: "slug: do less".into(),
        body: body.into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back_and_applied((before, after) in pair()) {
        prop_assume!(before != after);
        let files = between(&before, &after).unwrap();
        let text = print(&message("Why.\n\nRemoval: never"), &files).unwrap();
        let patch = parse("c/slug.patch", &text).unwrap();
        prop_assert_eq!(&patch.files, &files);
        prop_assert_eq!(&patch.message, &message("Why.\n\nRemoval: never"));
        prop_assert_eq!(print(&patch.message, &patch.files).unwrap(), text.clone());
        prop_assert_eq!(&apply(&before, &patch, How::Exact).unwrap(), &after);
        let temp = tempfile::tempdir().unwrap();
        git(temp.path(), &["init", "-q"]);
        before.write(temp.path(), None).unwrap();
        git(temp.path(), &["add", "-A", "--force"]);
        git(temp.path(), &["commit", "-q", "--allow-empty", "-m", "before"]);
        std::fs::write(temp.path().join(".git/patch"), &text).unwrap();
        git(temp.path(), &["am", "-q", "--keep-cr", ".git/patch"]);
        let mut found = Tree::read(temp.path(), &[]).unwrap();
        found.files.retain(|path, _| !path.starts_with(".git/"));
        prop_assert_eq!(found.id(), after.id());
    }
}

/// Small enough that there is only one way to see them.
#[test]
fn the_form_is_that_of_git() {
    let plain = |files: &[(&str, &str)]| tree(files);
    for (before, after) in [
        (plain(&[("a", "1\n2\n3\n")]), plain(&[("a", "1\nx\n3\n")])),
        (plain(&[("a", "1")]), plain(&[("a", "1\n")])),
        (plain(&[("a b", "1\n")]), plain(&[("a b", "2\n")])),
        (
            plain(&[("\u{e4} \"", "1\n")]),
            plain(&[("\u{e4} \"", "2\n")]),
        ),
        (
            plain(&[("a", "1\n"), ("b", "")]),
            plain(&[("c", "2\n"), ("a", "1\n")]),
        ),
        (
            plain(&[("a", "1\n2\n3\n")]),
            plain(&[("d/b c", "1\n2\n3\n")]),
        ),
        (plain(&[("a", "1\n"), ("b", "1\n")]), plain(&[("b", "2\n")])),
    ] {
        let printed = print(&message("Why."), &between(&before, &after).unwrap()).unwrap();
        let by_git =
            String::from_utf8(patch_text(&before, &after, "slug: do less\n\nWhy.")).unwrap();
        let diff = |text: &str| {
            let from = text.find("\n---\n").unwrap();
            text[from..]
                .split_once("\n\ndiff --git")
                .unwrap()
                .1
                .to_owned()
        };
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(
            diff(&printed),
            diff(&by_git).trim_end_matches('\n').to_owned() + "\n"
        );
        let (_, stat) = by_git.split_once("\n---\n").unwrap();
        let files = parse("c/s.patch", by_git.as_bytes()).unwrap().files;
        assert!(stat.lines().any(|line| line == summary(&files)), "{stat}");
    }
}

#[test]
fn a_patch_that_was_cut_says_so() {
    let before = tree(&[("a", "1\n"), ("b", "1\n")]);
    let after = tree(&[("a", "2\n"), ("b", "2\n")]);
    let text = print(&message("Why."), &between(&before, &after).unwrap()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (cut, _) = text.split_once("diff --git a/b").unwrap();
    let fault = parse("c/slug.patch", cut.as_bytes()).unwrap_err().fault;
    let (said, found) = (
        "2 files changed, 2 insertions(+), 2 deletions(-)".to_owned(),
        "1 file changed, 1 insertion(+), 1 deletion(-)".to_owned(),
    );
    assert_eq!(fault, ParseFault::Summary { said, found });
}

#[test]
fn a_message_that_would_be_read_otherwise_is_refused() {
    let files = between(&tree(&[("a", "1\n")]), &tree(&[("a", "2\n")])).unwrap();
    for body in ["a\n---\nb", "diff --git a/x b/x", "a \nb", "\na", "a\r\nb"] {
        assert!(print(&message(body), &files).is_err(), "{body:?}");
    }
    for subject in ["", "[x] y", "a\nb", " a"] {
        let message = Message {
            subject: subject.into(),
            ..message("")
        };
        assert!(print(&message, &files).is_err(), "{subject:?}");
    }
    assert_eq!(print(&message("a"), &[]), Err(PrintError::Empty));
}
