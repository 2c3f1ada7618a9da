//! What changes between two releases of one crate.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::patch::LineKind;
use crate::patch::diff::{self, DiffError};
use crate::stack::tree::Tree;

/// The files that differ, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// In both, with other content or another mode.
    pub changed: Vec<String>,
    /// Only in the new release.
    pub added: Vec<String>,
    /// Only in the old release.
    pub removed: Vec<String>,
    /// The new path of a file by its old one.
    pub renamed: BTreeMap<String, String>,
    /// Lines added, in text files.
    pub lines_added: usize,
    /// Lines removed, in text files.
    pub lines_removed: usize,
}

impl Difference {
    /// Compares two releases. A file that is not text counts as a file, and its lines do not.
    pub fn between(old: &Tree, new: &Tree) -> Result<Self, DiffError> {
        let (old_text, new_text) = (only(old, is_text), only(new, is_text));
        let mut found = Self::default();
        for file in diff::between(&old_text, &new_text)? {
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            for line in lines {
                found.lines_added += usize::from(line.kind == LineKind::Added);
                found.lines_removed += usize::from(line.kind == LineKind::Removed);
            }
            match (file.old, file.new) {
                (Some(old), Some(new)) if old.path != new.path => {
                    found.renamed.insert(old.path, new.path);
                }
                (Some(_), Some(new)) => found.changed.push(new.path),
                (None, Some(new)) => found.added.push(new.path),
                (Some(old), None) => found.removed.push(old.path),
                (None, None) => {}
            }
        }
        found.binary(&only(old, is_binary), &only(new, is_binary));
        for list in [&mut found.changed, &mut found.added, &mut found.removed] {
            list.sort();
            list.dedup();
        }
        Ok(found)
    }

    fn binary(&mut self, old: &Tree, new: &Tree) {
        for (path, file) in &old.files {
            match new.files.get(path) {
                None => self.removed.push(path.clone()),
                Some(other) if other != file => self.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let fresh = new
            .files
            .keys()
            .filter(|path| !old.files.contains_key(*path));
        self.added.extend(fresh.cloned());
    }

    /// In one line.
    pub fn sentence(&self) -> String {
        format!(
            "{} changed, {} added, {} removed, {} renamed; +{} -{} lines",
            files(self.changed.len()),
            self.added.len(),
            self.removed.len(),
            self.renamed.len(),
            self.lines_added,
            self.lines_removed
        )
    }
}

fn files(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0)
}

fn is_binary(bytes: &[u8]) -> bool {
    !is_text(bytes)
}

fn only(tree: &Tree, keep: fn(&[u8]) -> bool) -> Tree {
    Tree {
        files: tree
            .files
            .iter()
            .filter(|(_, file)| keep(&file.bytes))
            .map(|(path, file)| (path.clone(), file.clone()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    #[test]
    fn every_kind_of_change_is_counted_once() {
        let long: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let old = tree(&[
            ("a", "1\n"),
            ("gone", "x\n"),
            ("moved", &long),
            ("same", "s\n"),
            ("bin", "\0a"),
        ]);
        let new = tree(&[
            ("a", "2\n3\n"),
            ("fresh", "y\n"),
            ("there", &long),
            ("same", "s\n"),
            ("bin", "\0b"),
        ]);
        let found = Difference::between(&old, &new).expect("text");
        let expected = Difference {
            changed: vec!["a".to_owned(), "bin".to_owned()],
            added: vec!["fresh".to_owned()],
            removed: vec!["gone".to_owned()],
            renamed: BTreeMap::from([("moved".to_owned(), "there".to_owned())]),
            lines_added: 3,
            lines_removed: 2,
        };
        assert_eq!(found, expected);
        assert_eq!(
            found.sentence(),
            "2 files changed, 1 added, 1 removed, 1 renamed; +3 -2 lines"
        );
    }
}
