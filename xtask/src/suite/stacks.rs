//! Steps over stacks: the one check of the graph, and every stack that must compile.

use anyhow::{Context, Result, bail};

use super::Outcome;
use crate::cargo;
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;
use crate::resolve;
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, Stack, materialise};
use crate::stack::selection::{Selection, leave_one_out};

fn make(layout: &Layout, manifest: &Manifest, selection: &Selection) -> Result<Stack> {
    materialise(
        layout,
        manifest,
        selection,
        Edited::Refuse,
        Progress::stderr(),
    )
}

/// Makes the trees of the default series and checks that the workspace resolves to them.
pub fn resolve_patched(layout: &Layout) -> Outcome {
    let manifest = Manifest::load(layout)?;
    let stack = make(layout, &manifest, &Selection::Patched)?;
    resolve::check(layout, &manifest, &stack, &[])?;
    Ok(format!("stack {}", &stack.stamp[..12]))
}

/// Compiles cuzk-core and the workloads against pristine and every stack that lacks one optimisation.
pub fn compile_others(layout: &Layout) -> Outcome {
    let manifest = Manifest::load(layout)?;
    let mut selections = vec![Selection::Pristine];
    selections.extend(leave_one_out(&manifest));
    let (mut compiled, mut impossible) = (0, Vec::new());
    for selection in &selections {
        let stack = match make(layout, &manifest, selection) {
            Ok(stack) => stack,
            // What cannot be left out alone is measured along the series; that is no fault of it.
            Err(error) if not_constructible(&error) => {
                impossible.push(selection.to_string());
                continue;
            }
            Err(error) => return Err(error.context(format!("stack `{selection}`"))),
        };
        resolve::check(layout, &manifest, &stack, &[])?;
        let config = stack.config.context("a stack that no table points at")?;
        let mut command = cargo::cargo(layout);
        command.args(["check", "--release", "--locked"]);
        command.args(["-p", "cuzk-core", "-p", "cuzk-benches", "--config"]);
        command.arg(config);
        cargo::run(&mut command, Progress::stderr())
            .with_context(|| format!("stack `{selection}` does not compile"))?;
        compiled += 1;
    }
    if compiled < 2 {
        bail!("only {compiled} stacks can be constructed");
    }
    Ok(match impossible.len() {
        0 => format!("{compiled} stacks"),
        _ => format!(
            "{compiled} stacks; not constructible: {}",
            impossible.join(", ")
        ),
    })
}

fn not_constructible(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(ApplyError::NotConstructible { .. })
    )
}
