//! Edits that are open and hold what no export has written.

use super::Note;
use crate::layout::Layout;
use crate::stack::manifest::Manifest;
use crate::upkeep::edit::{self, work};

/// A note for each crate whose edit would lose something if its folder were deleted.
pub fn notes(layout: &Layout, manifest: &Manifest) -> Vec<Note> {
    let crates = manifest.releases.iter().map(|release| &release.name);
    crates
        .filter_map(|name| {
            let text = said(layout, name).unwrap_or_else(|error| Some(format!("{error:#}")))?;
            Some(Note {
                about: name.clone(),
                text,
            })
        })
        .collect()
}

fn said(layout: &Layout, name: &str) -> anyhow::Result<Option<String>> {
    let Some((scratch, state)) = edit::find(layout, name)? else {
        return Ok(None);
    };
    let work = work::of(&scratch, &state)?;
    if work.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "{} has what was not exported ({}): commit it and run `cargo xtask patch export {name}`, or throw it away with \
         `cargo xtask patch edit {name} --discard`",
        layout.show(&edit::place(layout, name)),
        work.join("; ")
    )))
}
