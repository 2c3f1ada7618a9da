//! The commits of an edit as patches: which branch has them, on which tree, and what is refused before the series is asked.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::refusal::Refusal;
use crate::patch::object::ObjectId;
use crate::patch::{apply, diff, parse, print};
use crate::scratch::{Commit, Head, Objects, Scratch};
use crate::stack::manifest::Release;
use crate::stack::selection::is_slug;
use crate::stack::tree::Tree;
use crate::upkeep::edit::{OFF, SERIES, State};

/// The commits of one edit.
#[derive(Clone, Debug)]
pub(super) struct Edited {
    /// Those of `series`, in order, without the release.
    pub(super) series: Vec<Change>,
    /// Those of `off/…`.
    pub(super) off: Vec<Change>,
    /// Every branch that is exported, and its commit.
    pub(super) tips: BTreeMap<String, String>,
    /// The other branches.
    pub(super) ignored: Vec<String>,
}

/// One commit that becomes a patch.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Its slug.
    pub(super) slug: String,
    /// The branch.
    pub(super) branch: String,
    /// The commit, as messages name it.
    pub(super) shown: String,
    /// Its id.
    pub(super) id: ObjectId,
    /// Every file after it.
    pub(super) tree: Tree,
    /// The patch file.
    pub(super) text: Vec<u8>,
    /// What it depends on.
    pub(super) depends: Vec<String>,
}

impl Edited {
    /// Every commit that becomes a patch.
    pub(super) fn all(&self) -> impl Iterator<Item = &Change> {
        self.series.iter().chain(&self.off)
    }

    /// Reads the repository.
    pub(super) fn read(scratch: &Scratch, state: &State, release: &Release) -> Result<Self> {
        let mut branches = scratch.branches()?;
        let mut objects = scratch.objects()?;
        let series = branches.remove(SERIES).ok_or(Refusal::NoSeries)?;
        let head = check_folder(scratch, &mut objects)?;
        let history = objects.history(series)?;
        let mut edited = Self {
            series: Vec::new(),
            off: Vec::new(),
            tips: BTreeMap::from([(SERIES.to_owned(), series.to_string())]),
            ignored: Vec::new(),
        };
        let mut ids: BTreeSet<ObjectId> = history.iter().map(|commit| commit.id).collect();
        edited.read_series(&history, state, release)?;
        ids.extend(
            state
                .commits
                .iter()
                .filter_map(|id| id.parse::<ObjectId>().ok()),
        );
        let off: Vec<(&String, &ObjectId)> = branches
            .iter()
            .filter(|(name, _)| name.starts_with(OFF))
            .collect();
        for (branch, tip) in &off {
            // What it may stand on: the series, as it is or was, or another branch of this kind.
            let others = off.iter().filter(|(name, _)| name != branch);
            let mut ground: BTreeSet<ObjectId> = others.map(|(_, id)| **id).collect();
            ground.extend(&ids);
            // A tip that was recorded is its own commit, not what it stands on.
            ground.remove(tip);
            let place = OffBranch {
                name: branch,
                tip: **tip,
                ground: &ground,
                series: &history,
            };
            let change = place.change(&mut objects, &release.name, state)?;
            edited.off.push(change);
            edited.tips.insert((*branch).clone(), tip.to_string());
        }
        edited.ignored = branches
            .into_keys()
            .filter(|name| !name.starts_with(OFF))
            .collect();
        edited.check_distinct()?;
        let exported = edited.off.iter().any(|change| change.id == head.commit);
        if exported || ids.contains(&head.commit) {
            return Ok(edited);
        }
        let what = match head.branch {
            Some(name) => format!("branch `{name}`"),
            None => format!(
                "commit {} without a branch",
                short(&head.commit.to_string())
            ),
        };
        Err(Refusal::OtherHead { what }.into())
    }

    fn read_series(&mut self, history: &[Commit], state: &State, release: &Release) -> Result<()> {
        let Some((import, commits)) = history.split_first() else {
            return Err(Refusal::NoSeries.into());
        };
        if let Some(merge) = history.iter().find(|commit| commit.parents.len() > 1) {
            let commit = shown(merge);
            return Err(Refusal::Merge { commit }.into());
        }
        let found = import.tree.id().to_string();
        if found != release.tree {
            return Err(Refusal::Import {
                release: format!("{} {}", release.name, release.version),
                expected: release.tree.clone(),
                found,
                import: short(&state.import),
            }
            .into());
        }
        let mut before = &import.tree;
        for commit in commits {
            self.series
                .push(change(SERIES, before, commit, &release.name, state)?);
            before = &commit.tree;
        }
        Ok(())
    }

