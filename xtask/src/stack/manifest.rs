//! `extern/stack.toml` and the patches it names: which releases, which optimisations, in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::selection::is_slug;
use crate::layout::Layout;
use crate::patch::Patch;
use crate::patch::object::ObjectId;
use crate::patch::parse::{self, ParseError};

/// The releases and the series.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The upstream crates, in the order of the file.
    pub releases: Vec<Release>,
    /// The series, in order.
    pub optimisations: Vec<Optimisation>,
}

/// One published release that we patch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Name of the crate.
    pub name: String,
    /// Exact version.
    pub version: String,
    /// SHA-256 of the published file, as in a lock file.
    pub checksum: String,
    /// Git's id of the unpacked release, without what cargo adds to it.
    pub tree: String,
}

/// One idea: a patch for each crate that it touches.
#[derive(Clone, Debug)]
pub struct Optimisation {
    /// Its name.
    pub slug: String,
    /// What kind of change it is.
    pub kind: Kind,
    /// True when the default series has it.
    pub default: bool,
    /// What it depends on, from its patches' `Depends` trailers.
    pub depends: Vec<String>,
    /// Its patches, by crate.
    pub patches: BTreeMap<String, Patch>,
}

/// What kind of change an optimisation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Opens or times what upstream hides; changes no behaviour.
    Instrument,
    /// Manifests and build scripts.
    Build,
    /// Makes something faster.
    Perf,
    /// Makes something right.
    Fix,
    /// Off by default.
    Experiment,
}

impl Kind {
    /// Instrument and build patches belong to every stack.
    pub fn is_in_every_stack(self) -> bool {
        matches!(self, Self::Instrument | Self::Build)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Instrument => "instrument",
            Self::Build => "build",
            Self::Perf => "perf",
            Self::Fix => "fix",
            Self::Experiment => "experiment",
        })
    }
}

