//! `cargo xtask vendor`: the trees of stacks, made or found as they must be.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::vendor::VendorArgs;
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::{Selection, leave_one_out};

/// Makes the trees of each stack that is named.
pub fn run(layout: &Layout, args: VendorArgs) -> Result<ExitCode> {
    let manifest = Manifest::load(layout)?;
    let edited = match (&args.keep, args.discard) {
        (Some(folder), _) => Edited::Keep(folder),
        (None, true) => Edited::Discard,
        (None, false) => Edited::Refuse,
    };
    let mut selections = Vec::new();
    for name in &args.stacks {
        let selection: Selection = name.parse()?;
        selection.optimisations(&manifest)?;
        selections.push(selection);
    }
    if selections.is_empty() && !args.leave_one_out {
        selections.push(Selection::Patched);
    }
    let make = |selection: &Selection| -> Result<()> {
        let stack = materialise(layout, &manifest, selection, edited, Progress::stderr())?;
        let state = if stack.made.is_empty() {
            "as it must be".to_owned()
        } else {
            format!("made {}", stack.made.join(", "))
        };
        let place = layout.show(&stack.folder);
        println!("{selection} {} in {place}: {state}", &stack.stamp[..12]);
        Ok(())
    };
    selections.iter().try_for_each(make)?;
    for selection in leave_one_out(&manifest)
        .iter()
        .filter(|_| args.leave_one_out)
    {
        match make(selection) {
            // No fault of the series: what cannot be left out alone is measured along it.
            Err(error) if ApplyError::is_not_constructible(&error) => {
                println!("{selection} cannot be constructed: {error:#}");
            }
            other => other?,
        }
    }
    Ok(ExitCode::SUCCESS)
}
