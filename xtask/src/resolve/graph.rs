//! What cargo says about a graph: the parts of its metadata and of a lock file that the check reads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// `cargo metadata --format-version 1`.
#[derive(Debug, Default, Deserialize)]
pub struct Metadata {
    /// Every package of the graph.
    pub packages: Vec<Package>,
    /// Who depends on whom.
    pub resolve: Resolve,
    /// The packages of the workspace, by id.
    #[serde(default)]
    pub workspace_members: BTreeSet<String>,
}

/// One package.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Registry or repository; none for a path.
    #[serde(default)]
    pub source: Option<String>,
    /// Where its manifest is.
    pub manifest_path: PathBuf,
    /// The native library that it claims.
    #[serde(default)]
    pub links: Option<String>,
    /// Its features and what each turns on.
    #[serde(default)]
    pub features: BTreeMap<String, Vec<String>>,
    /// What it asks for.
    #[serde(default)]
    pub dependencies: Vec<Dependency>,
}

/// What a package asks for.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// Name of the crate.
    pub name: String,
    /// The versions that it admits.
    #[serde(default)]
    pub req: String,
    /// The name it is used by, where that is another.
    #[serde(default)]
    pub rename: Option<String>,
    /// `dev`, `build`, or none.
    #[serde(default)]
    pub kind: Option<String>,
    /// The features asked for.
    #[serde(default)]
    pub features: Vec<String>,
}

/// The edges of the graph.
#[derive(Debug, Default, Deserialize)]
pub struct Resolve {
    /// One node a package.
    pub nodes: Vec<Node>,
}

/// One package with what it uses.
#[derive(Debug, Deserialize)]
pub struct Node {
    /// The package.
    pub id: String,
    /// Its features that are on.
    #[serde(default)]
    pub features: Vec<String>,
    /// What it depends on.
    #[serde(default)]
    pub deps: Vec<Edge>,
}

/// One dependency that is used.
#[derive(Debug, Deserialize)]
pub struct Edge {
    /// The package it leads to.
    pub pkg: String,
}

/// A lock file, as far as patches go.
#[derive(Debug, Default, Deserialize)]
pub struct Lock {
    /// Every package, of all features and for all platforms.
    #[serde(default)]
    pub package: Vec<Locked>,
    /// `[[patch.unused]]`.
    #[serde(default)]
    pub patch: Patches,
}

/// A package of a lock file.
#[derive(Debug, Deserialize)]
pub struct Locked {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its archive; none for what is in no registry.
    #[serde(default)]
    pub checksum: Option<String>,
}

/// The `patch` table of a lock file.
#[derive(Debug, Default, Deserialize)]
pub struct Patches {
    /// Patches that no package of the graph uses.
    #[serde(default)]
    pub unused: Vec<Unused>,
}

/// A patch that is not used.
#[derive(Debug, Deserialize)]
pub struct Unused {
    /// Name of the crate.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An upstream crate as the stack has it.
#[derive(Debug)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it is.
    pub path: PathBuf,
    /// The features that may be asked of it.
    pub features: BTreeSet<String>,
    /// The native library that it claims.
    pub links: Option<String>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Name,
    #[serde(default)]
    features: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    rest: toml::Table,
}

#[derive(Deserialize)]
struct Name {
    name: String,
    version: String,
    links: Option<String>,
}

/// Reads the manifest of an upstream crate at `path`.
pub fn copy(path: &Path, manifest: &str) -> Result<Copy> {
    let manifest: Manifest = toml::from_str(manifest).context("is not understood here")?;
    let named: BTreeSet<&str> = manifest
        .features
        .values()
        .flatten()
        .filter_map(|f| f.strip_prefix("dep:"))
        .collect();
    let mut features: BTreeSet<String> = manifest.features.keys().cloned().collect();
    let mut tables = vec![&manifest.rest];
    let targets = manifest.rest.get("target").and_then(toml::Value::as_table);
    tables.extend(
        targets
            .iter()
            .flat_map(|t| t.values())
            .filter_map(toml::Value::as_table),
    );
    for table in tables
        .iter()
        .flat_map(|t| [t.get("dependencies"), t.get("build-dependencies")])
        .flatten()
    {
        for (name, entry) in table.as_table().into_iter().flatten() {
            // An optional dependency is a feature of its name, unless a feature says `dep:`.
            let optional = entry.get("optional").and_then(toml::Value::as_bool) == Some(true);
            if optional && !named.contains(name.as_str()) {
                features.insert(name.clone());
            }
        }
    }
    Ok(Copy {
        name: manifest.package.name,
        version: manifest.package.version,
        path: path.to_path_buf(),
        features,
        links: manifest.package.links,
    })
}
