//! The contents that are known by their blob id.

use std::collections::HashMap;
use std::sync::Arc;

use super::object::ObjectId;
use super::{Patch, splice};
use crate::stack::tree::Tree;

/// Contents along the series, by their id: what a patch was made for, and what it made of it.
#[derive(Clone, Debug, Default)]
pub struct Blobs {
    known: HashMap<ObjectId, Arc<[u8]>>,
}

impl Blobs {
    /// The content with that id.
    pub fn get(&self, id: ObjectId) -> Option<&[u8]> {
        self.known.get(&id).map(|bytes| &bytes[..])
    }

    /// Takes in the files of `tree` that `patch` touches.
    pub fn learn_tree(&mut self, tree: &Tree, patch: &Patch) {
        let sides = patch.files.iter().flat_map(|f| f.old.iter().chain(&f.new));
        for file in sides.filter_map(|side| tree.files.get(&side.path)) {
            self.known.insert(file.blob(), file.bytes.clone());
        }
    }

    /// Takes in what `patch` makes of contents that are known: for a patch that no known tree has.
    pub fn learn_patch(&mut self, patch: &Patch) {
        for file in &patch.files {
            let Some((before, after)) = file.blobs else {
                continue;
            };
            let made = self
                .get(before)
                .and_then(|bytes| splice::at_own_lines(bytes, &file.hunks).ok());
            if let Some(made) = made
                && ObjectId::of_blob(&made) == after
            {
                self.known.insert(after, made.into());
            }
        }
    }
}
