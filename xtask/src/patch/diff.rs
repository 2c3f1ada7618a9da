//! What turns one tree into another, in git's form: the files that change, their hunks, and which files moved.
//!
//! Hunks are those of the histogram algorithm, computed here: a patch that is exported has the same bytes whatever git,
//! and whatever configuration of it, a machine has.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use thiserror::Error;

use super::object::ObjectId;
use super::rename;
use super::{FileChange, Hunk, Line, LineKind, Side};
use crate::stack::tree::{File, Tree};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// At most so many bytes of the line that a hunk's header names.
const HEADING: usize = 80;

/// Why two trees have no patch between them.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DiffError {
    /// A file that no reader can review.
    #[error("`{0}` is binary: only text can be changed by a patch")]
    Binary(String),
}

/// The changes from `before` to `after`, by the path where a file ends up, or where it was.
pub fn between(before: &Tree, after: &Tree) -> Result<Vec<FileChange>, DiffError> {
    let only = |these: &Tree, those: &Tree| -> Vec<String> {
        let gone = these.files.keys().filter(|p| !those.files.contains_key(*p));
        gone.cloned().collect()
    };
    let (mut deleted, mut added) = (only(before, after), only(after, before));
    let mut changes = Vec::new();
    for moved in rename::find(before, &deleted, after, &added) {
        deleted.retain(|path| *path != moved.from);
        added.retain(|path| *path != moved.to);
        let (old, new) = (&before.files[&moved.from], &after.files[&moved.to]);
        let mut change = change(Some((&moved.from, old)), Some((&moved.to, new)))?;
        change.similarity = Some(moved.similarity);
        changes.push(change);
    }
    for path in &deleted {
        changes.push(change(Some((path, &before.files[path])), None)?);
    }
    for path in &added {
        changes.push(change(None, Some((path, &after.files[path])))?);
    }
    for (path, old) in &before.files {
        if let Some(new) = after.files.get(path).filter(|new| *new != old) {
            changes.push(change(Some((path, old)), Some((path, new)))?);
        }
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

fn change(
    old: Option<(&String, &File)>,
    new: Option<(&String, &File)>,
) -> Result<FileChange, DiffError> {
    let bytes = |side: Option<(&String, &File)>| {
        side.map_or_else(Default::default, |(_, f)| f.bytes.clone())
    };
    let (before, after) = (bytes(old), bytes(new));
    let same = old.is_some() && new.is_some() && before == after;
    if let (false, Some((path, _))) = (same, new.or(old))
        && (before.contains(&0) || after.contains(&0))
    {
        return Err(DiffError::Binary(path.clone()));
    }
    let id = |side: Option<(&String, &File)>| side.map_or(ObjectId::ZERO, |(_, file)| file.blob());
    // A file that only moves has no line in which its mode would stand.
    let modes = |side: Option<(&String, &File)>| side.map(|(_, file)| file.mode);
    let silent = same && modes(old) == modes(new);
    let side = |(path, file): (&String, &File)| Side {
        path: path.clone(),
        mode: (!silent).then_some(file.mode),
    };
    Ok(FileChange {
        old: old.map(side),
        new: new.map(side),
        similarity: None,
        blobs: (!same).then(|| (id(old), id(new))),
        hunks: hunks(&before, &after),
    })
}

/// Ranges of lines that differ, in order.
pub(super) fn changed(before: &[&[u8]], after: &[&[u8]]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| (range(hunk.before), range(hunk.after)))
        .collect()
}

/// Lines with their line endings.
pub(super) fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|b| *b == b'\n').collect()
}

fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let (before, after) = (lines(before), lines(after));
    let mut hunks = Vec::new();
    let mut group: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for next in changed(&before, &after) {
        let far = |(old, _): &(Range<usize>, Range<usize>)| next.0.start - old.end > 2 * CONTEXT;
        if group.last().is_some_and(far) {
            hunks.push(hunk(&before, &after, &group));
            group.clear();
        }
        group.push(next);
    }
    if !group.is_empty() {
        hunks.push(hunk(&before, &after, &group));
    }
    hunks
}

