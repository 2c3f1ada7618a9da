//! Files changed together, with what they were before on disk: a process that dies in the middle loses nothing.
//!
//! The journal is whole before the first file changes, for its folder is renamed into place. It is good until the state of
//! the rebase is deleted, which is the moment from which the change counts.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::files;

/// Where a new text lies before it is renamed into its place, behind the name of the file.
const STAGED: &str = ".rebase-part";

/// Files as they must be; none where one must not be.
pub type Wanted = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A journal in a folder.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
    root: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// Relative to the root.
    path: PathBuf,
    /// False where there was no file.
    was_there: bool,
}

impl Journal {
    /// The journal in `folder` for files below `root`.
    pub fn new(folder: &Path, root: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            root: root.to_path_buf(),
        }
    }

    /// True when a change was begun.
    pub fn is_open(&self) -> bool {
        self.folder.join("index.json").is_file()
    }

    /// Writes what `wanted` says. Where that fails, everything is put back.
    pub fn write(&self, wanted: &Wanted) -> Result<()> {
        if let Err(error) = self.begin(wanted) {
            remove(&self.folder.with_extension("part"))?;
            return Err(error);
        }
        for (path, bytes) in wanted {
            if let Err(error) = put(path, bytes.as_deref()) {
                self.restore()?;
                return Err(error).with_context(|| {
                    format!("cannot write {}; everything is as it was", path.display())
                });
            }
        }
        Ok(())
    }

    /// Notes what the files are now.
    fn begin(&self, wanted: &Wanted) -> Result<()> {
        self.close()?;
        let part = self.folder.with_extension("part");
        remove(&part)?;
        let mut entries = Vec::new();
        for (number, path) in wanted.keys().enumerate() {
            let was_there = match fs::read(path) {
                Ok(bytes) => {
                    let place = part.join(number.to_string());
                    files::replace(&place, &bytes)
                        .with_context(|| format!("cannot write {}", place.display()))?;
                    true
                }
                Err(error) if error.kind() == ErrorKind::NotFound => false,
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot read {}", path.display()));
                }
            };
            let Ok(path) = path.strip_prefix(&self.root) else {
                bail!("{} lies outside of the repository", path.display());
            };
            entries.push(Entry {
                path: path.to_path_buf(),
                was_there,
            });
        }
        let index = serde_json::to_vec_pretty(&entries)?;
        files::replace(&part.join("index.json"), &index)
            .and_then(|()| fs::rename(&part, &self.folder))
            .with_context(|| format!("cannot write {}", self.folder.display()))
    }

    /// Puts every file back to what it was, and closes the journal.
    pub fn restore(&self) -> Result<()> {
        let index = self.folder.join("index.json");
        let text = fs::read(&index).with_context(|| format!("cannot read {}", index.display()))?;
        let entries: Vec<Entry> = serde_json::from_slice(&text).with_context(|| {
            format!(
                "{} is damaged: `git checkout` has the files",
                index.display()
            )
        })?;
        for (number, entry) in entries.iter().enumerate() {
            let path = self.root.join(&entry.path);
            let restore = || -> Result<()> {
                let bytes = match entry.was_there {
                    true => Some(fs::read(self.folder.join(number.to_string()))?),
                    false => None,
                };
                remove_file(&staged(&path))?;
                Ok(put(&path, bytes.as_deref())?)
            };
            restore().with_context(|| format!("cannot put {} back", path.display()))?;
        }
        self.close()
    }

    /// Forgets what the files were.
    pub fn close(&self) -> Result<()> {
        // The index first: without it the rest means nothing.
        remove_file(&self.folder.join("index.json"))
            .and_then(|()| remove(&self.folder))
            .with_context(|| format!("cannot remove {}", self.folder.display()))
    }
}

fn staged(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(STAGED);
    name.into()
}

/// Makes a file be what it must be. One that is it already is not touched, a folder that nothing is left in goes.
fn put(path: &Path, bytes: Option<&[u8]>) -> std::io::Result<()> {
    let Some(bytes) = bytes else {
        remove_file(path)?;
        if let Some(folder) = path.parent() {
            // Refused while something is in it, which is the point.
            let _ = fs::remove_dir(folder);
        }
        return Ok(());
    };
    if fs::read(path).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let part = staged(path);
    fs::write(&part, bytes)?;
    if let Ok(found) = fs::metadata(path) {
        fs::set_permissions(&part, found.permissions())?;
    }
    fs::File::open(&part)?.sync_all()?;
    fs::rename(&part, path)
}

fn remove_file(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a folder that may not be there.
pub(super) fn remove(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    /// A root with `a` and `b`, and what is wanted: another `a`, no `b`, a new `n/c`.
    fn some() -> (tempfile::TempDir, Journal, Wanted) {
        let temp = tempfile::tempdir().expect("a folder");
        let root = temp.path();
        for name in ["a", "b"] {
            fs::write(root.join(name), format!("old {name}")).expect("written");
        }
        let wanted = Wanted::from([
            (root.join("a"), Some(b"new a".to_vec())),
            (root.join("b"), None),
            (root.join("n/c"), Some(b"new c".to_vec())),
        ]);
        let journal = Journal::new(&root.join("journal"), root);
        (temp, journal, wanted)
    }

    fn state(temp: &tempfile::TempDir) -> Vec<(String, String)> {
        let files = walkdir::WalkDir::new(temp.path()).sort_by_file_name();
        files
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let name = entry.path().strip_prefix(temp.path()).expect("below");
                let text = fs::read_to_string(entry.path()).expect("read");
                (name.display().to_string(), text)
            })
            .collect()
    }

    #[test]
    fn all_is_written_and_all_comes_back() {
        let (temp, journal, wanted) = some();
        let before = state(&temp);
        journal.write(&wanted).expect("written");
        assert!(journal.is_open());
        assert_eq!(fs::read(temp.path().join("n/c")).expect("there"), b"new c");
        assert!(!temp.path().join("b").exists());
        journal.restore().expect("restored");
        assert_eq!(state(&temp), before);
        assert!(!temp.path().join("n").exists() && !journal.is_open());
    }

    #[test]
    fn a_process_that_died_at_any_file_has_lost_nothing() {
        for steps in 0..=3 {
            let (temp, journal, wanted) = some();
            let before = state(&temp);
            journal.begin(&wanted).expect("noted");
            for (path, bytes) in wanted.iter().take(steps) {
                put(path, bytes.as_deref()).expect("put");
            }
            // Half of the next one.
            fs::write(staged(&temp.path().join("a")), "ne").expect("written");
            journal.restore().expect("restored");
            assert_eq!(state(&temp), before);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_everything_as_it_was() {
        let (temp, journal, mut wanted) = some();
        fs::create_dir_all(temp.path().join("z/x")).expect("made");
        let before = state(&temp);
        wanted.insert(temp.path().join("z"), Some(Vec::new()));
        let error = journal.write(&wanted).expect_err("a folder is there");
        assert!(format!("{error:#}").contains("/z"), "{error:#}");
        assert_eq!(state(&temp), before);
    }
}
