//! `cargo xtask patch list`: the series, what was measured of it, and what would let us drop it.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::files;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::report::contrast::{self, Side};
use crate::report::rows::{self, Row};
use crate::report::{self, Kept, today};
use crate::results::{Family, Verdict, store};
use crate::stack::manifest::{Kind, Manifest, Optimisation, Step};
use crate::stack::release;
use crate::stack::stamps::Stamps;

/// The document of `--json`.
#[derive(Debug, Serialize)]
struct List {
    schema: u32,
    optimisations: Vec<Entry>,
}

/// One optimisation.
#[derive(Debug, Serialize)]
struct Entry {
    slug: String,
    kind: Kind,
    default: bool,
    crates: Vec<String>,
    depends: Vec<String>,
    steps: Vec<Step>,
    /// Why it is on although no verdict says that it pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    lines_added: usize,
    lines_removed: usize,
    subject: String,
    origin: Option<String>,
    forwarded: Option<String>,
    removal: Option<String>,
    patches: Vec<File>,
    /// The row of `measured` that the table shows.
    verdict: Option<Measured>,
    /// The newest row for each workload, metric and pair of arms on each class of host.
    measured: Vec<Measured>,
}

/// One patch file.
#[derive(Debug, Serialize)]
struct File {
    #[serde(rename = "crate")]
    krate: String,
    file: String,
    sha256: String,
    lines_added: usize,
    lines_removed: usize,
}

/// A row of a kept result, with the optimisation on the second arm's side.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    workload: String,
    metric: String,
    family: Family,
    arms: [String; 2],
    ratio: f64,
    ci95: [f64; 2],
    /// True for a count, whose ratio has no interval.
    exact: bool,
    verdict: Verdict,
    stale: Option<String>,
    time: String,
    host: String,
    result: String,
}

/// Prints the list.
pub fn run(layout: &Layout, json: Option<PathBuf>) -> Result<ExitCode> {
    let json = json
        .map(|path| files::destination("--json", &path, Some(&layout.results), files::is_document))
        .transpose()?;
    let (list, unreadable) = read(layout, Progress::stderr())?;
    for why in &unreadable {
        eprintln!("error: {why}");
    }
    if let Some(path) = json {
        store::write_document(&path, &list)?;
    }
    if list.optimisations.is_empty() {
        println!("the series in extern/stack.toml is empty");
    } else {
        print!("{}", table::text(&list.optimisations));
    }
    Ok(match unreadable.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

/// The list, and which results could not be read.
fn read(layout: &Layout, progress: Progress) -> Result<(List, Vec<String>)> {
    let manifest = Manifest::load(layout)?;
    // Cargo is asked for the releases while the results are read.
    let (releases, found) = thread::scope(|scope| {
        let results = scope.spawn(|| report::found(layout));
        let releases = release::load(layout, &manifest.releases, progress);
        (releases, results.join())
    });
    let releases = releases.context("without the releases nobody knows which results are stale")?;
    let mut found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    report::set_aside_contradictions(&mut found);
    let mut stamps = Stamps::new(&manifest, &releases)?;
    report::lasting::rename(&mut found, &manifest, |selection, features| {
        stamps.of(selection, features).ok()
    })?;
    let contrasts = contrasts(&manifest, &found.results);
    let names: BTreeSet<&str> = contrasts.keys().flatten().copied().collect();
    let today = today::of(layout, names, |selection, features| {
        Ok(stamps.of(selection, features)?)
    })?;
    let entry = |optimisation: &Optimisation| {
        let rows = rows::newest(&found.results, &today, |arms| {
            let (slug, side) = contrasts.get(&arms)?;
            (*slug == optimisation.slug).then_some(*side)
        });
        entry(optimisation, &manifest, &rows)
    };
    let list = List {
        schema: 1,
        optimisations: manifest.optimisations.iter().map(entry).collect(),
    };
    Ok((list, found.unreadable))
}

/// The pairs of arms that some result compares and that differ in one optimisation, with that.
fn contrasts<'k>(
    manifest: &Manifest,
    results: &'k [Kept],
) -> BTreeMap<[&'k str; 2], (String, Side)> {
    let rows = results.iter().flat_map(|kept| &kept.result.comparisons);
    let pairs: BTreeSet<[&str; 2]> = rows
        .map(|row| row.arms.each_ref().map(String::as_str))
        .collect();
    pairs
        .into_iter()
        .filter_map(|arms| Some((arms, contrast::optimisation(arms, manifest)?)))
        .collect()
}

fn entry(optimisation: &Optimisation, manifest: &Manifest, rows: &[Row]) -> Entry {
    let Optimisation {
        slug,
        kind,
        default,
        depends,
        steps,
        because,
        patches,
    } = optimisation;
    let files: Vec<File> = patches
        .iter()
        .map(|(krate, patch)| {
            let (lines_added, lines_removed) = patch.line_counts();
            File {
                krate: krate.clone(),
                file: format!("extern/patches/{}", patch.name),
                sha256: patch.sha256.clone(),
                lines_added,
                lines_removed,
            }
        })
        .collect();
    let first = patches.values().next();
    let trailer = |key: &str| first.and_then(|patch| patch.message.trailer(key));
    Entry {
        slug: slug.clone(),
        kind: *kind,
        default: *default,
        crates: patches.keys().cloned().collect(),
        depends: depends.clone(),
        steps: steps.iter().copied().collect(),
        because: because.clone(),
        lines_added: files.iter().map(|file| file.lines_added).sum(),
        lines_removed: files.iter().map(|file| file.lines_removed).sum(),
        subject: first.map_or_else(String::new, |patch| patch.message.subject.clone()),
        origin: trailer("Origin"),
        forwarded: trailer("Forwarded"),
        removal: trailer("Removal"),
        patches: files,
        verdict: shown(rows, &contrast::arms_for(slug, manifest)).map(measured),
        measured: rows.iter().map(measured).collect(),
    }
}

/// The row that stands for all: one that holds before a stale one, a time before a count before memory, one that is
/// decided before one that is not, the step of the series before other contrasts, and the newest of these.
fn shown<'r, 'k>(rows: &'r [Row<'k>], step: &[String; 2]) -> Option<&'r Row<'k>> {
    let rank = |row: &&Row| {
        let family = match row.comparison.family {
            Family::Headline => 0,
            Family::Instructions => 1,
            _ => 2,
        };
        let decided = matches!(
            row.comparison.verdict,
            Verdict::Improved | Verdict::Regressed
        );
        (
            row.stale.is_some(),
            family,
            !decided,
            row.comparison.arms != *step,
        )
    };
    rows.iter().min_by_key(rank)
}

fn measured(row: &Row) -> Measured {
    let c = &row.comparison;
    Measured {
        workload: row.workload(),
        metric: c.metric.clone(),
        family: c.family,
        arms: c.arms.clone(),
        ratio: c.ratio,
        ci95: c.ci95,
        exact: c.p.is_none(),
        verdict: c.verdict,
        stale: row.stale.clone(),
        time: row.kept.result.time.clone(),
        host: row.kept.result.host.class.clone(),
        result: row.kept.path.clone(),
    }
}

#[cfg(test)]
mod tests;
