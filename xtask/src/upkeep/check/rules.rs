//! The rules that every patch keeps, as data.

use super::subject::Subject;
use super::{content, form, message};

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name, in `--json`.
    pub name: &'static str,
    /// How a patch breaks it; nothing where it keeps it.
    pub broken: fn(&Subject) -> Vec<Broken>,
}

/// How a patch breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong, after the name of the file.
    pub what: String,
    /// What to do.
    pub todo: String,
}

/// Every rule on one patch, in the order in which a person reads a patch.
pub const RULES: [Rule; 12] = [
    Rule {
        name: "author",
        broken: message::author,
    },
    Rule {
        name: "date",
        broken: message::date,
    },
    Rule {
        name: "subject",
        broken: message::subject,
    },
    Rule {
        name: "sections",
        broken: message::sections,
    },
    Rule {
        name: "trailers",
        broken: message::trailers,
    },
    Rule {
        name: "depends",
        broken: message::depends,
    },
    Rule {
        name: "same-message",
        broken: message::same_message,
    },
    Rule {
        name: "context",
        broken: content::context,
    },
    Rule {
        name: "deleted-and-added",
        broken: content::deleted_and_added,
    },
    Rule {
        name: "rewritten",
        broken: content::rewritten,
    },
    Rule {
        name: "place",
        broken: form::place,
    },
    Rule {
        name: "form",
        broken: form::as_exported,
    },
];
