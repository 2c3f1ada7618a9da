//! A look at a foreign workspace: nothing below it changes.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::engine::{self, Engine};
use super::entries::Entries;
use super::offer::{ENGINE, Offer};
use super::project::{Project, Workspace};
use super::survey::{self, Row, State, Subject};
use super::toolchain::{self, Toolchain};
use crate::cargo;
use crate::resolve::{Lock, Metadata};

/// A workspace with a toolchain that can read it and the stack.
#[derive(Debug)]
pub struct Place {
    /// Its files.
    pub project: Project,
    /// What it selects.
    pub toolchain: Toolchain,
    /// What cargo takes it for.
    pub workspace: Workspace,
    /// What it may take.
    pub offer: Offer,
}

/// How the crates of the stack stand in it.
#[derive(Debug)]
pub struct View {
    /// One row a crate.
    pub rows: Vec<Row>,
    /// The engine, where the workspace uses it.
    pub engine: Option<Engine>,
}

impl View {
    /// True when every crate of the stack that the workspace uses resolves once, to the stack's folder.
    pub fn is_good(&self) -> bool {
        self.rows
            .iter()
            .all(|row| matches!(row.state, State::Patched | State::NotUsed))
    }

    /// True when a crate cannot be patched.
    pub fn is_blocked(&self) -> bool {
        self.rows.iter().any(|row| row.state == State::Not)
    }

    /// The rows whose line is missing. None where a crate can't be patched: the stack's crates are changed together, and one
    /// of them beside a published one need not even compile.
    pub fn missing_lines(&self) -> impl Iterator<Item = &Row> {
        let missing = |row: &&Row| row.state == State::WouldBe && !row.has_line;
        let rows = if self.is_blocked() {
            &[]
        } else {
            &self.rows[..]
        };
        rows.iter().filter(missing)
    }
}

impl Place {
    /// Finds the workspace of `folder` and holds its toolchain against it, before any of its files is given to cargo.
    pub fn find(folder: &Path, offer: Offer) -> Result<Self> {
        let project = Project::find(folder)?;
        let toolchain = Toolchain::of(&project)?;
        let lock = read_lock(&project.lock())?.unwrap_or_default();
        let mut demands: Vec<_> = toolchain::of_lock(&project.lock().display().to_string(), &lock)
            .into_iter()
            .collect();
        for manifest in &project.manifests {
            demands.extend(toolchain::of_manifest(
                &manifest.path.display().to_string(),
                &manifest.table,
            ));
        }
        let locked: Lock = toml::from_str(&lock).unwrap_or_default();
        let asked: Vec<_> = project
            .manifests
            .iter()
            .map(|manifest| manifest.asks_for())
            .collect();
        demands.extend(offer.demands(|name| {
            locked.package.iter().any(|p| p.name == name)
                || asked.iter().any(|names| names.contains(name))
        })?);
        toolchain.check(&project.folder, demands)?;
        let workspace = workspace(&project)?;
        Ok(Self {
            project,
            toolchain,
            workspace,
            offer,
        })
    }

    /// Looks at the graph as the lock file has it.
    pub fn look(&self) -> Result<View> {
        let path = self.workspace.lock();
        let root = self.workspace.workspace_root.display();
        let Some(text) = read_lock(&path)? else {
            bail!(
                "{root} has no Cargo.lock, by which its graph would be told: run `cargo generate-lockfile` there first, or take --write, which makes one"
            );
        };
        let lock: Lock = toml::from_str(&text)
            .with_context(|| format!("{} is not understood", path.display()))?;
        let mut metadata = self.metadata(true)?;
        let unseen = |name: &str| {
            lock.package.iter().any(|p| p.name == name)
                && !metadata.packages.iter().any(|p| p.name == name)
        };
        if self.offer.copies.iter().any(|copy| unseen(&copy.name)) {
            // On another platform only.
            metadata = self.metadata(false)?;
        }
        for package in metadata.packages.iter_mut().filter(|p| p.source.is_none()) {
            if let Ok(path) = package.manifest_path.canonicalize() {
                package.manifest_path = path;
            }
        }
        let entries = Entries::read(
            &self.workspace,
            &self.project.folder,
            cargo_home().as_deref(),
        )?;
        let root = self.workspace.manifest();
        let subject = Subject {
            metadata: &metadata,
            lock: &lock,
            entries: &entries,
            root: &root,
            copies: &self.offer.copies,
        };
        let rows = survey::rows(&subject);
        let engine = engine::find(&metadata, &rows, &self.offer);
        Ok(View { rows, engine })
    }

    /// What to do where cargo does not resolve.
    pub(super) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        let root = self.workspace.workspace_root.display();
        let said = error.to_string();
        // Cargo's own words for a lock file that is out of date, and for what is nowhere.
        let advice = if said.contains("--locked was passed") {
            "its Cargo.lock is older than a manifest: `cargo metadata --format-version 1` there brings it in line and changes \
             nothing else in it, and so does --write"
                .to_owned()
        } else if said.contains(&format!("no matching package named `{ENGINE}`")) {
            let engine = self.offer.engine.display();
            format!(
                "{ENGINE} is in no registry: take it by path, `cargo add {ENGINE} --path {engine}`"
            )
        } else {
            "in cargo's words:".to_owned()
        };
        error.context(format!("the graph of {root} does not resolve; {advice}"))
    }

    fn metadata(&self, host_only: bool) -> Result<Metadata> {
        let mut command = self.project.cargo();
        // All features: resolving builds nothing, and a lock file is of all features too.
        command.args([
            "metadata",
            "--locked",
            "--all-features",
            "--format-version",
            "1",
        ]);
        if host_only {
            command.args(["--filter-platform", &self.toolchain.host]);
        }
        let (text, _) = cargo::output(&mut command).map_err(|error| self.explain(error))?;
        serde_json::from_str(&text).context("cargo metadata printed what is not understood here")
    }
}

fn workspace(project: &Project) -> Result<Workspace> {
    let mut command = project.cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let (text, _) = cargo::output(&mut command).with_context(|| {
        format!(
            "cargo cannot read the project at {}",
            project.folder.display()
        )
    })?;
    serde_json::from_str(&text).context("cargo metadata printed what is not understood here")
}

fn read_lock(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Where cargo keeps the user's configuration.
fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}
