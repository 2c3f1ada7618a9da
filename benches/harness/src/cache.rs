//! Files that are costly to make and kept between runs, such as parameters.
//!
//! An entry is a file and, beside it, its SHA-256 in a file with `.sha256` added to the name. Both appear by atomic
//! rename, the digest last, so whatever interrupts the writer leaves either a whole entry or one whose digest does
//! not hold. Two processes that make the same entry at once both succeed, because each writes the same bytes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

/// Why an entry could not be read or made.
#[derive(Debug, Error)]
pub enum CacheError {
    /// The file system refused.
    #[error("{action} {path}", path = .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not the one whose digest was recorded.
    #[error("{path} is damaged: its SHA-256 is {actual}, recorded is {expected}", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The digest beside it.
        expected: String,
        /// The digest of what it holds.
        actual: String,
    },
}

/// One entry of a cache folder.
#[derive(Clone, Debug)]
pub struct Entry {
    path: PathBuf,
}

impl Entry {
    /// The entry of this name in a folder, which need not exist yet.
    pub fn new(folder: &Path, name: &str) -> Self {
        Entry {
            path: folder.join(name),
        }
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn digest_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".sha256");
        path.into()
    }

    /// The whole file with its digest checked; `None` when there is no such entry.
    pub fn read(&self) -> Result<Option<Vec<u8>>, CacheError> {
        let Some(data) = read_if_there(&self.path)? else {
            return Ok(None);
        };
        // Without a digest the writer was interrupted between the two renames: as good as damaged.
        let recorded = read_if_there(&self.digest_path())?.unwrap_or_default();
        let expected = String::from_utf8_lossy(&recorded).trim().to_owned();
        let actual = sha256_hex(&data);
        if actual == expected {
            return Ok(Some(data));
        }
        Err(CacheError::Damaged {
            path: self.path.clone(),
            expected: if expected.is_empty() {
                "missing".to_owned()
            } else {
                expected
            },
            actual,
        })
    }

    /// Puts a file in place of whatever the entry held.
    pub fn write(&self, data: &[u8]) -> Result<(), CacheError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(io_error("creating", folder))?;
        replace(folder, &self.path, data)?;
        replace(folder, &self.digest_path(), sha256_hex(data).as_bytes())
    }
}

fn replace(folder: &Path, path: &Path, data: &[u8]) -> Result<(), CacheError> {
    let mut file =
        tempfile::NamedTempFile::new_in(folder).map_err(io_error("creating a file in", folder))?;
    file.write_all(data)
        .and_then(|()| file.as_file().sync_all())
        .map_err(io_error("writing", file.path()))?;
    file.persist(path)
        .map_err(|error| io_error("renaming to", path)(error.error))?;
    Ok(())
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, CacheError> {
    match fs::read(path) {
        Ok(data) => Ok(Some(data)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("reading", path)(error)),
    }
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    let path = path.to_owned();
    move |source| CacheError::Io {
        action,
        path,
        source,
    }
}

fn sha256_hex(data: &[u8]) -> String {
    Sha256::digest(data)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> (tempfile::TempDir, Entry) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let entry = Entry::new(&folder.path().join("made/on/demand"), "x.params");
        (folder, entry)
    }

    #[test]
    fn what_was_written_is_read() {
        let (_folder, entry) = entry();
        assert!(entry.read().expect("readable").is_none());
        entry.write(b"parameters").expect("writable");
        assert_eq!(
            entry.read().expect("readable").as_deref(),
            Some(&b"parameters"[..])
        );
        entry.write(b"newer").expect("writable");
        assert_eq!(
            entry.read().expect("readable").as_deref(),
            Some(&b"newer"[..])
        );
    }

    #[test]
    fn damage_is_noticed() {
        let (_folder, entry) = entry();
        let good = b"parameters".to_vec();
        let mut flipped = good.clone();
        flipped[4] ^= 1;
        let longer = [&good[..], b"\0"].concat();
        for bad in [&b""[..], &good[..3], &flipped, &longer] {
            entry.write(&good).expect("writable");
            fs::write(entry.path(), bad).expect("writable");
            let error = entry.read().expect_err("damaged");
            assert!(matches!(error, CacheError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("x.params"), "{error}");
        }
        entry.write(&good).expect("writable");
        fs::remove_file(entry.digest_path()).expect("removable");
        assert!(matches!(entry.read(), Err(CacheError::Damaged { .. })));
    }
}
