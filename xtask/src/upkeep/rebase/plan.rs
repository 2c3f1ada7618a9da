//! What a rebase works on: the manifest, both releases, and what changes between them.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::difference::Difference;
use super::replay::{self, Decision, Row, Stop, Target};
use super::report::Survey;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::manifest::{Manifest, Release};
use crate::stack::release;
use crate::stack::tree::Tree;
use crate::upkeep::line::Line;

/// Both ends of a rebase.
#[derive(Debug)]
pub struct Plan {
    /// The series.
    pub manifest: Manifest,
    /// The release that the patches are made for.
    pub old: Release,
    /// Its tree.
    pub old_tree: Tree,
    /// The release that they go to.
    pub new: Release,
    /// Its tree.
    pub new_tree: Tree,
    /// What changes between the two.
    pub difference: Difference,
}

impl Plan {
    /// Reads the series, and fetches both releases of `name`.
    pub fn load(layout: &Layout, name: &str, version: &str, progress: Progress) -> Result<Self> {
        let manifest = Manifest::load(layout)?;
        let Some(old) = manifest.releases.iter().find(|r| r.name == name).cloned() else {
            let known: Vec<&str> = manifest.releases.iter().map(|r| r.name.as_str()).collect();
            bail!(
                "extern/stack.toml has no crate `{name}`, only {}",
                known.join(", ")
            );
        };
        ensure!(
            old.version != version,
            "extern/stack.toml has {name} {version} already: name another release"
        );
        let mut trees = release::load(layout, &manifest.releases, progress)?;
        let old_tree = trees.remove(name).context("a release without a tree")?;
        let (new, new_tree) = release::other(layout, name, version, progress)?;
        let difference = Difference::between(&old_tree, &new_tree)
            .with_context(|| format!("cannot compare {name} {} and {version}", old.version))?;
        Ok(Self {
            manifest,
            old,
            old_tree,
            new,
            new_tree,
            difference,
        })
    }

    /// The line that the patches were made along.
    pub fn line(&self) -> Result<Line<'_>> {
        Ok(Line::new(&self.manifest, &self.old.name, &self.old_tree)?)
    }

    /// The patches on the new release.
    pub fn replay(
        &self,
        line: &Line<'_>,
        decisions: &BTreeMap<String, Decision>,
        stop: Stop,
    ) -> Result<Vec<Row>> {
        let called = |release: &Release| format!("{} {}", release.name, release.version);
        let target = Target {
            old: called(&self.old),
            new: called(&self.new),
            release: &self.new_tree,
            renamed: &self.difference.renamed,
        };
        Ok(replay::replay(line, &target, decisions, stop)?)
    }

    /// What would become of every patch: as text, as JSON, and whether no person is needed.
    pub fn survey(&self) -> Result<(String, Value, bool)> {
        let line = self.line()?;
        let rows = self.replay(&line, &BTreeMap::new(), Stop::Never)?;
        let survey = Survey {
            old: &self.old,
            new: &self.new,
            difference: &self.difference,
            line: &line,
            rows: &rows,
        };
        Ok((survey.text(), survey.json(), survey.goes_by_itself()))
    }
}
