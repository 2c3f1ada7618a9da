//! Changes of stack.toml and of `[patch]` tables: planned as texts, then written together or not at all.
//!
//! Texts are changed by `toml_edit`, which keeps comments and order; lines that a change does not touch keep their bytes,
//! the ends of lines included.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml_edit::{
    Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, value,
};

use super::Release;
use crate::files;

/// A file, and what is to be in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// Its new content.
    pub text: String,
}

/// Why a text cannot be changed or written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// Not TOML.
    #[error("it is no TOML: {0}")]
    Toml(#[from] TomlError),
    /// A key that holds something else than it has to.
    #[error("`{key}` is {found} where a table has to be")]
    Shape {
        /// The key.
        key: String,
        /// What it is.
        found: &'static str,
    },
    /// A file that cannot be read or written. Every other one is as it was.
    #[error("cannot write {path}, so that nothing was written: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// What was written cannot be taken back.
    #[error("cannot restore {path}, which holds half of a change: {source}", path = path.display())]
    Restore {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

/// Files as they were. They come back when this is dropped, unless they are let go of with [`Originals::forget`].
#[derive(Debug)]
pub struct Originals {
    files: Vec<Original>,
}

#[derive(Debug)]
struct Original {
    path: PathBuf,
    /// None where there was no file.
    bytes: Option<Vec<u8>>,
}

impl Originals {
    /// Remembers files, those that are not there too.
    pub fn of<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, WriteError> {
        let mut files = Vec::new();
        for path in paths {
            // A link stays one: what it leads to is changed.
            let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            let bytes = match fs::read(&path) {
                Ok(bytes) => Some(bytes),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(source) => return Err(WriteError::Io { path, source }),
            };
            files.push(Original { path, bytes });
        }
        Ok(Self { files })
    }

    /// The files that are not as they were.
    pub fn changed(&self) -> impl Iterator<Item = &Path> {
        let changed = self
            .files
            .iter()
            .filter(|file| fs::read(&file.path).ok() != file.bytes);
        changed.map(|file| file.path.as_path())
    }

    /// Keeps what was written.
    pub fn forget(mut self) {
        self.files.clear();
    }

    /// Brings every file back that is not as it was.
    pub fn restore(mut self) -> Result<(), WriteError> {
        let mut first = Ok(());
        for original in std::mem::take(&mut self.files) {
            let restored = original.restore();
            first = first.and(restored);
        }
        first
    }
}

impl Drop for Originals {
    fn drop(&mut self) {
        for original in &self.files {
            if let Err(error) = original.restore() {
                eprintln!("error: {error}");
            }
        }
    }
}

impl Original {
    fn restore(&self) -> Result<(), WriteError> {
        let now = fs::read(&self.path).ok();
        if now == self.bytes {
            return Ok(());
        }
        let restored = match &self.bytes {
            Some(bytes) => overwrite(&self.path, bytes),
            None => fs::remove_file(&self.path),
        };
        restored.map_err(|source| WriteError::Restore {
            path: self.path.clone(),
            source,
        })
    }
}

/// Writes all of the changes that are some. When one cannot be written, those before it are taken back.
pub fn write(changes: &[Change]) -> Result<Originals, WriteError> {
    let originals = Originals::of(changes.iter().map(|change| change.path.as_path()))?;
    for (change, original) in changes.iter().zip(&originals.files) {
        if original.bytes.as_deref() != Some(change.text.as_bytes())
            && let Err(source) = overwrite(&original.path, change.text.as_bytes())
        {
            let path = original.path.clone();
            originals.restore()?;
            return Err(WriteError::Io { path, source });
        }
    }
    Ok(originals)
}

/// Replaces a file, which keeps its permissions.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = fs::metadata(path).map(|found| found.permissions());
    files::replace(path, bytes)?;
    match permissions {
        Ok(permissions) => fs::set_permissions(path, permissions),
        Err(_) => Ok(()),
    }
}

/// stack.toml with one release more, behind the others.
pub fn add_release(text: &str, release: &Release) -> Result<String, WriteError> {
    edit(text, |document| {
        // An empty list is a value, which no table can be added to.
        if document
            .get("crate")
            .and_then(Item::as_array)
            .is_some_and(Array::is_empty)
        {
            document.remove("crate");
        }
        let none = || Item::ArrayOfTables(ArrayOfTables::new());
        let crates = document.entry("crate").or_insert_with(none);
        let found = crates.type_name();
        let Some(crates) = crates.as_array_of_tables_mut() else {
            return Err(shape("crate", found));
        };
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        for (key, text) in [
            ("name", &release.name),
            ("version", &release.version),
            ("checksum", &release.checksum),
            ("tree", &release.tree),
        ] {
            table.insert(key, value(text));
        }
        if let Some(feature) = &release.feature {
            table.insert("feature", value(feature));
        }
        crates.push(table);
        Ok(())
    })
}

/// A manifest whose `[patch.crates-io]` has these crates at these paths too, in this order. What it has of them is
/// replaced.
pub fn add_patches(text: &str, entries: &[(String, String)]) -> Result<String, WriteError> {
    edit(text, |document| {
        let new = !document.contains_key("patch");
        let patch = document.entry("patch").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let found = patch.type_name();
        let patch = patch
            .as_table_like_mut()
            .ok_or_else(|| shape("patch", found))?;
        let inline = found == "inline table";
        let crates = patch.entry("crates-io").or_insert_with(|| match inline {
            true => value(InlineTable::new()),
            false => Item::Table(Table::new()),
        });
        let found = crates.type_name();
        let crates = crates
            .as_table_like_mut()
            .ok_or_else(|| shape("patch.crates-io", found))?;
        for (name, path) in entries {
            let mut entry = InlineTable::new();
            entry.insert("path", path.as_str().into());
            insert(crates, name, entry);
        }
        // At the end of the file, whatever the last table is.
        if new
            && let Some(Item::Table(table)) = document
                .get_mut("patch")
                .and_then(|p| p.get_mut("crates-io"))
        {
            table.set_position(isize::MAX);
        }
        Ok(())
    })
}

fn insert(table: &mut dyn TableLike, name: &str, entry: InlineTable) {
    match table.get_mut(name) {
        Some(item) => *item = value(entry),
        None => {
            table.insert(name, value(entry));
        }
    }
}

fn shape(key: &str, found: &'static str) -> WriteError {
    WriteError::Shape {
        key: key.to_owned(),
        found,
    }
}

/// Changes a text as a document.
pub fn edit(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), WriteError>,
) -> Result<String, WriteError> {
    let bare = text.trim_start_matches('\u{feff}');
    let mut document: DocumentMut = bare.parse()?;
    let before = document.to_string();
    change(&mut document)?;
    Ok(splice(text, &before, &document.to_string()))
}

