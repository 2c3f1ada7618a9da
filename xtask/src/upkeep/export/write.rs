//! Patch files and stack.toml changed together: all of them, or none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::files;
use crate::layout::Layout;
use crate::stack::manifest::write::Originals;

/// Files as they must be; none where one must not be.
pub(super) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// What was changed. It is put back when this is dropped, unless it is kept.
pub(super) struct Written {
    originals: Originals,
    /// The patches that were written.
    written: Vec<PathBuf>,
    /// Those that were deleted.
    deleted: Vec<PathBuf>,
}

/// Writes the files that differ. Where that fails in the middle, everything is put back.
pub(super) fn write(layout: &Layout, files: &Files) -> Result<Written> {
    let mut done = Written {
        originals: Originals::of(files.keys().map(PathBuf::as_path))?,
        written: Vec::new(),
        deleted: Vec::new(),
    };
    for (path, bytes) in files {
        if fs::read(path).ok() == *bytes {
            continue;
        }
        let (list, changed) = match bytes {
            Some(bytes) => (&mut done.written, files::replace(path, bytes)),
            None => (&mut done.deleted, fs::remove_file(path)),
        };
        if let Err(error) = changed {
            done.restore()?;
            bail!(
                "cannot write {}: {error}. Nothing was changed: extern/ is as it was",
                layout.show(path)
            );
        }
        if path
            .extension()
            .is_some_and(|extension| extension == "patch")
        {
            list.push(path.clone());
        }
    }
    Ok(done)
}

impl Written {
    /// Puts everything back.
    pub(super) fn restore(self) -> Result<()> {
        Ok(self.originals.restore()?)
    }

    /// Lets it stand: the patches that were written, and those that were deleted, from the root. A folder that nothing is
    /// left in goes too.
    pub(super) fn keep(self, layout: &Layout) -> (Vec<String>, Vec<String>) {
        self.originals.forget();
        for folder in self.deleted.iter().filter_map(|path| path.parent()) {
            // Refused while something is in it, which is the point.
            let _ = fs::remove_dir(folder);
        }
        let shown = |paths: &[PathBuf]| {
            paths
                .iter()
                .map(|p: &PathBuf| layout.show(Path::new(p)))
                .collect()
        };
        (shown(&self.written), shown(&self.deleted))
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn what_cannot_be_written_changes_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let layout = Layout::new(temp.path());
        let path = |name: &str| layout.patches.join(name);
        fs::create_dir_all(path("c")).unwrap();
        for name in ["c/a.patch", "c/b.patch", "c/same.patch"] {
            fs::write(path(name), name).unwrap();
        }
        let mut files = Files::from([
            (path("c/a.patch"), None),
            (path("c/b.patch"), Some(b"other".to_vec())),
            (path("c/same.patch"), Some(b"c/same.patch".to_vec())),
            (path("d/new.patch"), Some(b"new".to_vec())),
        ]);
        // The last one cannot be written: its folder is a link that leads nowhere.
        std::os::unix::fs::symlink("nowhere/at/all", path("e")).unwrap();
        let mut bad = files.clone();
        bad.insert(path("e/last.patch"), Some(b"text".to_vec()));
        let error = write(&layout, &bad).err().unwrap().to_string();
        let expected = "cannot write extern/patches/e/last.patch";
        assert!(error.starts_with(expected), "{error}");
        for name in ["c/a.patch", "c/b.patch", "c/same.patch"] {
            assert_eq!(fs::read_to_string(path(name)).unwrap(), name);
        }
        assert!(!path("d/new.patch").exists());
        // Undone by hand, and undone when nobody keeps it.
        write(&layout, &files).unwrap().restore().unwrap();
        drop(write(&layout, &files).unwrap());
        assert!(path("c/a.patch").exists() && !path("d/new.patch").exists());
        let (written, deleted) = write(&layout, &files).unwrap().keep(&layout);
        let all = ["extern/patches/c/b.patch", "extern/patches/d/new.patch"];
        assert_eq!(written, all);
        assert_eq!(deleted, ["extern/patches/c/a.patch"]);
        files = Files::from([(path("d/new.patch"), None)]);
        write(&layout, &files).unwrap().keep(&layout);
        assert!(!path("d").exists());
    }
}