    fn check_distinct(&self) -> Result<(), Refusal> {
        let mut seen: BTreeMap<&str, &Change> = BTreeMap::new();
        for change in self.all() {
            if let Some(first) = seen.insert(&change.slug, change) {
                let named = |c: &Change| format!("{} on `{}`", c.shown, c.branch);
                return Err(Refusal::Twice {
                    first: named(first),
                    second: named(change),
                });
            }
        }
        Ok(())
    }
}

/// What lies in the folder must be in the commit that is checked out, which this gives.
fn check_folder(scratch: &Scratch, objects: &mut Objects) -> Result<Head> {
    let head = scratch.head()?;
    let loose = scratch.loose(&objects.commit(head.commit)?.tree)?;
    if loose.is_nothing() {
        return Ok(head);
    }
    let what = loose.to_string();
    Err(Refusal::Loose { what }.into())
}

/// The branch of a patch that is off.
struct OffBranch<'a> {
    name: &'a str,
    tip: ObjectId,
    /// What it may stand on.
    ground: &'a BTreeSet<ObjectId>,
    series: &'a [Commit],
}

impl OffBranch<'_> {
    /// Its one commit.
    fn change(&self, objects: &mut Objects, name: &str, state: &State) -> Result<Change> {
        let branch = self.name;
        let refused = |count| Refusal::NotOne {
            branch: branch.to_owned(),
            count,
        };
        if self.series.iter().any(|commit| commit.id == self.tip) {
            return Err(refused(0).into());
        }
        // From the tip down to what the branch stands on.
        let (mut own, mut next) = (Vec::new(), Some(self.tip));
        let before = loop {
            let Some(id) = next else {
                break None;
            };
            let commit = objects.commit(id)?;
            if self.ground.contains(&id) {
                break Some(commit);
            }
            next = commit.parents.first().copied();
            own.push(commit);
        };
        if let Some(merge) = own.iter().find(|commit| commit.parents.len() > 1) {
            let commit = shown(merge);
            return Err(Refusal::Merge { commit }.into());
        }
        let (Some(before), [commit]) = (before, &own[..]) else {
            return Err(refused(own.len()).into());
        };
        let change = change(branch, &before.tree, commit, name, state)?;
        if branch.strip_prefix(OFF) == Some(&change.slug) {
            return Ok(change);
        }
        Err(Refusal::OtherSlug {
            branch: branch.to_owned(),
            commit: change.shown,
        }
        .into())
    }
}

/// A commit as a patch. That the patch makes the commit's tree again is checked here, before anything is written.
fn change(
    branch: &str,
    before: &Tree,
    commit: &Commit,
    name: &str,
    state: &State,
) -> Result<Change> {
    let subject = &commit.message.subject;
    let own = || shown(commit);
    if ["fixup!", "squash!", "amend!"]
        .iter()
        .any(|mark| subject.starts_with(mark))
    {
        let import = short(&state.import);
        let commit = own();
        return Err(Refusal::Fixup { commit, import }.into());
    }
    let slug = commit.message.slug().filter(|slug| is_slug(slug));
    let slug = slug.ok_or_else(|| Refusal::NoSlug { commit: own() })?;
    if *before == commit.tree {
        return Err(Refusal::Nothing { commit: own() }.into());
    }
    let content = |text: String| Refusal::Content {
        commit: own(),
        text,
    };
    let files = diff::between(before, &commit.tree).map_err(|error| content(error.to_string()))?;
    let text = print::print(&commit.message, &files).map_err(|error| content(error.to_string()))?;
    let parsed = parse::parse(&format!("{name}/{slug}.patch"), &text)
        .map_err(|error| content(error.to_string()))?;
    let again = apply::apply(before, &parsed, apply::How::Exact)
        .map_err(|error| content(error.to_string()))?;
    if again != commit.tree || parsed.message != commit.message {
        return Err(content("the patch would not be read back as the commit is".to_owned()).into());
    }
    Ok(Change {
        slug: slug.to_owned(),
        branch: branch.to_owned(),
        shown: own(),
        id: commit.id,
        depends: commit.message.trailer_list("Depends"),
        tree: commit.tree.clone(),
        text,
    })
}

fn shown(commit: &Commit) -> String {
    let id = short(&commit.id.to_string());
    format!("commit {id} (`{}`)", commit.message.subject)
}

/// Enough of an id for a person.
pub(super) fn short(id: &str) -> String {
    id.chars().take(12).collect()
}
