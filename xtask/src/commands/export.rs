//! `cargo xtask patch export`: writes the commits of an edit back, and says what there is to decide.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::patch::ExportArgs;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::manifest::Manifest;
use crate::stack::release;
use crate::upkeep::edit::OFF;
use crate::upkeep::export::{self, Exported, Wishes};
use crate::upkeep::journal;

/// Exports the edit of a crate. Exit code 1 where a patch that is off is left without a place.
pub fn run(layout: &Layout, args: ExportArgs) -> Result<ExitCode> {
    let _alone = journal::alone(layout)?;
    let manifest = Manifest::load(layout)?;
    let load = || release::load(layout, &manifest.releases, Progress::stderr());
    let wishes = Wishes {
        drop: args.drop,
        kind: args.kind,
    };
    let exported = export::export(layout, &manifest, &args.name, &wishes, load)?;
    let now = Manifest::load(layout)?;
    print(&args.name, &exported, &now);
    Ok(if exported.adrift.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn print(name: &str, exported: &Exported, manifest: &Manifest) {
    for path in &exported.written {
        println!("wrote {path}");
    }
    for path in &exported.deleted {
        println!("deleted {path}");
    }
    if exported.stack_toml {
        println!("wrote extern/stack.toml");
    }
    let plural = if exported.same == 1 { "" } else { "es" };
    println!("{} patch{plural} of {name} as before", exported.same);
    for branch in &exported.ignored {
        println!("branch `{branch}` is not exported: only `series` and `{OFF}…` are");
    }
    for slug in &exported.new {
        let Some(new) = manifest.optimisation(slug) else {
            continue;
        };
        let (kind, default) = (new.kind, new.default);
        println!(
            "
New in extern/stack.toml:
  [[optimisation]]
  slug = \"{slug}\"
  kind = \"{kind}\"
  default = {default}
  crates = [\"{name}\"]
Decide what it may change, and add for example `steps = [\"synthesis\"]` (all steps when left out)."
        );
        if !default {
            println!(
                "Measure it, and then decide whether it is on:
  cargo xtask bench --arms patched,patched+{slug} --keep"
            );
        }
    }
    for slug in &exported.adrift {
        println!(
            "
`{slug}` is off, and fits nowhere along the series any more. Put it where it belongs, then export again:
  git rebase --onto series {OFF}{slug}~1 {OFF}{slug}    (in target/edit/{name})"
        );
    }
    for slug in &exported.left {
        println!(
            "`{slug}` has left extern/stack.toml: delete docs/optimisations/{slug}.md with it"
        );
    }
    if exported.written.len() + exported.deleted.len() > 0 {
        println!(
            "
The trees under extern/ follow with `cargo xtask vendor`, the pages with `cargo xtask report`; results of stacks that changed
are stale until measured again."
        );
    }
}
