//! What decides the binary of an arm, and its stamp.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::program::Program;
use super::purpose::Purpose;
use super::spec::ArmSpec;
use crate::cargo;
use crate::cuda::{self, Toolkit};
use crate::layout::Layout;

/// Folders of a package that are in none of its binaries.
const NOT_COMPILED: &[&str] = &["tests", "benches", "examples", "target"];
/// Environment variables that reach rustc or the C compiler, by name and by prefix.
const VARIABLES: &[&str] = &[
    "AR",
    "CC",
    "CFLAGS",
    "CXX",
    "CXXFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
];
const PREFIXES: &[&str] = &[
    "AR_",
    "BLST_",
    "CARGO_BUILD_",
    "CARGO_PROFILE_RELEASE_",
    "CARGO_TARGET_",
    "CC_",
    "CFLAGS_",
    "CXXFLAGS_",
    "CXX_",
];
/// The same of nvcc, which an arm without a CUDA feature does not call. Those that choose the toolkit, the host compiler
/// and the architectures are not here: what they choose is recorded itself.
const OF_NVCC: &[&str] = &["NVCC_", "SPPARK_"];
const CHOOSING: &[&str] = &["NVCC_CCBIN"];

/// What decides the binary of an arm. Its hash is the arm's stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The stack's stamp; `released` where there is no tree.
    pub stack: String,
    /// Hash of the workspace's sources and manifests that are compiled in.
    pub sources: String,
    /// Hash of the lock file.
    pub lock: String,
    /// Hash of the repository's configuration of cargo, which holds the profile.
    pub profile: String,
    /// Hash of the user's configuration of cargo.
    pub cargo_config: String,
    /// What `rustc -vV` says.
    pub rustc: String,
    /// First line of what the C compiler says of its version.
    pub cc: String,
    /// The version of nvcc, for an arm with a CUDA feature.
    pub nvcc: Option<String>,
    /// What else of the CUDA toolkit decides such an arm; none on a machine without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuda: Option<cuda::Record>,
    /// Cargo features, sorted.
    pub features: BTreeSet<String>,
    /// The variables that are set and reach a compiler.
    pub environment: BTreeMap<String, String>,
    /// What a build for profiling sets beyond that; empty for what is measured, whose record does not have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiling: Vec<String>,
}

impl Inputs {
    /// Reads them for a program. `stack` is the stack's stamp, `toolkit` what an arm with a CUDA feature is built with.
    pub fn take(
        layout: &Layout,
        program: &Program,
        spec: &ArmSpec,
        stack: &str,
        toolkit: Option<&Toolkit>,
    ) -> Result<Self> {
        let features: BTreeSet<String> = spec.features.iter().cloned().collect();
        let on_gpu = spec.has_cuda();
        let nvcc = on_gpu.then(|| {
            toolkit.map_or_else(|| "not found".to_owned(), |own| own.version.full.clone())
        });
        Ok(Self {
            stack: stack.to_owned(),
            sources: sources(layout, program.sources)?,
            lock: hash_of_file(layout, &layout.root.join(program.lock))?,
            profile: cargo_config(Some(&layout.root.join(".cargo")))?,
            cargo_config: cargo_config(cargo_home().as_deref())?,
            rustc: cargo::rustc_version(layout)?,
            cc: version("CC", "cc").swap_remove(0),
            nvcc,
            cuda: toolkit.filter(|_| on_gpu).map(Toolkit::record),
            features,
            environment: environment(
                on_gpu,
                std::env::vars_os().filter_map(|(k, v)| {
                    Some((k.into_string().ok()?, v.to_string_lossy().into_owned()))
                }),
            ),
            profiling: Vec::new(),
        })
    }

    /// The same for another purpose than measuring: a stamp of its own.
    pub fn built_for(mut self, purpose: Purpose) -> Self {
        let features: Vec<String> = self.features.iter().cloned().collect();
        self.profiling = purpose.settings(&features);
        self
    }

    /// The arm's stamp.
    pub fn stamp(&self) -> Result<String> {
        let text =
            serde_json::to_string(self).context("cannot write down what an arm is made of")?;
        Ok(hex::encode(Sha256::digest(text)))
    }
}

fn sources(layout: &Layout, packages: &[&str]) -> Result<String> {
    let mut hasher = Sha256::new();
    add_file(layout, &mut hasher, &layout.root.join("Cargo.toml"))?;
    for package in packages {
        add_folder(layout, &mut hasher, package)?;
    }
    Ok(hex::encode(hasher.finalize()))
}

/// Takes every file of a folder that a package's binaries can be made of.
pub(super) fn add_folder(layout: &Layout, hasher: &mut Sha256, folder: &str) -> Result<()> {
    let compiled = |entry: &walkdir::DirEntry| {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy();
        // A package inside a package counts for itself.
        let other = entry.file_type().is_dir() && path.join("Cargo.toml").exists();
        let unused = entry.depth() == 1 && NOT_COMPILED.contains(&&*name);
        entry.depth() == 0 || !(other || unused || name.starts_with('.'))
    };
    for entry in WalkDir::new(layout.root.join(folder))
        .sort_by_file_name()
        .into_iter()
        .filter_entry(compiled)
    {
        let entry = entry.with_context(|| format!("cannot read {folder}"))?;
        if !entry.file_type().is_dir() {
            add_file(layout, hasher, entry.path())?;
        }
    }
    Ok(())
}

