//! A made-up patch that keeps every rule, for tests that break one of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::broken;
use super::subject::{Place, Subject};
use crate::patch::message::Message;
use crate::patch::{diff, parse, print};
use crate::stack::manifest::Kind;
use crate::stack::tree::Tree;
use crate::stack::tree::tests::tree;

/// Twelve lines, so that a change in the middle has context on both sides.
pub(super) const FILE: &str = "one();\ntwo();\nthree();\nfour();\nfive();\nsix();\nseven();\neight();\nnine();\n\
    ten();\neleven();\ntwelve();\n";

/// What a good patch says.
pub(super) fn message() -> Message {
    Message {
        author: "cuzk <cuzk@invalid>".to_owned(),
        date: "Sun, 29 Nov 2026 00:00:00 +0000".to_owned(),
        subject: "fast: do less".to_owned(),
        body: "Hypothesis: it does\ntoo much.\n\nMechanism: six is left out.\n\nRisk: none.\n\n\
            Origin: this project\nForwarded: no\nDepends: door\nRemoval: when upstream does less"
            .to_owned(),
    }
}

/// The patch `c/fast` between two trees, as an export writes it.
pub(super) fn subject_of(message: &Message, before: &Tree, after: &Tree) -> Subject {
    let files = diff::between(before, after).unwrap();
    let bytes = print::print(message, &files).unwrap();
    let known = ["door", "fast"].map(str::to_owned);
    Subject {
        krate: "c".to_owned(),
        slug: "fast".to_owned(),
        kind: Kind::Perf,
        default: true,
        patch: parse::parse("c/fast.patch", &bytes).unwrap(),
        bytes,
        first: None,
        known: Rc::new(BTreeSet::from(known)),
        gone: Vec::new(),
        place: Place::Found {
            before: before.clone(),
            after: after.clone(),
        },
    }
}

/// The good patch with another message.
pub(super) fn saying(message: &Message) -> Subject {
    let after = FILE.replace("six();\n", "");
    subject_of(
        message,
        &tree(&[("src/lib.rs", FILE)]),
        &tree(&[("src/lib.rs", &after)]),
    )
}

/// Holds a patch to breaking one rule, once, and no other, in these words.
pub(super) fn breaks(subject: &Subject, rule: &str, words: &[&str]) {
    let found = broken(subject);
    let rules: Vec<&str> = found.iter().map(|fault| fault.rule).collect();
    assert_eq!(rules, [rule], "{found:#?}");
    let text = found[0].to_string();
    assert!(text.starts_with("extern/patches/c/fast.patch: "), "{text}");
    for words in words {
        assert!(text.contains(words), "{words:?} is not in {text:?}");
    }
    assert!(!found[0].todo.is_empty(), "{text} says nothing to do");
}

#[test]
fn a_good_patch_breaks_nothing() {
    assert_eq!(broken(&saying(&message())), []);
}
