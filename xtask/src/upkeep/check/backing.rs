//! Whether each optimisation that is on for speed is backed by a measurement of today's trees.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fault, Note};
use crate::arm::ArmSpec;
use crate::bench::table;
use crate::report::contrast::{self, Side};
use crate::report::rows::{older_rules, turned};
use crate::report::{Kept, Today, stale_reason};
use crate::results::{ArmRecord, Comparison, Family, Verdict};
use crate::stack::manifest::{Kind, Manifest};
use crate::stack::selection::Selection;
use crate::stack::stamps::StampError;

/// A row of a kept result that compares stacks which differ in one optimisation.
struct Row<'k> {
    kept: &'k Kept,
    /// With the optimisation on the contender's side.
    comparison: Comparison,
    /// True when both stacks are made of the trees that they would be made of today.
    current: bool,
}

/// What was measured of each optimisation of kind perf that is on by default. Results come newest first.
pub struct Backing<'k> {
    rows: BTreeMap<String, Vec<Row<'k>>>,
}

impl<'k> Backing<'k> {
    /// Looks through the kept results; `stamp` is the stamp that a stack would have today for an arm
    /// with some features.
    pub fn read(
        manifest: &Manifest,
        results: &'k [Kept],
        mut stamp: impl FnMut(&Selection, &[String]) -> Result<String, StampError>,
    ) -> Self {
        let mut rows: BTreeMap<String, Vec<Row>> = manifest
            .optimisations
            .iter()
            .filter(|o| o.default && o.kind == Kind::Perf)
            .map(|o| (o.slug.clone(), Vec::new()))
            .collect();
        let mut sides: BTreeMap<&[String; 2], Option<(String, Side)>> = BTreeMap::new();
        for kept in results.iter().filter(|kept| kept.result.complete) {
            for comparison in kept.result.comparisons.iter().filter(|c| c.is_claim()) {
                let [first, second] = &comparison.arms;
                let found = sides
                    .entry(&comparison.arms)
                    .or_insert_with(|| contrast::optimisation([first, second], manifest));
                let Some((slug, side)) = found else { continue };
                let Some(of_slug) = rows.get_mut(slug) else {
                    continue;
                };
                let comparison = match side {
                    Side::Contender => comparison.clone(),
                    Side::Baseline => turned(comparison),
                };
                let arms = arms(kept, &comparison);
                let current = arms.len() == 2
                    && arms.iter().all(|arm| {
                        let spec: Option<ArmSpec> = arm.name.parse().ok();
                        let today = spec.and_then(|spec| stamp(&spec.stack, &spec.features).ok());
                        let measured = arm.inputs.get("stack").and_then(|stack| stack.as_str());
                        today.is_some() && today.as_deref() == measured
                    });
                // What was measured again on the same trees has the newer word alone; one that compared nothing has none.
                let again = |row: &Row| {
                    row.current == current
                        && row.comparison.verdict != Verdict::Invalid
                        && row.kept.result.host.class == kept.result.host.class
                        && row.comparison.metric == comparison.metric
                        && row.comparison.arms == comparison.arms
                        && row.kept.result.ran(&row.comparison.workload)
                            == kept.result.ran(&comparison.workload)
                };
                if !of_slug.iter().any(again) {
                    of_slug.push(Row {
                        kept,
                        comparison,
                        current,
                    });
                }
            }
        }
        Self { rows }
    }

    /// The arms of the rows that say improved, whose other inputs may have moved.
    pub fn arms(&self) -> BTreeSet<&str> {
        self.rows
            .values()
            .flatten()
            .filter(|row| row.backs())
            .flat_map(|row| arms(row.kept, &row.comparison))
            .map(|arm| arm.name.as_str())
            .collect()
    }

    /// What is not backed, and what is backed and yet to be known of. `today` has the arms that were asked for.
    pub fn judge(&self, manifest: &Manifest, today: &Today) -> (Vec<Fault>, Vec<Note>) {
        let (mut faults, mut notes) = (Vec::new(), Vec::new());
        for (slug, rows) in self.in_order(manifest) {
            let (fault, own) = judge(slug, rows, manifest, today);
            faults.extend(fault);
            notes.extend(own);
        }
        (faults, notes)
    }

    fn in_order<'s>(
        &'s self,
        manifest: &'s Manifest,
    ) -> impl Iterator<Item = (&'s str, &'s [Row<'k>])> {
        manifest
            .optimisations
            .iter()
            .filter_map(|o| Some((o.slug.as_str(), self.rows.get(&o.slug)?.as_slice())))
    }
}

