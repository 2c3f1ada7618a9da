//! Files changed together, with what they were before on disk: a process that dies in the middle loses nothing.
//!
//! 1. What every file was, and which were not there, is written beside the journal's place; that folder is then renamed
//!    into it. From here to its end the journal is open: `index.json` is there.
//! 2. The files change one by one, each by a rename. What cannot be written puts all of them back.
//! 3. Whoever asked for the change holds the result to what it must be, and either puts everything back ([`Journal::restore`])
//!    or lets it stand: `index.json` goes, which is the moment from which the change counts. (For a rebase it is the moment
//!    before, when its state goes.)
//!
//! A journal that is found open is of a process that died between 1 and 3, as long as nobody holds the lock `series`.
//! That of a rebase is put back by `--continue` and `--abort`. That of an export lies in `target/export-journal`, not in the
//! edit, which a person may delete, and is one for all crates, as `stack.toml` is: every verb of `patch`
//! puts it back before it looks at anything ([`recover`]). An export counts before its edit records it: one that dies between
//! the two is found to be the edit's own by the next.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;

/// Where a new text lies before it is renamed into its place, behind the name of the file.
const STAGED: &str = ".journal-part";

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

    /// That of the export of this checkout.
    pub fn of_export(layout: &Layout) -> Self {
        Self::new(&layout.target.join("export-journal"), &layout.root)
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
        ensure!(
            !self.is_open(),
            "{} is of a change that was interrupted: `cargo xtask patch list` puts back that of an export, `cargo xtask \
             patch rebase --abort` that of a rebase",
            self.folder.display()
        );
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

/// Puts back what an export that died in the middle has changed, and says so.
pub fn recover(layout: &Layout, progress: Progress) -> Result<()> {
    let journal = Journal::of_export(layout);
    if !journal.is_open() {
        return Ok(());
    }
    let _lock = lock::take(layout, "series", progress)?;
    // Another process may have been faster.
    if journal.is_open() {
        journal.restore()?;
        progress.step(
            "Restored",
            "what an interrupted export had changed: extern/ is as it was before it",
        );
    }
    Ok(())
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
    // A new one is for everybody, whatever the person's umask.
    let permissions = fs::metadata(path).map(|found| found.permissions());
    fs::set_permissions(
        &part,
        permissions.unwrap_or_else(|_| fs::Permissions::from_mode(0o644)),
    )?;
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
#[path = "journal_tests.rs"]
mod tests;
