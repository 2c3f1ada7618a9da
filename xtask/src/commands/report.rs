//! `cargo xtask report`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::arm::{ArmSpec, Inputs, Program};
use crate::flags::report::ReportArgs;
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;
use crate::report::{self, Kept, Today};
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::{Selection, SelectionError};

/// Brings the pages up to date, or says which are not.
pub fn run(layout: &Layout, args: ReportArgs) -> Result<ExitCode> {
    let progress = Progress::stderr();
    let manifest = Manifest::load(layout)?;
    let results = report::kept(layout)?;
    let today = today(layout, &manifest, &results, progress)?;
    let pages = report::pages(layout, &manifest, &results, &today)?;
    let changed: Vec<_> = pages.iter().filter(|page| page.differs()).collect();
    if args.check {
        for page in &changed {
            println!(
                "{} does not say what results/ says: run `cargo xtask report`",
                layout.show(&page.path)
            );
        }
        return Ok(if changed.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(1)
        });
    }
    report::write(&pages)?;
    for page in &changed {
        progress.step("Wrote", layout.show(&page.path));
    }
    println!(
        "{} results, {} pages, {} of them changed.",
        results.len(),
        pages.len(),
        changed.len()
    );
    Ok(ExitCode::SUCCESS)
}

/// What each measured arm would be made of today.
///
/// Only that an arm cannot be made from this series is a fact for the pages. Any other failure is one of this machine,
/// and must not get into them.
pub(super) fn today(
    layout: &Layout,
    manifest: &Manifest,
    results: &[Kept],
    progress: Progress,
) -> Result<Today> {
    let names: BTreeSet<&String> = results
        .iter()
        .flat_map(|kept| &kept.result.arms)
        .map(|arm| &arm.name)
        .collect();
    names
        .into_iter()
        .map(|name| {
            let inputs = match inputs(layout, manifest, name, progress) {
                Ok(inputs) => Ok(inputs),
                Err(error) if is_of_the_series(&error) => Err(first_line(&error)),
                Err(error) => {
                    return Err(error.context(format!("what arm `{name}` would be made of today")));
                }
            };
            Ok((name.clone(), inputs))
        })
        .collect()
}

fn is_of_the_series(error: &anyhow::Error) -> bool {
    error.downcast_ref::<SelectionError>().is_some() || ApplyError::is_not_constructible(error)
}

fn inputs(layout: &Layout, manifest: &Manifest, name: &str, progress: Progress) -> Result<Value> {
    let spec: ArmSpec = name.parse()?;
    let stack = match &spec.stack {
        Selection::Released => "released".to_owned(),
        selection => materialise(layout, manifest, selection, Edited::Refuse, progress)?.stamp,
    };
    let program = Program::compared_on(&spec.stack);
    serde_json::to_value(Inputs::take(layout, program, &spec, &stack)?)
        .context("what an arm is made of")
}

/// The reason without its details, for a table.
fn first_line(error: &anyhow::Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
