//! What is said when a stack cannot be made, and what to run next.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::selection::Selection;
use crate::stack::stamp::Difference;

/// At most so many files of an edited tree are named.
const NAMED: usize = 12;

/// Trees that a hand has touched, file by file.
pub(super) fn refusal(
    layout: &Layout,
    selection: &Selection,
    folder: &Path,
    touched: &BTreeMap<String, Option<Difference>>,
) -> String {
    let mut text = String::from("generated trees were changed by hand, and nothing was done:\n");
    for (name, difference) in touched {
        let place = layout.show(&folder.join(name));
        let Some(difference) = difference else {
            let _ = writeln!(
                text,
                "  {place}: has no stamp that fits; was it made by `cargo xtask vendor`?"
            );
            continue;
        };
        let kinds = [
            ("changed", &difference.changed),
            ("added", &difference.added),
            ("removed", &difference.removed),
        ];
        let files: Vec<(&str, &String)> = kinds
            .iter()
            .flat_map(|(kind, files)| files.iter().map(|f| (*kind, f)))
            .collect();
        for (kind, file) in files.iter().take(NAMED) {
            let _ = writeln!(text, "  {kind:<8} {place}/{file}");
        }
        if files.len() > NAMED {
            let _ = writeln!(text, "  and {} more in {place}", files.len() - NAMED);
        }
    }
    let _ = write!(
        text,
        "run `cargo xtask vendor --keep DIR {selection}` to move the trees to DIR and make new ones, \
         or `cargo xtask vendor --discard {selection}` to throw the changes away"
    );
    text
}

/// Two stacks that differ in `slug` alone and can always be made.
fn along_the_series(slug: &str, manifest: &Manifest) -> String {
    let default: Vec<&Optimisation> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .collect();
    match default.iter().position(|o| o.slug == slug) {
        Some(0) => format!("pristine,prefix-{slug}"),
        Some(at) => format!("prefix-{},prefix-{slug}", default[at - 1].slug),
        None => format!("pristine,pristine+{slug}"),
    }
}

/// What to run next, by the kind of failure.
pub(super) fn explain(
    error: ApplyError,
    selection: &Selection,
    manifest: &Manifest,
) -> anyhow::Error {
    let advice = match &error {
        ApplyError::NotConstructible { patch, .. } => {
            let slug = patch
                .rsplit('/')
                .next()
                .and_then(|file| file.strip_suffix(".patch"))
                .unwrap_or(patch);
            let along = along_the_series(slug, manifest);
            format!(
                "stack `{selection}` cannot be made and the trees are as they were. \
                 Measure `{slug}` where it always applies: `cargo xtask bench --arms {along}`; \
                 or, if it needs what this stack leaves out, say so with a Depends trailer in its message"
            )
        }
        ApplyError::AlreadyApplied { patch } => format!(
            "stack `{selection}` was not made and the trees are as they were. If the release has the change, \
             take it out of extern/stack.toml and delete extern/patches/{patch}"
        ),
        _ => format!("stack `{selection}` was not made and the trees are as they were"),
    };
    anyhow::Error::new(error).context(advice)
}
