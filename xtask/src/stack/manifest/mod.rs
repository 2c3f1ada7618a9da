//! `extern/stack.toml` and the patches it names: which releases, which optimisations, in which order.

mod check;
pub mod entries;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::layout::Layout;
use crate::patch::Patch;
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
    /// The cargo feature without which nothing of the crate is compiled; none where every arm has it.
    #[serde(default)]
    pub feature: Option<String>,
}

impl Release {
    /// True when an arm with these features has the crate in its binary.
    pub fn is_compiled(&self, features: &[String]) -> bool {
        let wanted = self.feature.as_ref();
        wanted.is_none_or(|wanted| has_feature(features, wanted))
    }
}

/// True when one of the features is `wanted`, or one that has it as a word of its name: `CRATE/NAME-MORE` too.
pub fn has_feature(features: &[String], wanted: &str) -> bool {
    let is = |own: &String| {
        let name = own.rsplit('/').next().unwrap_or(own);
        name.split(['-', '_']).any(|word| word == wanted)
    };
    features.iter().any(is)
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
    /// The steps of making a proof that it may change.
    pub steps: BTreeSet<Step>,
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

/// A step of making a proof, as workloads name them for their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Assigning the circuit's variables and evaluating its constraints.
    Synthesis,
    /// From a synthesised circuit to a proof.
    Proving,
    /// Making parameters.
    Generation,
    /// Giving back the memory of a proof.
    Teardown,
}

impl Step {
    /// Every step there is.
    pub const ALL: [Step; 4] = [
        Step::Synthesis,
        Step::Proving,
        Step::Generation,
        Step::Teardown,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Synthesis => "synthesis",
            Self::Proving => "proving",
            Self::Generation => "generation",
            Self::Teardown => "teardown",
        })
    }
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
    /// A patch that changes a file which one of its kind may not.
    #[error("extern/patches/{patch}: changes `{file}`, {text}")]
    Forbidden {
        /// `<crate>/<slug>.patch`.
        patch: String,
        /// The file.
        file: String,
        /// Why not, and what to do.
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
    /// Every step where it is left out.
    steps: Option<Vec<Step>>,
}

impl Patch {
    /// Refuses a patch that changes a file which one of its kind may not.
    pub fn allowed(&self, kind: Kind) -> Result<(), ManifestError> {
        check::files(self, kind)
    }
}

/// All that can be read of stack.toml and its patches, and all that is wrong with it.
#[derive(Debug)]
pub struct Survey {
    /// What could be read; a patch that could not is missing from it.
    pub manifest: Manifest,
    /// What is wrong, in the order of stack.toml.
    pub errors: Vec<ManifestError>,
}

impl Manifest {
    /// Reads and checks stack.toml, the patches, and the workspace's table.
    pub fn load(layout: &Layout) -> Result<Self, ManifestError> {
        let manifest = Self::parse(&read(&layout.stack_toml)?, &layout.patches)?;
        check::workspace(&manifest.releases, &read(&layout.root.join("Cargo.toml"))?)?;
        Ok(manifest)
    }

    /// The same, with everything that is wrong instead of the first thing. Fails where stack.toml or the workspace's
    /// manifest itself means nothing.
    pub fn survey(layout: &Layout) -> Result<Survey, ManifestError> {
        let text = read(&layout.stack_toml)?;
        let mut survey = Self::gather(&text, &layout.patches)?;
        let workspace = read(&layout.root.join("Cargo.toml"))?;
        if let Err(error) = check::workspace(&survey.manifest.releases, &workspace) {
            survey.errors.push(error);
        }
        Ok(survey)
    }

    /// Checks the text of stack.toml and reads the patches below `patches`.
    pub fn parse(text: &str, patches: &Path) -> Result<Self, ManifestError> {
        Self::gather(text, patches)?.whole()
    }

    fn gather(text: &str, patches: &Path) -> Result<Survey, ManifestError> {
        let raw: RawManifest = toml::from_str(text).map_err(|source| ManifestError::Toml {
            path: "extern/stack.toml".to_owned(),
            source: Box::new(source),
        })?;
        check::raw(&raw).map_err(ManifestError::Content)?;
        let mut errors = Vec::new();
        let mut expected = BTreeSet::new();
        let mut optimisations: Vec<Optimisation> = Vec::new();
        for raw in raw.optimisations {
            let mut own = BTreeMap::new();
            for name in raw.crates {
                let patch = format!("{name}/{}.patch", raw.slug);
                expected.insert(patch.clone());
                match read_patch(patches, &patch, &name, &raw.slug) {
                    Ok(parsed) => {
                        errors.extend(check::files(&parsed, raw.kind).err());
                        own.insert(name, parsed);
                    }
                    Err(error) => errors.push(error),
                }
            }
            let depends: BTreeSet<String> = own
                .values()
                .flat_map(|p| p.message.trailer_list("Depends"))
                .collect();
            for slug in &depends {
                let fault =
                    check::dependency(&optimisations, &raw.slug, raw.kind, raw.default, slug).err();
                errors.extend(fault.map(|text| ManifestError::PatchFile {
                    patch: format!("*/{}.patch", raw.slug),
                    text,
                }));
            }
            optimisations.push(Optimisation {
                slug: raw.slug,
                kind: raw.kind,
                default: raw.default,
                depends: depends.into_iter().collect(),
                steps: raw
                    .steps
                    .map_or_else(|| Step::ALL.into(), |steps| steps.into_iter().collect()),
                patches: own,
            });
        }
        errors.extend(check::stray(patches, &expected)?);
        Ok(Survey {
            manifest: Self {
                releases: raw.releases,
                optimisations,
            },
            errors,
        })
    }

    /// The optimisation of that name.
    pub fn optimisation(&self, slug: &str) -> Option<&Optimisation> {
        self.optimisations.iter().find(|o| o.slug == slug)
    }

    /// True when an arm with these features has anything of the optimisation in its binary. One that changes nothing,
    /// which tests alone have, counts as everywhere.
    pub fn reaches(&self, optimisation: &Optimisation, features: &[String]) -> bool {
        let mut touched = self
            .releases
            .iter()
            .filter(|release| optimisation.patches.contains_key(&release.name))
            .peekable();
        touched.peek().is_none() || touched.any(|release| release.is_compiled(features))
    }

    /// The names of all optimisations, for messages.
    pub fn slugs(&self) -> String {
        if self.optimisations.is_empty() {
            return "none yet".to_owned();
        }
        let slugs: Vec<&str> = self.optimisations.iter().map(|o| o.slug.as_str()).collect();
        slugs.join(", ")
    }
}

impl Survey {
    /// The manifest, if nothing is wrong; otherwise the first thing that is.
    fn whole(self) -> Result<Manifest, ManifestError> {
        match self.errors.into_iter().next() {
            None => Ok(self.manifest),
            Some(error) => Err(error),
        }
    }
}

/// One patch of an optimisation, `<crate>/<slug>.patch`.
fn read_patch(
    patches: &Path,
    patch: &str,
    krate: &str,
    slug: &str,
) -> Result<Patch, ManifestError> {
    let path = patches.join(patch);
    let bytes = fs::read(&path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => ManifestError::PatchFile {
            patch: patch.to_owned(),
            text: format!(
                "extern/stack.toml names it, and it is not there; add the patch, or take `{krate}` out of `{slug}`"
            ),
        },
        _ => ManifestError::Read { path, source },
    })?;
    Ok(parse::parse(patch, &bytes)?)
}

fn read(path: &Path) -> Result<String, ManifestError> {
    fs::read_to_string(path).map_err(|source| ManifestError::Read {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests;
