//! Writing files whole or not at all: beside their place first, then renamed into it.

use std::fs;
use std::io::{Read, Result, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use tempfile::NamedTempFile;

/// Looks at where a person wants a file to go, before the work is done that fills it; symbolic links are followed. `flag`
/// is how the person said so. Refused is what a rename would destroy: a folder, a device, a file below `kept`, and a file
/// whose beginning is not `ours`. An empty one may be replaced.
pub fn destination(
    flag: &str,
    path: &Path,
    kept: Option<&Path>,
    ours: impl Fn(&str) -> bool,
) -> anyhow::Result<PathBuf> {
    let shown = format!("{flag} {}", path.display());
    ensure!(!path.is_dir(), "{shown} is a folder: name a file in it");
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path
        .file_name()
        .with_context(|| format!("{shown} is not the name of a file"))?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("{shown}: its folder is not there"))?;
    let place = folder.join(name);
    let place = place.canonicalize().unwrap_or(place);
    if let Some(kept) = kept {
        let kept = kept.canonicalize().unwrap_or_else(|_| kept.to_path_buf());
        if place.starts_with(kept) {
            bail!(
                "{shown} lies among the kept results, which are only ever added to: name another file"
            );
        }
    }
    if let Ok(there) = fs::metadata(&place) {
        ensure!(
            there.is_file(),
            "{shown} is no regular file: name one, and print it from there"
        );
        let mut start = Vec::new();
        fs::File::open(&place)
            .and_then(|file| file.take(200).read_to_end(&mut start))
            .with_context(|| format!("{shown} cannot be read"))?;
        let start = String::from_utf8_lossy(&start);
        if !(start.trim().is_empty() || ours(start.trim_start())) {
            bail!("{shown} is a file of another kind: name another one, or remove it first");
        }
    }
    NamedTempFile::new_in(place.parent().unwrap_or(&folder))
        .with_context(|| format!("{shown}: its folder cannot be written to"))?;
    Ok(place)
}

/// The file of this program. Where it was built anew while it runs, Linux names the old one with a word behind it; the new
/// one lies in its place.
pub fn this_program() -> Result<PathBuf> {
    let path = std::env::current_exe()?;
    Ok(replaced(&path).unwrap_or(path))
}

/// The path without what Linux adds to that of a file which is gone (proc(5), `/proc/pid/exe`).
fn replaced(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?.strip_suffix(" (deleted)")?;
    (!path.exists()).then(|| text.into())
}

/// True for the beginning of a JSON document of this program.
pub fn is_document(start: &str) -> bool {
    let inner = start.strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with("\"schema\""))
}

/// Writes a file, in place of what is there. Folders above it are made.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    staged(path, bytes)?.persist(path)?;
    Ok(())
}

/// Writes a file where there is none: `AlreadyExists` when there is, and what is there stays.
pub fn add(path: &Path, bytes: &[u8]) -> Result<()> {
    staged(path, bytes)?.persist_noclobber(path)?;
    Ok(())
}

fn staged(path: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    readable_by_all(&file)?;
    Ok(file)
}

/// Temporary files are private; what is written here is for everybody.
#[cfg(unix)]
fn readable_by_all(file: &NamedTempFile) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &NamedTempFile) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_file_is_replaced_or_added_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/folder/file");
        add(&path, b"one").expect("added");
        let again = add(&path, b"two").expect_err("it is there");
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("read"), b"one");
        replace(&path, b"three").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"three");
        let beside = fs::read_dir(path.parent().expect("a folder")).expect("listed");
        assert_eq!(beside.count(), 1);
    }

    #[test]
    fn what_a_rename_would_destroy_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("results");
        fs::create_dir(&kept).expect("made");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let asked = |path: &Path| destination("--json", path, Some(&kept), is_document);
        let refused = |path: &Path| asked(path).expect_err("refused").to_string();
        assert!(refused(folder.path()).contains("is a folder"));
        assert!(refused(&kept.join("new.json")).contains("among the kept results"));
        assert!(refused(&folder.path().join("no/such.json")).contains("its folder is not there"));
        assert!(refused(&file("Cargo.toml", "[package]\n")).contains("another kind"));
        assert!(asked(&file("empty", "")).is_ok());
        let old = file("old.json", "{\n  \"schema\": 1");
        assert!(asked(&old).is_ok() && asked(&folder.path().join("new.json")).is_ok());
        #[cfg(unix)]
        {
            assert!(refused(Path::new("/dev/null")).contains("no regular file"));
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&old, &link).expect("linked");
            let place = asked(&link).expect("its target");
            assert_eq!(place, old.canonicalize().expect("there"));
        }
    }

    #[test]
    fn a_program_that_was_built_anew_is_found() {
        assert!(this_program().is_ok_and(|path| path.is_file()));
        let gone = Path::new("/nowhere/xtask (deleted)");
        assert_eq!(replaced(gone).as_deref(), Some(Path::new("/nowhere/xtask")));
        assert_eq!(replaced(Path::new("/nowhere/xtask")), None);
    }

    #[test]
    fn a_folder_that_is_a_file_is_an_error() {
        let file = NamedTempFile::new().expect("a file");
        assert!(replace(&file.path().join("x"), b"").is_err());
    }
}
