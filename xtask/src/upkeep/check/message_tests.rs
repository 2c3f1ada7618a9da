//! Made-up messages that break one rule each.

use super::super::broken;
use super::super::testing::{breaks, message, saying};
use super::*;
use crate::patch::message::Message;

fn with_subject(subject: &str) -> Subject {
    saying(&Message {
        subject: subject.to_owned(),
        ..message()
    })
}

/// The good message with one piece of its text replaced.
fn with(old: &str, new: &str) -> Subject {
    let good = message();
    assert!(good.body.contains(old), "{old}");
    saying(&Message {
        body: good.body.replace(old, new),
        ..good
    })
}

#[test]
fn subjects_begin_with_the_slug_and_are_short() {
    for subject in ["do less", "faster: do less", "fast:do less", "fast"] {
        breaks(&with_subject(subject), "subject", &["begin with `fast: `"]);
    }
    let fits = format!("fast: {}", "ü".repeat(66));
    assert_eq!(broken(&with_subject(&fits)), []);
    let long = format!("{fits}n");
    breaks(
        &with_subject(&long),
        "subject",
        &[
            "73 characters, and 72 is the most",
            "`cargo xtask patch edit c`",
        ],
    );
}

#[test]
fn sections_are_there_where_the_kind_is_judged() {
    for section in ["Hypothesis", "Mechanism", "Risk"] {
        let words = format!("no section `{section}: …`");
        let other = with(&format!("{section}:"), "Also:");
        breaks(&other, "sections", &[&words, "kind perf"]);
    }
    breaks(&with("Risk: none.", "Risk:"), "sections", &["`Risk: …`"]);
    breaks(
        &with("Hypothesis: it does\ntoo much.", "Hypothesis:"),
        "sections",
        &["`Hypothesis: …`"],
    );
    assert_eq!(broken(&with("Risk: none.", "Risk:\n\nnone.")), []);
    for (kind, needed) in [
        (Kind::Fix, true),
        (Kind::Experiment, true),
        (Kind::Instrument, false),
        (Kind::Build, false),
    ] {
        let subject = Subject {
            kind,
            ..with("Risk:", "Also:")
        };
        assert_eq!(!broken(&subject).is_empty(), needed, "{kind}");
    }
}

#[test]
fn trailers_say_where_it_comes_from_and_how_it_goes() {
    for (trailer, key) in [
        ("Origin: this project\n", "Origin"),
        ("Forwarded: no\n", "Forwarded"),
        ("\nRemoval: when upstream does less", "Removal"),
    ] {
        let words = format!("no trailer `{key}: …`");
        breaks(&with(trailer, ""), "trailers", &[&words]);
    }
    breaks(
        &with("Forwarded: no", "Forwarded:"),
        "trailers",
        &["`Forwarded` is empty", "whether upstream has been told"],
    );
    breaks(
        &with("Origin:", "origin:"),
        "trailers",
        &["`origin` has to be written `Origin`"],
    );
    breaks(
        &with("Origin: this project", "Origin: a\nOrigin: b"),
        "trailers",
        &["2 trailers `Origin`"],
    );
    // One line of prose, and none of them is a trailer any more.
    breaks(
        &with("Forwarded: no", "not forwarded"),
        "trailers",
        &[
            "does not end in a paragraph of trailers alone (Origin, Forwarded, Removal): it ends in `Removal: when",
        ],
    );
    let silent = saying(&Message {
        body: "Hypothesis: a.\n\nMechanism: b.\n\nRisk: c.\n\nMore words.".to_owned(),
        ..message()
    });
    breaks(&silent, "trailers", &["it ends in `More words.`"]);
}

#[test]
fn depends_names_slugs_of_the_series() {
    for (value, words) in [
        (
            "nothing-of-it",
            "names `nothing-of-it`, which extern/stack.toml does not have",
        ),
        ("door fast", "`door fast`, which is no slug"),
        ("door,", "a place with no slug in it"),
        ("", "a place with no slug in it"),
        ("fast", "names itself"),
    ] {
        let subject = with("Depends: door", format!("Depends: {value}").trim_end());
        breaks(&subject, "depends", &[words]);
    }
    assert_eq!(broken(&with("Depends: door\n", "")), []);
}

#[test]
fn patches_of_one_optimisation_say_the_same() {
    let beside = |first: Message| Subject {
        first: Some(("b".to_owned(), first)),
        ..saying(&message())
    };
    assert_eq!(broken(&beside(message())), []);
    // Two people may have written it, on two days.
    let other = Message {
        author: "a <a@invalid>".to_owned(),
        ..message()
    };
    assert_eq!(broken(&beside(other)), []);
    let subject = "fast: do nothing".to_owned();
    breaks(
        &beside(Message {
            subject,
            ..message()
        }),
        "same-message",
        &["its subject is not that of extern/patches/b/fast.patch"],
    );
    let body = message().body.replace("Risk: none.", "Risk: some.");
    breaks(
        &beside(Message { body, ..message() }),
        "same-message",
        &["its message is not that of extern/patches/b/fast.patch"],
    );
}

#[test]
fn an_author_has_a_name_and_a_mail() {
    for author in [
        "cuzk",
        "<cuzk@invalid>",
        "cuzk <cuzk>",
        "cuzk <@invalid>",
        "cuzk <a b@invalid>",
        "cuzk <a@b",
        "a <b> <c@d>",
    ] {
        let subject = saying(&Message {
            author: author.to_owned(),
            ..message()
        });
        breaks(&subject, "author", &["is not of the form `name <mail>`"]);
    }
}

#[test]
fn a_date_is_one_that_there_was() {
    for (date, words) in [
        ("2026-11-29", "is not of the form"),
        ("Sun, 29 Nov 2026 00:00:00", "is not of the form"),
        ("Sun, 29 Nov 2026 00:00:00 GMT", "is not of the form"),
        ("Sun, 29 November 2026 00:00:00 +0000", "is not of the form"),
        ("Sun 29 Nov 2026 00:00:00 +0000", "is not of the form"),
        ("Sun, 09 Nov 2026 00:00:00 +0000", "is not of the form"),
        ("Sun, 31 Nov 2026 00:00:00 +0000", "is no day and time"),
        ("Sun, 29 Nov 2026 24:00:00 +0000", "is no day and time"),
        ("Mon, 29 Nov 2026 00:00:00 +0000", "was a Sun"),
    ] {
        let subject = saying(&Message {
            date: date.to_owned(),
            ..message()
        });
        breaks(&subject, "date", &[words]);
    }
    for date in [
        "Thu, 29 Feb 2024 23:59:59 -0330",
        "Thu, 1 Jan 1970 00:00:00 +0000",
    ] {
        assert_eq!(date_fault(date), None);
    }
}
