//! The archives of every crate of crates.io that a lock file names, where this machine has them already.
//!
//! Cargo keeps what it downloads in its cache; where crates.io is replaced by a local registry, the archives are there.
//! Each is taken by its checksum, wherever it lies.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use toml::Table;

use super::archive;
use super::index::{self, Line};
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::release::CRATES_IO;

/// One archive of crates.io, untouched.
#[derive(Debug)]
pub struct Archive {
    /// Name of the crate.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the archive, as in the lock file.
    pub checksum: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its line in the index.
    pub line: Line,
    /// What its manifest says of its licence.
    pub licence: String,
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Locked>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Locked {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
}

/// The archives of all that the root's lock file takes from crates.io. What is not here is fetched by cargo first.
pub fn find(layout: &Layout, progress: Progress) -> Result<Vec<Archive>> {
    let path = layout.root.join("Cargo.lock");
    let text = fs::read_to_string(&path).context("cannot read Cargo.lock")?;
    let wanted = wanted(&text)?;
    let mut found = look(&wanted, &folders(layout))?;
    if found.len() < wanted.len() {
        progress.step("Fetching", "archives that cargo has not needed here so far");
        let mut command = cargo::cargo(layout);
        cargo::run(command.args(["fetch", "--locked"]), progress).context(
            "--closure needs the archive of every crate that Cargo.lock names; once they have been fetched, no network is needed",
        )?;
        // Asked again: the cache may not have been there before.
        found = look(&wanted, &folders(layout))?;
    }
    let missing: Vec<String> = wanted
        .iter()
        .filter(|locked| !found.contains_key(&key(locked)))
        .map(|locked| format!("{} {}", locked.name, locked.version))
        .collect();
    if !missing.is_empty() {
        bail!("{}", not_here(&missing, &folders(layout)));
    }
    Ok(found.into_values().collect())
}

fn not_here(missing: &[String], folders: &[PathBuf]) -> String {
    let first = missing.iter().take(5).map(String::as_str);
    let first = first.collect::<Vec<_>>().join(", ");
    let more = match missing.len().saturating_sub(5) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let places: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    let places = match places.len() {
        0 => "no folder of archives was found".to_owned(),
        _ => format!("looked in {}", places.join(", ")),
    };
    format!(
        "no archive with the checksum of Cargo.lock for {first}{more}: {places}. Where crates.io is replaced by folders of \
         unpacked sources, there are none: run this where cargo takes crates from a registry"
    )
}

fn key(locked: &Locked) -> (String, String) {
    (locked.name.clone(), locked.version.clone())
}

/// What a lock file takes from crates.io; an error for any other registry or a repository.
fn wanted(lock: &str) -> Result<Vec<Locked>> {
    let lock: Lock = toml::from_str(lock).context("Cargo.lock is not understood here")?;
    let mut wanted = Vec::new();
    for locked in lock.package {
        match locked.source.as_deref() {
            None => {}
            Some(source) if source.strip_prefix("registry+") == Some(CRATES_IO) => {
                wanted.push(locked)
            }
            Some(source) => bail!(
                "Cargo.lock takes {} {} from {source}: a registry that stands in for crates.io cannot hold it",
                locked.name,
                locked.version
            ),
        }
    }
    Ok(wanted)
}

/// Where archives may lie: cargo's cache, and local registries that its configuration names.
fn folders(layout: &Layout) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")));
    let mut folders = Vec::new();
    let cache = home
        .iter()
        .flat_map(|h| fs::read_dir(h.join("registry/cache")));
    let mut caches: Vec<PathBuf> = cache
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    caches.sort();
    folders.extend(caches);
    let above = layout.root.ancestors().map(|folder| folder.join(".cargo"));
    for place in above.chain(home) {
        // Cargo reads the name without an ending too.
        for name in ["config.toml", "config"] {
            let text = fs::read_to_string(place.join(name)).unwrap_or_default();
            let base = place.parent().unwrap_or(&place);
            folders.extend(local_registries(&text).iter().map(|path| base.join(path)));
        }
    }
    folders
}

/// The folders that a configuration names as local registries.
fn local_registries(config: &str) -> Vec<String> {
    let config: Table = toml::from_str(config).unwrap_or_default();
    let sources = config.get("source").and_then(toml::Value::as_table);
    let folder = |source: &toml::Value| Some(source.get("local-registry")?.as_str()?.to_owned());
    sources
        .into_iter()
        .flatten()
        .filter_map(|(_, source)| folder(source))
        .collect()
}

