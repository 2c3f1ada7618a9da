//! From the releases and a selection to trees on disk.

mod advice;
mod survey;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::manifest::{Manifest, Optimisation};
use super::selection::Selection;
use super::series::{self, Trees};
use super::stamp::{Origin, Stamp};
use super::{release, swap};
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use advice::{explain, refusal};
use survey::Survey;

/// A stack that is there.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Which one.
    pub selection: Selection,
    /// Hash of its trees: stacks with equal trees are one stack.
    pub stamp: String,
    /// The id of each crate's tree.
    pub ids: BTreeMap<String, String>,
    /// Where its trees are.
    pub folder: PathBuf,
    /// Where each crate's tree is.
    pub trees: BTreeMap<String, PathBuf>,
    /// The file for `cargo --config`; none for `patched`, which the workspace's own table points at.
    pub config: Option<PathBuf>,
    /// The trees that had to be made.
    pub made: Vec<String>,
}

/// What to do with trees that were edited by hand.
#[derive(Clone, Copy, Debug)]
pub enum Edited<'a> {
    /// Refuse, and name them.
    Refuse,
    /// Throw the edits away.
    Discard,
    /// Move each edited tree into this folder first.
    Keep(&'a Path),
}

/// Makes the trees of a stack where they are not as they must be.
pub fn materialise(
    layout: &Layout,
    manifest: &Manifest,
    selection: &Selection,
    edited: Edited<'_>,
    progress: Progress,
) -> Result<Stack> {
    let load = || release::load(layout, &manifest.releases, progress);
    materialise_on(layout, manifest, selection, edited, progress, load)
}

/// `load` gives the releases; it is called when a tree has to be made.
pub(crate) fn materialise_on(
    layout: &Layout,
    manifest: &Manifest,
    selection: &Selection,
    edited: Edited<'_>,
    progress: Progress,
    load: impl FnOnce() -> Result<Trees>,
) -> Result<Stack> {
    let chosen = selection.optimisations(manifest)?;
    let folder = folder(layout, selection);
    // Two runs at a time would swap each other's trees.
    let _lock = lock::take(layout, "vendor", progress)?;
    let trees: BTreeMap<String, PathBuf> = manifest
        .releases
        .iter()
        .map(|r| (r.name.clone(), folder.join(&r.name)))
        .collect();
    for place in trees.values() {
        swap::recover(place)?;
    }
    let Survey {
        mut ids,
        stale,
        touched,
    } = Survey::take(layout, manifest, &chosen, &trees)?;
    if !touched.is_empty() && matches!(edited, Edited::Refuse) {
        bail!("{}", refusal(layout, selection, &folder, &touched));
    }
    if let Edited::Keep(keep) = edited {
        check_keep(keep, touched.keys())?;
    }
    if !stale.is_empty() {
        progress.step(
            "Vendoring",
            format!(
                "{selection}: {}",
                stale.iter().cloned().collect::<Vec<_>>().join(", ")
            ),
        );
        let releases = load()?;
        let made = series::build(&releases, manifest, &chosen)
            .map_err(|error| explain(error, selection, manifest))?;
        // Everything is known to be good from here on; only now the disk changes.
        for name in &stale {
            let (Some(tree), Some(place)) = (made.get(name), trees.get(name)) else {
                continue;
            };
            if let (Edited::Keep(keep), true) = (edited, touched.contains_key(name)) {
                swap::move_away(place, &keep.join(name))?;
                progress.step(
                    "Kept",
                    format!(
                        "the edited {} as {}",
                        layout.show(place),
                        keep.join(name).display()
                    ),
                );
            }
            let stamp = Stamp::new(origin(manifest, &chosen, name), tree);
            swap::install(place, tree, &stamp)?;
            ids.insert(name.clone(), stamp.tree);
        }
    }
    let config = match selection {
        Selection::Patched => None,
        _ => Some(write_config(layout, &folder, &trees)?),
    };
    Ok(Stack {
        selection: selection.clone(),
        stamp: stack_stamp(&ids),
        ids,
        folder,
        trees,
        config,
        made: stale.into_iter().collect(),
    })
}

/// Where the trees of a stack are.
fn folder(layout: &Layout, selection: &Selection) -> PathBuf {
    match selection {
        Selection::Patched => layout.extern_dir.clone(),
        other => layout.stacks.join(other.to_string()),
    }
}

/// What the tree of one crate is made of.
fn origin(manifest: &Manifest, chosen: &[&Optimisation], name: &str) -> Origin {
    let release = manifest.releases.iter().find(|r| r.name == name);
    let patches = chosen
        .iter()
        .filter_map(|o| Some((o.slug.clone(), o.patches.get(name)?.sha256.clone())));
    // All three: a checksum that is wrong in stack.toml must not pass because the tree is there already.
    let release = release.map_or_else(String::new, |r| {
        format!("{} {} {}", r.version, r.checksum, r.tree)
    });
    Origin::new(&release, patches.collect())
}

impl Stack {
    /// The stamp of what an arm with these features compiles. A crate that is not compiled counts as its release, so
    /// that patches on it leave the arm the one that it was.
    pub fn stamp_with(&self, manifest: &Manifest, features: &[String]) -> String {
        let mut ids = self.ids.clone();
        for release in &manifest.releases {
            if !release.is_compiled(features) {
                ids.insert(release.name.clone(), release.tree.clone());
            }
        }
        stack_stamp(&ids)
    }
}

/// The stamp of a stack whose crates have these tree ids.
pub(super) fn stack_stamp(ids: &BTreeMap<String, String>) -> String {
    let mut hasher = Sha256::new();
    for (name, id) in ids {
        hasher.update(format!("{name} {id}\n"));
    }
    hex::encode(hasher.finalize())
}

fn write_config(
    layout: &Layout,
    folder: &Path,
    trees: &BTreeMap<String, PathBuf>,
) -> Result<PathBuf> {
    let mut table = toml::Table::new();
    for (name, place) in trees {
        let place = place.to_str().with_context(|| {
            format!(
                "{} is not UTF-8, which cargo's configuration must be",
                place.display()
            )
        })?;
        table.insert(name.clone(), toml::toml! { path = place }.into());
    }
    let registry = toml::Table::from_iter([("crates-io".to_owned(), table.into())]);
    let text =
        toml::Table::from_iter([("patch".to_owned(), toml::Value::from(registry))]).to_string();
    let path = folder.join("arm.toml");
    if !fs::read_to_string(&path).is_ok_and(|found| found == text) {
        fs::write(&path, text).with_context(|| format!("cannot write {}", layout.show(&path)))?;
    }
    Ok(path)
}

fn check_keep<'a>(keep: &Path, names: impl Iterator<Item = &'a String>) -> Result<()> {
    for name in names {
        let target = keep.join(name);
        if target.symlink_metadata().is_ok() {
            bail!(
                "{} is there already: give --keep another folder",
                target.display()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