/// One hunk of changes that lie close together, with the lines between and around them. `group` is not empty.
fn hunk(before: &[&[u8]], after: &[&[u8]], group: &[(Range<usize>, Range<usize>)]) -> Hunk {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let lead = first.0.start.min(CONTEXT);
    let tail = (before.len() - last.0.end).min(CONTEXT);
    let old = first.0.start - lead..last.0.end + tail;
    let new = first.1.start - lead..last.1.end + tail;
    let mut lines = Vec::new();
    let mut add = |kind, from: &[&[u8]]| {
        lines.extend(from.iter().map(|bytes| Line {
            kind,
            bytes: bytes.to_vec(),
        }));
    };
    let mut at = old.start;
    for (removed, added) in group {
        add(LineKind::Context, &before[at..removed.start]);
        add(LineKind::Removed, &before[removed.clone()]);
        add(LineKind::Added, &after[added.clone()]);
        at = removed.end;
    }
    add(LineKind::Context, &before[at..old.end]);
    Hunk {
        header: format!(
            "@@ -{} +{} @@{}",
            span(&old),
            span(&new),
            heading(&before[..old.start])
        ),
        old_start: start(&old),
        lines,
    }
}

/// Lines are counted from 1; the line before it stands for a range that is empty.
fn start(range: &Range<usize>) -> usize {
    range.start + usize::from(!range.is_empty())
}

fn span(range: &Range<usize>) -> String {
    match range.len() {
        1 => start(range).to_string(),
        count => format!("{},{count}", start(range)),
    }
}

/// The nearest line above a hunk that begins in the first column with a letter, for whoever reads the patch.
fn heading(above: &[&[u8]]) -> String {
    let begins = |line: &&&[u8]| {
        let first = line.first();
        first.is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
    };
    let Some(line) = above.iter().rev().find(begins) else {
        return String::new();
    };
    let text = String::from_utf8_lossy(line);
    let mut end = text.len().min(HEADING);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // What is no plain text would not be read back as it was written.
    let text = text[..end].trim_end();
    if text.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
        return String::new();
    }
    format!(" {text}")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn shown(before: &str, after: &str) -> Vec<String> {
        let found = hunks(before.as_bytes(), after.as_bytes());
        found.into_iter().map(|hunk| hunk.header).collect()
    }

    fn numbered(count: usize, changed: &[usize]) -> String {
        let line = |at: usize| match changed.contains(&at) {
            true => format!("x{at}\n"),
            false => format!(" {at}\n"),
        };
        (1..=count).map(line).collect()
    }

    #[test]
    fn changes_that_share_context_are_one_hunk() {
        let before = numbered(20, &[]);
        assert_eq!(
            shown(&before, &numbered(20, &[4, 11])),
            ["@@ -1,14 +1,14 @@"]
        );
        let apart = ["@@ -1,7 +1,7 @@", "@@ -9,7 +9,7 @@"];
        assert_eq!(shown(&before, &numbered(20, &[4, 12])), apart);
    }

    #[test]
    fn empty_sides_and_single_lines_are_counted_as_git_does() {
        assert_eq!(shown("", "a\n"), ["@@ -0,0 +1 @@"]);
        assert_eq!(shown("a\n", ""), ["@@ -1 +0,0 @@"]);
        assert_eq!(shown("a\n", "b\nc\n"), ["@@ -1 +1,2 @@"]);
    }

    #[test]
    fn a_hunk_names_what_it_is_in() {
        let long = format!("fn {}() {{\n", "\u{e9}".repeat(60));
        let before = format!("{long}{}", numbered(9, &[]));
        let after = format!("{long}{}", numbered(9, &[6]));
        assert_eq!(
            shown(&before, &after),
            [format!("@@ -4,7 +4,7 @@ fn {}", "\u{e9}".repeat(38))]
        );
        let odd = |mark: &str| format!("a\u{7}b\n{}", numbered(9, &[]).replace(" 6\n", mark));
        assert_eq!(shown(&odd(" 6\n"), &odd("y\n")), ["@@ -4,7 +4,7 @@"]);
    }

    #[test]
    fn a_file_that_cannot_be_reviewed_is_refused() {
        let (text, binary) = (tree(&[("a", "1")]), tree(&[("a", "1\0")]));
        let error = between(&text, &binary).expect_err("binary");
        assert_eq!(error, DiffError::Binary("a".into()));
        assert_eq!(between(&binary, &binary), Ok(Vec::new()));
        let moved = tree(&[("b", "1\0")]);
        assert_eq!(between(&binary, &moved).expect("moved as it is").len(), 1);
    }
}
