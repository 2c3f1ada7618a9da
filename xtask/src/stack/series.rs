//! The series on the releases, in memory.

use std::collections::BTreeMap;

use super::manifest::{Manifest, Optimisation};
use super::tree::Tree;
use crate::patch::apply::{self, ApplyError, How};
use crate::patch::known::Blobs;

/// A tree for each crate.
pub type Trees = BTreeMap<String, Tree>;

/// The trees of `chosen` on `releases`. The default series must apply exactly, whichever part of it is asked for: it is
/// where the contents are known from that another subset is merged with.
pub fn build(
    releases: &Trees,
    manifest: &Manifest,
    chosen: &[&Optimisation],
) -> Result<Trees, ApplyError> {
    let default: Vec<&Optimisation> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .collect();
    let (mut trees, mut blobs) = (releases.clone(), Blobs::default());
    let mut made = (chosen.is_empty()).then(|| trees.clone());
    for (index, optimisation) in default.iter().enumerate() {
        trees = step(&trees, optimisation, How::Exact, Some(&mut blobs))?;
        if is_same(&default[..=index], chosen) {
            made = Some(trees.clone());
        }
    }
    if let Some(made) = made {
        return Ok(made);
    }
    // An experiment was made for a place along the series, or on top of an experiment before it.
    for optimisation in manifest.optimisations.iter().filter(|o| !o.default) {
        for patch in optimisation.patches.values() {
            blobs.learn_patch(patch);
        }
    }
    chosen
        .iter()
        .try_fold(releases.clone(), |trees, optimisation| {
            step(&trees, optimisation, How::Elsewhere(&blobs), None)
        })
}

fn is_same(a: &[&Optimisation], b: &[&Optimisation]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.slug == b.slug)
}

/// One optimisation more, on every crate that it touches.
fn step(
    trees: &Trees,
    optimisation: &Optimisation,
    how: How<'_>,
    mut learn: Option<&mut Blobs>,
) -> Result<Trees, ApplyError> {
    let mut next = trees.clone();
    for (name, patch) in &optimisation.patches {
        // The manifest has checked that the crate is one of the releases.
        let before = trees.get(name).cloned().unwrap_or_default();
        let after = apply::apply(&before, patch, how)?;
        if let Some(blobs) = learn.as_deref_mut() {
            blobs.learn_tree(&before, patch);
            blobs.learn_tree(&after, patch);
        }
        next.insert(name.clone(), after);
    }
    Ok(next)
}