fn judge(
    slug: &str,
    rows: &[Row],
    manifest: &Manifest,
    today: &Today,
) -> (Option<Fault>, Vec<Note>) {
    let current: Vec<&Row> = rows.iter().filter(|row| row.current).collect();
    let backing: Vec<&Row> = current.iter().copied().filter(|row| row.backs()).collect();
    let worse: Vec<&Row> = current
        .iter()
        .copied()
        .filter(|row| row.comparison.verdict == Verdict::Regressed)
        .collect();
    let fault = |what: String, todo: String| Fault {
        rule: "backing",
        file: "extern/stack.toml".to_owned(),
        what,
        todo,
    };
    if backing.is_empty() {
        let what = if let Some(row) = worse.first() {
            format!(
                "`{slug}` is on, and was measured as regressed and nowhere as improved: {}",
                row.said()
            )
        } else if let Some(row) = current.first() {
            format!(
                "`{slug}` is on, and nothing that was measured of it says improved ({}); the newest: {}",
                counted(&current),
                row.said()
            )
        } else {
            let before = match rows.first() {
                Some(row) => format!("; the newest was of other trees: {}", row.said()),
                None => String::new(),
            };
            format!(
                "`{slug}` is on, and no kept result compares stacks of today's trees that differ in it alone{before}"
            )
        };
        let compared = |row: &Row| row.comparison.verdict != Verdict::Invalid;
        let todo = match current.iter().any(|row| compared(row)) {
            false => format!("measure it: `{}`", measure(slug, rows, manifest)),
            true => {
                "set default = false, or keep a result that shows on which work it pays".to_owned()
            }
        };
        return (Some(fault(what, todo)), Vec::new());
    }
    let mut notes = Vec::new();
    let stale = |row: &Row| {
        stale_reason(&arms(row.kept, &row.comparison), today).or_else(|| older_rules(row.kept))
    };
    // One that holds in every respect is enough.
    let reasons: Option<Vec<String>> = backing.iter().map(|row| stale(row)).collect();
    if let (Some(reasons), Some(row)) = (reasons, backing.first()) {
        notes.push(Note {
            about: slug.to_owned(),
            text: format!(
                "`{slug}` is backed by a stale result: {}: {}; measure again with `{}`",
                reasons.first().map_or("", String::as_str),
                row.said(),
                measure(slug, rows, manifest)
            ),
        });
    }
    if backing
        .iter()
        .all(|row| row.comparison.family == Family::Instructions)
    {
        notes.push(Note {
            about: slug.to_owned(),
            text: format!(
                "`{slug}` is backed by counted instructions alone, and no time says improved"
            ),
        });
    }
    for row in worse {
        notes.push(Note {
            about: slug.to_owned(),
            text: format!("`{slug}` pays, and costs as well: {}", row.said()),
        });
    }
    (None, notes)
}

/// How many rows have which verdict.
fn counted(rows: &[&Row]) -> String {
    let verdicts = [
        Verdict::Equivalent,
        Verdict::Inconclusive,
        Verdict::Invalid,
        // Of memory, or of another thing that backs nothing.
        Verdict::Improved,
    ];
    let counts = verdicts.map(|verdict| {
        let of_it = rows.iter().filter(|row| row.comparison.verdict == verdict);
        (of_it.count(), verdict.word())
    });
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    counts.join(", ")
}

/// What measures an optimisation, on the work that showed it to pay before.
fn measure(slug: &str, rows: &[Row], manifest: &Manifest) -> String {
    let shown = rows.iter().find(|row| row.improved());
    let workload = shown
        .or(rows.first())
        .map_or(String::new(), |row| format!("{} ", row.comparison.workload));
    let arms = contrast::arms_for(slug, manifest).join(",");
    format!("cargo xtask bench {workload}--arms {arms} --keep")
}

fn arms<'k>(kept: &'k Kept, comparison: &Comparison) -> Vec<&'k ArmRecord> {
    let all = kept.result.arms.iter();
    all.filter(|arm| comparison.arms.contains(&arm.name))
        .collect()
}

impl Row<'_> {
    /// True when the row says that the optimisation pays, on today's trees.
    fn backs(&self) -> bool {
        self.current && self.improved()
    }

    /// True when the row says that the optimisation pays, in time or in instructions, whatever trees it is of.
    fn improved(&self) -> bool {
        self.comparison.verdict == Verdict::Improved
            && matches!(
                self.comparison.family,
                Family::Headline | Family::Instructions
            )
    }

    /// Verdict, ratio, and where it stands.
    fn said(&self) -> String {
        let c = &self.comparison;
        let ratio = match c.p {
            Some(_) => table::interval(c.ratio, c.ci95),
            None => format!("{:.3} exact", c.ratio),
        };
        format!(
            "{} {ratio}, {} {} ({})",
            c.verdict.word(),
            c.workload,
            c.metric,
            self.kept.path
        )
    }
}

#[cfg(test)]
#[path = "backing_tests.rs"]
mod tests;
