//! A rebase that is under way, on disk below target/rebase: at most one, whatever the crate.
//!
//! `target/rebase/CRATE` is where a person works, and `target/rebase/.state` what the program knows: `state.json`, the
//! trees that a person made (`resolved/SLUG`), and while files of the repository change what they were (`journal`). Where
//! `state.json` is gone, the rebase is over, whatever else is left.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::replay::Decision;
use crate::files;
use crate::layout::Layout;
use crate::stack::manifest::Manifest;
use crate::stack::tree::Tree;
use crate::upkeep::journal::{self, Journal};

/// Said where there is no rebase.
pub const NONE: &str = "no rebase is under way: `cargo xtask patch rebase CRATE VERSION` begins one, and one that is through is undone by git";

/// What is known of a rebase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Form of this file.
    pub schema: u32,
    /// The crate.
    #[serde(rename = "crate")]
    pub name: String,
    /// The release that its patches were made for.
    pub old: String,
    /// The release that they go to.
    pub new: String,
    /// SHA-256 of what the rebase was begun from, by path.
    pub begun_from: BTreeMap<String, String>,
    /// What a person decided, in order.
    pub decisions: Vec<Decided>,
    /// Where it waits for a person.
    pub stop: Option<Stopped>,
}

/// A patch that a person decided about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Its slug.
    pub slug: String,
    /// True when it was left out; else `resolved/SLUG` is the tree with it.
    pub skipped: bool,
}

/// A patch that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Its slug.
    pub slug: String,
    /// Files in which conflicts are marked.
    pub marked: Vec<String>,
    /// Files that say what had no place.
    pub rejects: Vec<String>,
}

/// Where a rebase lies.
#[derive(Clone, Debug)]
pub struct Session {
    root: PathBuf,
    folder: PathBuf,
    private: PathBuf,
}

impl Session {
    /// Where the rebase of this checkout lies, if there is one.
    pub fn new(layout: &Layout) -> Self {
        let folder = layout.target.join("rebase");
        Self {
            root: layout.root.clone(),
            private: folder.join(".state"),
            folder,
        }
    }

    /// Where a person works on `name`.
    pub fn desk(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The journal of its last step.
    pub fn journal(&self) -> Journal {
        Journal::new(&self.private.join("journal"), &self.root)
    }

    /// The state; none where no rebase is under way.
    pub fn state(&self) -> Result<Option<State>> {
        let path = self.private.join("state.json");
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let state: State = serde_json::from_slice(&text).with_context(|| {
            format!(
                "{} is not understood: `cargo xtask patch rebase --abort` puts everything back",
                path.display()
            )
        })?;
        ensure!(
            state.schema == 1,
            "{} has schema {}, and this xtask reads schema 1",
            path.display(),
            state.schema
        );
        Ok(Some(state))
    }

    /// True when a rebase is under way, whatever its state says.
    pub fn is_open(&self) -> bool {
        self.private.join("state.json").exists()
    }

    /// The state of the rebase that is under way.
    pub fn under_way(&self) -> Result<State> {
        match self.state()? {
            Some(state) => Ok(state),
            None => bail!(NONE),
        }
    }

    /// Writes the state.
    pub fn remember(&self, state: &State) -> Result<()> {
        let path = self.private.join("state.json");
        let text = serde_json::to_vec_pretty(state)?;
        files::replace(&path, &text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Keeps the tree that a person made of a patch.
    pub fn keep(&self, slug: &str, tree: &Tree) -> Result<()> {
        let folder = self.resolved(slug);
        journal::remove(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        Ok(tree.write(&folder, None)?)
    }

    /// The decisions, with the trees.
    pub fn decisions(&self, state: &State) -> Result<BTreeMap<String, Decision>> {
        let mut decisions = BTreeMap::new();
        for decided in &state.decisions {
            let decision = match decided.skipped {
                true => Decision::Skip,
                false => Decision::Resolved(Tree::read(&self.resolved(&decided.slug), &[])?),
            };
            decisions.insert(decided.slug.clone(), decision);
        }
        Ok(decisions)
    }

    /// Ends the rebase. The state goes first: from then on there is none, whatever is left to be removed.
    pub fn end(&self) -> Result<()> {
        let path = self.private.join("state.json");
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
        journal::remove(&self.folder)
            .with_context(|| format!("cannot remove {}", self.folder.display()))
    }

    fn resolved(&self, slug: &str) -> PathBuf {
        self.private.join("resolved").join(slug)
    }
}

/// What a rebase of `name` is made from: stack.toml, and the patches of the crate.
pub fn sources(
    layout: &Layout,
    manifest: &Manifest,
    name: &str,
) -> Result<BTreeMap<String, String>> {
    let text = fs::read(&layout.stack_toml).context("cannot read extern/stack.toml")?;
    let mut sums = BTreeMap::from([(
        layout.show(&layout.stack_toml),
        hex::encode(Sha256::digest(text)),
    )]);
    for patch in manifest
        .optimisations
        .iter()
        .filter_map(|o| o.patches.get(name))
    {
        let path = layout.patches.join(Path::new(&patch.name));
        sums.insert(layout.show(&path), patch.sha256.clone());
    }
    Ok(sums)
}
