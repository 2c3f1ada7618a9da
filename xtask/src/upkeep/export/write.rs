//! Several files changed together: all of them, or none.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::files;
use crate::layout::Layout;

/// Files as they must be; none where one must not be.
pub(super) struct Files {
    wanted: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

/// What was changed, and how it was before.
pub(super) struct Written {
    root: PathBuf,
    before: BTreeMap<PathBuf, Option<Vec<u8>>>,
    deleted: Vec<PathBuf>,
}

impl Files {
    pub(super) fn new(wanted: BTreeMap<PathBuf, Option<Vec<u8>>>) -> Self {
        Self { wanted }
    }

    /// Writes what differs. Where that fails in the middle, everything is put back.
    pub(super) fn write(self, layout: &Layout) -> Result<Written> {
        let mut before = BTreeMap::new();
        for (path, bytes) in &self.wanted {
            let there = match fs::read(path) {
                Ok(there) => Some(there),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => {
                    return Err(error)
                        .with_context(|| format!("cannot read {}", layout.show(path)));
                }
            };
            if there != *bytes {
                before.insert(path.clone(), there);
            }
        }
        let mut written = Written {
            root: layout.root.clone(),
            before: BTreeMap::new(),
            deleted: Vec::new(),
        };
        for (path, there) in before {
            // Known before it is touched, so that a failure in its middle puts it back too.
            written.before.insert(path.clone(), there);
            let bytes = self.wanted.get(&path).cloned().flatten();
            if bytes.is_none() {
                written.deleted.push(path.clone());
            }
            if let Err(error) = put(&path, bytes.as_deref()) {
                written.restore()?;
                bail!(
                    "cannot write {}: {error}. Nothing was changed: extern/ is as it was",
                    layout.show(&path)
                );
            }
        }
        Ok(written)
    }
}

impl Written {
    /// Puts everything back.
    pub(super) fn restore(&self) -> Result<()> {
        for (path, bytes) in &self.before {
            put(path, bytes.as_deref()).with_context(|| {
                format!(
                    "cannot put {} back as it was: `git checkout` does",
                    self.shown(path)
                )
            })?;
        }
        Ok(())
    }

    /// The patches that were written, from the root.
    pub(super) fn patches(&self) -> Vec<String> {
        let own = self.before.keys().filter(|path| {
            path.extension().is_some_and(|e| e == "patch") && !self.deleted.contains(path)
        });
        own.map(|path| self.shown(path)).collect()
    }

    /// The patches that were deleted, from the root.
    pub(super) fn deleted(&self) -> Vec<String> {
        self.deleted.iter().map(|path| self.shown(path)).collect()
    }

    fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.display().to_string()
    }
}

/// Makes a file be what it must be. A folder that nothing is left in goes with its last file.
fn put(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    match bytes {
        Some(bytes) => files::replace(path, bytes),
        None => {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            if let Some(folder) = path.parent() {
                // Refused while something is in it, which is the point.
                let _ = fs::remove_dir(folder);
            }
            Ok(())
        }
    }
}
