//! Made-up changes that break one rule each.

use super::super::broken;
use super::super::testing::{FILE, breaks, message, saying, subject_of};
use super::*;
use crate::patch::Line;
use crate::stack::tree::tests::tree;

/// Lines `from` to `to` of a made-up file, each with words of its own.
fn numbered(from: usize, to: usize) -> String {
    (from..to)
        .map(|n| format!("let value_{n} = {n};\n"))
        .collect()
}

fn context(text: &str) -> Line {
    Line {
        kind: LineKind::Context,
        bytes: format!("{text}\n").into_bytes(),
    }
}

/// The good patch, with its place forgotten: where it is known, other rules see such a change too.
fn reshaped(reshape: impl FnOnce(&mut Vec<Line>)) -> Subject {
    let mut subject = saying(&message());
    subject.place = Place::Unknown;
    reshape(&mut subject.patch.files[0].hunks[0].lines);
    subject
}

#[test]
fn three_lines_of_context_are_the_most() {
    assert_eq!(broken(&reshaped(|_| {})), []);
    breaks(
        &reshaped(|lines| lines.insert(0, context("two();"))),
        "context",
        &[
            "`src/lib.rs`, hunk 1 (@@ -3,7 +3,6 @@",
            "4 lines of context before its first change, and 3 are the most",
            "patch export c",
        ],
    );
    breaks(
        &reshaped(|lines| lines.push(context("ten();"))),
        "context",
        &["4 lines of context behind its last change"],
    );
    let change = Line {
        kind: LineKind::Added,
        bytes: b"more();\n".to_vec(),
    };
    // Six between two changes are two times three.
    let apart = |count: usize| {
        let change = change.clone();
        reshaped(move |lines| {
            lines.truncate(4);
            lines.extend((0..count).map(|_| context("same();")));
            lines.push(change);
        })
    };
    assert_eq!(broken(&apart(6)), []);
    breaks(
        &apart(7),
        "context",
        &["7 lines of context between two changes, and 6 are the most"],
    );
}

#[test]
fn what_one_patch_deletes_it_does_not_add_again() {
    // Too little of the new file for a rename, and most of the old one.
    let old = numbered(0, 20);
    let new = format!("{}{}", numbered(0, 12), numbered(100, 160));
    let subject = subject_of(
        &message(),
        &tree(&[("src/lib.rs", FILE), ("src/old.rs", &old)]),
        &tree(&[("src/lib.rs", FILE), ("src/new.rs", &new)]),
    );
    breaks(
        &subject,
        "deleted-and-added",
        &[
            "deletes `src/old.rs` and adds it again as `src/new.rs`",
            "12 lines alike, of 20 deleted and 72 added",
        ],
    );
    // Another file in the place of one that goes.
    let subject = subject_of(
        &message(),
        &tree(&[("src/lib.rs", FILE), ("src/old.rs", &old)]),
        &tree(&[("src/lib.rs", FILE), ("src/new.rs", &numbered(15, 80))]),
    );
    assert_eq!(broken(&subject), []);
    // A rename says what changed.
    let renamed = format!("{old}more();\n");
    let subject = subject_of(
        &message(),
        &tree(&[("src/lib.rs", FILE), ("src/old.rs", &old)]),
        &tree(&[("src/lib.rs", FILE), ("src/new.rs", &renamed)]),
    );
    assert_eq!(broken(&subject), []);
}

#[test]
fn what_an_earlier_patch_deletes_a_later_one_does_not_add_again() {
    let old = numbered(0, 20);
    let added = |path: &str, text: &str, gone: &str| Subject {
        gone: vec![Gone {
            slug: "door".to_owned(),
            path: "src/old.rs".to_owned(),
            lines: gone
                .split_inclusive('\n')
                .map(|line| line.as_bytes().to_vec())
                .collect(),
        }],
        ..subject_of(
            &message(),
            &tree(&[("src/lib.rs", FILE)]),
            &tree(&[("src/lib.rs", FILE), (path, text)]),
        )
    };
    let words = [
        "is `src/old.rs` that `door` deleted",
        "line by line the same",
    ];
    breaks(
        &added("src/old.rs", &old, &old),
        "deleted-and-added",
        &words,
    );
    breaks(
        &added("src/new.rs", &old, &old),
        "deleted-and-added",
        &words,
    );
    // However short, when it is the same; spaces and line endings are no difference.
    breaks(
        &added("src/new.rs", "x\n", "x\n"),
        "deleted-and-added",
        &words,
    );
    let spaced = old.replace("let", "    let").replace('\n', "\r\n");
    breaks(
        &added("src/new.rs", &spaced, &old),
        "deleted-and-added",
        &["20 lines alike"],
    );
    // A file that is cut in pieces is still there.
    breaks(
        &added("src/new.rs", &numbered(0, 6), &old),
        "deleted-and-added",
        &["6 lines alike"],
    );
    // Lines that every file has.
    let braces = "}\n\n".repeat(20);
    let own = format!("{braces}{}", numbered(100, 120));
    assert_eq!(
        broken(&added("src/new.rs", &own, &format!("{old}{braces}"))),
        []
    );
    let shared = format!("use a;\nuse b;\nuse c;\nuse d;\n{}", numbered(100, 120));
    assert_eq!(
        broken(&added(
            "src/new.rs",
            &shared,
            "use a;\nuse b;\nuse c;\nuse d;\nf();\n"
        )),
        []
    );
}

#[test]
fn no_file_is_rewritten_whole() {
    let change = |before: &str, after: &str| {
        subject_of(
            &message(),
            &tree(&[("src/lib.rs", before)]),
            &tree(&[("src/lib.rs", after)]),
        )
    };
    breaks(
        &change(
            &numbered(0, 20),
            &format!("{}{}", numbered(0, 2), numbered(100, 118)),
        ),
        "rewritten",
        &["rewrites `src/lib.rs` whole: 2 of its 20 lines stay, 18 are new"],
    );
    // Other line endings.
    breaks(
        &change(&numbered(0, 20), &numbered(0, 20).replace('\n', "\r\n")),
        "rewritten",
        &["0 of its 20 lines stay"],
    );
    let mended = format!("{}{}", numbered(0, 3), numbered(100, 117));
    assert_eq!(broken(&change(&numbered(0, 20), &mended)), []);
    // Most of it goes, and what is left is upstream's.
    assert_eq!(broken(&change(&numbered(0, 100), &numbered(0, 5))), []);
    // Much is added to a short beginning.
    assert_eq!(broken(&change(&numbered(0, 12), &numbered(0, 300))), []);
    assert_eq!(broken(&change("a\nb\n", "c\nd\n")), []);
}
