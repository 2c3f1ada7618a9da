//! `patch export`: the commits of an edit as patch files and as entries of stack.toml, all of them or nothing, also where the
//! process dies in the middle ([`super::journal`]).

mod order;
mod plan;
mod read;
mod refusal;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

pub use plan::Wishes;
pub use refusal::Refusal;

use super::edit::{self, State};
use super::journal::{Journal, Wanted};
use super::line::{self, Line};
use crate::layout::Layout;
use crate::stack::manifest::{Manifest, Release};
use crate::stack::series::{self, Trees};
use plan::{Plan, Planner};
use read::Edited;

/// What an export did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The patch files that were written, from the root.
    pub written: Vec<String>,
    /// Those that were deleted.
    pub deleted: Vec<String>,
    /// How many patch files are as they were.
    pub same: usize,
    /// True when stack.toml was written.
    pub stack_toml: bool,
    /// The optimisations that are new.
    pub new: Vec<String>,
    /// Those that no crate has any more.
    pub left: Vec<String>,
    /// Patches that are off and fit nowhere along the series any more.
    pub adrift: Vec<String>,
    /// Branches that are not exported.
    pub ignored: Vec<String>,
}

/// Exports the edit of a crate. `load` gives the releases; it is called when there is something to write or to check.
pub fn export(
    layout: &Layout,
    manifest: &Manifest,
    name: &str,
    wishes: &Wishes,
    load: impl FnOnce() -> Result<Trees>,
) -> Result<Exported> {
    let release = edit::release(manifest, name)?;
    let (scratch, mut state) = edit::find(layout, name)?.with_context(|| {
        format!("no edit of {name} is open: `cargo xtask patch edit {name}` opens one")
    })?;
    if let Some(old) = state.other_release(release) {
        let new = release.version.clone();
        return Err(Refusal::OtherRelease { old, new }.into());
    }
    let edited = Edited::read(&scratch, &state, release)?;
    let path = &layout.stack_toml;
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", layout.show(path)))?;
    let planner = Planner {
        manifest,
        text: &text,
        name,
        state: &state,
        edited: &edited,
        wishes,
    };
    let moved = state.moved(manifest, release);
    let plan = match planner.plan() {
        Ok(plan) if moved.is_empty() || is_own(manifest, name, &state, &edited, &plan) => plan,
        // Said before anything that may come of it.
        _ if !moved.is_empty() => {
            let (what, name) = (moved.join(", "), name.to_owned());
            return Err(Refusal::MovedOn { what, name }.into());
        }
        refused => refused?,
    };
    let files = files(layout, name, &plan, &edited);
    let releases = load()?;
    let (written, deleted) = changed(layout, &files);
    let journal = Journal::of_export(layout);
    journal.write(&files)?;
    let checked = check(layout, release, &releases, &edited, &plan);
    let now = match checked {
        Ok(now) => now,
        Err(error) => {
            journal.restore()?;
            bail!("{error:#}. Nothing was changed: extern/ is as it was");
        }
    };
    journal.close()?;
    state.exported(
        &now,
        edited.tips.clone(),
        edited.series.iter().map(|change| change.id.to_string()),
    );
    state.write(&scratch)?;
    Ok(Exported {
        adrift: adrift(&now, release, &releases)?,
        same: edited.all().count().saturating_sub(written.len()),
        written,
        deleted,
        stack_toml: plan.stack_toml != text,
        new: plan.new,
        left: plan
            .dropped
            .into_iter()
            .filter(|slug| now.optimisation(slug).is_none())
            .collect(),
        ignored: edited.ignored,
    })
}

/// The files as they must be.
fn files(layout: &Layout, name: &str, plan: &Plan, edited: &Edited) -> Wanted {
    let path = |slug: &str| -> PathBuf { layout.patches.join(name).join(format!("{slug}.patch")) };
    let mut files = Wanted::new();
    for slug in &plan.dropped {
        files.insert(path(slug), None);
    }
    for change in edited.all() {
        files.insert(path(&change.slug), Some(change.text.clone()));
    }
    files.insert(
        layout.stack_toml.clone(),
        Some(plan.stack_toml.clone().into_bytes()),
    );
    files
}

/// The patches that are to be written, and those that are to be deleted, from the root.
fn changed(layout: &Layout, files: &Wanted) -> (Vec<String>, Vec<String>) {
    let (mut written, mut deleted) = (Vec::new(), Vec::new());
    for (path, bytes) in files {
        let patch = path.extension().is_some_and(|e| e == "patch");
        if patch && fs::read(path).ok() != *bytes {
            let list = match bytes {
                Some(_) => &mut written,
                None => &mut deleted,
            };
            list.push(layout.show(path));
        }
    }
    (written, deleted)
}

/// True when each patch below extern/ is what the export makes, or what the edit was opened from: then an export ended
/// before the edit recorded it, or the same was done there by hand.
fn is_own(manifest: &Manifest, name: &str, state: &State, edited: &Edited, plan: &Plan) -> bool {
    let made: BTreeMap<&str, String> = edited
        .all()
        .map(|change| {
            let sha256 = hex::encode(Sha256::digest(&change.text));
            (change.slug.as_str(), sha256)
        })
        .collect();
    let on: Vec<_> = line::patches(manifest, name, true).collect();
    let all: Vec<_> = line::patches(manifest, name, false)
        .chain(on.iter().copied())
        .collect();
    all.len() == made.len()
        && on.iter().map(|(o, _)| &o.slug).eq(&plan.series)
        && all.iter().all(|(o, patch)| {
            let own = made.get(o.slug.as_str()) == Some(&patch.sha256);
            own || state.has(&o.slug, &patch.sha256)
        })
}

/// Holds what was written to what it must be: the manifest loads, every crate's series applies exactly, and the crate that
/// was exported comes out as its branch has it.
fn check(
    layout: &Layout,
    release: &Release,
    releases: &Trees,
    edited: &Edited,
    plan: &Plan,
) -> Result<Manifest> {
    let manifest = Manifest::load(layout)?;
    let chosen: Vec<_> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default)
        .collect();
    let trees = series::build(releases, &manifest, &chosen)?;
    let pristine = releases.get(&release.name);
    let last = edited.series.iter().rev();
    let last = last
        .map(|change| (&change.slug, &change.tree))
        .find(|(slug, _)| plan.series.contains(slug));
    let expected = last.map(|(_, tree)| tree).or(pristine);
    ensure!(
        trees.get(&release.name) == expected,
        "the patches of {} do not make the tree that its commits have",
        release.name
    );
    Ok(manifest)
}

/// Patches that are off and fit neither along the series nor on one that they depend on.
fn adrift(manifest: &Manifest, release: &Release, releases: &Trees) -> Result<Vec<String>> {
    let Some(tree) = releases.get(&release.name) else {
        return Ok(Vec::new());
    };
    let line = Line::new(manifest, &release.name, tree)?;
    let off = (line.series..line.steps.len()).filter(|step| !line.is_exact(*step));
    let adrift = off.map(|step| line.steps[step].slug().to_owned()).collect();
    Ok(adrift)
}

#[cfg(test)]
mod round_trip_tests;
