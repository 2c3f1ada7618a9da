//! A folder of parameters that were made here.
//!
//! ```text
//! ROOT/NAME.json           which set is current for a name
//! ROOT/DIGEST/NAME.params  a set: the parameters, DIGEST is their SHA-256,
//! ROOT/DIGEST/NAME.vk      their verifying key,
//! ROOT/DIGEST/set.json     and what describes both
//! ROOT/NAME.lock           held by whoever makes parameters of that name
//! ROOT/.part-NAME~…        what is being made
//! ```
//!
//! A set is written into a folder that is not finished, which is then renamed; after that `NAME.json` is replaced, by a
//! rename as well. So whoever looks, at any time and without a lock, finds a whole set or none, and an interrupt at any time
//! leaves nothing but an unfinished folder.
//!
//! Makers of one name take turns: each holds an exclusive lock on `NAME.lock` (of the open file, so threads exclude each
//! other as processes do; the system gives it back when a process ends, however it ends). Once it has the lock a maker looks
//! again, since the one before it may have made what it wants. Whatever is unfinished under that name was then left by a
//! maker that is no more, and is removed. `NAME.lock` itself stays, because removing it would let two makers lock two files.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use serde::{Deserialize, Serialize};

use super::digest::Algorithm;
use super::error::ParametersError;
use super::files;
use super::set::Set;
use crate::progress::Progress;

const SCHEMA: u64 = 1;

/// A folder of parameters that were made here, each set under its digest. Production files lie elsewhere, flat in one
/// folder, and cannot be mistaken for these: see [`resolve`](super::resolve).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
}

/// Which set is current for a name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Current {
    schema: u64,
    name: String,
    digest: String,
}

impl Store {
    /// The store in a folder, which need not exist yet.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where parameters are kept unless somebody says otherwise: `$FIL_PROOFS_PARAMETER_CACHE/cuzk` where that variable is
    /// set and not empty, else `$XDG_CACHE_HOME/cuzk/parameters` where that is an absolute path, else
    /// `~/.cache/cuzk/parameters`. For a user without a home it is `cuzk-parameters` in the current folder.
    pub fn default_root() -> PathBuf {
        root_from(|variable| env::var_os(variable), env::home_dir())
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The set of a name, such as `v28-stacked-proof-of-replication-…`; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`ParametersError::Name`]; [`ParametersError::DamagedSet`], [`ParametersError::ForeignVerifyingKey`],
    /// [`ParametersError::Digest`] (of the verifying key), [`ParametersError::Record`], [`ParametersError::Schema`] and
    /// those of [`Layout::read`](super::Layout::read) where there is one that is not whole.
    pub fn find(&self, name: &str) -> Result<Option<Set>, ParametersError> {
        let path = self.file(name, "json")?;
        let Some(current) = files::read_record::<Current>(&path)? else {
            return Ok(None);
        };
        files::check_schema(&path, current.schema, SCHEMA)?;
        if current.name != name {
            return Err(ParametersError::DamagedSet {
                folder: path,
                what: format!("it is about \"{}\"", current.name),
            });
        }
        match Algorithm::Sha256.parse(&current.digest) {
            Some(digest) => Set::open(&self.root.join(digest)),
            None => Err(ParametersError::MalformedDigest {
                path,
                algorithm: Algorithm::Sha256.name(),
                digest: current.digest,
                digits: Algorithm::Sha256.digits(),
            }),
        }
    }

