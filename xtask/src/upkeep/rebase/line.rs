//! The line that the patches of one crate were made along: the old release, the default series on it, and beside it the
//! patches that are off, each where it fits.

use std::collections::BTreeSet;

use crate::patch::Patch;
use crate::patch::apply::{self, ApplyError, How};
use crate::patch::known::Blobs;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::tree::Tree;

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
    /// The tree with it; none where it fits nowhere along the line.
    pub after: Option<Tree>,
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
}

impl<'a> Line<'a> {
    /// The line of crate `name`. The default series must apply exactly.
    pub fn new(manifest: &'a Manifest, name: &str, release: &'a Tree) -> Result<Self, ApplyError> {
        let of_crate = |default: bool| {
            manifest
                .optimisations
                .iter()
                .filter(move |o| o.default == default)
                .filter_map(|o| Some((o, o.patches.get(name)?)))
        };
        let mut line = Self {
            release,
            steps: Vec::new(),
            series: 0,
            known: Blobs::default(),
        };
        for (optimisation, patch) in of_crate(true) {
            let base = Base::Series(line.series);
            let before = line.before(base).clone();
            let after = apply::apply(&before, patch, How::Exact)?;
            line.known.learn_tree(&before, patch);
            line.known.learn_tree(&after, patch);
            line.steps.push(Step {
                optimisation,
                patch,
                base,
                after: Some(after),
            });
            line.series += 1;
        }
        for (optimisation, patch) in of_crate(false) {
            let step = line.off(optimisation, patch);
            if let Some(after) = &step.after {
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
        self.steps[step].after.as_ref().unwrap_or(self.release)
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

    /// A patch that is off belongs to the last place where its blobs fit exactly; else on top of the series.
    fn off(&self, optimisation: &'a Optimisation, patch: &'a Patch) -> Step<'a> {
        let others = (self.series..self.steps.len())
            .filter(|step| self.steps[*step].after.is_some())
            .filter(|step| {
                let slug = self.steps[*step].slug();
                optimisation.depends.iter().any(|needed| needed == slug)
            })
            .map(Base::Off);
        let series = (0..=self.series).map(Base::Series);
        let exact = series
            .chain(others)
            .rev()
            .find_map(|base| Some((base, exactly(self.before(base), patch)?)));
        let (base, after) = match exact {
            Some((base, after)) => (base, Some(after)),
            None => {
                let top = Base::Series(self.series);
                let after = fit(self, self.before(top), patch).ok().flatten();
                (top, after)
            }
        };
        Step {
            optimisation,
            patch,
            base,
            after,
        }
    }
}

fn exactly(tree: &Tree, patch: &Patch) -> Option<Tree> {
    apply::apply(tree, patch, How::Exact).ok()
}

fn fit(line: &Line<'_>, tree: &Tree, patch: &Patch) -> Result<Option<Tree>, ApplyError> {
    match apply::apply(tree, patch, How::Elsewhere(&line.known)) {
        Ok(tree) => Ok(Some(tree)),
        Err(ApplyError::NotConstructible { .. } | ApplyError::AlreadyApplied { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
