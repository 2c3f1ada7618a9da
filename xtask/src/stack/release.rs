//! Pristine releases: fetched and unpacked by cargo, checked against stack.toml.
//!
//! A small manifest under target/fetch depends on the exact versions. Cargo downloads, checks each file against the
//! index and unpacks it; here its lock file is held against `checksum`, and what is unpacked against `tree`, for a
//! folder that anybody may write to is no proof of what was published.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::archive;
use super::manifest::Release;
use super::tree::Tree;
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;

/// The address by which cargo knows crates.io: in lock files, in an index, and as the name of a `[patch]` table.
pub const CRATES_IO: &str = "https://github.com/rust-lang/crates.io-index";

/// What cargo writes into an unpacked release.
const CARGO_OK: &str = ".cargo-ok";

/// The tree of each release, by crate, verified.
pub fn load(
    layout: &Layout,
    releases: &[Release],
    progress: Progress,
) -> Result<BTreeMap<String, Tree>> {
    let (metadata, lock) = resolved(layout, &layout.fetch, &manifest(releases), progress)?;
    check_lock(&lock, releases)?;
    let mut trees = BTreeMap::new();
    for release in releases {
        let folder = unpacked(&metadata, release)?;
        let tree = Tree::read(&folder, &[CARGO_OK])?;
        check_tree(release, &tree, &folder)?;
        trees.insert(release.name.clone(), tree);
    }
    Ok(trees)
}

/// One release that extern/stack.toml does not have, and its tree. Cargo has checked the archive's checksum when it
/// unpacked it, and what is unpacked is held against the archive once more.
pub fn other(
    layout: &Layout,
    name: &str,
    version: &str,
    progress: Progress,
) -> Result<(Release, Tree)> {
    let exact = version.starts_with(|c: char| c.is_ascii_digit())
        && version
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-+".contains(&b));
    if !exact {
        bail!(
            "`{version}` is not an exact version: give one as the registry has it, for example 1.2.3"
        );
    }
    let mut release = Release {
        name: name.to_owned(),
        version: version.to_owned(),
        checksum: String::new(),
        tree: String::new(),
        feature: None,
    };
    let folder = layout
        .target
        .join("fetch-other")
        .join(format!("{name}-{version}"));
    let wanted = manifest(std::slice::from_ref(&release));
    let (metadata, lock) = resolved(layout, &folder, &wanted, progress)
        .with_context(|| format!("cannot fetch {name} {version}"))?;
    let found = metadata.packages.iter().find(|p| p.name == name);
    if let Some(found) = found.filter(|p| p.version != version) {
        bail!(
            "`{version}` is not an exact version: cargo took {name} {}",
            found.version
        );
    }
    let lock: Lock = toml::from_str(&lock).context("cargo's lock file is not understood here")?;
    let locked = lock
        .package
        .into_iter()
        .find(|p| p.name == name && p.version == version);
    release.checksum = locked
        .and_then(|p| p.checksum)
        .with_context(|| format!("cargo's lock file has no checksum for {name} {version}"))?;
    let folder = unpacked(&metadata, &release)?;
    let tree = Tree::read(&folder, &[CARGO_OK])?;
    archive::check(&folder, &release, &tree)?;
    release.tree = tree.id().to_string();
    Ok((release, tree))
}

/// What cargo makes of a manifest in `folder`, and its lock file. The network is used when that fails without.
fn resolved(
    layout: &Layout,
    folder: &Path,
    manifest: &str,
    progress: Progress,
) -> Result<(Metadata, String)> {
    prepare(layout, folder, manifest)?;
    let rustc = cargo::rustc_version(layout)?;
    let host = cargo::host_triple(&rustc)?;
    let metadata = match metadata(layout, folder, host) {
        Ok(metadata) => metadata,
        Err(_) => {
            progress.step("Fetching", "the releases, through cargo");
            fetch(layout, folder, host, progress)?;
            metadata(layout, folder, host)?
        }
    };
    let path = folder.join("Cargo.lock");
    let lock =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", layout.show(&path)))?;
    Ok((metadata, lock))
}

