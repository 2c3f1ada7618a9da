//! The commits of an edit, before there is a repository.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::line::{self, Fit, Line};
use super::{OFF, SERIES};
use crate::patch::Patch;
use crate::patch::apply::{self, How};
use crate::patch::message::Message;
use crate::scratch::{AUTHOR, Draft};
use crate::stack::manifest::{Manifest, Optimisation, Release};
use crate::stack::tree::Tree;

/// When every release is said to have been imported: a time that is the same for everybody.
const IMPORTED: &str = "Sat, 1 Jan 2000 00:00:00 +0000";

/// Where a patch that is off was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffPlace {
    /// On the release.
    OnRelease,
    /// Exactly on the commit of this slug.
    On(String),
    /// On top of the series, where it does not fit exactly.
    Merged,
    /// Nowhere, for this reason.
    LeftOut(String),
}

/// The commits, and what could not become one.
pub(super) struct Drafts {
    /// The release, the default series, then those that are off.
    pub(super) commits: Vec<Draft>,
    /// The patches that are off, and where they are.
    pub(super) off: Vec<(String, OffPlace)>,
}

impl Drafts {
    pub(super) fn new(manifest: &Manifest, release: &Release, tree: &Tree) -> Result<Self> {
        let name = &release.name;
        let line = Line::new(manifest, name, tree)?;
        let mut drafts = Self {
            commits: vec![Draft {
                branch: SERIES.to_owned(),
                parent: None,
                message: import(release),
                tree: tree.clone(),
            }],
            off: Vec::new(),
        };
        for (at, (slug, patch)) in line.patches.iter().enumerate() {
            drafts.commits.push(Draft {
                branch: SERIES.to_owned(),
                parent: Some(at),
                message: message(slug, patch)?,
                tree: line.trees[at + 1].clone(),
            });
        }
        // Where the branch of each that is off is among the commits.
        let mut branches = BTreeMap::new();
        for (optimisation, patch) in line::patches(manifest, name, false) {
            let message = message(&optimisation.slug, patch)?;
            let (place, made) = drafts.place(&line, &branches, optimisation, patch);
            if let Some((parent, tree)) = made {
                branches.insert(optimisation.slug.as_str(), drafts.commits.len());
                drafts.commits.push(Draft {
                    branch: format!("{OFF}{}", optimisation.slug),
                    parent: Some(parent),
                    message,
                    tree,
                });
            }
            drafts.off.push((optimisation.slug.clone(), place));
        }
        Ok(drafts)
    }

    /// Where a patch goes that is off, on which commit, and the tree that it makes there. What it depends on comes first.
    fn place(
        &self,
        line: &Line<'_>,
        branches: &BTreeMap<&str, usize>,
        optimisation: &Optimisation,
        patch: &Patch,
    ) -> (OffPlace, Option<(usize, Tree)>) {
        for needed in optimisation.depends.iter().rev() {
            if let Some(at) = branches.get(needed.as_str())
                && let Ok(tree) = apply::apply(&self.commits[*at].tree, patch, How::Exact)
            {
                return (OffPlace::On(needed.clone()), Some((*at, tree)));
            }
        }
        match line.fit(patch) {
            Ok(Fit::Exactly(0, tree)) => (OffPlace::OnRelease, Some((0, tree))),
            Ok(Fit::Exactly(at, tree)) => {
                let slug = line.patches[at - 1].0.to_owned();
                (OffPlace::On(slug), Some((at, tree)))
            }
            Ok(Fit::Merged(tree)) => (OffPlace::Merged, Some((line.patches.len(), tree))),
            Err(error) => (OffPlace::LeftOut(error.to_string()), None),
        }
    }
}

/// The message of the commit that holds the release.
fn import(release: &Release) -> Message {
    let (name, mail) = AUTHOR;
    Message {
        author: format!("{name} <{mail}>"),
        date: IMPORTED.to_owned(),
        subject: format!("{} {} as published", release.name, release.version),
        body: format!("Checksum: {}", release.checksum),
    }
}

fn message(slug: &str, patch: &Patch) -> Result<Message> {
    ensure!(
        patch.message.slug() == Some(slug),
        "extern/patches/{}: the subject is `{}`, and must begin with `{slug}: `",
        patch.name,
        patch.message.subject
    );
    Ok(patch.message.clone())
}
