//! `cargo xtask compare`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use super::report;
use crate::compare::history::{self, History, Source};
use crate::compare::{json, outcome, table};
use crate::flags::compare::CompareArgs;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::report::{Kept, Today};
use crate::results::{ArmRecord, stale, store};
use crate::stack::manifest::Manifest;

/// Compares a result with what was measured before.
pub fn run(layout: &Layout, args: CompareArgs) -> Result<ExitCode> {
    if let Some(path) = &args.json {
        check_destination(layout, &args, path)?;
    }
    let (new, mut history) = match args.files.as_slice() {
        [new] => {
            let new = source(layout, new)?;
            let found = history::read(&layout.results, &args.history, |path| layout.show(path))?;
            let history = history::of(&new, found);
            (new, history)
        }
        [old, new] => {
            ensure!(
                args.history.is_empty(),
                "--history belongs to one file; two files are compared with each other and nothing else"
            );
            let new = source(layout, new)?;
            let history = history::pair(source(layout, old)?, &new)?;
            (new, history)
        }
        _ => bail!("one result, or two: the older one first"),
    };
    let today = if args.stale || args.files.len() == 2 {
        None
    } else {
        today(layout, &new, &mut history)
    };
    let stale = |arm: &ArmRecord| stale::reason(arm, today.as_ref()?.get(&arm.name)?);
    let outcome = outcome::compare(&new, history, stale)?;
    if let Some(path) = &args.json {
        store::write_document(path, &json::document(&outcome))?;
    }

    println!("{}\n", table::sides(&outcome));
    if !outcome.rows.is_empty() {
        println!("{}\n{}", table::table(&outcome), table::legend(&outcome));
    }
    for change in &outcome.changes {
        println!("Changed: {}", change.line());
    }
    for note in &outcome.notes {
        println!("Note: {note}");
    }
    println!("{}", table::sentence(&outcome));
    Ok(if outcome.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn source(layout: &Layout, path: &Path) -> Result<Source> {
    let result = store::read(path)?;
    Ok(Source {
        path: layout.show(path),
        result,
    })
}

/// A comparison must not take the place of what it was made from.
fn check_destination(layout: &Layout, args: &CompareArgs, path: &Path) -> Result<()> {
    ensure!(
        !path.is_dir(),
        "--json {} is a folder: name a file in it",
        path.display()
    );
    // A new file has no canonical path yet, its folder has.
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().unwrap_or_default();
    let destination = folder
        .canonicalize()
        .with_context(|| format!("--json {}: its folder is not there", path.display()))?
        .join(name);
    let destination = destination.canonicalize().unwrap_or(destination);
    let results = layout
        .results
        .canonicalize()
        .unwrap_or_else(|_| layout.results.clone());
    let read = args
        .files
        .iter()
        .filter_map(|file| file.canonicalize().ok());
    let is_read = read.into_iter().any(|file| file == destination);
    let kept = destination.starts_with(&results);
    ensure!(
        !is_read && !kept,
        "--json {} would replace a result, or lie among the kept ones: name another file",
        path.display()
    );
    Ok(())
}

/// What the arms of the result would be made of today. Where that can't be told, the result is judged, and a note says so.
fn today(layout: &Layout, new: &Source, history: &mut History) -> Option<Today> {
    let kept = [Kept {
        path: new.path.clone(),
        result: new.result.clone(),
    }];
    let found = Manifest::load(layout)
        .map_err(anyhow::Error::from)
        .and_then(|manifest| report::today(layout, &manifest, &kept, Progress::stderr()));
    match found {
        Ok(today) => Some(today),
        Err(error) => {
            history.notes.push(format!(
                "whether the repository still builds these arms could not be told: {error:#}"
            ));
            None
        }
    }
}
