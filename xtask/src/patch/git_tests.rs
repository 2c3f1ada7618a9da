//! Patches made by git itself, parsed and applied here, byte for byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::apply::{ApplyError, How, apply};
use super::known::Blobs;
use super::parse::parse;
use super::{Mode, Patch};
use crate::stack::tree::{File, Tree};

/// Runs git, untouched by the configuration of whoever tests.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .args([
            "-c",
            "core.autocrlf=false",
            "-c",
            "core.fileMode=true",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(["-c", "user.name=test", "-c", "user.email=test@example.org"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// What `git format-patch` makes of two trees, in the form that extern/patches has.
pub(crate) fn patch_text(before: &Tree, after: &Tree, message: &str) -> Vec<u8> {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    git(root, &["init", "-q"]);
    for tree in [before, after] {
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with(".git") {
                fs::remove_dir_all(path).unwrap();
            } else if path.is_file() {
                fs::remove_file(path).unwrap();
            }
        }
        tree.write(root, None).unwrap();
        git(root, &["add", "-A", "--force"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", message]);
    }
    git(
        root,
        &[
            "format-patch",
            "-1",
            "--stdout",
            "--full-index",
            "--zero-commit",
            "--no-signature",
            "-U3",
            "-M",
        ],
    )
}

/// The same, parsed.
pub(crate) fn patch(before: &Tree, after: &Tree) -> Patch {
    parse("c/s.patch", &patch_text(before, after, "change")).unwrap()
}

const NAMES: [&str; 6] = ["a", "b.rs", "d/c", "d/e f", "g\u{fc}", "d/x/y"];

/// Few different lines, so that equal blocks are common.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just("a"),
        Just("b"),
        Just("}"),
        Just(""),
        Just("-- "),
        Just("\tx y"),
        Just("\\ No newline"),
        Just("@@ -1 +1 @@")
    ];
    let ending = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    let lines = prop::collection::vec((line, ending), 0..24);
    (lines, any::<bool>()).prop_map(|(lines, keep_last)| {
        let mut text: Vec<u8> = lines
            .iter()
            .flat_map(|(line, ending)| [*line, *ending].concat().into_bytes())
            .collect();
        while !keep_last && text.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
            text.pop();
        }
        text
    })
}

fn file() -> impl Strategy<Value = File> {
    (content(), prop::bool::weighted(0.2)).prop_map(|(bytes, executable)| File {
        mode: if executable {
            Mode::Executable
        } else {
            Mode::Plain
        },
        bytes: bytes.into(),
    })
}

/// Lines taken out and put in at a place, `at` and `count` in units of the length.
fn edit(bytes: &[u8], at: f64, count: usize, insert: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    let at = (lines.len() as f64 * at) as usize;
    let end = (at + count).min(lines.len());
    lines.splice(at..end, insert.split_inclusive(|b| *b == b'\n'));
    lines.concat()
}

/// A tree and one that a person may have made of it: edits, moves, additions, deletions, modes.
pub(crate) fn pair() -> impl Strategy<Value = (Tree, Tree)> {
    let names = prop::collection::vec(prop::option::of(file()), NAMES.len());
    let steps = prop::collection::vec(
        (
            0..6_u8,
            0..NAMES.len(),
            0..NAMES.len(),
            0.0..1.0,
            0..4_usize,
            content(),
        ),
        1..5,
    );
    (names, steps).prop_map(|(files, steps)| {
        let files = NAMES
            .iter()
            .zip(files)
            .filter_map(|(name, file)| Some(((*name).to_owned(), file?)));
        let before = Tree {
            files: files.collect(),
        };
        let mut after = before.clone();
        for (what, from, to, at, count, text) in steps {
            let Some(mut file) = after.files.get(NAMES[from]).cloned() else {
                after.files.insert(
                    NAMES[from].to_owned(),
                    File {
                        mode: Mode::Plain,
                        bytes: text.into(),
                    },
                );
                continue;
            };
            match what {
                0 => {
                    after.files.remove(NAMES[from]);
                    continue;
                }
                1 if !after.files.contains_key(NAMES[to]) => {
                    after.files.remove(NAMES[from]);
                    after.files.insert(NAMES[to].to_owned(), file);
                    continue;
                }
                2 => file.mode = Mode::Executable,
                _ => file.bytes = edit(&file.bytes, at, count, &text).into(),
            }
            after.files.insert(NAMES[from].to_owned(), file);
        }
        (before, after)
    })
}

/// Each file with two lines more at its top.
fn shifted(tree: &Tree) -> Tree {
    let files = tree.files.iter().map(|(path, file)| {
        let bytes = [b"other\nlines\n", &file.bytes[..]].concat().into();
        (
            path.clone(),
            File {
                mode: file.mode,
                bytes,
            },
        )
    });
    Tree {
        files: files.collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_git_writes_is_applied_to_the_byte((before, after) in pair()) {
        prop_assume!(before != after);
        let patch = patch(&before, &after);
        let made = apply(&before, &patch, How::Exact).unwrap();
        prop_assert_eq!(made.id(), after.id());
        prop_assert_eq!(&made, &after);
        let again = apply(&after, &patch, How::Exact);
        prop_assert!(matches!(again, Err(ApplyError::AlreadyApplied { .. })), "{again:?}");
    }

    #[test]
    fn elsewhere_it_is_applied_rightly_or_not_at_all((before, after) in pair()) {
        prop_assume!(before != after);
        let only = |tree: &Tree, other: &Tree| Tree {
            files: tree.files.iter().filter(|(path, _)| other.files.contains_key(*path)).map(|(p, f)| (p.clone(), f.clone())).collect(),
        };
        let (before, after) = (only(&before, &after), only(&after, &before));
        prop_assume!(before != after);
        let patch = patch(&before, &after);
        let mut blobs = Blobs::default();
        for known in [false, true] {
            if known {
                blobs.learn_tree(&before, &patch);
                blobs.learn_tree(&after, &patch);
            }
            if let Ok(made) = apply(&shifted(&before), &patch, How::Elsewhere(&blobs)) {
                prop_assert_eq!(made, shifted(&after));
            }
        }
    }
}

#[test]
fn carriage_returns_and_missing_newlines_stay_as_they_are() {
    let tree = |text: &str| crate::stack::tree::tests::tree(&[("a", text)]);
    for (before, after) in [
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\r\nb", "a\r\nb\r\n"),
        ("a\nb\n", "a\r\nb\n"),
        ("a\nb", "a\nc"),
        ("", "a"),
        ("a", ""),
        ("a\r", "a\rb"),
    ] {
        let patch = patch(&tree(before), &tree(after));
        assert_eq!(
            apply(&tree(before), &patch, How::Exact).unwrap(),
            tree(after)
        );
    }
}
