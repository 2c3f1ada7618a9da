//! The published archive of a release, as cargo keeps it, against what cargo unpacked: for a release whose tree nobody has
//! noted yet.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::manifest::Release;
use super::tree::{File, Tree};
use crate::patch::Mode;

/// Holds `tree`, read from the folder that cargo unpacked, against the archive. Where cargo's cache has no archive (a
/// source of another kind stands in for the registry) there is nothing to hold it against.
pub fn check(unpacked: &Path, release: &Release, tree: &Tree) -> Result<()> {
    let Some(path) = archive(unpacked).filter(|path| path.is_file()) else {
        return Ok(());
    };
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let sum = hex::encode(Sha256::digest(&bytes));
    if sum != release.checksum {
        bail!(
            "{} is not {} {} as published: checksum {} expected, {sum} found. Delete it so that cargo fetches it anew",
            path.display(),
            release.name,
            release.version,
            release.checksum
        );
    }
    let published =
        read(&bytes).with_context(|| format!("{} cannot be unpacked", path.display()))?;
    if published != *tree {
        bail!(
            "the unpacked source of {} {} is not what was published. Delete {} so that cargo unpacks the release anew, \
             then run again",
            release.name,
            release.version,
            unpacked.display()
        );
    }
    Ok(())
}

/// `…/registry/cache/INDEX/NAME-VERSION.crate` of `…/registry/src/INDEX/NAME-VERSION`.
fn archive(unpacked: &Path) -> Option<PathBuf> {
    let name = unpacked.file_name()?.to_str()?;
    let index = unpacked.parent()?;
    let registry = index.parent()?.parent()?;
    let cache = registry.join("cache").join(index.file_name()?);
    Some(cache.join(format!("{name}.crate")))
}

/// The files of an archive, without the folder that they lie in.
fn read(bytes: &[u8]) -> Result<Tree> {
    let mut files = BTreeMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let path = entry.path()?.into_owned();
        let path: PathBuf = path.components().skip(1).collect();
        let path = path
            .to_str()
            .context("a name that is not UTF-8")?
            .to_owned();
        let mode = match entry.header().mode()? & 0o100 {
            0 => Mode::Plain,
            _ => Mode::Executable,
        };
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let bytes = bytes.into();
        files.insert(path, File { mode, bytes });
    }
    Ok(Tree { files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::tree::tests::tree;

    #[test]
    fn what_was_changed_after_unpacking_is_noticed() {
        let temp = tempfile::tempdir().expect("a folder");
        let unpacked = temp.path().join("registry/src/index/c-1.0.0");
        let cache = temp.path().join("registry/cache/index");
        fs::create_dir_all(&cache).expect("made");
        let mut builder = tar::Builder::new(flate2::write::GzEncoder::new(
            Vec::new(),
            flate2::Compression::fast(),
        ));
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, "c-1.0.0/src/a", &b"one"[..])
            .expect("added");
        let bytes = builder
            .into_inner()
            .and_then(|gz| gz.finish())
            .expect("packed");
        let mut release = Release {
            name: "c".into(),
            version: "1.0.0".into(),
            checksum: hex::encode(Sha256::digest(&bytes)),
            tree: String::new(),
            feature: None,
        };
        let whole = tree(&[("src/a", "one")]);
        check(&unpacked, &release, &whole).expect("no archive to compare with");
        fs::write(cache.join("c-1.0.0.crate"), &bytes).expect("written");
        check(&unpacked, &release, &whole).expect("as published");
        let text = |release: &Release, tree: &Tree| {
            check(&unpacked, release, tree)
                .expect_err("refused")
                .to_string()
        };
        let changed = tree(&[("src/a", "two")]);
        assert!(text(&release, &changed).contains("c 1.0.0 is not what was published"));
        release.checksum = "0".repeat(64);
        assert!(text(&release, &whole).contains("is not c 1.0.0 as published"));
    }
}
