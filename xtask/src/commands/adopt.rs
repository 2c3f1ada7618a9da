//! `cargo xtask adopt`: a foreign workspace checked against the stack.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::adopt::{self, Offer, Place, report};
use crate::bench::process::Interrupt;
use crate::files;
use crate::flags::adopt::AdoptArgs;
use crate::layout::Layout;
use crate::results::store;

/// Looks at a project, and adds the lines where that is asked for.
pub fn run(layout: &Layout, args: AdoptArgs) -> Result<ExitCode> {
    let json = match &args.json {
        Some(path) => Some(files::destination(
            "--json",
            path,
            Some(&layout.results),
            files::is_document,
        )?),
        None => None,
    };
    let offer = match &args.from {
        Some(folder) => Offer::of_dist(folder)?,
        None => Offer::of_checkout(layout)?,
    };
    let place = Place::find(&args.project, offer)?;
    let (view, changed) = match args.write {
        true => {
            let applied = adopt::apply(
                &place,
                &Interrupt::install().context("cannot watch for Ctrl-C")?,
            )?;
            (applied.view, applied.changed)
        }
        false => (place.look()?, Vec::new()),
    };
    if let Some(path) = &json {
        store::write_document(path, &report::document(&place, &view, &changed)?)?;
    }
    println!("{}", report::text(&place, &view));
    if args.write {
        println!("{}", report::written(&view, &changed));
    } else if let Some(advice) = report::advice(&place, &view)? {
        println!("{advice}");
    }
    Ok(match view.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}
