//! A foreign workspace: its files, and calls of the cargo that it selects.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// What cargo and rustup set for this program, and what is not meant for the project.
const OURS: [&str; 8] = [
    "CARGO",
    "CARGO_TARGET_DIR",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "RUSTC",
    "RUSTDOC",
    "RUSTUP_TOOLCHAIN",
    "RUSTUP_TOOLCHAIN_SOURCE",
];

/// A folder of a workspace, and the manifests that it can be told by files alone to consist of.
#[derive(Debug)]
pub struct Project {
    /// The folder that was named.
    pub folder: PathBuf,
    /// Its own manifest, or the nearest above it.
    pub manifest: PathBuf,
    /// The root manifest, as far as files tell.
    root: PathBuf,
    /// The root's, the project's, those of members and of what they take by path.
    pub manifests: Vec<Manifest>,
}

/// A manifest of the workspace.
#[derive(Debug)]
pub struct Manifest {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub table: toml::Table,
}

/// A workspace, in cargo's words.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    /// The folder of the root manifest.
    pub workspace_root: PathBuf,
    /// Its members.
    pub packages: Vec<Member>,
}

/// One member.
#[derive(Debug, Deserialize)]
pub struct Member {
    /// Where its manifest is.
    pub manifest_path: PathBuf,
}

impl Workspace {
    /// The root manifest.
    pub fn manifest(&self) -> PathBuf {
        self.workspace_root.join("Cargo.toml")
    }

    /// The lock file.
    pub fn lock(&self) -> PathBuf {
        self.workspace_root.join("Cargo.lock")
    }
}

impl Project {
    /// The project that `folder` is, or lies in.
    pub fn find(folder: &Path) -> Result<Self> {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("{} cannot be looked at", folder.display()))?;
        if !folder.is_dir() {
            bail!("{} is not a folder: name the project's", folder.display());
        }
        let manifests: Vec<PathBuf> = folder
            .ancestors()
            .map(|folder| folder.join("Cargo.toml"))
            .filter(|path| path.is_file())
            .collect();
        let Some(manifest) = manifests.first().cloned() else {
            bail!(
                "there is no Cargo.toml in {} or above it: name the folder of a cargo project",
                folder.display()
            );
        };
        let mut found = vec![Manifest::read(&manifest)?];
        for above in &manifests[1..] {
            if found[0].table.contains_key("workspace") {
                break;
            }
            // What lies above and is no workspace of this package is none of our business, broken or not.
            if let Ok(above) = Manifest::read(above)
                && above.is_root_of(&manifest)
            {
                found.insert(0, above);
                break;
            }
        }
        let root = found[0].path.clone();
        let seen = found.iter().map(|m| m.path.clone()).collect();
        follow(&mut found, seen);
        Ok(Self {
            folder,
            manifest,
            root,
            manifests: found,
        })
    }

    /// The lock file, as far as files tell.
    pub fn lock(&self) -> PathBuf {
        self.root.with_file_name("Cargo.lock")
    }

    /// The cargo that the folder selects, started in it.
    pub fn cargo(&self) -> Command {
        let named = std::env::var_os("CARGO");
        // By name it is rustup's, which looks at the folder, where there is rustup. What runs us is of our own toolchain.
        let mut command = match (self.plain_cargo().output(), named) {
            (Err(error), Some(named)) if error.kind() == ErrorKind::NotFound => Command::new(named),
            _ => Command::new("cargo"),
        };
        self.prepare(&mut command);
        command
    }

    fn plain_cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        self.prepare(&mut command);
        command.arg("-V").stdin(Stdio::null());
        command
    }

    fn prepare(&self, command: &mut Command) {
        command.current_dir(&self.folder);
        for key in OURS {
            command.env_remove(key);
        }
        // A toolchain that is missing is said to be so, not fetched.
        command.env("RUSTUP_AUTO_INSTALL", "0");
    }
}

impl Manifest {
    /// Reads one.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let table = toml::from_str(text.trim_start_matches('\u{feff}'))
            .with_context(|| format!("{} is not understood", path.display()))?;
        Ok(Self {
            path: path.to_path_buf(),
            table,
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// True for a workspace that does not exclude the package of `manifest`, which lies below it.
    fn is_root_of(&self, manifest: &Path) -> bool {
        let Some(workspace) = self.table.get("workspace") else {
            return false;
        };
        let excluded = strings(workspace.get("exclude"));
        !excluded
            .iter()
            .any(|folder| manifest.starts_with(self.folder().join(folder)))
    }

    /// The folders of members, and of what is taken by path.
    fn leads_to(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for member in strings(self.table.get("workspace").and_then(|w| w.get("members"))) {
            match member.strip_suffix("/*") {
                Some(parent) => {
                    let entries = fs::read_dir(self.folder().join(parent))
                        .into_iter()
                        .flatten();
                    let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
                    inside.sort();
                    folders.extend(inside);
                }
                None => folders.push(self.folder().join(member)),
            }
        }
        let by_path = dependencies(&self.table)
            .into_iter()
            .filter_map(|(_, entry)| entry.get("path")?.as_str());
        folders.extend(by_path.map(|path| self.folder().join(path)));
        folders
    }

    /// Names of crates that its dependencies ask for.
    pub fn asks_for(&self) -> BTreeSet<String> {
        let named = dependencies(&self.table).into_iter().map(|(name, entry)| {
            let package = entry.get("package").and_then(toml::Value::as_str);
            package.unwrap_or(name).to_owned()
        });
        named.collect()
    }
}

/// Reads what the manifests lead to, and so on. A missing one is for cargo to speak of.
fn follow(found: &mut Vec<Manifest>, mut seen: BTreeSet<PathBuf>) {
    let mut next = 0;
    while next < found.len() {
        for folder in found[next].leads_to() {
            let Ok(path) = folder.join("Cargo.toml").canonicalize() else {
                continue;
            };
            if seen.insert(path.clone())
                && let Ok(manifest) = Manifest::read(&path)
            {
                found.push(manifest);
            }
        }
        next += 1;
    }
}

/// Every entry of every table of dependencies.
fn dependencies(table: &toml::Table) -> Vec<(&str, &toml::Value)> {
    let targets = table.get("target").and_then(toml::Value::as_table);
    let mut places: Vec<&toml::Table> = vec![table];
    places.extend(table.get("workspace").and_then(toml::Value::as_table));
    places.extend(
        targets
            .into_iter()
            .flat_map(|t| t.values())
            .filter_map(toml::Value::as_table),
    );
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = places
        .into_iter()
        .flat_map(|place| kinds.map(|kind| place.get(kind)));
    tables
        .flatten()
        .filter_map(toml::Value::as_table)
        .flat_map(|t| t.iter().map(|(name, entry)| (name.as_str(), entry)))
        .collect()
}

fn strings(value: Option<&toml::Value>) -> Vec<&str> {
    let list = value.and_then(toml::Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(toml::Value::as_str)
        .collect()
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
