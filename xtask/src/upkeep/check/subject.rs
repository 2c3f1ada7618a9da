//! One patch in its place, with all that a rule looks at: no rule opens a file or asks git.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::patch::apply::{self, How};
use crate::patch::message::Message;
use crate::patch::{FileChange, LineKind, Patch};
use crate::stack::manifest::{Kind, Manifest, Optimisation};
use crate::stack::series::Trees;
use crate::stack::tree::Tree;

/// A patch and its surroundings.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The crate that it changes.
    pub krate: String,
    /// Its optimisation.
    pub slug: String,
    /// What kind of change that is.
    pub kind: Kind,
    /// True when the default series has it.
    pub default: bool,
    /// The patch.
    pub patch: Patch,
    /// Its file, byte for byte.
    pub bytes: Vec<u8>,
    /// The message of the same optimisation in the crate that is named first; none for that one.
    pub first: Option<(String, Message)>,
    /// Every slug of extern/stack.toml.
    pub known: Rc<BTreeSet<String>>,
    /// The files that patches before it deleted.
    pub gone: Vec<Gone>,
    /// Where it applies.
    pub place: Place,
}

/// A file that a patch deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The optimisation whose patch does so.
    pub slug: String,
    /// The file's path.
    pub path: String,
    /// Its lines, with their line endings.
    pub lines: Vec<Vec<u8>>,
}

/// Where a patch applies byte for byte.
#[derive(Clone, Debug)]
pub enum Place {
    /// Between these trees.
    Found {
        /// The crate before it.
        before: Tree,
        /// The crate after it.
        after: Tree,
    },
    /// Nowhere, and why.
    Misfit(String),
    /// Not known, because a patch before it does not apply: that one is named instead.
    Unknown,
}

impl Subject {
    /// How messages name its file.
    pub fn file(&self) -> String {
        format!("extern/patches/{}/{}.patch", self.krate, self.slug)
    }
}

/// Every patch of the manifest, in the order of the series. With `releases`, each in its place; without, all unplaced.
pub fn gather(
    layout: &Layout,
    manifest: &Manifest,
    releases: Option<&Trees>,
) -> Result<Vec<Subject>> {
    let known: Rc<BTreeSet<String>> = Rc::new(
        manifest
            .optimisations
            .iter()
            .map(|o| o.slug.clone())
            .collect(),
    );
    let mut places = match releases {
        Some(releases) => places(manifest, releases),
        None => BTreeMap::new(),
    };
    let mut subjects = Vec::new();
    for optimisation in &manifest.optimisations {
        let mut first: Option<(String, Message)> = None;
        for (krate, patch) in &optimisation.patches {
            let path = layout.patches.join(&patch.name);
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", layout.show(&path)))?;
            subjects.push(Subject {
                krate: krate.clone(),
                slug: optimisation.slug.clone(),
                kind: optimisation.kind,
                default: optimisation.default,
                bytes,
                first: first.clone(),
                known: Rc::clone(&known),
                gone: gone(manifest, optimisation, krate),
                place: places
                    .remove(&(krate.as_str(), optimisation.slug.as_str()))
                    .unwrap_or(Place::Unknown),
                patch: patch.clone(),
            });
            first.get_or_insert_with(|| (krate.clone(), patch.message.clone()));
        }
    }
    Ok(subjects)
}

/// What is gone from a crate before `optimisation` comes: deleted by the default series up to it, or by what it needs.
fn gone(manifest: &Manifest, optimisation: &Optimisation, krate: &str) -> Vec<Gone> {
    manifest
        .optimisations
        .iter()
        .take_while(|earlier| earlier.slug != optimisation.slug)
        .filter(|earlier| earlier.default || optimisation.depends.contains(&earlier.slug))
        .filter_map(|earlier| Some((&earlier.slug, earlier.patches.get(krate)?)))
        .flat_map(|(slug, patch)| deleted(slug, patch))
        .collect()
}

/// The files that one patch deletes.
pub fn deleted<'p>(slug: &'p str, patch: &'p Patch) -> impl Iterator<Item = Gone> + 'p {
    patch.files.iter().filter_map(move |file| match file {
        FileChange {
            old: Some(old),
            new: None,
            ..
        } => Some(Gone {
            slug: slug.to_owned(),
            path: old.path.clone(),
            lines: lines(file, LineKind::Removed),
        }),
        _ => None,
    })
}

/// The lines of one kind in all hunks of a file.
pub fn lines(file: &FileChange, kind: LineKind) -> Vec<Vec<u8>> {
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines
        .filter(|line| line.kind == kind)
        .map(|line| line.bytes.clone())
        .collect()
}

type Places<'m> = BTreeMap<(&'m str, &'m str), Place>;

/// Where each patch applies, by crate and slug.
fn places<'m>(manifest: &'m Manifest, releases: &Trees) -> Places<'m> {
    let mut places = Places::new();
    for release in &manifest.releases {
        let krate = release.name.as_str();
        let of_crate = || {
            let all = manifest.optimisations.iter();
            all.filter_map(|o| Some((o, o.patches.get(krate)?)))
        };
        let start = releases.get(krate).cloned().unwrap_or_default();
        let mut along = vec![start];
        let mut whole = true;
        for (optimisation, patch) in of_crate().filter(|(o, _)| o.default) {
            let place = match along.last() {
                Some(before) if whole => exactly(before, patch),
                _ => Place::Unknown,
            };
            match &place {
                Place::Found { after, .. } => along.push(after.clone()),
                _ => whole = false,
            }
            places.insert((krate, optimisation.slug.as_str()), place);
        }
        for (optimisation, patch) in of_crate().filter(|(o, _)| !o.default) {
            let needed = optimisation.depends.iter().rev();
            // What it needs and is off too: only there can the two be together.
            let on_needed = needed.filter_map(|slug| match places.get(&(krate, slug.as_str())) {
                Some(Place::Found { after, .. })
                    if manifest.optimisation(slug).is_some_and(|o| !o.default) =>
                {
                    Some(after)
                }
                _ => None,
            });
            let place = anywhere(on_needed.chain(along.iter().rev()), patch, whole);
            places.insert((krate, optimisation.slug.as_str()), place);
        }
    }
    places
}

fn exactly(before: &Tree, patch: &Patch) -> Place {
    match apply::apply(before, patch, How::Exact) {
        Ok(after) => Place::Found {
            before: before.clone(),
            after,
        },
        Err(error) => Place::Misfit(without_name(&error.to_string(), patch)),
    }
}

/// The first of these trees that the patch applies to; otherwise why it does not apply to the first of all. A series
/// that is not `whole` may end before its place.
fn anywhere<'t>(trees: impl Iterator<Item = &'t Tree>, patch: &Patch, whole: bool) -> Place {
    let mut why = None;
    for tree in trees {
        match exactly(tree, patch) {
            Place::Misfit(text) => why = why.or(Some(text)),
            found => return found,
        }
    }
    match why {
        Some(why) if whole => Place::Misfit(why),
        _ => Place::Unknown,
    }
}

/// What an error says after the name of the file, which stands before it already.
fn without_name(text: &str, patch: &Patch) -> String {
    let name = format!("extern/patches/{}", patch.name);
    let rest = text.strip_prefix(&name).unwrap_or(text);
    rest.trim_start_matches([':', ' ']).to_owned()
}

#[cfg(test)]
#[path = "subject_tests.rs"]
mod tests;