fn add_file(layout: &Layout, hasher: &mut Sha256, path: &Path) -> Result<()> {
    // A digest has one length, so that no two lists of files make the same bytes.
    hasher.update(format!(
        "{}\0{}\n",
        layout.show(path),
        hash_of_file(layout, path)?
    ));
    Ok(())
}

fn hash_of_file(layout: &Layout, path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", layout.show(path)))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

/// Where cargo keeps the user's configuration.
fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(Into::into);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// Hash of the configuration in a folder, as values and without aliases, which compile nothing; of nothing where there
/// is none.
fn cargo_config(folder: Option<&Path>) -> Result<String> {
    let path = folder.map(|folder| folder.join("config.toml"));
    let mut hasher = Sha256::new();
    if let Some(path) = path
        && let Ok(text) = fs::read_to_string(&path)
    {
        let mut table: toml::Table =
            toml::from_str(&text).with_context(|| path.display().to_string())?;
        table.remove("alias");
        hasher.update(table.to_string());
    }
    Ok(hex::encode(hasher.finalize()))
}

/// The lines that a compiler says of its version, at least one.
fn version(variable: &str, default: &str) -> Vec<String> {
    let program = std::env::var_os(variable).unwrap_or_else(|| default.into());
    let output = Command::new(program).arg("--version").output();
    let text = match &output {
        Ok(output) => String::from_utf8_lossy(&output.stdout),
        Err(_) => "not found".into(),
    };
    text.trim_end().split('\n').map(str::to_owned).collect()
}

fn environment(
    on_gpu: bool,
    variables: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, String> {
    let begins = |name: &str, prefixes: &[&str]| prefixes.iter().any(|own| name.starts_with(own));
    variables
        .filter(|(name, _)| {
            let named = VARIABLES.contains(&name.as_str()) || begins(name, PREFIXES);
            let of_nvcc = begins(name, OF_NVCC) && !CHOOSING.contains(&name.as_str());
            (named || on_gpu && of_nvcc) && name != "CARGO_TARGET_DIR"
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn only_what_reaches_a_compiler_counts() {
        let all = [
            "RUSTFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_TARGET_DIR",
            "HOME",
            "CC_x86_64-unknown-linux-gnu",
            "CARGO",
            "CUDA_HOME",
            "NVCC",
            "NVCC_CCBIN",
            "NVCC_APPEND_FLAGS",
        ];
        let kept = |on_gpu| {
            let all = all.iter().map(|name| ((*name).to_owned(), "1".to_owned()));
            environment(on_gpu, all).into_keys().collect::<Vec<_>>()
        };
        let mut names = vec![
            "CARGO_PROFILE_RELEASE_LTO",
            "CC_x86_64-unknown-linux-gnu",
            "RUSTFLAGS",
        ];
        assert_eq!(kept(false), names);
        // What chooses a toolkit counts by what it chose.
        names.insert(2, "NVCC_APPEND_FLAGS");
        assert_eq!(kept(true), names);
    }

    #[test]
    fn a_profile_is_its_values() {
        let temp = tempfile::tempdir().unwrap();
        let hash = |text: &str| {
            fs::write(temp.path().join("config.toml"), text).unwrap();
            cargo_config(Some(temp.path())).unwrap()
        };
        let first = hash("[profile.release]\nopt-level = 3\n");
        let aliased = "# why\n[alias]\nx = \"run\"\n[profile.release]\nopt-level = 3\n";
        assert_eq!(hash(aliased), first);
        assert_ne!(hash("[profile.release]\nopt-level = 2\n"), first);
        assert_ne!(cargo_config(None).unwrap(), first);
    }

    #[test]
    fn sources_are_what_is_compiled_in() {
        let temp = tempfile::tempdir().unwrap();
        let layout = Layout::new(temp.path());
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in [
            "Cargo.toml",
            "p/Cargo.toml",
            "p/src/lib.rs",
            "p/inner/Cargo.toml",
            "p/inner/src/lib.rs",
            "p/tests/t.rs",
        ] {
            write(path, "1");
        }
        let hash = || sources(&layout, &["p"]).unwrap();
        let first = hash();
        for (path, counts) in [
            ("p/tests/t.rs", false),
            ("p/inner/src/lib.rs", false),
            ("p/src/lib.rs", true),
            ("p/src/new.rs", true),
            ("Cargo.toml", true),
        ] {
            let before = hash();
            write(path, "2");
            assert_eq!(hash() != before, counts, "{path}");
        }
        assert_ne!(hash(), first);
    }
}
