//! Writing what results say into the pages that people read.
//!
//! Verdicts are never typed by hand: the pages have marked blocks, and those are generated from results/. A page that
//! already says what the results say is left alone, byte for byte.

pub mod block;
pub mod contrast;
pub mod html;
pub mod index;
pub mod lasting;
pub mod optimisations;
pub mod patches;
pub mod profiles;
pub mod readme;
pub mod rows;
pub mod today;

use std::collections::BTreeMap;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::files;
use crate::layout::Layout;
use crate::results::profile::ProfileFile;
use crate::results::{ArmRecord, ResultFile, sound, stale, store};
use crate::stack::manifest::Manifest;

/// What every arm would be made of today, by name, or why it can't be made.
pub type Today = BTreeMap<String, Result<Value, String>>;

/// A kept result and where it lies.
#[derive(Clone, Debug)]
pub struct Kept {
    /// From the repository's root, with slashes.
    pub path: String,
    /// What it holds.
    pub result: ResultFile,
}

/// A page as it is and as it should be.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file.
    pub path: PathBuf,
    /// Its text now; `None` where there is no file.
    pub before: Option<String>,
    /// Its text when it says what the results say.
    pub after: String,
}

impl Page {
    /// True when the page says something else than the results.
    pub fn differs(&self) -> bool {
        self.before.as_deref() != Some(&self.after)
    }
}

/// What lies below results/, read for pages.
#[derive(Debug, Default)]
pub struct Found {
    /// The results, newest first. Their trials have no answers and no readings of the process.
    pub results: Vec<Kept>,
    /// The profiles, newest first, each with its path from the repository's root.
    pub profiles: Vec<(String, ProfileFile)>,
    /// What could not be read, and why.
    pub unreadable: Vec<String>,
}

/// Reads results/. A bad file is named and left out.
pub fn found(layout: &Layout) -> Result<Found> {
    let show = |path: &Path| layout.show(path).replace('\\', "/");
    let mut found = Found::default();
    for file in store::kept_for_pages(&layout.results)? {
        match file {
            Ok((path, result)) => found.results.push(Kept {
                path: show(&path),
                result,
            }),
            Err(why) => found.unreadable.push(shown(layout, &why)),
        }
    }
    for file in profiles::read_all(&layout.results)? {
        match file {
            Ok((path, profile)) => found.profiles.push((show(&path), profile)),
            Err(why) => found.unreadable.push(shown(layout, &why)),
        }
    }
    found
        .results
        .sort_by(|a, b| (&b.result.time, &b.path).cmp(&(&a.result.time, &a.path)));
    found
        .profiles
        .sort_by(|a, b| (&b.1.time, &b.0).cmp(&(&a.1.time, &a.0)));
    Ok(found)
}

/// The results that can be read, newest first.
pub fn kept(layout: &Layout) -> Result<Vec<Kept>> {
    Ok(found(layout)?.results)
}

/// An error that begins with a path, with that path as seen from the root.
fn shown(layout: &Layout, error: &dyn std::error::Error) -> String {
    let root = format!("{}{}", layout.root.display(), std::path::MAIN_SEPARATOR);
    error.to_string().replace(&root, "")
}

/// Pages show rows as they are written, so a result whose rows do not follow from its own trials is none: it moves to
/// what can't be read. All cores look.
pub fn set_aside_contradictions(found: &mut Found) {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = found.results.len().div_ceil(workers).max(1);
    let ask = |chunk: &[Kept]| -> Vec<Option<String>> {
        let mut asked = Vec::with_capacity(chunk.len());
        asked.extend(chunk.iter().map(|kept| sound::contradiction(&kept.result)));
        asked
    };
    let said: Vec<Option<String>> = thread::scope(|scope| {
        let chunks = found.results.chunks(share);
        let running: Vec<_> = chunks
            .map(|chunk| scope.spawn(move || ask(chunk)))
            .collect();
        let ended = running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|e| resume_unwind(e)));
        ended.flatten().collect()
    });
    let mut said = said.into_iter();
    let Found {
        results,
        unreadable,
        ..
    } = found;
    results.retain(|kept| match said.next().flatten() {
        Some(what) => {
            unreadable.push(format!("{}: {what}", kept.path));
            false
        }
        None => true,
    });
}

/// Every page that shows results.
pub fn pages(
    layout: &Layout,
    manifest: &Manifest,
    results: &[Kept],
    today: &Today,
) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for optimisation in &manifest.optimisations {
        let path = layout
            .root
            .join("docs/optimisations")
            .join(format!("{}.md", optimisation.slug));
        let before = if path.is_file() {
            Some(read(&path)?)
        } else {
            None
        };
        let text = before.as_deref().unwrap_or(patches::EMPTY_PAGE);
        let after = patches::page(text, optimisation)
            .and_then(|text| {
                optimisations::page(&text, &optimisation.slug, manifest, results, today)
            })
            .with_context(|| layout.show(&path))?;
        pages.push(Page {
            path,
            before,
            after,
        });
    }
    let path = layout.results.join("README.md");
    let before = if path.is_file() {
        Some(read(&path)?)
    } else {
        None
    };
    pages.push(Page {
        before,
        after: index::text(results, today),
        path,
    });
    let path = layout.root.join("README.md");
    if path.is_file() {
        let before = read(&path)?;
        let after = readme::page(&before, results, today).with_context(|| layout.show(&path))?;
        pages.push(Page {
            path,
            before: Some(before),
            after,
        });
    }
    Ok(pages)
}

/// Writes the pages that differ, whole or not at all.
pub fn write(pages: &[Page]) -> Result<()> {
    for page in pages.iter().filter(|page| page.differs()) {
        files::replace(&page.path, page.after.as_bytes())
            .with_context(|| format!("cannot write {}", page.path.display()))?;
    }
    Ok(())
}

/// The first reason why one of these arms is not what was measured any more.
pub fn stale_reason(arms: &[&ArmRecord], today: &Today) -> Option<String> {
    let unknown = Err("its name is not an arm".to_owned());
    arms.iter()
        .find_map(|arm| stale::reason(arm, today.get(&arm.name).unwrap_or(&unknown)))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