    /// The set of a name, and whether it was made by this call. Where there is none it is made, by one maker at a time over
    /// all processes; the others wait and then find it. Waiting blocks the thread, so this is not for rayon's own threads,
    /// which whoever makes the set may need.
    ///
    /// # Errors
    ///
    /// Those of `make`, of [`find`](Store::find), and [`ParametersError::Io`] where it could not be written. Whatever the
    /// error, no set has changed.
    pub fn ensure<E: From<ParametersError>>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Parameters<Bls12>, E>,
        progress: &dyn Progress,
    ) -> Result<(Set, bool), E> {
        if let Some(set) = self.find(name)? {
            return Ok((set, false));
        }
        fs::create_dir_all(&self.root).map_err(ParametersError::io("creating", &self.root))?;
        let _lock = self.lock(name, progress)?;
        if let Some(set) = self.find(name)? {
            return Ok((set, false));
        }
        self.sweep(name)?;
        let parameters = make()?;
        Ok((self.put(name, &parameters, progress)?, true))
    }

    fn file(&self, name: &str, suffix: &str) -> Result<PathBuf, ParametersError> {
        if is_name(name) {
            return Ok(self.root.join(format!("{name}.{suffix}")));
        }
        Err(ParametersError::Name {
            root: self.root.clone(),
            name: name.to_owned(),
        })
    }

    /// Waits for the right to make parameters of a name, which ends with the file that is returned.
    fn lock(&self, name: &str, progress: &dyn Progress) -> Result<File, ParametersError> {
        let path = self.file(name, "lock")?;
        let io = |error: io::Error| ParametersError::io("locking", &path)(error);
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                progress.begin("waiting for another maker of the same parameters", 0, "");
                file.lock().map_err(io)?;
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        Ok(file)
    }

    /// Removes what interrupted makers left. Only whoever holds the lock may do it.
    fn sweep(&self, name: &str) -> Result<(), ParametersError> {
        let unfinished = [
            format!("{}{name}~", files::UNFINISHED),
            format!("{}{name}.json~", files::UNFINISHED),
        ];
        let entries =
            fs::read_dir(&self.root).map_err(ParametersError::io("reading", &self.root))?;
        for entry in entries {
            let entry = entry.map_err(ParametersError::io("reading", &self.root))?;
            let file_name = entry.file_name();
            let file_name = file_name.to_string_lossy();
            if unfinished
                .iter()
                .any(|prefix| file_name.starts_with(prefix))
            {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes a set and makes it the current one of its name.
    fn put(
        &self,
        name: &str,
        parameters: &Parameters<Bls12>,
        progress: &dyn Progress,
    ) -> Result<Set, ParametersError> {
        let part = Part::create(&self.root, name)?;
        let digest = Set::write(&part.path, name, parameters, progress)?;
        let folder = self.root.join(&digest);
        if !self.has(&folder, name, progress)? {
            part.rename_to(&folder)?;
        }
        files::sync_folder(&self.root)?;
        let current = Current {
            schema: SCHEMA,
            name: name.to_owned(),
            digest,
        };
        files::replace_record(&self.file(name, "json")?, &current)?;
        Set::open(&folder)?.ok_or_else(|| ParametersError::DamagedSet {
            folder,
            what: "it was removed as soon as it was made".into(),
        })
    }

    /// Whether the very set is there already, made under another name or before its record was lost. One that is damaged is
    /// moved out of the way.
    fn has(
        &self,
        folder: &Path,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<bool, ParametersError> {
        let there = match Set::open(folder) {
            Ok(None) => return Ok(false),
            Ok(Some(set)) => set.verify(progress),
            Err(error) => Err(error),
        };
        if there.is_ok() {
            return Ok(true);
        }
        let aside = files::unfinished(&self.root, name);
        fs::rename(folder, &aside).map_err(ParametersError::io("moving away", folder))?;
        remove(&aside)?;
        Ok(false)
    }
}

/// Whether it can be part of the names of files here: no separators, no `~`, and not hidden.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=200).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(allowed)
}

fn root_from(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> PathBuf {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(folder) = set("FIL_PROOFS_PARAMETER_CACHE") {
        return Path::new(&folder).join("cuzk");
    }
    let cache = set("XDG_CACHE_HOME").map(PathBuf::from);
    // The standard for it has relative paths ignored.
    let cache = cache.filter(|cache| cache.is_absolute());
    let home = home.filter(|home| !home.as_os_str().is_empty());
    match cache.or_else(|| Some(home?.join(".cache"))) {
        Some(cache) => cache.join("cuzk").join("parameters"),
        None => PathBuf::from("cuzk-parameters"),
    }
}

fn remove(path: &Path) -> Result<(), ParametersError> {
    let folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let removed = if folder {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.map_err(ParametersError::io("removing", path))
}

/// A folder that is being filled; removed again unless it gets its name.
struct Part {
    path: PathBuf,
    finished: bool,
}

impl Part {
    fn create(root: &Path, name: &str) -> Result<Self, ParametersError> {
        let path = files::unfinished(root, name);
        fs::create_dir(&path).map_err(ParametersError::io("creating", &path))?;
        Ok(Self {
            path,
            finished: false,
        })
    }

    fn rename_to(mut self, folder: &Path) -> Result<(), ParametersError> {
        fs::rename(&self.path, folder).map_err(ParametersError::io("renaming to", folder))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed now is removed by the next maker.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(variables: &[(&str, &str)], home: Option<&str>) -> PathBuf {
        let variable = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        };
        root_from(variable, home.map(PathBuf::from))
    }

    #[test]
    fn the_variable_of_filecoin_is_honoured_where_it_is_set_and_not_empty() {
        let filecoin = "FIL_PROOFS_PARAMETER_CACHE";
        let xdg = "XDG_CACHE_HOME";
        let home = Some("/home/u");
        let default = Path::new("/home/u/.cache/cuzk/parameters");
        assert_eq!(root(&[], home), default);
        assert_eq!(root(&[(filecoin, "")], home), default);
        assert_eq!(root(&[(filecoin, ""), (xdg, "")], home), default);
        assert_eq!(root(&[(xdg, "relative")], home), default);
        assert_eq!(root(&[(xdg, "/c")], home), Path::new("/c/cuzk/parameters"));
        for variables in [&[(filecoin, "/p")][..], &[(xdg, "/c"), (filecoin, "/p")]] {
            assert_eq!(root(variables, home), Path::new("/p/cuzk"));
        }
        assert_eq!(root(&[], None), Path::new("cuzk-parameters"));
        assert_eq!(root(&[], Some("")), Path::new("cuzk-parameters"));
    }

    #[test]
    fn a_name_is_a_plain_one() {
        for good in ["v28-stacked-proof", "a", "1_b.c", &"x".repeat(200)] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            ".a",
            "a/b",
            "../a",
            "a~b",
            "a b",
            "a\0",
            "é",
            &"x".repeat(201),
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
