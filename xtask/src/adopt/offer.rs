//! What a project may take: the trees of this checkout, or the folder that `dist` wrote.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::project::Manifest;
use super::toolchain::{self, Demand};
use crate::dist::{self, State};
use crate::layout::Layout;
use crate::progress::Progress;
use crate::resolve::{self, Copy};
use crate::stack::manifest::Manifest as Series;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::Selection;

/// The engine, which is in no registry.
pub const ENGINE: &str = "cuzk-core";

/// The stack's crates, and where they are.
#[derive(Debug)]
pub struct Offer {
    /// The folder of folders, resolved.
    pub folder: PathBuf,
    /// Each crate.
    pub copies: Vec<Copy>,
    /// The engine's folder.
    pub engine: PathBuf,
}

impl Offer {
    /// The default series of this checkout. Its trees are made where they are not as they must be.
    pub fn of_checkout(layout: &Layout) -> Result<Self> {
        let series = Series::load(layout)?;
        let stack = materialise(
            layout,
            &series,
            &Selection::Patched,
            Edited::Refuse,
            Progress::stderr(),
        )?;
        let copies = series.releases.iter().map(|release| {
            let place = stack
                .trees
                .get(&release.name)
                .context("a stack without one of its crates")?;
            read(place)
        });
        Ok(Self {
            folder: layout.extern_dir.clone(),
            copies: copies.collect::<Result<_>>()?,
            engine: layout.root.join(ENGINE),
        })
    }

    /// A folder that `cargo xtask dist` wrote.
    pub fn of_dist(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let place = folder
            .canonicalize()
            .with_context(|| format!("--from {shown} cannot be looked at"))?;
        match dist::inspect(&place)
            .with_context(|| format!("--from {shown} cannot be looked at"))?
        {
            State::Clean(_) => {}
            State::Absent | State::Foreign => {
                bail!("--from {shown} is not what `cargo xtask dist` writes")
            }
            State::Edited(difference) => bail!(
                "--from {shown} was changed since `cargo xtask dist` wrote it, so that nobody knows what it is:\n{}",
                dist::list(&difference)
            ),
        }
        let crates = place.join("crates");
        let entries =
            fs::read_dir(&crates).with_context(|| format!("cannot read {}", crates.display()))?;
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", crates.display()))?;
            if entry.path().join("Cargo.toml").is_file() && entry.file_name() != ENGINE {
                folders.push(entry.path());
            }
        }
        folders.sort();
        if folders.is_empty() {
            bail!("--from {shown}: there is no crate in {}", crates.display());
        }
        Ok(Self {
            copies: folders
                .iter()
                .map(|folder| read(folder))
                .collect::<Result<_>>()?,
            engine: crates.join(ENGINE),
            folder: crates,
        })
    }

    /// What the crates that `wanted` names need of a toolchain.
    pub fn demands(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<Demand>> {
        let mut demands = Vec::new();
        for copy in self.copies.iter().filter(|copy| wanted(&copy.name)) {
            let manifest = Manifest::read(&copy.path.join("Cargo.toml"))?;
            let shown = format!("the stack's {} {}", copy.name, copy.version);
            demands.extend(toolchain::of_manifest(&shown, &manifest.table));
        }
        Ok(demands)
    }
}

fn read(folder: &Path) -> Result<Copy> {
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot resolve {}", folder.display()))?;
    let path = folder.join("Cargo.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    resolve::copy(&folder, &text).with_context(|| path.display().to_string())
}
