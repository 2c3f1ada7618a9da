//! Which arms show what each optimisation does: as a step of the series (pristine, +1, +1+2, …), alone on pristine, and
//! last, on top of all others.
//!
//! What needs an optimisation comes and goes with it. Stacks of equal sets of optimisations are one arm, whatever they
//! are called, and run once a round. Its arms have no cargo features, so that an optimisation which changes only crates
//! that a feature compiles has no part in it.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::report::contrast;
use crate::results::ablation::AblationPlan;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::selection::Selection;

/// What stands for every optimisation on a command line.
pub const ALL: &str = "all";

/// Arms and contrasts of an ablation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ablation {
    /// Every arm once; the first is pristine.
    pub arms: Vec<String>,
    /// Every contrast once.
    pub contrasts: Vec<[String; 2]>,
    /// What each optimisation is measured by.
    pub parts: Vec<AblationPlan>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// The ablation of `wanted`, optimisations of the default series, or of all of it where none is named. `constructible`
/// tells whether a stack's tree can be made.
pub fn plan(
    manifest: &Manifest,
    wanted: &[String],
    constructible: impl Fn(&Selection) -> Result<bool>,
) -> Result<Ablation> {
    let series: Vec<&Optimisation> = manifest
        .optimisations
        .iter()
        .filter(|o| o.default && !o.kind.is_in_every_stack() && manifest.reaches(o, &[]))
        .collect();
    if series.is_empty() {
        bail!("the default series has no optimisation to measure: see `cargo xtask patch list`");
    }
    if let Some(unknown) = wanted
        .iter()
        .find(|slug| series.iter().all(|o| o.slug != **slug))
    {
        let known: Vec<&str> = series.iter().map(|o| o.slug.as_str()).collect();
        if let Some(own) = manifest.optimisation(unknown)
            && !manifest.reaches(own, &[])
        {
            bail!(
                "--ablate={unknown}: it changes only crates that are compiled with a feature; measure it with --arms {}",
                contrast::arms_for(unknown, manifest).join(",")
            );
        }
        bail!(
            "--ablate={unknown}: not an optimisation of the default series, which has {}; an experiment is measured \
             with --arms pristine,pristine+{unknown}",
            known.join(", ")
        );
    }
    let mut builder = Builder {
        manifest,
        constructible,
        known: Vec::new(),
        ablation: Ablation::default(),
    };
    let pristine = builder.arm(Selection::Pristine)?;
    let patched = builder.arm(Selection::Patched)?;
    let mut before = pristine.clone();
    for optimisation in &series {
        let slug = &optimisation.slug;
        let measured = wanted.is_empty() || wanted.contains(slug);
        let last_of_series = series.last().is_some_and(|last| last.slug == *slug);
        let prefix = Selection::Prefix(slug.clone());
        let needed = measured || wanted.contains(&next(&series, slug));
        let here = match (last_of_series, needed) {
            (true, _) => patched.clone(),
            (false, true) => builder.arm(prefix)?,
            (false, false) => None,
        };
        if measured {
            let part = builder.part(&series, slug, [before.clone(), here.clone()], &patched)?;
            builder.add(part);
        }
        before = here;
    }
    // The steps multiply up to the whole only if they do not interact; so the whole is measured too.
    builder.contrast(&pristine, &patched);
    Ok(builder.ablation)
}

/// The optimisation behind this one.
fn next(series: &[&Optimisation], slug: &str) -> String {
    let place = series.iter().position(|o| o.slug == slug);
    place
        .and_then(|place| series.get(place + 1))
        .map_or_else(String::new, |o| o.slug.clone())
}

struct Builder<'m, F> {
    manifest: &'m Manifest,
    constructible: F,
    /// The sets of optimisations that have an arm, with its name; `None` where it can't be made.
    known: Vec<(BTreeSet<&'m str>, Option<String>)>,
    ablation: Ablation,
}

impl<'m, F: Fn(&Selection) -> Result<bool>> Builder<'m, F> {
    /// The arm of a stack; `None` where its tree can't be made.
    fn arm(&mut self, selection: Selection) -> Result<Option<String>> {
        let set: BTreeSet<&str> = selection
            .optimisations(self.manifest)?
            .iter()
            .filter(|o| self.manifest.reaches(o, &[]))
            .map(|o| o.slug.as_str())
            .collect();
        if let Some((_, name)) = self.known.iter().find(|(known, _)| *known == set) {
            return Ok(name.clone());
        }
        let name = selection.to_string();
        let made = (self.constructible)(&selection)?;
        if made {
            self.ablation.arms.push(name.clone());
        } else {
            self.ablation.notes.push(format!(
                "{name} can't be constructed: its patches need what is left out"
            ));
        }
        let name = made.then_some(name);
        self.known.push((set, name.clone()));
        Ok(name)
    }

    fn part(
        &mut self,
        series: &[&'m Optimisation],
        slug: &str,
        step: [Option<String>; 2],
        patched: &Option<String>,
    ) -> Result<AblationPlan> {
        let group = with_dependents(series, slug);
        let with = Selection::Only(group.clone());
        let needs: Vec<String> = with
            .optimisations(self.manifest)?
            .iter()
            .filter(|o| !o.kind.is_in_every_stack() && !group.contains(&o.slug))
            .filter(|o| self.manifest.reaches(o, &[]))
            .map(|o| o.slug.clone())
            .collect();
        let without = match needs.is_empty() {
            true => Selection::Pristine,
            false => Selection::Only(needs),
        };
        let alone = [self.arm(without)?, self.arm(with)?];
        let last = [
            self.arm(Selection::Without(slug.to_owned()))?,
            patched.clone(),
        ];
        Ok(AblationPlan {
            slug: slug.to_owned(),
            together: group.into_iter().filter(|other| other != slug).collect(),
            step: both(step),
            alone: both(alone),
            last: both(last),
        })
    }

    fn add(&mut self, part: AblationPlan) {
        for [a, b] in [&part.step, &part.alone, &part.last].into_iter().flatten() {
            self.contrast(&Some(a.clone()), &Some(b.clone()));
        }
        self.ablation.parts.push(part);
    }

    fn contrast(&mut self, first: &Option<String>, second: &Option<String>) {
        let Some(contrast) = both([first.clone(), second.clone()]) else {
            return;
        };
        if contrast[0] != contrast[1] && !self.ablation.contrasts.contains(&contrast) {
            self.ablation.contrasts.push(contrast);
        }
    }
}

fn both([first, second]: [Option<String>; 2]) -> Option<[String; 2]> {
    Some([first?, second?])
}

/// An optimisation and what needs it, directly or not, in the order of the series.
fn with_dependents(series: &[&Optimisation], slug: &str) -> Vec<String> {
    let mut group = vec![slug.to_owned()];
    // Dependencies come before what needs them, so one pass finds all.
    for other in series {
        if other.depends.iter().any(|needed| group.contains(needed)) {
            group.push(other.slug.clone());
        }
    }
    group
}

/// Contrasts of arms that are all compared with the first. An arm that is named again is that arm against itself.
pub fn against_first(arms: &[String]) -> Result<Vec<[String; 2]>> {
    let Some((first, others)) = arms.split_first() else {
        bail!("no arm to compare");
    };
    if others.is_empty() {
        bail!(
            "one arm, `{first}`, and nothing to compare it with: name at least two, as in --arms pristine,patched"
        );
    }
    Ok(others
        .iter()
        .map(|other| [first.clone(), other.clone()])
        .collect())
}

#[cfg(test)]
#[path = "ablate_tests.rs"]
mod tests;
