//! The line that the patches of one crate were made along: the release, the default series on it, and beside it the
//! patches that are off, each where it fits.
//!
//! An edit makes its commits along it, an export looks whether patches that are off still fit, and a rebase takes all of it
//! to another release.

use std::collections::BTreeSet;

use crate::patch::Patch;
use crate::patch::apply::{self, ApplyError, How};
use crate::patch::known::Blobs;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::tree::Tree;

/// The patches of one crate that are on (or off), with their optimisations, in the order of stack.toml.
pub fn patches<'a>(
    manifest: &'a Manifest,
    name: &str,
    on: bool,
) -> impl Iterator<Item = (&'a Optimisation, &'a Patch)> {
    let own = manifest.optimisations.iter();
    own.filter(move |o| o.default == on)
        .filter_map(move |o| Some((o, o.patches.get(name)?)))
}

/// The patches of one crate with the trees that they were made on.
#[derive(Debug)]
pub struct Line<'a> {
    /// The release that they were made for.
    pub release: &'a Tree,
    /// The default series in order, then those that are off, in the order of stack.toml.
    pub steps: Vec<Step<'a>>,
    /// How many of the steps are the default series.
    pub series: usize,
    /// Contents along the line.
    pub known: Blobs,
}

/// One patch on that line.
#[derive(Debug)]
pub struct Step<'a> {
    /// Its optimisation.
    pub optimisation: &'a Optimisation,
    /// The patch.
    pub patch: &'a Patch,
    /// What it stands on.
    pub base: Base,
    /// How it fits there.
    pub fit: Fit,
}

/// How a patch fits where it stands.
#[derive(Debug)]
pub enum Fit {
    /// Exactly: the tree with it.
    Exact(Tree),
    /// It fits nowhere exactly, and was merged onto the end of the series by the rules for other subsets of it: the tree
    /// with it.
    Merged(Tree),
    /// Not at all, and why it cannot be merged onto the end of the series either.
    Nowhere(ApplyError),
}

/// What a patch stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The release with so many patches of the default series.
    Series(usize),
    /// The tree of that step, which is off as well.
    Off(usize),
}

impl Step<'_> {
    /// Its slug.
    pub fn slug(&self) -> &str {
        &self.optimisation.slug
    }

    /// The tree with it; none where it fits nowhere along the line.
    pub fn after(&self) -> Option<&Tree> {
        match &self.fit {
            Fit::Exact(tree) | Fit::Merged(tree) => Some(tree),
            Fit::Nowhere(_) => None,
        }
    }
}

impl<'a> Line<'a> {
    /// The line of crate `name`. The default series must apply exactly.
    pub fn new(manifest: &'a Manifest, name: &str, release: &'a Tree) -> Result<Self, ApplyError> {
        let mut line = Self {
            release,
            steps: Vec::new(),
            series: 0,
            known: Blobs::default(),
        };
        for (optimisation, patch) in patches(manifest, name, true) {
            let base = Base::Series(line.series);
            let before = line.before(base).clone();
            let after = apply::apply(&before, patch, How::Exact)?;
            line.known.learn_tree(&before, patch);
            line.known.learn_tree(&after, patch);
            line.steps.push(Step {
                optimisation,
                patch,
                base,
                fit: Fit::Exact(after),
            });
            line.series += 1;
        }
        for (optimisation, patch) in patches(manifest, name, false) {
            let step = line.off(optimisation, patch);
            if let Some(after) = step.after() {
                let before = line.before(step.base).clone();
                line.known.learn_tree(&before, patch);
                line.known.learn_tree(after, patch);
            }
            line.steps.push(step);
        }
        Ok(line)
    }

    /// The tree that a patch with that base was made on.
    pub fn before(&self, base: Base) -> &Tree {
        let step = match base {
            Base::Series(0) => return self.release,
            Base::Series(count) => count - 1,
            Base::Off(step) => step,
        };
        // Only a patch that fits is ever a base.
        self.steps[step].after().unwrap_or(self.release)
    }

    /// The steps below a base, in order.
    pub fn below(&self, base: Base) -> Vec<usize> {
        match base {
            Base::Series(count) => (0..count).collect(),
            Base::Off(step) => {
                let mut steps = self.below(self.steps[step].base);
                steps.push(step);
                steps
            }
        }
    }

    /// The tree below a base with some steps left out, and what does not fit without them left out too; none where
    /// `patch` does not apply to that.
    pub fn without(
        &self,
        base: Base,
        left_out: &BTreeSet<usize>,
        patch: &Patch,
    ) -> Result<Option<Tree>, ApplyError> {
        let mut tree = self.release.clone();
        for step in self.below(base) {
            if !left_out.contains(&step) {
                tree = fit(self, &tree, self.steps[step].patch)?.unwrap_or(tree);
            }
        }
        fit(self, &tree, patch)
    }

    /// True when the patch and all below it, down to the release, fit exactly.
    pub fn is_exact(&self, step: usize) -> bool {
        let below = self.below(self.steps[step].base).into_iter();
        below
            .chain([step])
            .all(|step| matches!(self.steps[step].fit, Fit::Exact(_)))
    }

    /// A patch that is off belongs on the last of those that it depends on and that are off as well, else to the last place
    /// along the series, wherever it fits exactly first; else on top of the series.
    fn off(&self, optimisation: &'a Optimisation, patch: &'a Patch) -> Step<'a> {
        let needed = (self.series..self.steps.len())
            .filter(|step| self.steps[*step].after().is_some())
            .filter(|step| {
                let slug = self.steps[*step].slug();
                optimisation.depends.iter().any(|needed| needed == slug)
            })
            .map(Base::Off);
        let series = (0..=self.series).map(Base::Series);
        let exact = series.chain(needed).rev().find_map(|base| {
            let after = apply::apply(self.before(base), patch, How::Exact).ok()?;
            Some((base, Fit::Exact(after)))
        });
        let (base, fit) = exact.unwrap_or_else(|| {
            let top = Base::Series(self.series);
            let mut known = self.known.clone();
            known.learn_patch(patch);
            let merged = apply::apply(self.before(top), patch, How::Elsewhere(&known));
            (top, merged.map_or_else(Fit::Nowhere, Fit::Merged))
        });
        Step {
            optimisation,
            patch,
            base,
            fit,
        }
    }
}

fn fit(line: &Line<'_>, tree: &Tree, patch: &Patch) -> Result<Option<Tree>, ApplyError> {
    match apply::apply(tree, patch, How::Elsewhere(&line.known)) {
        Ok(tree) => Ok(Some(tree)),
        Err(ApplyError::NotConstructible { .. } | ApplyError::AlreadyApplied { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
