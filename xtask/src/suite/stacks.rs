//! Steps over stacks: the one check of the graph, and every stack that must compile.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

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

/// The stacks that cannot be constructed, one a line, from the root: what is not in it has to be.
const NOT_CONSTRUCTIBLE: &str = "tests/stacks-not-constructible.txt";

pub(super) fn make(layout: &Layout, manifest: &Manifest, selection: &Selection) -> Result<Stack> {
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

/// What calls what patches add, without the crates of Filecoin.
const CALLERS: &[&str] = &["cuzk-core", "cuzk-circuits", "cuzk-kernels"];
/// The crates of the stack that are compiled with those.
const CALLED: &[&str] = &["bellpepper-core", "bellperson", "blstrs"];
/// Everything that is built on a stack.
const ALL: &[&str] = &["cuzk-core", "cuzk-prove", "cuzk-benches"];

/// What shows that a stack compiles. Everything compiles against `patched` and pristine, so it calls nothing that a patch
/// adds but instruments, which every stack has. The crates of Filecoin, most of the time, are therefore left out where no other
/// tree than of [`CALLED`] differs from `patched`.
fn packages(manifest: &Manifest, stack: &Stack, patched: &Stack) -> &'static [&'static str] {
    let compiled = manifest.releases.iter().filter(|r| r.is_compiled(&[]));
    let mut beyond = compiled.filter(|r| !CALLED.contains(&r.name.as_str()));
    let same = beyond.all(|r| stack.ids.get(&r.name) == patched.ids.get(&r.name));
    match stack.selection {
        Selection::Without(_) if same => CALLERS,
        _ => ALL,
    }
}

/// Compiles cuzk-core, `prove` and the workloads against pristine, and what calls patched code against every stack that
/// lacks one optimisation.
pub fn compile_others(layout: &Layout) -> Outcome {
    let manifest = Manifest::load(layout)?;
    let mut selections = vec![Selection::Pristine];
    selections.extend(leave_one_out(&manifest));
    let (mut stacks, mut impossible): (Vec<(&Selection, Stack)>, _) = (Vec::new(), BTreeSet::new());
    for selection in &selections {
        match make(layout, &manifest, selection) {
            Ok(stack) => stacks.push((selection, stack)),
            // What cannot be left out alone is measured along the series; that is no fault of it.
            Err(error) if ApplyError::is_not_constructible(&error) => {
                impossible.insert(selection.to_string());
            }
            Err(error) => return Err(error.context(format!("stack `{selection}`"))),
        }
    }
    let list: PathBuf = layout.root.join(NOT_CONSTRUCTIBLE);
    let known = fs::read_to_string(&list).with_context(|| {
        format!("cannot read {NOT_CONSTRUCTIBLE}; it may be empty, and has to be there")
    })?;
    compare(&known, &impossible)?;
    let patched = make(layout, &manifest, &Selection::Patched)?;
    let compiled = stacks.len();
    for (selection, stack) in stacks {
        resolve::check(layout, &manifest, &stack, &[])?;
        let config = stack.config.as_ref();
        let config = config.context("a stack that no table points at")?;
        let mut command = cargo::cargo(layout);
        command.args(["check", "--release", "--locked"]);
        for package in packages(&manifest, &stack, &patched) {
            command.args(["-p", package]);
        }
        command.arg("--config").arg(config);
        cargo::run(&mut command, Progress::stderr())
            .with_context(|| format!("stack `{selection}` does not compile"))?;
    }
    Ok(match impossible.len() {
        0 => format!("{compiled} stacks"),
        _ => format!(
            "{compiled} stacks; not constructible: {}",
            names(&impossible)
        ),
    })
}

/// The stacks that cannot be constructed are those that are known not to be.
fn compare(known: &str, impossible: &BTreeSet<String>) -> Result<()> {
    let lines = known.lines().map(str::trim).filter(|line| !line.is_empty());
    let known: BTreeSet<String> = lines.map(str::to_owned).collect();
    let lost: BTreeSet<String> = impossible.difference(&known).cloned().collect();
    if !lost.is_empty() {
        bail!(
            "no longer constructible: {}; `cargo xtask vendor STACK` says why. Mend the patch, or, where a stack can't \
             exist, add its name to {NOT_CONSTRUCTIBLE}",
            names(&lost)
        );
    }
    let gained: BTreeSet<String> = known.difference(impossible).cloned().collect();
    if !gained.is_empty() {
        bail!(
            "constructible after all, or no stack of the series: {}; take it out of {NOT_CONSTRUCTIBLE}",
            names(&gained)
        );
    }
    Ok(())
}

fn names(stacks: &BTreeSet<String>) -> String {
    let names: Vec<&str> = stacks.iter().map(String::as_str).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_is_lost_or_gained_is_named() {
        let found = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        assert!(compare("", &found(&[])).is_ok());
        assert!(
            compare(
                "patched-a\n\npatched-b\n",
                &found(&["patched-a", "patched-b"])
            )
            .is_ok()
        );
        for (known, impossible, said) in [
            ("", vec!["patched-a"], "no longer constructible: patched-a;"),
            (
                "patched-b\n",
                vec!["patched-a", "patched-b"],
                "no longer constructible: patched-a;",
            ),
            (
                "patched-a\n",
                vec![],
                "constructible after all, or no stack of the series: patched-a;",
            ),
        ] {
            let text = compare(known, &found(&impossible)).unwrap_err().to_string();
            assert!(
                text.contains(said) && text.contains(NOT_CONSTRUCTIBLE),
                "{text}"
            );
        }
    }
}