type Found = BTreeMap<(String, String), Archive>;

fn look(wanted: &[Locked], folders: &[PathBuf]) -> Result<Found> {
    let mut found = Found::new();
    for locked in wanted {
        let file = format!("{}-{}.crate", locked.name, locked.version);
        for path in folders.iter().map(|folder| folder.join(&file)) {
            let Ok(open) = File::open(&path) else {
                continue;
            };
            let read = read(locked, open, &path);
            if let Some(archive) =
                read.with_context(|| format!("cannot read {}", path.display()))?
            {
                found.insert(key(locked), archive);
                break;
            }
        }
    }
    Ok(found)
}

/// The archive, if it is the one that the lock file means.
fn read(locked: &Locked, mut file: File, path: &Path) -> Result<Option<Archive>> {
    let mut hasher = Sha256::new();
    io::copy(&mut file, &mut hasher)?;
    let checksum = hex::encode(hasher.finalize());
    if locked.checksum.as_ref() != Some(&checksum) {
        return Ok(None);
    }
    file.rewind()?;
    let manifest = archive::manifest(io::BufReader::new(file), &locked.name, &locked.version)?;
    Ok(Some(Archive {
        name: locked.name.clone(),
        version: locked.version.clone(),
        line: index::line(&manifest, &checksum, None)?,
        licence: crate::dist::licences::expression(&manifest),
        checksum,
        path: path.to_path_buf(),
    }))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::stack::tree::tests::tree;

    #[test]
    fn a_lock_file_is_read_and_other_sources_are_refused() {
        let lock = |source: &str| {
            format!(
                "version = 4\n[[package]]\nname = \"own\"\nversion = \"1.0.0\"\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"{source}\"\nchecksum = \"00\"\n"
            )
        };
        let wanted_of = |source: &str| wanted(&lock(source));
        let crates_io = wanted_of(&format!("registry+{CRATES_IO}")).expect("read");
        assert_eq!(crates_io.len(), 1);
        let text = wanted_of("git+https://example.invalid/a")
            .expect_err("refused")
            .to_string();
        assert!(text.contains("a 1.0.0 from git+"), "{text}");
        assert!(wanted("version = 4\n").expect("read").is_empty());
    }

    #[test]
    fn archives_are_taken_by_checksum() {
        let folder = tempfile::tempdir().expect("a folder");
        let (bad, good) = (folder.path().join("bad"), folder.path().join("good"));
        let bytes = archive::pack(
            "a",
            "1.0.0",
            &tree(&[(
                "Cargo.toml",
                "[package]\nname = \"a\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n",
            )]),
        )
        .expect("packed");
        for (place, bytes) in [(&bad, &b"short"[..]), (&good, &bytes)] {
            fs::create_dir(place).expect("made");
            fs::write(place.join("a-1.0.0.crate"), bytes).expect("written");
        }
        let locked = |checksum: String| Locked {
            name: "a".into(),
            version: "1.0.0".into(),
            source: None,
            checksum: Some(checksum),
        };
        let wanted = [locked(hex::encode(Sha256::digest(&bytes)))];
        let found = look(&wanted, &[bad.clone(), good.clone()]).expect("looked");
        let archive = found.values().next().expect("found");
        assert_eq!(
            (archive.path.parent(), archive.licence.as_str()),
            (Some(&*good), "MIT")
        );
        assert!(look(&wanted, &[bad]).expect("looked").is_empty());
        assert!(
            look(&[locked("00".into())], &[good])
                .expect("looked")
                .is_empty()
        );
    }

    #[test]
    fn what_is_missing_is_said_in_a_few_words() {
        let missing: Vec<String> = (0..7).map(|n| format!("c{n} 1.0.0")).collect();
        let text = not_here(&missing, &["cache".into()]);
        assert!(
            text.contains("c4 1.0.0 and 2 more: looked in cache."),
            "{text}"
        );
        assert!(not_here(&missing[..1], &[]).contains("c0 1.0.0: no folder"));
    }

    #[test]
    fn configurations_name_local_registries() {
        let config = "[source.crates-io]\nreplace-with = \"x\"\n[source.x]\nlocal-registry = \"reg\"\n[source.y]\ndirectory = \"v\"\n";
        assert_eq!(local_registries(config), ["reg"]);
        assert!(local_registries("no toml [").is_empty());
    }
}
