//! Puts a tree in place as one step: a reader sees the earlier tree or the new one, whole.
//!
//! The new tree is written beside its place, under a name of its own, and exchanged with what is there; the earlier one
//! is then deleted under that name. A run that ends in between leaves only that folder, and the next run deletes it:
//! before the exchange it is an unfinished tree, after it the earlier one, which was clean or given up by its owner.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::stamp::Stamp;
use super::tree::{Tree, TreeError};

/// Where the tree for `place` is prepared.
pub fn beside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".cuzk-new-{name}"))
}

/// Where the earlier tree waits while two renames stand in for an exchange.
pub fn parked(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".cuzk-old-{name}"))
}

/// Clears away what an interrupted run left for `place`.
pub fn recover(place: &Path) -> Result<(), TreeError> {
    let (new, old) = (beside(place), parked(place));
    if old.exists() {
        if place.exists() {
            remove(&old)?;
        } else {
            fs::rename(&old, place).map_err(TreeError::io("move back", &old))?;
        }
    }
    remove(&new)
}

/// Writes the tree and its stamp, and puts them in place. Files that do not change keep their times.
pub fn install(place: &Path, tree: &Tree, stamp: &Stamp) -> Result<(), TreeError> {
    put(place, |new| {
        tree.write(new, Some(place))?;
        stamp.write(new)
    })
}

/// Puts the folder that `write` makes in place. Where `write` fails, nothing has changed and nothing is left of it.
pub fn put(
    place: &Path,
    write: impl FnOnce(&Path) -> Result<(), TreeError>,
) -> Result<(), TreeError> {
    recover(place)?;
    let new = beside(place);
    if let Err(error) = write(&new) {
        // What went wrong is worth more than what goes wrong after it; the next run clears away what is left.
        let _ = remove(&new);
        return Err(error);
    }
    exchange(&new, place)?;
    remove(&new)
}

fn exchange(new: &Path, place: &Path) -> Result<(), TreeError> {
    if !place.exists() {
        return fs::rename(new, place).map_err(TreeError::io("put in place", place));
    }
    match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some file systems cannot exchange.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            let old = parked(place);
            fs::rename(place, &old).map_err(TreeError::io("move aside", place))?;
            fs::rename(new, place).map_err(TreeError::io("put in place", place))?;
            remove(&old)
        }
        Err(error) => Err(TreeError::io("put in place", place)(io::Error::from(error))),
    }
}

fn remove(folder: &Path) -> Result<(), TreeError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(TreeError::io("delete", folder)(error))
        }
        _ => Ok(()),
    }
}

/// Moves an edited tree to `to`, on another file system too.
pub fn move_away(place: &Path, to: &Path) -> Result<(), TreeError> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(TreeError::io("create", parent))?;
    }
    match fs::rename(place, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy(place, to)?;
            remove(place)
        }
        Err(error) => Err(TreeError::io("move away", place)(error)),
    }
}

/// Copies what a hand may have put there: links as links.
fn copy(from: &Path, to: &Path) -> Result<(), TreeError> {
    fs::create_dir(to).map_err(TreeError::io("create", to))?;
    for entry in fs::read_dir(from).map_err(TreeError::io("read", from))? {
        let entry = entry.map_err(TreeError::io("read", from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(TreeError::io("read", &path))?;
        if kind.is_dir() {
            copy(&path, &target)?;
        } else if kind.is_symlink() {
            fs::read_link(&path)
                .and_then(|link| std::os::unix::fs::symlink(link, &target))
                .map_err(TreeError::io("copy", &path))?;
        } else {
            fs::copy(&path, &target).map_err(TreeError::io("copy", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::stamp::{Origin, STAMP_FILE, State, inspect};
    use crate::stack::tree::tests::tree;

    fn put(place: &Path, files: &[(&str, &str)]) -> Stamp {
        let made = tree(files);
        let stamp = Stamp::new(Origin::new("r", Vec::new()), &made);
        install(place, &made, &stamp).unwrap();
        stamp
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn one_tree_replaces_another_and_unchanged_files_keep_their_time() {
        let temp = tempfile::tempdir().unwrap();
        let place = temp.path().join("c");
        put(&place, &[("same", "1"), ("other", "1"), ("gone", "1")]);
        let time = |name: &str| fs::metadata(place.join(name)).unwrap().modified().unwrap();
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        for name in ["same", "other"] {
            let file = fs::File::options()
                .write(true)
                .open(place.join(name))
                .unwrap();
            file.set_modified(past).unwrap();
        }
        let stamp = put(&place, &[("same", "1"), ("other", "2"), ("new", "1")]);
        assert_eq!(inspect(&place).unwrap(), State::Clean(stamp));
        assert_eq!(names(&place), [STAMP_FILE, "new", "other", "same"]);
        assert_eq!(time("same"), past);
        assert!(time("other") > past);
        assert_eq!(names(temp.path()), ["c"]);
    }

    #[test]
    fn what_an_interrupted_run_left_is_cleared_away() {
        let temp = tempfile::tempdir().unwrap();
        let place = temp.path().join("c");
        let stamp = put(&place, &[("a", "1")]);
        // Interrupted while the new tree was being written.
        fs::create_dir(beside(&place)).unwrap();
        fs::write(beside(&place).join("half"), "").unwrap();
        assert_eq!(inspect(&place).unwrap(), State::Clean(stamp.clone()));
        recover(&place).unwrap();
        assert_eq!(names(temp.path()), ["c"]);
        // Interrupted between the two renames that stand in for an exchange.
        fs::create_dir(beside(&place)).unwrap();
        fs::rename(&place, parked(&place)).unwrap();
        recover(&place).unwrap();
        assert_eq!(inspect(&place).unwrap(), State::Clean(stamp));
        assert_eq!(names(temp.path()), ["c"]);
        // Interrupted after them.
        put(&parked(&place), &[("old", "1")]);
        recover(&place).unwrap();
        assert_eq!(names(temp.path()), ["c"]);
    }

    #[test]
    fn an_edited_tree_is_moved_whole() {
        let temp = tempfile::tempdir().unwrap();
        let (place, kept) = (temp.path().join("c"), temp.path().join("keep/c"));
        put(&place, &[("src/a", "1")]);
        std::os::unix::fs::symlink("a", place.join("src/link")).unwrap();
        copy(&place, &temp.path().join("copy")).unwrap();
        assert!(temp.path().join("copy/src/link").is_symlink());
        move_away(&place, &kept).unwrap();
        assert!(!place.exists());
        assert_eq!(names(&kept.join("src")), ["a", "link"]);
    }
}
