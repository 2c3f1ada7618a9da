//! What an edit was opened from, kept in the repository itself.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::SERIES;
use super::drafts::{Drafts, OffPlace};
use crate::patch::object::ObjectId;
use crate::scratch::Scratch;
use crate::stack::manifest::{Manifest, Release};

/// Below `.git`.
const FILE: &str = "cuzk-edit.json";

/// What an edit was opened from, or last exported to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    schema: u32,
    /// The release.
    release: Published,
    /// The commit that holds the release.
    pub import: String,
    /// The patches of the crate, in the order of stack.toml.
    pub patches: Vec<Recorded>,
    /// Those of them that no commit holds, since they fit nowhere.
    pub left_out: BTreeSet<String>,
    /// The branches and their commits.
    pub tips: BTreeMap<String, String>,
    /// Every commit that `series` had at opening or at an export: what the branch of a patch that is off may stand on.
    pub commits: BTreeSet<String>,
}

/// A release, as stack.toml has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Published {
    name: String,
    version: String,
    checksum: String,
    tree: String,
}

/// A patch, as stack.toml and the file have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its optimisation.
    pub slug: String,
    /// True when the default series has it.
    pub default: bool,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl State {
    pub(super) fn new(
        manifest: &Manifest,
        release: &Release,
        drafts: &Drafts,
        ids: &[ObjectId],
    ) -> Self {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let branches = drafts.commits.iter().map(|draft| draft.branch.clone());
        let left_out = drafts.off.iter();
        Self {
            schema: 1,
            release: Published::of(release),
            import: ids.first().cloned().unwrap_or_default(),
            patches: recorded(manifest, &release.name),
            left_out: left_out
                .filter(|(_, place)| matches!(place, OffPlace::LeftOut(_)))
                .map(|(slug, _)| slug.clone())
                .collect(),
            // Of several commits on a branch, the last stays.
            tips: branches.clone().zip(ids.iter().cloned()).collect(),
            commits: branches
                .zip(ids)
                .filter(|(branch, _)| branch == SERIES)
                .map(|(_, id)| id)
                .collect(),
        }
    }

    /// Reads it; none where the repository has none.
    pub fn read(scratch: &Scratch) -> Result<Option<Self>> {
        let state: Option<Self> = scratch.state(FILE)?;
        if let Some(state) = &state {
            ensure!(
                state.schema == 1,
                "{}: schema {} is not known to this xtask; `--discard` makes the folder anew",
                scratch.root().display(),
                state.schema
            );
        }
        Ok(state)
    }

    /// Writes it.
    pub fn write(&self, scratch: &Scratch) -> Result<()> {
        Ok(scratch.remember(FILE, self)?)
    }

    /// After an export: the patches as they are now, the branches that they came from, and the commits of `series`.
    pub fn exported(
        &mut self,
        manifest: &Manifest,
        tips: BTreeMap<String, String>,
        commits: impl Iterator<Item = String>,
    ) {
        self.patches = recorded(manifest, &self.release.name);
        let there: BTreeSet<&String> = self.patches.iter().map(|p| &p.slug).collect();
        self.left_out.retain(|slug| there.contains(slug));
        self.tips = tips;
        self.commits.extend(commits);
    }

    /// The slugs of the default series.
    pub fn series(&self) -> Vec<String> {
        let on = self.patches.iter().filter(|p| p.default);
        on.map(|p| p.slug.clone()).collect()
    }

    /// True when this is a patch that it was opened from.
    pub fn has(&self, slug: &str, sha256: &str) -> bool {
        let mut own = self.patches.iter();
        own.any(|patch| patch.slug == slug && patch.sha256 == sha256)
    }

    /// The release that it stands on, when stack.toml names another by now.
    pub fn other_release(&self, release: &Release) -> Option<String> {
        (self.release != Published::of(release))
            .then(|| format!("{} {}", self.release.name, self.release.version))
    }

    /// What is other below extern/ than what is recorded, a clause each.
    pub fn moved(&self, manifest: &Manifest, release: &Release) -> Vec<String> {
        let mut moved = Vec::new();
        if let Some(old) = self.other_release(release) {
            moved.push(format!("the release is {}, not {old}", release.version));
        }
        let now = recorded(manifest, &release.name);
        let find = |list: &[Recorded], slug: &str| list.iter().find(|p| p.slug == slug).cloned();
        for patch in &now {
            match find(&self.patches, &patch.slug) {
                None => moved.push(format!("`{}` is new", patch.slug)),
                Some(old) if old.default != patch.default => {
                    let word = if patch.default { "on" } else { "off" };
                    moved.push(format!("`{}` is {word}", patch.slug));
                }
                Some(old) if old.sha256 != patch.sha256 => {
                    moved.push(format!("`{}` is another patch", patch.slug));
                }
                Some(_) => {}
            }
        }
        for patch in &self.patches {
            if find(&now, &patch.slug).is_none() {
                moved.push(format!("`{}` is gone", patch.slug));
            }
        }
        if moved.is_empty() && now != self.patches {
            moved.push("the order is another".to_owned());
        }
        moved
    }
}

impl Published {
    fn of(release: &Release) -> Self {
        Self {
            name: release.name.clone(),
            version: release.version.clone(),
            checksum: release.checksum.clone(),
            tree: release.tree.clone(),
        }
    }
}

fn recorded(manifest: &Manifest, name: &str) -> Vec<Recorded> {
    let own = manifest.optimisations.iter();
    own.filter_map(|o| {
        Some(Recorded {
            slug: o.slug.clone(),
            default: o.default,
            sha256: o.patches.get(name)?.sha256.clone(),
        })
    })
    .collect()
}
