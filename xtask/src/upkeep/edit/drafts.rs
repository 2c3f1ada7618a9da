//! The commits of an edit, before there is a repository.

use anyhow::{Result, ensure};

use super::{OFF, SERIES};
use crate::patch::Patch;
use crate::patch::message::Message;
use crate::scratch::{AUTHOR, Draft};
use crate::stack::manifest::{Manifest, Release};
use crate::stack::tree::Tree;
use crate::upkeep::line::{Base, Fit, Line, Step};

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
        let line = Line::new(manifest, &release.name, tree)?;
        let mut drafts = Self {
            commits: vec![Draft {
                branch: SERIES.to_owned(),
                parent: None,
                message: import(release),
                tree: tree.clone(),
            }],
            off: Vec::new(),
        };
        // The commit of each step that has one.
        let mut commits: Vec<Option<usize>> = Vec::new();
        for (at, step) in line.steps.iter().enumerate() {
            let message = message(step.slug(), step.patch)?;
            let on = at < line.series;
            if !on {
                let place = OffPlace::of(&line, step);
                drafts.off.push((step.slug().to_owned(), place));
            }
            let parent = match step.base {
                Base::Series(count) => Some(count),
                Base::Off(step) => commits[step],
            };
            let made = step.after().cloned().zip(parent);
            commits.push(made.as_ref().map(|_| drafts.commits.len()));
            if let Some((tree, parent)) = made {
                let branch = if on {
                    SERIES.to_owned()
                } else {
                    format!("{OFF}{}", step.slug())
                };
                drafts.commits.push(Draft {
                    branch,
                    parent: Some(parent),
                    message,
                    tree,
                });
            }
        }
        Ok(drafts)
    }
}

impl OffPlace {
    /// Where a step goes that is off.
    fn of(line: &Line<'_>, step: &Step<'_>) -> Self {
        match (&step.fit, step.base) {
            (Fit::Exact(_), Base::Series(0)) => Self::OnRelease,
            (Fit::Exact(_), Base::Series(count)) => {
                Self::On(line.steps[count - 1].slug().to_owned())
            }
            (Fit::Exact(_), Base::Off(below)) => Self::On(line.steps[below].slug().to_owned()),
            (Fit::Merged(_), _) => Self::Merged,
            (Fit::Nowhere(error), _) => Self::LeftOut(error.to_string()),
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