/// What is wrong with the manifest or with the patches it names.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Not TOML, or not of this shape.
    #[error("{path}: {source}")]
    Toml {
        /// Which file.
        path: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A value that makes no sense.
    #[error("extern/stack.toml: {0}")]
    Content(String),
    /// A patch that cannot be parsed.
    #[error(transparent)]
    Patch(#[from] ParseError),
    /// A patch that is named, or there, and not both.
    #[error("extern/patches/{patch}: {text}")]
    PatchFile {
        /// `<crate>/<slug>.patch`.
        patch: String,
        /// What about it.
        text: String,
    },
    /// The workspace does not use the stack.
    #[error("Cargo.toml: [patch.crates-io] {0}")]
    Workspace(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawManifest {
    schema: u32,
    #[serde(rename = "crate")]
    releases: Vec<Release>,
    #[serde(rename = "optimisation", default)]
    optimisations: Vec<RawOptimisation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOptimisation {
    slug: String,
    kind: Kind,
    default: bool,
    crates: Vec<String>,
}

impl Manifest {
    /// Reads and checks stack.toml, the patches, and the workspace's table.
    pub fn load(layout: &Layout) -> Result<Self, ManifestError> {
        let text = read(&layout.stack_toml)?;
        let manifest = Self::parse(&text, &layout.patches)?;
        let workspace = read(&layout.root.join("Cargo.toml"))?;
        manifest.check_workspace(&workspace)?;
        Ok(manifest)
    }

    /// Checks the text of stack.toml and reads the patches below `patches`.
    pub fn parse(text: &str, patches: &Path) -> Result<Self, ManifestError> {
        let raw: RawManifest = toml::from_str(text).map_err(|source| ManifestError::Toml {
            path: "extern/stack.toml".to_owned(),
            source: Box::new(source),
        })?;
        check_raw(&raw).map_err(ManifestError::Content)?;
        let mut expected = BTreeSet::new();
        let mut optimisations: Vec<Optimisation> = Vec::new();
        for raw in raw.optimisations {
            let mut own = BTreeMap::new();
            for name in raw.crates {
                let patch = format!("{name}/{}.patch", raw.slug);
                let path = patches.join(&patch);
                let bytes = match fs::read(&path) {
                    Ok(bytes) => bytes,
                    Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
                        let text = format!(
                            "extern/stack.toml names it, and it is not there; add the patch, or take `{name}` out of `{}`",
                            raw.slug
                        );
                        return Err(ManifestError::PatchFile { patch, text });
                    }
                    Err(source) => return Err(ManifestError::Read { path, source }),
                };
                own.insert(name, parse::parse(&patch, &bytes)?);
                expected.insert(patch);
            }
            let depends: BTreeSet<String> = own
                .values()
                .flat_map(|p| p.trailer_list("Depends"))
                .collect();
            for slug in &depends {
                check_dependency(&optimisations, &raw.slug, raw.kind, raw.default, slug).map_err(
                    |text| ManifestError::PatchFile {
                        patch: format!("*/{}.patch", raw.slug),
                        text,
                    },
                )?;
            }
            optimisations.push(Optimisation {
                slug: raw.slug,
                kind: raw.kind,
                default: raw.default,
                depends: depends.into_iter().collect(),
                patches: own,
            });
        }
        check_no_stray(patches, &expected)?;
        Ok(Self {
            releases: raw.releases,
            optimisations,
        })
    }

    /// The optimisation of that name.
    pub fn optimisation(&self, slug: &str) -> Option<&Optimisation> {
        self.optimisations.iter().find(|o| o.slug == slug)
    }

    /// The names of all optimisations, for messages.
    pub fn slugs(&self) -> String {
        if self.optimisations.is_empty() {
            return "none yet".to_owned();
        }
        let slugs: Vec<&str> = self.optimisations.iter().map(|o| o.slug.as_str()).collect();
        slugs.join(", ")
    }

    /// The workspace's `[patch.crates-io]` must name each upstream crate, by its path under extern/, and no other.
    pub fn check_workspace(&self, text: &str) -> Result<(), ManifestError> {
        let table: toml::Table = toml::from_str(text).map_err(|source| ManifestError::Toml {
            path: "Cargo.toml".to_owned(),
            source: Box::new(source),
        })?;
        let patched = table
            .get("patch")
            .and_then(|p| p.get("crates-io"))
            .and_then(toml::Value::as_table);
        let empty = toml::Table::new();
        let patched = patched.unwrap_or(&empty);
        for release in &self.releases {
            let path = format!("extern/{}", release.name);
            let found = patched
                .get(&release.name)
                .and_then(|entry| entry.get("path"));
            if found.and_then(toml::Value::as_str) != Some(&path) {
                let text = format!(
                    "must have `{} = {{ path = \"{path}\" }}`, as extern/stack.toml has the crate",
                    release.name
                );
                return Err(ManifestError::Workspace(text));
            }
        }
        match patched
            .keys()
            .find(|name| self.releases.iter().all(|r| r.name != **name))
        {
            Some(name) => Err(ManifestError::Workspace(format!(
                "has `{name}`, which extern/stack.toml does not have"
            ))),
            None => Ok(()),
        }
    }
}

fn read(path: &Path) -> Result<String, ManifestError> {
    fs::read_to_string(path).map_err(|source| ManifestError::Read {
        path: path.to_path_buf(),
        source,
    })
}

fn check_raw(raw: &RawManifest) -> Result<(), String> {
    if raw.schema != 1 {
        return Err(format!(
            "schema {} is not known to this xtask, which reads schema 1",
            raw.schema
        ));
    }
    let mut names = BTreeSet::new();
    for release in &raw.releases {
        let name = &release.name;
        let plain = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !plain || name == "patches" {
            return Err(format!("`{name}` is not the name of a crate"));
        }
        if !names.insert(name.as_str()) {
            return Err(format!("crate `{name}` is there twice"));
        }
        let hash = |text: &str| {
            text.len() == 64
                && text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        if !hash(&release.checksum) {
            return Err(format!(
                "crate `{name}`: checksum is not 64 lower-case hex digits"
            ));
        }
        if release.tree.parse::<ObjectId>().is_err() {
            return Err(format!("crate `{name}`: tree is not 40 hex digits"));
        }
        if !release.version.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!(
                "crate `{name}`: version `{}` is not an exact version",
                release.version
            ));
        }
    }
    let mut slugs = BTreeSet::new();
    for optimisation in &raw.optimisations {
        let slug = &optimisation.slug;
        if !is_slug(slug) {
            return Err(format!(
                "slug `{slug}` must be lower-case letters and digits with single hyphens between"
            ));
        }
        if !slugs.insert(slug.as_str()) {
            return Err(format!("optimisation `{slug}` is there twice"));
        }
        if optimisation.kind.is_in_every_stack() && !optimisation.default {
            return Err(format!(
                "optimisation `{slug}` is of kind {}, which belongs to every stack: set default = true",
                optimisation.kind
            ));
        }
        if optimisation.kind == Kind::Experiment && optimisation.default {
            return Err(format!(
                "optimisation `{slug}` is an experiment, which is off: set default = false, or give it another kind"
            ));
        }
        if optimisation.crates.is_empty() {
            return Err(format!("optimisation `{slug}` touches no crate"));
        }
        let mut own = BTreeSet::new();
        for name in &optimisation.crates {
            if !names.contains(name.as_str()) {
                let known: Vec<&str> = names.iter().copied().collect();
                return Err(format!(
                    "optimisation `{slug}`: no crate `{name}`, only {}",
                    known.join(", ")
                ));
            }
            if !own.insert(name) {
                return Err(format!("optimisation `{slug}` names crate `{name}` twice"));
            }
        }
    }
    Ok(())
}

/// A dependency comes earlier, and is in every stack that its dependent is in by default.
fn check_dependency(
    earlier: &[Optimisation],
    slug: &str,
    kind: Kind,
    default: bool,
    needs: &str,
) -> Result<(), String> {
    let Some(needed) = earlier.iter().find(|o| o.slug == needs) else {
        return Err(format!(
            "depends on `{needs}`, which extern/stack.toml does not have before `{slug}`"
        ));
    };
    if default && !needed.default {
        return Err(format!(
            "depends on `{needs}`, which is off by default while `{slug}` is on"
        ));
    }
    if kind.is_in_every_stack() && !needed.kind.is_in_every_stack() {
        return Err(format!(
            "is of kind {kind}, which belongs to every stack, and depends on `{needs}`, which does not"
        ));
    }
    Ok(())
}

/// Every file below extern/patches belongs to an optimisation.
fn check_no_stray(patches: &Path, expected: &BTreeSet<String>) -> Result<(), ManifestError> {
    if !patches.exists() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(patches) {
        let entry = entry.map_err(|error| ManifestError::Read {
            path: error.path().unwrap_or(patches).to_path_buf(),
            source: error.into(),
        })?;
        if entry.file_type().is_dir() {
            continue;
        }
        let name = entry
            .path()
            .strip_prefix(patches)
            .unwrap_or(entry.path())
            .display()
            .to_string();
        if name != "README.md" && !expected.contains(&name) {
            let text = "no optimisation of extern/stack.toml has it; add one, or delete the file"
                .to_owned();
            return Err(ManifestError::PatchFile { patch: name, text });
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
