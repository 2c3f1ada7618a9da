//! A tree of files in memory: read, named, compared, written.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use walkdir::WalkDir;

use crate::patch::Mode;
use crate::patch::object::ObjectId;

/// A file: its mode and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its mode.
    pub mode: Mode,
    /// Its content, shared between the trees that hold it.
    pub bytes: Arc<[u8]>,
}

impl File {
    /// Id of its content.
    pub fn blob(&self) -> ObjectId {
        ObjectId::of_blob(&self.bytes)
    }
}

/// Files by relative path, `/` between its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The files.
    pub files: BTreeMap<String, File>,
}

/// Why a folder cannot be read or written as a tree.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The system refused.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A link, a socket, a device.
    #[error("{0} is not a regular file: a release holds none such")]
    NotRegular(PathBuf),
    /// A name that is not UTF-8.
    #[error("{0} has a name that is not UTF-8")]
    Name(PathBuf),
}

impl TreeError {
    /// For `map_err`.
    pub fn io<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io {
            what,
            path: path.to_path_buf(),
            source,
        }
    }
}

impl Tree {
    /// Reads a folder, but for the files at its top that are named in `except`.
    pub fn read(root: &Path, except: &[&str]) -> Result<Self, TreeError> {
        let mut files = BTreeMap::new();
        for entry in WalkDir::new(root).min_depth(1) {
            let entry = entry.map_err(|error| TreeError::Io {
                what: "read",
                path: error.path().unwrap_or(root).to_path_buf(),
                source: error.into(),
            })?;
            if entry.file_type().is_dir() {
                continue;
            }
            if !entry.file_type().is_file() {
                return Err(TreeError::NotRegular(entry.into_path()));
            }
            let path = entry.path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str);
            let name = name.ok_or_else(|| TreeError::Name(path.to_path_buf()))?;
            if except.contains(&name) {
                continue;
            }
            let permissions = fs::metadata(path).map_err(TreeError::io("read", path))?;
            let mode = if permissions.permissions().mode() & 0o100 == 0 {
                Mode::Plain
            } else {
                Mode::Executable
            };
            let bytes = fs::read(path).map_err(TreeError::io("read", path))?;
            files.insert(
                name.to_owned(),
                File {
                    mode,
                    bytes: bytes.into(),
                },
            );
        }
        Ok(Self { files })
    }

    /// Git's id of this tree. Empty folders do not count, as in git.
    pub fn id(&self) -> ObjectId {
        let files: Vec<(&str, &File)> = self.files.iter().map(|(p, f)| (p.as_str(), f)).collect();
        folder_id(&files)
    }

    /// Writes the tree into `folder`, which must not exist. A file that `earlier` holds unchanged keeps the time
    /// that it has there: cargo rebuilds by time, and only what changed needs building.
    pub fn write(&self, folder: &Path, earlier: Option<&Path>) -> Result<(), TreeError> {
        fs::create_dir_all(folder).map_err(TreeError::io("create", folder))?;
        for (name, file) in &self.files {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(TreeError::io("create", parent))?;
            }
            fs::write(&path, &file.bytes).map_err(TreeError::io("write", &path))?;
            let mode = match file.mode {
                Mode::Plain => 0o644,
                Mode::Executable => 0o755,
            };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                .map_err(TreeError::io("write", &path))?;
            if let Some(time) = earlier.and_then(|earlier| time_if_same(&earlier.join(name), file))
            {
                fs::File::options()
                    .write(true)
                    .open(&path)
                    .and_then(|open| open.set_modified(time))
                    .map_err(TreeError::io("write", &path))?;
            }
        }
        Ok(())
    }
}

fn time_if_same(path: &Path, file: &File) -> Option<std::time::SystemTime> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.len() != file.bytes.len() as u64 || fs::read(path).ok()?[..] != file.bytes[..] {
        return None;
    }
    metadata.modified().ok()
}

/// `files` are those of one folder, relative to it, sorted.
fn folder_id(files: &[(&str, &File)]) -> ObjectId {
    // Git sorts a folder as if its name ended in `/`.
    let mut entries: BTreeMap<String, (&str, ObjectId)> = BTreeMap::new();
    let mut rest = files;
    while let Some(((path, file), tail)) = rest.split_first() {
        let Some((folder, _)) = path.split_once('/') else {
            entries.insert((*path).to_owned(), (file.mode.as_str(), file.blob()));
            rest = tail;
            continue;
        };
        let key = format!("{folder}/");
        // Sorted by whole path, the files of one folder are neighbours.
        let count = rest.iter().take_while(|(p, _)| p.starts_with(&key)).count();
        let inner: Vec<(&str, &File)> = rest[..count]
            .iter()
            .map(|(p, f)| (&p[key.len()..], *f))
            .collect();
        entries.insert(key, ("40000", folder_id(&inner)));
        rest = &rest[count..];
    }
    let mut object = Vec::new();
    for (name, (mode, id)) in &entries {
        object.extend_from_slice(mode.as_bytes());
        object.push(b' ');
        object.extend_from_slice(name.trim_end_matches('/').as_bytes());
        object.push(0);
        object.extend_from_slice(id.as_bytes());
    }
    ObjectId::of_tree(&object)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::process::Command;

    use pretty_assertions::assert_eq;

    use super::*;

    /// A tree of plain files.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        let file = |text: &str| File {
            mode: Mode::Plain,
            bytes: text.as_bytes().into(),
        };
        Tree {
            files: files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), file(text)))
                .collect(),
        }
    }

    #[test]
    fn the_id_is_that_of_git() {
        let temp = tempfile::tempdir().unwrap();
        let mut files = tree(&[
            ("a", "1"),
            ("a-b", "2"),
            ("a.d/x/y", "3"),
            ("b/z", "4"),
            ("b-c/z", "\r\n"),
            ("b.c", ""),
        ]);
        files.files.get_mut("b/z").unwrap().mode = Mode::Executable;
        let folder = temp.path().join("tree");
        files.write(&folder, None).unwrap();
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .args(arguments)
                .current_dir(&folder)
                .output()
                .unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["-c", "init.defaultBranch=main", "init", "-q"]);
        git(&["-c", "core.autocrlf=false", "add", "-A"]);
        assert_eq!(files.id().to_string(), git(&["write-tree"]));
        fs::remove_dir_all(folder.join(".git")).unwrap();
        assert_eq!(Tree::read(&folder, &[]).unwrap(), files);
    }
}
