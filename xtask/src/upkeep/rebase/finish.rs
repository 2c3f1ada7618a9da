//! The last step: everything that the repository says of the new release, written together or not at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::plan::Plan;
use super::replay::{Outcome, Row};
use super::texts;
use crate::layout::Layout;
use crate::patch::apply::{self, How};
use crate::patch::message::Message;
use crate::patch::{diff, print};
use crate::stack::manifest::Manifest;
use crate::stack::manifest::entries::Entries;
use crate::upkeep::journal::Wanted;
use crate::upkeep::line::Line;

/// What is to be written, and what is to be said of it.
#[derive(Debug)]
pub(super) struct Finish {
    /// Files as they must be.
    pub wanted: Wanted,
    /// Optimisations that leave stack.toml, for no crate of theirs is left.
    pub leave: Vec<String>,
    /// Manifests, from the root, in which an exact version changes.
    pub pinned: Vec<String>,
    /// Requirements of another form, which stay: manifest and requirement.
    pub others: Vec<(String, String)>,
}

/// Optimisations of which nothing is left, by slug: those that upstream has, and those that were left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Leaving<'a> {
    pub upstream: BTreeSet<&'a str>,
    pub left_out: BTreeSet<&'a str>,
}

/// The patches that a person leaves out, and those that are blocked by them. A conflict that nobody has decided about leaves
/// nothing out, and nothing that waits for it alone.
pub(super) fn gone<'a>(line: &'a Line<'_>, rows: &[Row]) -> BTreeSet<&'a str> {
    let steps = || line.steps.iter().zip(rows);
    let skipped: BTreeSet<&str> = steps()
        .filter(|(_, row)| matches!(row.outcome, Outcome::Skipped))
        .map(|(step, _)| step.slug())
        .collect();
    let goes = |row: &Row| match &row.outcome {
        Outcome::Skipped => true,
        Outcome::Blocked(by) => by.iter().any(|root| skipped.contains(root.as_str())),
        _ => false,
    };
    let gone = steps().filter(|(_, row)| goes(row));
    gone.map(|(step, _)| step.slug()).collect()
}

/// Which optimisations have no crate left after `rows`.
pub(super) fn leaving<'a>(line: &'a Line<'_>, rows: &[Row]) -> Leaving<'a> {
    let mut leaving = Leaving::default();
    let gone = gone(line, rows);
    for (step, row) in line.steps.iter().zip(rows) {
        if step.optimisation.patches.len() > 1 {
            continue;
        }
        if matches!(row.outcome, Outcome::Upstream) {
            leaving.upstream.insert(step.slug());
        } else if gone.contains(step.slug()) {
            leaving.left_out.insert(step.slug());
        }
    }
    leaving
}

/// The other crates of optimisations that lose their patch of this one: half of a change that was written as one.
pub(super) fn halves(line: &Line<'_>, gone: &BTreeSet<&str>) -> Vec<String> {
    let lost = line.steps.iter().filter(|step| gone.contains(step.slug()));
    let others = lost.flat_map(|step| {
        let patches = step.optimisation.patches.keys();
        patches.map(move |of| (step, of))
    });
    others
        .filter(|(step, of)| !step.patch.name.starts_with(&format!("{of}/")))
        .map(|(step, of)| format!("`{}` is a patch of {of} too", step.slug()))
        .collect()
}

/// Patches of other crates that need an optimisation of which nothing is left.
pub(super) fn orphans(plan: &Plan, leaving: &Leaving<'_>) -> Vec<String> {
    let name = &plan.new.name;
    let mut orphans = Vec::new();
    for optimisation in &plan.manifest.optimisations {
        for (of, patch) in optimisation.patches.iter().filter(|(of, _)| *of != name) {
            for needed in patch.message.trailer_list("Depends") {
                if leaving.left_out.contains(needed.as_str()) {
                    orphans.push(format!("`{}` of {of} needs `{needed}`", optimisation.slug));
                }
            }
        }
    }
    orphans
}

impl Finish {
    /// Works everything out; nothing is written.
    pub fn new(layout: &Layout, plan: &Plan, line: &Line<'_>, rows: &[Row]) -> Result<Self> {
        let mut finish = Self {
            wanted: Wanted::new(),
            leave: Vec::new(),
            pinned: Vec::new(),
            others: Vec::new(),
        };
        let leaving = leaving(line, rows);
        let met: Vec<&str> = leaving.upstream.iter().copied().collect();
        for (step, row) in line.steps.iter().zip(rows) {
            let path = layout.patches.join(&step.patch.name);
            let bytes = match row.outcome.applies() {
                false => None,
                true => {
                    let files = diff::between(&row.before, &row.after)
                        .with_context(|| format!("`{}` cannot become a patch", step.slug()))?;
                    let message = met_upstream(&step.patch.message, &met);
                    let text = print::print(&message, &files)
                        .with_context(|| format!("`{}` cannot become a patch", step.slug()))?;
                    Some(text)
                }
            };
            finish.wanted.insert(path, bytes);
        }
        finish.other_crates(layout, plan, &met)?;
        finish.stack_toml(layout, plan, line, rows)?;
        for path in manifests(&layout.root)? {
            finish.pins(layout, plan, &path)?;
        }
        Ok(finish)
    }

