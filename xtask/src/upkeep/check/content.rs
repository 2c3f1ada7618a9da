//! Rules on what a patch changes: a reader sees what is ours, and nothing of upstream is in it beyond that.

use std::collections::HashMap;

use super::rules::Broken;
use super::subject::{Gone, Place, Subject, deleted, lines};
use crate::patch::{FileChange, Hunk, LineKind};

/// Lines of context on each side of a change.
const CONTEXT: usize = 3;

/// So many lines that tell something have to be alike before two files that are not the same count as one: short ones
/// share a few lines by nature.
const ALIKE: usize = 5;

/// A file of fewer lines may change in all of them.
const WHOLE: usize = 10;

/// At most three lines of context.
pub(super) fn context(subject: &Subject) -> Vec<Broken> {
    let mut broken = Vec::new();
    for file in &subject.patch.files {
        for (at, hunk) in file.hunks.iter().enumerate() {
            if let Some(what) = too_much_context(hunk) {
                broken.push(Broken {
                    what: format!(
                        "`{}`, hunk {} ({}): {what}",
                        file.path(),
                        at + 1,
                        hunk.header
                    ),
                    todo: export(subject),
                });
            }
        }
    }
    broken
}

/// Two changes share a hunk where their context meets, so that up to twice as many lines stand between them.
fn too_much_context(hunk: &Hunk) -> Option<String> {
    let changed = |line: &crate::patch::Line| line.kind != LineKind::Context;
    let first = hunk.lines.iter().position(changed)?;
    let last = hunk.lines.iter().rposition(changed)?;
    let behind = hunk.lines.len() - 1 - last;
    let mut between = 0;
    let mut run = 0;
    for line in &hunk.lines[first..=last] {
        run = if changed(line) { 0 } else { run + 1 };
        between = between.max(run);
    }
    [
        (first, CONTEXT, "before its first change"),
        (behind, CONTEXT, "behind its last change"),
        (between, 2 * CONTEXT, "between two changes"),
    ]
    .into_iter()
    .find(|(found, most, _)| found > most)
    .map(|(found, most, place)| {
        format!("{found} lines of context {place}, and {most} are the most")
    })
}

/// What is deleted does not come back whole, under whatever name: that would be upstream's text as ours, and a reader
/// could not see what changed in it.
pub(super) fn deleted_and_added(subject: &Subject) -> Vec<Broken> {
    let own = deleted(&subject.slug, &subject.patch);
    let gone: Vec<Gone> = subject.gone.iter().cloned().chain(own).collect();
    let mut broken = Vec::new();
    for file in &subject.patch.files {
        let (None, Some(new)) = (&file.old, &file.new) else {
            continue;
        };
        let added = lines(file, LineKind::Added);
        let Some((gone, share)) = gone
            .iter()
            .find_map(|gone| Some((gone, alike(&gone.lines, &added)?)))
        else {
            continue;
        };
        let what = match gone.slug == subject.slug {
            true => format!(
                "deletes `{}` and adds it again as `{}`",
                gone.path, new.path
            ),
            false => format!(
                "adds `{}`, which is `{}` that `{}` deleted",
                new.path, gone.path, gone.slug
            ),
        };
        broken.push(Broken {
            what: format!("{what} ({share})"),
            todo: format!(
                "keep the file and change it in its place, or rename it, in `cargo xtask patch edit {krate}`; then run \
                 `cargo xtask patch export {krate}`",
                krate = subject.krate
            ),
        });
    }
    broken
}

/// How much two files have in common, if half of the shorter one's lines are in the other. Lines without a letter or a
/// digit tell nothing, and spaces around a line are no difference.
fn alike(gone: &[Vec<u8>], added: &[Vec<u8>]) -> Option<String> {
    if gone == added && !gone.is_empty() {
        return Some("line by line the same".to_owned());
    }
    let (gone, added) = (telling(gone), telling(added));
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    for line in &gone {
        *left.entry(line).or_default() += 1;
    }
    let common = added
        .iter()
        .filter(|line| match left.get_mut(**line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
        .count();
    let shorter = gone.len().min(added.len());
    (common >= ALIKE && 2 * common >= shorter).then(|| {
        format!(
            "{common} lines alike, of {} deleted and {} added that tell something",
            gone.len(),
            added.len()
        )
    })
}

fn telling(lines: &[Vec<u8>]) -> Vec<&[u8]> {
    lines
        .iter()
        .map(|line| line.trim_ascii())
        .filter(|line| {
            line.iter()
                .any(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
        })
        .collect()
}

/// No file is rewritten whole: nine of ten of its lines go, and nine of ten come from the patch.
pub(super) fn rewritten(subject: &Subject) -> Vec<Broken> {
    let Place::Found { before, .. } = &subject.place else {
        return Vec::new();
    };
    let mut broken = Vec::new();
    for file in &subject.patch.files {
        let FileChange {
            old: Some(old),
            new: Some(_),
            hunks,
            ..
        } = file
        else {
            continue;
        };
        let Some(held) = before.files.get(&old.path) else {
            continue;
        };
        let length = held.bytes.split_inclusive(|b| *b == b'\n').count();
        let count = |kind| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.kind == kind).count()
        };
        let (added, removed) = (count(LineKind::Added), count(LineKind::Removed));
        let kept = length.saturating_sub(removed);
        if length >= WHOLE && 10 * kept <= length && 10 * kept <= kept + added {
            broken.push(Broken {
                what: format!(
                    "rewrites `{}` whole: {kept} of its {length} lines stay, {added} are new",
                    file.path()
                ),
                todo: format!(
                    "change only what the optimisation needs, with line endings and spaces as they were, or put new \
                     code into a file of its own, in `cargo xtask patch edit {krate}`; then run `cargo xtask patch \
                     export {krate}`",
                    krate = subject.krate
                ),
            });
        }
    }
    broken
}

/// How to have a patch written anew.
pub(super) fn export(subject: &Subject) -> String {
    let krate = &subject.krate;
    format!("run `cargo xtask patch edit {krate}`, then `cargo xtask patch export {krate}`")
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