/// `text` with the lines that differ between `before` and `after` changed in it. `before` is `text` as `toml_edit` prints
/// it, which ends all lines alike.
pub(super) fn splice(text: &str, before: &str, after: &str) -> String {
    if before == after {
        return text.to_owned();
    }
    let lines =
        |text: &'_ str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (own, before, after) = (lines(text), lines(before), lines(after));
    let same =
        |a: &str, b: &str| a.trim_end_matches(['\r', '\n']) == b.trim_end_matches(['\r', '\n']);
    let shorter = before.len().min(after.len());
    let first = (0..shorter)
        .take_while(|i| same(&before[*i], &after[*i]))
        .count();
    let last = (1..=shorter - first)
        .take_while(|i| same(&before[before.len() - i], &after[after.len() - i]))
        .count();
    let end = if own.iter().any(|line| line.ends_with("\r\n")) {
        "\r\n"
    } else {
        "\n"
    };
    let mut result: String = own[..first.min(own.len())].concat();
    if !result.is_empty() && !result.ends_with('\n') {
        result.push_str(end);
    }
    for line in &after[first..after.len() - last] {
        result.push_str(line.trim_end_matches(['\r', '\n']));
        result.push_str(end);
    }
    result + &own[own.len() - last.min(own.len() - first)..].concat()
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
