//! `patch edit`: a crate's patches as commits on its release, in a scratch repository.
//!
//! The branch `series` has the release, then one commit for each patch of the default series. Each patch that is off has a
//! branch `off/SLUG` with one commit, where [`super::line`] has it.

mod drafts;
mod state;
pub mod work;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::scratch::Scratch;
use crate::stack::manifest::{Manifest, Release};
use crate::stack::series::Trees;
use drafts::Drafts;
pub use drafts::OffPlace;
pub use state::State;

/// The branch of the default series.
pub const SERIES: &str = "series";
/// What the branch of a patch that is off begins with.
pub const OFF: &str = "off/";

/// An edit that is open.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its folder.
    pub place: PathBuf,
    /// Whether it was made, or found.
    pub how: How,
    /// The commit of the release.
    pub import: String,
    /// The patches of the default series.
    pub series: Vec<String>,
    /// The patches that are off, where this run made the branches.
    pub off: Vec<(String, OffPlace)>,
}

/// How an edit came to be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It was not there, or had nothing that would be lost and was made from other patches.
    Made,
    /// It was there, without anything that was not exported.
    AsItWas,
    /// It was there, and holds work that was not exported.
    Kept {
        /// What, a clause each.
        work: Vec<String>,
        /// What moved on below extern/ since it was opened, a clause each.
        moved: Vec<String>,
    },
}

/// Where a crate is edited.
pub fn place(layout: &Layout, name: &str) -> PathBuf {
    layout.target.join("edit").join(name)
}

/// The release of that crate.
pub fn release<'a>(manifest: &'a Manifest, name: &str) -> Result<&'a Release> {
    let names = || {
        let names = manifest.releases.iter().map(|r| r.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let found = manifest.releases.iter().find(|r| r.name == name);
    found.with_context(|| format!("extern/stack.toml has no crate `{name}`, only {}", names()))
}

/// The edit of a crate that is open, and what it was opened from; none where there is no such folder.
pub fn find(layout: &Layout, name: &str) -> Result<Option<(Scratch, State)>> {
    let place = place(layout, name);
    if place.symlink_metadata().is_err() {
        return Ok(None);
    }
    let state = match Scratch::open(&place) {
        Some(scratch) => State::read(&scratch)?.map(|state| (scratch, state)),
        None => None,
    };
    match state {
        Some(found) => Ok(Some(found)),
        None => bail!(
            "{} is there, and `patch edit` did not make it: move it away, or run `cargo xtask patch edit {name} --discard`, \
             which deletes it",
            layout.show(&place)
        ),
    }
}

/// Opens the edit of a crate. `load` gives the releases; it is called when a repository has to be made.
pub fn open(
    layout: &Layout,
    manifest: &Manifest,
    name: &str,
    discard: bool,
    load: impl FnOnce() -> Result<Trees>,
) -> Result<Opened> {
    let release = release(manifest, name)?;
    if !discard && let Some((scratch, state)) = find(layout, name)? {
        let work = work::of(&scratch, &state)?;
        let moved = state.moved(manifest, release);
        let how = match (work.is_empty(), moved.is_empty()) {
            (true, true) => Some(How::AsItWas),
            (true, false) => None,
            (false, _) => Some(How::Kept { work, moved }),
        };
        if let Some(how) = how {
            return Ok(Opened {
                place: scratch.root().to_path_buf(),
                how,
                import: state.import.clone(),
                series: state.series(),
                off: Vec::new(),
            });
        }
    }
    make(layout, manifest, release, load)
}

fn make(
    layout: &Layout,
    manifest: &Manifest,
    release: &Release,
    load: impl FnOnce() -> Result<Trees>,
) -> Result<Opened> {
    let releases = load()?;
    let name = &release.name;
    let tree = releases
        .get(name)
        .with_context(|| format!("the release of {name} is not there"))?;
    let drafts = Drafts::new(manifest, release, tree)?;
    let place = place(layout, name);
    // Beside its place first: what is there stays until the new one is whole.
    let new = place.with_file_name(format!(".new-{name}"));
    remove(layout, &new)?;
    let (scratch, ids) = Scratch::make(&new, &drafts.commits, SERIES)?;
    let state = State::new(manifest, release, &drafts, &ids);
    state.write(&scratch)?;
    remove(layout, &place)?;
    fs::rename(&new, &place)
        .with_context(|| format!("cannot put {} in place", layout.show(&place)))?;
    Ok(Opened {
        place,
        how: How::Made,
        import: state.import.clone(),
        series: state.series(),
        off: drafts.off,
    })
}

fn remove(layout: &Layout, folder: &Path) -> Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(folder),
        Ok(_) => fs::remove_file(folder),
        Err(_) => return Ok(()),
    }
    .with_context(|| format!("cannot delete {}", layout.show(folder)))
}
