//! From the commits of an edit to the files below extern/: which patches, which entries of stack.toml, in which order.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::order;
use super::read::{Change, Edited, short};
use super::refusal::Refusal;
use crate::stack::manifest::entries::Entries;
use crate::stack::manifest::{Kind, Manifest};
use crate::upkeep::edit::State;

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Patches that leave the crate.
    pub drop: Vec<String>,
    /// The kind of optimisations that are new; perf when none is said.
    pub kind: Option<Kind>,
}

/// What an export makes of stack.toml and of the folder of patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The text of stack.toml.
    pub(super) stack_toml: String,
    /// The optimisations that are new.
    pub(super) new: Vec<String>,
    /// The slugs whose files go.
    pub(super) dropped: Vec<String>,
    /// The slugs of the crate that are on, in order.
    pub(super) series: Vec<String>,
}

/// The series as it is and the commits as they are.
pub(super) struct Planner<'a> {
    pub(super) manifest: &'a Manifest,
    /// The text of stack.toml.
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) state: &'a State,
    pub(super) edited: &'a Edited,
    pub(super) wishes: &'a Wishes,
}

impl Planner<'_> {
    pub(super) fn plan(&self) -> Result<Plan> {
        let new: Vec<&Change> = self
            .edited
            .all()
            .filter(|change| self.manifest.optimisation(&change.slug).is_none())
            .collect();
        if new.is_empty() && self.wishes.kind.is_some() {
            return Err(Refusal::KindOfNothing.into());
        }
        self.check_places()?;
        let dropped = self.dropped()?;
        let mut entries = Entries::parse(self.text).context("extern/stack.toml")?;
        for slug in &dropped {
            self.leave(&mut entries, slug);
        }
        for change in self.edited.all() {
            self.join(&mut entries, change);
        }
        for change in &new {
            let at = self.place(&entries, change);
            let on = self.is_on(&change.slug);
            entries.insert(at, &change.slug, self.kind(), on, &[self.name]);
        }
        let series: Vec<&str> = self
            .edited
            .series
            .iter()
            .map(|change| change.slug.as_str())
            .filter(|slug| self.is_on(slug))
            .collect();
        let slugs = entries.slugs();
        let mut there = slugs.iter().filter(|slug| series.contains(&slug.as_str()));
        if !series
            .iter()
            .all(|slug| there.next().is_some_and(|own| own == slug))
        {
            let depends = self.depends();
            entries.arrange(&order::arrange(
                &slugs,
                &series,
                &depends,
                self.name,
                self.manifest,
            )?);
        }
        Ok(Plan {
            stack_toml: entries.text(),
            new: new.iter().map(|change| change.slug.clone()).collect(),
            series: series.into_iter().map(str::to_owned).collect(),
            dropped,
        })
    }

    /// The kind of what is new.
    fn kind(&self) -> Kind {
        self.wishes.kind.unwrap_or(Kind::Perf)
    }

    /// What is new is on unless it first has to show what it is good for.
    fn is_on(&self, slug: &str) -> bool {
        match self.manifest.optimisation(slug) {
            Some(optimisation) => optimisation.default,
            None => !matches!(self.kind(), Kind::Perf | Kind::Experiment),
        }
    }

    /// What is on stands on `series`, what is off above it or beside it.
    fn check_places(&self) -> Result<(), Refusal> {
        for change in &self.edited.off {
            let (branch, slug) = (change.branch.clone(), change.slug.clone());
            match self.manifest.optimisation(&slug) {
                Some(known) if known.default => return Err(Refusal::OnApart { branch, slug }),
                None if self.is_on(&slug) => {
                    let kind = self.kind().to_string();
                    return Err(Refusal::KindApart { branch, kind });
                }
                _ => {}
            }
        }
        let mut above = None;
        for change in self.edited.series.iter().rev() {
            if self.is_on(&change.slug) {
                above = Some(&change.slug);
            } else if let Some(above) = above {
                let known = self.manifest.optimisation(&change.slug).is_some();
                let new = if known {
                    String::new()
                } else {
                    format!(", as a new one of kind {} is", self.kind())
                };
                return Err(Refusal::OffBelow {
                    commit: change.shown.clone(),
                    new,
                    above: above.clone(),
                    import: short(&self.state.import),
                });
            }
        }
        Ok(())
    }

    /// What is to go, and nothing goes unsaid.
    fn dropped(&self) -> Result<Vec<String>, Refusal> {
        let own = |slug: &str| {
            let known = self.manifest.optimisation(slug);
            known.is_some_and(|o| o.patches.contains_key(self.name))
        };
        let mut dropped = BTreeSet::new();
        for slug in &self.wishes.drop {
            if let Some(change) = self.edited.all().find(|change| change.slug == *slug) {
                return Err(Refusal::DropThere {
                    slug: slug.clone(),
                    commit: change.shown.clone(),
                    import: short(&self.state.import),
                });
            }
            if !own(slug) {
                let (slug, name) = (slug.clone(), self.name.to_owned());
                return Err(Refusal::DropUnknown { slug, name });
            }
            dropped.insert(slug.clone());
        }
        let gone: Vec<String> = self
            .manifest
            .optimisations
            .iter()
            .map(|o| &o.slug)
            .filter(|slug| own(slug) && !dropped.contains(*slug))
            .filter(|slug| !self.state.left_out.contains(*slug))
            .filter(|slug| self.edited.all().all(|change| change.slug != **slug))
            .map(|slug| format!("`{slug}`"))
            .collect();
        if gone.is_empty() {
            return Ok(dropped.into_iter().collect());
        }
        Err(Refusal::Gone {
            slugs: gone.join(", "),
            name: self.name.to_owned(),
        })
    }

    /// The crates of an optimisation that is known, in the order of the releases, with this crate or without.
    fn crates(&self, slug: &str, with: bool) -> Vec<&str> {
        let known = self.manifest.optimisation(slug);
        let names = self.manifest.releases.iter().map(|r| r.name.as_str());
        names
            .filter(|name| {
                if *name == self.name {
                    with
                } else {
                    known.is_some_and(|o| o.patches.contains_key(*name))
                }
            })
            .collect()
    }

    fn leave(&self, entries: &mut Entries, slug: &str) {
        let left = self.crates(slug, false);
        if left.is_empty() {
            entries.remove(slug);
        } else {
            entries.set_crates(slug, &left);
        }
    }

    fn join(&self, entries: &mut Entries, change: &Change) {
        let known = self.manifest.optimisation(&change.slug);
        if known.is_some_and(|o| !o.patches.contains_key(self.name)) {
            entries.set_crates(&change.slug, &self.crates(&change.slug, true));
        }
    }

    /// Where the entry of a new optimisation goes: at the end; in the middle of the series behind the one before it.
    fn place(&self, entries: &Entries, change: &Change) -> usize {
        let slugs = entries.slugs();
        let behind = |slug: &str| slugs.iter().position(|own| own == slug).map(|at| at + 1);
        let series = &self.edited.series;
        let own = series.iter().position(|other| other.slug == change.slug);
        let known = |other: &Change| self.manifest.optimisation(&other.slug);
        let inside = own.is_some_and(|at| {
            let mut above = series[at..].iter().filter_map(known);
            above.any(|o| o.default)
        });
        let place = if inside {
            let before = own.and_then(|at| series.get(at.checked_sub(1)?));
            before.and_then(|other| behind(&other.slug)).unwrap_or(0)
        } else {
            entries.end()
        };
        let needed = change.depends.iter().filter_map(|slug| behind(slug));
        needed.max().map_or(place, |after| after.max(place))
    }

    /// What depends on what, after the export.
    fn depends(&self) -> Vec<(String, String)> {
        let own = self.edited.all().flat_map(|change| {
            let needed = change.depends.iter();
            needed.map(|needed| (needed.clone(), change.slug.clone()))
        });
        let others = self.manifest.optimisations.iter().flat_map(|o| {
            let patches = o.patches.iter().filter(|(name, _)| *name != self.name);
            let needed = patches.flat_map(|(_, patch)| patch.message.trailer_list("Depends"));
            needed.map(|needed| (needed, o.slug.clone()))
        });
        own.chain(others).collect()
    }
}