/// Writes the manifest that depends on the releases, if it is not there as it must be.
fn prepare(layout: &Layout, folder: &Path, manifest: &str) -> Result<()> {
    let path = folder.join("Cargo.toml");
    if fs::read_to_string(&path).is_ok_and(|found| found == manifest) {
        return Ok(());
    }
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("lib.rs"), "")?;
        // The workspace's versions, where they fit: then nothing is downloaded that a build does not need.
        let workspace = layout.root.join("Cargo.lock");
        if workspace.exists() {
            fs::copy(workspace, folder.join("Cargo.lock"))?;
        }
        fs::write(&path, manifest)
    };
    write().with_context(|| format!("cannot write {}", layout.show(folder)))
}

fn manifest(releases: &[Release]) -> String {
    let mut text = String::from(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\npath = \"lib.rs\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for release in releases {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} = {{ version = \"={}\", default-features = false }}",
            release.name, release.version
        );
    }
    text
}

fn fetch(layout: &Layout, folder: &Path, host: &str, progress: Progress) -> Result<()> {
    let mut command = cargo::cargo(layout);
    command
        .args(["fetch", "--target", host, "--manifest-path"])
        .arg(folder.join("Cargo.toml"));
    cargo::run(&mut command, progress)
        .context("the releases cannot be fetched; once they have been, no network is needed")?;
    Ok(())
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

fn metadata(layout: &Layout, folder: &Path, host: &str) -> Result<Metadata> {
    let mut command = cargo::cargo(layout);
    command
        .args([
            "metadata",
            "--offline",
            "--format-version",
            "1",
            "--filter-platform",
            host,
            "--manifest-path",
        ])
        .arg(folder.join("Cargo.toml"));
    let (text, _) = cargo::output(&mut command)?;
    serde_json::from_str(&text).context("cargo metadata printed what is not understood here")
}

fn unpacked(metadata: &Metadata, release: &Release) -> Result<PathBuf> {
    let found = metadata
        .packages
        .iter()
        .find(|p| p.name == release.name && p.version == release.version);
    match found.and_then(|package| package.manifest_path.parent()) {
        Some(folder) => Ok(folder.to_path_buf()),
        None => bail!(
            "cargo knows no {} {}; is that version right?",
            release.name,
            release.version
        ),
    }
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

fn check_lock(lock: &str, releases: &[Release]) -> Result<()> {
    let lock: Lock =
        toml::from_str(lock).context("target/fetch/Cargo.lock is not understood here")?;
    for Release {
        name,
        version,
        checksum,
        ..
    } in releases
    {
        let found = lock
            .package
            .iter()
            .find(|p| p.name == *name && p.version == *version);
        let Some(found) = found.and_then(|p| p.checksum.as_ref()) else {
            bail!(
                "target/fetch/Cargo.lock has no checksum for {name} {version}: delete target/fetch and run again"
            );
        };
        if found != checksum {
            bail!(
                "the registry's {name} {version} is not the release of extern/stack.toml: checksum {checksum} expected, {found} found. \
                 Nothing was made of it; find out which one is right before you go on"
            );
        }
    }
    Ok(())
}

fn check_tree(release: &Release, tree: &Tree, folder: &Path) -> Result<()> {
    let found = tree.id().to_string();
    if found == release.tree {
        return Ok(());
    }
    bail!(
        "the unpacked source of {} {} was changed: tree {} expected, {found} found. \
         Delete {} so that cargo unpacks the release anew, then run again",
        release.name,
        release.version,
        release.tree,
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::tree::tests::tree;

    fn release() -> Release {
        Release {
            name: "a".into(),
            version: "1.0.0".into(),
            checksum: "c".repeat(64),
            tree: tree(&[("x", "1")]).id().to_string(),
            feature: None,
        }
    }

    #[test]
    fn a_changed_source_is_refused_by_name() {
        let folder = Path::new("src/a-1.0.0");
        assert!(check_tree(&release(), &tree(&[("x", "1")]), folder).is_ok());
        let changed = tree(&[("x", "2")]);
        let text = check_tree(&release(), &changed, folder)
            .unwrap_err()
            .to_string();
        for part in [
            "a 1.0.0",
            &release().tree,
            &changed.id().to_string(),
            "src/a-1.0.0",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn another_checksum_is_refused() {
        let lock = |sum: &str| {
            format!(
                "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"{sum}\"\n"
            )
        };
        assert!(check_lock(&lock(&"c".repeat(64)), &[release()]).is_ok());
        let text = check_lock(&lock("other"), &[release()])
            .unwrap_err()
            .to_string();
        assert!(text.contains("a 1.0.0") && text.contains("other"), "{text}");
        assert!(check_lock("version = 4\npackage = []\n", &[release()]).is_err());
    }
}
