//! The patches of one crate on another release, one after the other, in memory: the survey, and the real run up to the
//! conflict that a person has to look at next. The same decisions give the same trees.

use std::collections::{BTreeMap, BTreeSet};

use crate::patch::apply::{ApplyError, Way};
use crate::patch::attempt::{Attempt, Conflict, Ground, Part, attempt};
use crate::patch::merge::Labels;
use crate::stack::tree::Tree;
use crate::upkeep::line::{Base, Line, Step};

/// What a person decided about a patch that does not apply.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The tree with the patch, by hand.
    Resolved(Tree),
    /// It is left out.
    Skip,
}

/// Where the patches go.
#[derive(Debug)]
pub struct Target<'a> {
    /// Name and version of the old release, for labels.
    pub old: String,
    /// Name and version of the new release, for labels.
    pub new: String,
    /// The new release.
    pub release: &'a Tree,
    /// What it calls a file that it has moved, by the old path.
    pub renamed: &'a BTreeMap<String, String>,
}

/// One patch on the new release.
#[derive(Debug)]
pub struct Row {
    /// What became of it.
    pub outcome: Outcome,
    /// What of it the new release has already.
    pub there: Vec<Part>,
    /// The files that were merged.
    pub merged: Vec<String>,
    /// The tree that it was tried on.
    pub before: Tree,
    /// The tree with it; the tree before it where it is left out.
    pub after: Tree,
}

/// What became of a patch.
#[derive(Debug)]
pub enum Outcome {
    /// Every file is the one that it was made for.
    Exact,
    /// Hunks have moved.
    Clean,
    /// Files were merged.
    ThreeWay,
    /// A person resolved it.
    Resolved,
    /// The new release has all of it.
    Upstream,
    /// It needs a person.
    Conflict(Box<Conflict>),
    /// It needs what these make, which are left out.
    Blocked(BTreeSet<String>),
    /// A person left it out.
    Skipped,
}

impl Outcome {
    /// True when the patch is part of what comes out.
    pub fn applies(&self) -> bool {
        matches!(
            self,
            Self::Exact | Self::Clean | Self::ThreeWay | Self::Resolved
        )
    }

    /// True when the patch is missing below those behind it. What upstream has is not missing.
    fn is_left_out(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::Blocked(_) | Self::Skipped)
    }

    /// In one or two words.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Clean => "clean",
            Self::ThreeWay => "three-way",
            Self::Resolved => "resolved",
            Self::Upstream => "already upstream",
            Self::Conflict(_) => "conflict",
            Self::Blocked(_) => "blocked",
            Self::Skipped => "skipped",
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the end: a patch in conflict is left out, and those behind it are tried without it.
    Never,
    /// At the first conflict that nobody has decided about: it is the last row then.
    AtConflict,
}

/// Tries every patch of the line, a row each, in its order.
pub fn replay(
    line: &Line<'_>,
    target: &Target<'_>,
    decisions: &BTreeMap<String, Decision>,
    stop: Stop,
) -> Result<Vec<Row>, ApplyError> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, step) in line.steps.iter().enumerate() {
        let before = ground(target, &rows, step.base).clone();
        let row = one(line, target, decisions, &rows, index, before)?;
        let stops = stop == Stop::AtConflict && matches!(row.outcome, Outcome::Conflict(_));
        rows.push(row);
        if stops {
            break;
        }
    }
    Ok(rows)
}

fn ground<'t>(target: &'t Target<'_>, rows: &'t [Row], base: Base) -> &'t Tree {
    match base {
        Base::Series(0) => target.release,
        Base::Series(count) => &rows[count - 1].after,
        Base::Off(step) => &rows[step].after,
    }
}

