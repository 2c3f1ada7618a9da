//! The stamp of a folder that was handed out: what it is made of, and the hash of every file. A folder is an earlier dist
//! if it has one, and untouched if its files are those of the stamp.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::stack::stamp::Difference;

/// Its name.
pub const FILE: &str = "stamp.json";

/// Where git keeps a repository, or says where: not ours, and kept.
pub const GIT: &str = ".git";

const SCHEMA: u32 = 1;

const KIND: &str = "cuzk-dist";

/// The stamp.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    schema: u32,
    kind: String,
    /// Hash of the stack's trees.
    pub stack: String,
    /// True where the registry holds what the crates depend on, too.
    pub closure: bool,
    /// The crates, those of the stack first.
    pub crates: Vec<Entry>,
    /// SHA-256 of every file but this one.
    pub files: BTreeMap<String, String>,
}

/// One crate.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Git's id of the crate's folder.
    pub tree: String,
    /// SHA-256 of its archive.
    pub archive: String,
    /// Where it comes from; none for a crate of this repository.
    pub release: Option<Origin>,
}

/// The release that a crate was made from.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// SHA-256 of the published archive.
    pub checksum: String,
    /// Git's id of its tree.
    pub tree: String,
    /// Git's id of the stack's tree: the release with its patches.
    pub patched: String,
    /// Slug and SHA-256 of each patch, in order.
    pub patches: Vec<(String, String)>,
}

/// How a place stands.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing there, or an empty folder.
    Absent,
    /// As it was made; the text of its stamp.
    Clean(String),
    /// A dist that a hand has touched.
    Edited(Difference),
    /// Something else.
    Foreign,
}

impl Stamp {
    /// The stamp of a dist with these files, as its text.
    pub fn print(
        stack: &str,
        closure: bool,
        crates: Vec<Entry>,
        files: BTreeMap<String, String>,
    ) -> Result<String, serde_json::Error> {
        let stamp = Self {
            schema: SCHEMA,
            kind: KIND.to_owned(),
            stack: stack.to_owned(),
            closure,
            crates,
            files,
        };
        Ok(serde_json::to_string_pretty(&stamp)? + "\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let stamp: Self = serde_json::from_str(text).ok()?;
        (stamp.schema == SCHEMA && stamp.kind == KIND).then_some(stamp)
    }
}

/// Compares a place with its stamp, file by file. A git repository at its top is no difference.
pub fn inspect(folder: &Path) -> io::Result<State> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Absent),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(State::Foreign),
        Err(error) => return Err(error),
        Ok(mut entries) => {
            if entries.next().is_none() {
                return Ok(State::Absent);
            }
        }
    }
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let Some(stamp) = Stamp::parse(&text) else {
        return Ok(State::Foreign);
    };
    let mut difference = Difference::default();
    let mut rest = stamp.files;
    let inside = |entry: &walkdir::DirEntry| entry.depth() != 1 || entry.file_name() != GIT;
    for entry in WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(inside)
    {
        let entry = entry?;
        if entry.file_type().is_dir() {
            continue;
        }
        let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let name = path.to_string_lossy().into_owned();
        if name == FILE && entry.file_type().is_file() {
            continue;
        }
        match rest.remove(&name) {
            None => difference.added.push(name),
            Some(hash) if entry.file_type().is_file() && hash_of(entry.path())? == hash => {}
            Some(_) => difference.changed.push(name),
        }
    }
    difference.removed = rest.into_keys().collect();
    Ok(if difference.is_empty() {
        State::Clean(text)
    } else {
        State::Edited(difference)
    })
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut fs::File::open(path)?, &mut hasher)?;
    Ok(hex::encode(hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn stamped(folder: &Path) -> String {
        let mut files = BTreeMap::new();
        for (name, text) in [("a", "1"), ("crates/b", "2")] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, text).expect("written");
            files.insert(name.to_owned(), hash_of(&path).expect("read"));
        }
        let text = Stamp::print("s", false, Vec::new(), files).expect("printed");
        fs::write(folder.join(FILE), &text).expect("written");
        text
    }

    #[test]
    fn a_place_is_absent_clean_edited_or_foreign() {
        let temp = tempfile::tempdir().expect("a folder");
        let folder = temp.path().join("dist");
        let state = || inspect(&folder).expect("looked");
        assert_eq!(state(), State::Absent);
        fs::create_dir(&folder).expect("made");
        assert_eq!(state(), State::Absent);
        fs::write(folder.join("x"), "").expect("written");
        assert_eq!(state(), State::Foreign);
        fs::write(folder.join(FILE), "{\"schema\": 1, \"kind\": \"other\"}").expect("written");
        assert_eq!(state(), State::Foreign);
        fs::remove_file(folder.join("x")).expect("removed");
        let text = stamped(&folder);
        assert_eq!(state(), State::Clean(text.clone()));
        fs::create_dir(folder.join(GIT)).expect("made");
        fs::write(folder.join(".git/config"), "").expect("written");
        assert_eq!(state(), State::Clean(text));
        assert_eq!(inspect(&folder.join("a")).expect("looked"), State::Foreign);
    }

    #[test]
    fn what_a_hand_did_is_named() {
        let temp = tempfile::tempdir().expect("a folder");
        stamped(temp.path());
        fs::write(temp.path().join("a"), "other").expect("written");
        fs::remove_file(temp.path().join("crates/b")).expect("removed");
        std::os::unix::fs::symlink("a", temp.path().join("link")).expect("linked");
        let difference = Difference {
            changed: vec!["a".into()],
            added: vec!["link".into()],
            removed: vec!["crates/b".into()],
        };
        assert_eq!(
            inspect(temp.path()).expect("looked"),
            State::Edited(difference)
        );
    }
}
