//! The default series of one crate, and where beside it a patch fits that is off.

use crate::patch::Patch;
use crate::patch::apply::{self, ApplyError, How};
use crate::patch::known::Blobs;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::tree::Tree;

/// The trees along the default series of one crate.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The patches, by slug, in order.
    pub patches: Vec<(&'a str, &'a Patch)>,
    /// The release, then the tree after each patch.
    pub trees: Vec<Tree>,
    /// The contents along it.
    blobs: Blobs,
}

/// Where a patch fits that is off.
#[derive(Clone, Debug)]
pub enum Fit {
    /// Exactly, on the tree of that number.
    Exactly(usize, Tree),
    /// Nowhere exactly; merged onto the last tree, by the rules for other subsets of the series.
    Merged(Tree),
}

/// The patches of one crate that are on (or off), with their optimisations.
pub fn patches<'a>(
    manifest: &'a Manifest,
    name: &str,
    on: bool,
) -> Vec<(&'a Optimisation, &'a Patch)> {
    let own = manifest.optimisations.iter().filter(|o| o.default == on);
    own.filter_map(|o| Some((o, o.patches.get(name)?)))
        .collect()
}

impl<'a> Line<'a> {
    /// Applies the default series, exactly.
    pub fn new(manifest: &'a Manifest, name: &str, release: &Tree) -> Result<Self, ApplyError> {
        let mut line = Self {
            patches: Vec::new(),
            trees: vec![release.clone()],
            blobs: Blobs::default(),
        };
        for (optimisation, patch) in patches(manifest, name, true) {
            let after = apply::apply(line.last(), patch, How::Exact)?;
            line.learn(patch, &after);
            line.patches.push((&optimisation.slug, patch));
            line.trees.push(after);
        }
        Ok(line)
    }

    /// The tree after the whole series.
    pub fn last(&self) -> &Tree {
        // There is always the release.
        &self.trees[self.trees.len() - 1]
    }

    fn learn(&mut self, patch: &Patch, after: &Tree) {
        if let Some(before) = self.trees.last() {
            self.blobs.learn_tree(before, patch);
        }
        self.blobs.learn_tree(after, patch);
    }

    /// Where a patch fits that is off: the last place along the series, else merged onto its end.
    pub fn fit(&self, patch: &Patch) -> Result<Fit, ApplyError> {
        for (at, tree) in self.trees.iter().enumerate().rev() {
            if let Ok(after) = apply::apply(tree, patch, How::Exact) {
                return Ok(Fit::Exactly(at, after));
            }
        }
        let mut blobs = self.blobs.clone();
        blobs.learn_patch(patch);
        apply::apply(self.last(), patch, How::Elsewhere(&blobs)).map(Fit::Merged)
    }
}
