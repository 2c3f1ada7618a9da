//! The stamps of stacks, found in memory: nothing is written, and no tree on disk is asked.

use std::collections::{BTreeMap, HashMap};

use thiserror::Error;

use super::manifest::{Manifest, Optimisation};
use super::materialise::stack_stamp;
use super::selection::{Selection, SelectionError};
use super::series::Trees;
use super::tree::Tree;
use crate::patch::apply::{self, ApplyError, How};
use crate::patch::known::Blobs;

/// Why a stack has no stamp.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum StampError {
    /// Its name means nothing in this series.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Its trees cannot be made; the text names the patch.
    #[error("{0}")]
    Patch(String),
}

/// What one crate is after some patches: its tree, and that tree's id.
#[derive(Clone, Debug)]
struct Made {
    tree: Tree,
    id: String,
}

/// Finds stamps. Dozens of stacks begin with the same patches on the same crates, so each such beginning is made once.
pub struct Stamps<'m> {
    manifest: &'m Manifest,
    releases: &'m Trees,
    blobs: Blobs,
    /// By crate and the slugs of the patches on it, in order.
    made: HashMap<(&'m str, Vec<&'m str>), Result<Made, String>>,
}

impl<'m> Stamps<'m> {
    /// `releases` has every crate of the manifest. Fails where the default series does not apply, for its contents are
    /// what other stacks are merged from.
    pub fn new(manifest: &'m Manifest, releases: &'m Trees) -> Result<Self, ApplyError> {
        let mut blobs = Blobs::default();
        let mut trees: BTreeMap<&str, Tree> = BTreeMap::new();
        for optimisation in manifest.optimisations.iter().filter(|o| o.default) {
            for (name, patch) in &optimisation.patches {
                let before = trees.remove(name.as_str());
                let before =
                    before.unwrap_or_else(|| releases.get(name).cloned().unwrap_or_default());
                let after = apply::apply(&before, patch, How::Exact)?;
                blobs.learn_tree(&before, patch);
                blobs.learn_tree(&after, patch);
                trees.insert(name, after);
            }
        }
        for optimisation in manifest.optimisations.iter().filter(|o| !o.default) {
            for patch in optimisation.patches.values() {
                blobs.learn_patch(patch);
            }
        }
        Ok(Self {
            manifest,
            releases,
            blobs,
            made: HashMap::new(),
        })
    }

    /// The stamp that the stack would have for an arm with these features if it were made today: that of
    /// [`Stack::stamp_with`](super::materialise::Stack::stamp_with).
    pub fn of(&mut self, selection: &Selection, features: &[String]) -> Result<String, StampError> {
        let chosen = selection.optimisations(self.manifest)?;
        let mut ids = BTreeMap::new();
        for release in &self.manifest.releases {
            let touching: Vec<&'m Optimisation> = chosen
                .iter()
                .copied()
                .filter(|o| o.patches.contains_key(&release.name))
                .collect();
            // That a release has the tree of stack.toml is checked when it is read.
            let id = match touching.is_empty() {
                true => release.tree.clone(),
                // Also where it does not count: a stack that cannot be made has no arm.
                false => self.made(&release.name, &touching)?.id,
            };
            let id = match release.is_compiled(features) {
                true => id,
                false => release.tree.clone(),
            };
            ids.insert(release.name.clone(), id);
        }
        Ok(stack_stamp(&ids))
    }

    fn made(&mut self, name: &'m str, patches: &[&'m Optimisation]) -> Result<Made, StampError> {
        let key = (name, patches.iter().map(|o| o.slug.as_str()).collect());
        if let Some(made) = self.made.get(&key) {
            return made.clone().map_err(StampError::Patch);
        }
        let made = self.make(name, patches);
        self.made.insert(key, made.clone());
        made.map_err(StampError::Patch)
    }

    fn make(&mut self, name: &'m str, patches: &[&'m Optimisation]) -> Result<Made, String> {
        let Some((last, before)) = patches.split_last() else {
            let tree = self.releases.get(name).cloned().unwrap_or_default();
            return Ok(Made {
                id: tree.id().to_string(),
                tree,
            });
        };
        let before = self
            .made(name, before)
            .map_err(|error| error.to_string())?
            .tree;
        let tree = match last.patches.get(name) {
            Some(patch) => apply::apply(&before, patch, How::Elsewhere(&self.blobs))
                .map_err(|error| error.to_string())?,
            None => before,
        };
        Ok(Made {
            id: tree.id().to_string(),
            tree,
        })
    }
}
