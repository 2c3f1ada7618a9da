//! `cargo xtask compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};

use super::report;
use crate::compare::history::{self, History, Source};
use crate::compare::{json, outcome, table};
use crate::files;
use crate::flags::compare::CompareArgs;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::report::{Kept, Today};
use crate::results::{ArmRecord, stale, store};
use crate::stack::manifest::Manifest;

/// Compares a result with what was measured before.
pub fn run(layout: &Layout, args: CompareArgs) -> Result<ExitCode> {
    let json = match &args.json {
        Some(path) => Some(check_destination(layout, &args, path)?),
        None => None,
    };
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
    if let Some(path) = &json {
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
    let compared = outcome.rows.iter().any(|row| row.change.is_some());
    if args.files.len() == 2 && !compared {
        println!("The two results have no row in common that could be compared.");
        return Ok(ExitCode::from(1));
    }
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
fn check_destination(layout: &Layout, args: &CompareArgs, path: &Path) -> Result<PathBuf> {
    let place = files::destination("--json", path, Some(&layout.results), files::is_document)?;
    let mut read = args
        .files
        .iter()
        .filter_map(|file| file.canonicalize().ok());
    ensure!(
        read.all(|file| file != place),
        "--json {} would replace a result: name another file",
        path.display()
    );
    Ok(place)
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
