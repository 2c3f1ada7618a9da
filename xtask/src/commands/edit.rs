//! `cargo xtask patch edit`: opens a crate's patches as commits, and says how to go on.

use std::process::ExitCode;

use anyhow::Result;

use crate::flags::patch::EditArgs;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use crate::stack::manifest::Manifest;
use crate::stack::release;
use crate::upkeep::edit::{self, How, OFF, OffPlace, Opened, SERIES};

/// Opens the edit of a crate.
pub fn run(layout: &Layout, args: EditArgs) -> Result<ExitCode> {
    let _lock = lock::take(layout, "series", Progress::stderr())?;
    let manifest = Manifest::load(layout)?;
    let load = || release::load(layout, &manifest.releases, Progress::stderr());
    let opened = edit::open(layout, &manifest, &args.name, args.discard, load)?;
    print(layout, &args.name, &opened);
    Ok(ExitCode::SUCCESS)
}

fn print(layout: &Layout, name: &str, opened: &Opened) {
    let place = layout.show(&opened.place);
    let plural = if opened.series.len() == 1 { "" } else { "es" };
    let count = format!("{} patch{plural} on branch `{SERIES}`", opened.series.len());
    match &opened.how {
        How::Made => println!("{place}: {name}, {count}"),
        How::AsItWas => println!("{place}: {name}, {count}; open already, and nothing to export"),
        How::Kept { work, moved } => {
            println!("{place}: {name}, open already; what was not exported is kept:");
            for clause in work {
                println!("  {clause}");
            }
            if !moved.is_empty() {
                println!("extern/ moved on since it was opened, so an export would be refused:");
                for clause in moved {
                    println!("  {clause}");
                }
            }
            println!("`cargo xtask patch edit {name} --discard` throws it away and begins anew.");
        }
    }
    for (slug, place) in &opened.off {
        let said = match place {
            OffPlace::OnRelease => "on the release".to_owned(),
            OffPlace::On(below) => format!("on `{below}`"),
            OffPlace::Merged => {
                "fits nowhere exactly: merged onto the end of the series, and the export writes it anew".to_owned()
            }
            OffPlace::LeftOut(why) => format!("left out, its file stays as it is: {why}"),
        };
        println!("  {OFF}{slug}: {said}");
    }
    let import: String = opened.import.chars().take(12).collect();
    let path = opened.place.display();
    println!(
        "
There, with plain git:
  a new patch      git commit, subject `slug: what it does`, on top of `{SERIES}`
  change a patch   git commit --fixup COMMIT, then git rebase -i --autosquash {import}
  one that is off  git switch {OFF}SLUG, then git commit --amend

Compile with it, from the root of the repository, once `cargo xtask vendor` has run there:
  cargo check -p cuzk-benches --config 'patch.crates-io.{name}.path=\"{path}\"'

Then:
  cargo xtask patch export {name}"
    );
}
