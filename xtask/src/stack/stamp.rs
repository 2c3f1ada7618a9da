//! The stamp of a generated tree: what it was made of, and every file that was made.
//!
//! A tree that matches its stamp needs no work. A file that differs from it, that is missing, or that the stamp does
//! not have was touched by hand. That holds for a `Cargo.lock` or a `target/` that cargo left there too: a tree is
//! no place to run cargo in, and a stamp with exceptions would be no proof of what was measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::tree::{Tree, TreeError};

/// Name of the stamp inside a tree.
pub const STAMP_FILE: &str = ".cuzk-stamp";

/// Raised when the same inputs come to make another tree.
const SCHEMA: u32 = 1;

/// What a generated tree was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Schema of the stamp.
    schema: u32,
    /// Version, checksum and tree id of the release.
    pub release: String,
    /// Slug and SHA-256 of each patch, in order.
    pub patches: Vec<(String, String)>,
}

impl Origin {
    /// A release and the patches on it.
    pub fn new(release: &str, patches: Vec<(String, String)>) -> Self {
        Self {
            schema: SCHEMA,
            release: release.to_owned(),
            patches,
        }
    }
}

/// The stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// What the tree was made of.
    pub origin: Origin,
    /// Git's id of the tree, without the stamp.
    pub tree: String,
    /// Mode and blob of each file.
    files: BTreeMap<String, (String, String)>,
}

/// How a folder stands to its stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing there.
    Absent,
    /// As it was made.
    Clean(Stamp),
    /// Touched by hand.
    Edited(Difference),
    /// Files, but no stamp that can be read: not made here.
    Foreign,
}

/// What a hand did to a tree, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Other content or mode.
    pub changed: Vec<String>,
    /// Not in the stamp.
    pub added: Vec<String>,
    /// Only in the stamp.
    pub removed: Vec<String>,
}

impl Difference {
    /// True when nothing was done.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

impl Stamp {
    /// The stamp for a tree that was just made.
    pub fn new(origin: Origin, tree: &Tree) -> Self {
        Self {
            origin,
            tree: tree.id().to_string(),
            files: record(tree),
        }
    }

    /// Writes the stamp into its tree.
    pub fn write(&self, folder: &Path) -> Result<(), TreeError> {
        let path = folder.join(STAMP_FILE);
        let mut text = serde_json::to_string_pretty(self).map_err(|error| TreeError::Io {
            what: "write",
            path: path.clone(),
            source: error.into(),
        })?;
        text.push('\n');
        fs::write(&path, text).map_err(TreeError::io("write", &path))
    }
}

/// Compares a folder with its stamp, file by file.
pub fn inspect(folder: &Path) -> Result<State, TreeError> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(State::Absent),
        Err(error) => return Err(TreeError::io("read", folder)(error)),
        Ok(mut entries) => {
            if entries.next().is_none() {
                return Ok(State::Absent);
            }
        }
    }
    let stamp = fs::read(folder.join(STAMP_FILE)).ok();
    let stamp: Option<Stamp> = stamp.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(stamp) = stamp else {
        return Ok(State::Foreign);
    };
    let tree = match Tree::read(folder, &[STAMP_FILE]) {
        Ok(tree) => tree,
        // A link is an addition like any other.
        Err(TreeError::NotRegular(path) | TreeError::Name(path)) => {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            return Ok(State::Edited(Difference {
                added: vec![name.display().to_string()],
                ..Difference::default()
            }));
        }
        Err(error) => return Err(error),
    };
    let difference = compare(&stamp.files, &record(&tree));
    if difference.is_empty() && stamp.tree == tree.id().to_string() {
        Ok(State::Clean(stamp))
    } else if difference.is_empty() {
        Ok(State::Foreign)
    } else {
        Ok(State::Edited(difference))
    }
}

type Files = BTreeMap<String, (String, String)>;

fn record(tree: &Tree) -> Files {
    let record =
        |file: &super::tree::File| (file.mode.as_str().to_owned(), file.blob().to_string());
    tree.files
        .iter()
        .map(|(path, file)| (path.clone(), record(file)))
        .collect()
}

fn compare(stamped: &Files, found: &Files) -> Difference {
    let missing = |from: &Files, other: &Files| -> Vec<String> {
        from.keys()
            .filter(|path| !other.contains_key(*path))
            .cloned()
            .collect()
    };
    let changed = |(path, own): &(&String, &(String, String))| {
        found.get(*path).is_some_and(|theirs| theirs != *own)
    };
    Difference {
        changed: stamped
            .iter()
            .filter(changed)
            .map(|(path, _)| path.clone())
            .collect(),
        added: missing(found, stamped),
        removed: missing(stamped, found),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    fn stamped(folder: &Path) -> Stamp {
        let files = tree(&[("a", "1"), ("src/b", "2"), ("src/c", "3")]);
        files.write(folder, None).unwrap();
        let stamp = Stamp::new(Origin::new("r", vec![("s".into(), "h".into())]), &files);
        stamp.write(folder).unwrap();
        stamp
    }

    #[test]
    fn a_tree_as_it_was_made_is_clean() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("tree");
        assert_eq!(inspect(&folder).unwrap(), State::Absent);
        let stamp = stamped(&folder);
        assert_eq!(inspect(&folder).unwrap(), State::Clean(stamp));
    }

    #[test]
    fn edits_additions_and_removals_are_named() {
        let temp = tempfile::tempdir().unwrap();
        stamped(temp.path());
        fs::write(temp.path().join("a"), "other").unwrap();
        fs::write(temp.path().join("src/new"), "").unwrap();
        fs::remove_file(temp.path().join("src/c")).unwrap();
        let difference = Difference {
            changed: vec!["a".into()],
            added: vec!["src/new".into()],
            removed: vec!["src/c".into()],
        };
        assert_eq!(inspect(temp.path()).unwrap(), State::Edited(difference));
    }

    #[test]
    fn a_mode_or_a_link_is_an_edit_too() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        stamped(temp.path());
        fs::set_permissions(temp.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(inspect(temp.path()).unwrap(), State::Edited(d) if d.changed == ["a"]));
        std::os::unix::fs::symlink("a", temp.path().join("link")).unwrap();
        assert!(matches!(inspect(temp.path()).unwrap(), State::Edited(d) if d.added == ["link"]));
    }

    #[test]
    fn files_without_a_stamp_are_foreign() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("a"), "1").unwrap();
        assert_eq!(inspect(temp.path()).unwrap(), State::Foreign);
        stamped(temp.path());
        fs::write(temp.path().join(STAMP_FILE), "{}").unwrap();
        assert_eq!(inspect(temp.path()).unwrap(), State::Foreign);
    }
}