    /// Patches of other crates that name what upstream has now.
    fn other_crates(&mut self, layout: &Layout, plan: &Plan, met: &[&str]) -> Result<()> {
        for optimisation in &plan.manifest.optimisations {
            let others = optimisation.patches.iter();
            for (_, patch) in others.filter(|(of, _)| **of != plan.new.name) {
                let message = met_upstream(&patch.message, met);
                if message != patch.message {
                    let text = print::print(&message, &patch.files)
                        .with_context(|| format!("extern/patches/{}", patch.name))?;
                    self.wanted
                        .insert(layout.patches.join(&patch.name), Some(text));
                }
            }
        }
        Ok(())
    }

    fn stack_toml(
        &mut self,
        layout: &Layout,
        plan: &Plan,
        line: &Line<'_>,
        rows: &[Row],
    ) -> Result<()> {
        let text = read(&layout.stack_toml)?;
        let text = texts::release(&text, &plan.new).context("extern/stack.toml")?;
        let mut entries = Entries::parse(&text).context("extern/stack.toml")?;
        for (step, row) in line.steps.iter().zip(rows) {
            if row.outcome.applies() {
                continue;
            }
            let crates: Vec<&str> = step
                .optimisation
                .patches
                .keys()
                .map(String::as_str)
                .filter(|name| *name != plan.new.name)
                .collect();
            if crates.is_empty() {
                entries.remove(step.slug());
                self.leave.push(step.slug().to_owned());
            } else {
                entries.set_crates(step.slug(), &crates);
            }
        }
        let text = entries.text().into_bytes();
        self.wanted.insert(layout.stack_toml.clone(), Some(text));
        Ok(())
    }

    fn pins(&mut self, layout: &Layout, plan: &Plan, path: &Path) -> Result<()> {
        let text = read(path)?;
        let shown = layout.show(path);
        let pins = texts::pins(&text, &plan.new.name, &plan.old.version, &plan.new.version)
            .with_context(|| shown.clone())?;
        for other in pins.others {
            self.others.push((shown.clone(), other));
        }
        if pins.changed > 0 {
            self.wanted
                .insert(path.to_path_buf(), Some(pins.text.into_bytes()));
            self.pinned.push(shown);
        }
        Ok(())
    }

    /// Holds what was written against what was worked out: the whole manifest is read anew, and every patch of the crate
    /// gives the tree that it must, exactly.
    pub fn check(layout: &Layout, plan: &Plan, line: &Line<'_>, rows: &[Row]) -> Result<()> {
        let manifest = Manifest::load(layout)?;
        // The default series, one on top of the other.
        let made = Line::new(&manifest, &plan.new.name, &plan.new_tree)?;
        for (step, row) in line.steps.iter().zip(rows) {
            let slug = step.slug();
            let found = made.steps.iter().find(|made| made.slug() == slug);
            let good = match found {
                Some(found) => apply::apply(&row.before, found.patch, How::Exact)? == row.after,
                None => !row.outcome.applies(),
            };
            ensure!(good, "`{slug}` does not come back from its own patch");
        }
        Ok(())
    }
}

fn met_upstream(message: &Message, met: &[&str]) -> Message {
    let needs = message.trailer_list("Depends");
    if !needs.iter().any(|slug| met.contains(&slug.as_str())) {
        return message.clone();
    }
    Message {
        body: texts::without_depends(&message.body, met),
        ..message.clone()
    }
}

/// The manifests that name exact versions of the stack.
fn manifests(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![
        root.join("Cargo.toml"),
        root.join("benches/released/Cargo.toml"),
    ];
    let downstream = root.join("tests/downstream");
    if downstream.is_dir() {
        for entry in walkdir::WalkDir::new(&downstream)
            .max_depth(3)
            .sort_by_file_name()
        {
            let entry = entry.with_context(|| format!("cannot read {}", downstream.display()))?;
            if entry.file_name() == "Cargo.toml" {
                found.push(entry.into_path());
            }
        }
    }
    found.retain(|path| path.is_file());
    Ok(found)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