fn one(
    line: &Line<'_>,
    target: &Target<'_>,
    decisions: &BTreeMap<String, Decision>,
    rows: &[Row],
    index: usize,
    before: Tree,
) -> Result<Row, ApplyError> {
    let step = &line.steps[index];
    let labels = labels(target, step);
    let ground = Ground {
        tree: &before,
        known: &line.known,
        renamed: target.renamed,
        labels: &labels,
    };
    let left_out: BTreeSet<usize> = (0..index)
        .filter(|at| rows[*at].outcome.is_left_out())
        .collect();
    let row = |outcome, there, after: Option<Tree>| Row {
        outcome,
        there,
        merged: Vec::new(),
        after: after.unwrap_or_else(|| before.clone()),
        before: before.clone(),
    };
    let tried = attempt(ground, step.patch)?;
    let depends = |at: &usize| {
        let slug = line.steps[*at].slug();
        step.optimisation
            .depends
            .iter()
            .any(|needed| needed == slug)
    };
    // What undoes a part of a patch that is left out looks as if it were there, too.
    let blockers = match tried {
        Attempt::Already => needed(line, step, &left_out)?,
        _ if left_out.iter().any(depends) => left_out.iter().copied().filter(depends).collect(),
        Attempt::Conflict(_) => needed(line, step, &left_out)?,
        Attempt::Applied(_) => BTreeSet::new(),
    };
    if !blockers.is_empty() {
        return Ok(row(
            Outcome::Blocked(roots(line, rows, &blockers)),
            Vec::new(),
            None,
        ));
    }
    Ok(match (tried, decisions.get(step.slug())) {
        (Attempt::Already, _) => row(Outcome::Upstream, Vec::new(), None),
        (Attempt::Applied(applied), _) => {
            let outcome = match applied.way {
                Way::Exact => Outcome::Exact,
                Way::Moved => Outcome::Clean,
                Way::Merged => Outcome::ThreeWay,
            };
            Row {
                merged: applied.merged,
                ..row(outcome, applied.there, Some(applied.tree))
            }
        }
        (Attempt::Conflict(conflict), Some(Decision::Resolved(tree))) => {
            row(Outcome::Resolved, conflict.there, Some(tree.clone()))
        }
        (Attempt::Conflict(conflict), Some(Decision::Skip)) => {
            row(Outcome::Skipped, conflict.there, None)
        }
        (Attempt::Conflict(conflict), None) => {
            let there = conflict.there.clone();
            row(Outcome::Conflict(Box::new(conflict)), there, None)
        }
    })
}

fn labels(target: &Target<'_>, step: &Step<'_>) -> Labels {
    Labels {
        ours: target.new.clone(),
        base: target.old.clone(),
        theirs: format!("{}.patch", step.slug()),
    }
}

/// Those of the steps left out without which the patch does not apply to the old release either.
fn needed(
    line: &Line<'_>,
    step: &Step<'_>,
    left_out: &BTreeSet<usize>,
) -> Result<BTreeSet<usize>, ApplyError> {
    if step.after().is_none() {
        return Ok(BTreeSet::new());
    }
    let below: BTreeSet<usize> = line.below(step.base).into_iter().collect();
    let left_out: BTreeSet<usize> = left_out.intersection(&below).copied().collect();
    if left_out.is_empty() || line.without(step.base, &left_out, step.patch)?.is_some() {
        return Ok(BTreeSet::new());
    }
    let mut single = BTreeSet::new();
    for at in &left_out {
        if line
            .without(step.base, &BTreeSet::from([*at]), step.patch)?
            .is_none()
        {
            single.insert(*at);
        }
    }
    // None alone: then it takes several, and which ones is not worth a search.
    Ok(if single.is_empty() { left_out } else { single })
}

/// The patches that a person has to look at, instead of those that wait for them.
fn roots(line: &Line<'_>, rows: &[Row], steps: &BTreeSet<usize>) -> BTreeSet<String> {
    steps
        .iter()
        .flat_map(|at| match &rows[*at].outcome {
            Outcome::Blocked(by) => by.clone(),
            _ => BTreeSet::from([line.steps[*at].slug().to_owned()]),
        })
        .collect()
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
