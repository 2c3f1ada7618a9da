//! `SHA256SUMS`: the digest of every file that a bundle was made of, as `sha256sum` writes and checks it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::error::BundleError;

/// The name of the list.
pub const SUMS: &str = "SHA256SUMS";

/// Digest by path below the bundle, with `/` between folders.
pub type Sums = BTreeMap<String, String>;

/// The SHA-256 of a file, in hexadecimal.
pub fn of_file(path: &Path) -> Result<String, BundleError> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path).map_err(|e| BundleError::io(path, e))?;
    io::copy(&mut file, &mut hasher).map_err(|e| BundleError::io(path, e))?;
    Ok(hex::encode(hasher.finalize()))
}

/// The files below `dir`, by path, with their sizes.
pub fn files(dir: &Path) -> Result<BTreeMap<String, u64>, BundleError> {
    let mut found = BTreeMap::new();
    for entry in WalkDir::new(dir) {
        let entry = entry.map_err(|e| BundleError::io(dir, e.into()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let size = entry
            .metadata()
            .map_err(|e| BundleError::io(entry.path(), e.into()))?
            .len();
        let below = entry.path().strip_prefix(dir).unwrap_or(entry.path());
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        found.insert(parts.join("/"), size);
    }
    Ok(found)
}

/// Lists every file below `dir`.
pub fn write(dir: &Path) -> Result<(), BundleError> {
    let mut text = String::new();
    for name in files(dir)?.into_keys() {
        text += &format!("{}  {name}\n", of_file(&dir.join(&name))?);
    }
    let path = dir.join(SUMS);
    fs::write(&path, text).map_err(|e| BundleError::io(&path, e))
}

/// Checks every file of the list, and hands it over. What is not in it is no business of a bundle.
pub fn check(dir: &Path) -> Result<Sums, BundleError> {
    let sums = read(dir)?;
    for (name, expected) in &sums {
        let path = dir.join(name);
        if !path.is_file() {
            return Err(BundleError::Missing { path });
        }
        let actual = of_file(&path)?;
        if actual != *expected {
            return Err(BundleError::Damaged {
                path,
                expected: expected.clone(),
                actual,
            });
        }
    }
    Ok(sums)
}

fn read(dir: &Path) -> Result<Sums, BundleError> {
    let path = dir.join(SUMS);
    let text = match fs::read_to_string(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(BundleError::NoBundle {
                path: dir.to_path_buf(),
                missing: SUMS,
            });
        }
        other => other.map_err(|e| BundleError::io(&path, e))?,
    };
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            entry(line).ok_or_else(|| BundleError::Checksums {
                path: path.clone(),
                line: index + 1,
            })
        })
        .collect()
}

/// One line: 64 hexadecimal digits, two spaces, and a path that stays below the bundle.
fn entry(line: &str) -> Option<(String, String)> {
    let (digest, name) = line.split_once("  ")?;
    let below = |part: Component| matches!(part, Component::Normal(_));
    let good = digest.len() == 64
        && digest.bytes().all(|b| b.is_ascii_hexdigit())
        && !name.is_empty()
        && Path::new(name).components().all(below);
    good.then(|| (name.to_owned(), digest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_of_files_inside_and_of_nothing_else() {
        let digest = "0".repeat(64);
        assert!(entry(&format!("{digest}  bin/a b")).is_some());
        for line in [
            format!("{digest}  ../a"),
            format!("{digest}  /etc/passwd"),
            format!("{digest} a"),
            format!("{digest}  "),
            format!("{}  a", &digest[1..]),
            String::new(),
        ] {
            assert_eq!(entry(&line), None, "{line}");
        }
    }

    #[test]
    fn a_list_that_is_cut_short_is_refused_by_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("a"), "text").expect("written");
        write(folder.path()).expect("listed");
        assert_eq!(check(folder.path()).expect("whole").len(), 1);
        fs::write(folder.path().join(SUMS), "0123").expect("written");
        let error = check(folder.path()).expect_err("no list");
        assert!(
            matches!(error, BundleError::Checksums { line: 1, .. }),
            "{error}"
        );
    }
}
