//! Puts a dist in place as one step; what is there and is no dist, or was touched, stays.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::stamp::{self, FILE, GIT, State};
use super::{Content, Plan};
use crate::layout::Layout;
use crate::patch::Mode;
use crate::stack::stamp::Difference;
use crate::stack::swap;
use crate::stack::tree::TreeError;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// The place has the dist now.
    Written,
    /// It had it already.
    Unchanged,
}

/// The place that a person names, its folder resolved. Refused where the dist would become a part of what it is made from.
pub fn place(layout: &Layout, dir: &Path) -> Result<PathBuf> {
    let shown = dir.display();
    let dir = std::path::absolute(dir).with_context(|| format!("{shown} is not a path"))?;
    let place = match dir.canonicalize() {
        Ok(place) => place,
        Err(_) => {
            let name = dir
                .file_name()
                .with_context(|| format!("{shown} is not the name of a folder"))?;
            let parent = dir.parent().unwrap_or(&dir).canonicalize();
            parent
                .with_context(|| format!("{shown}: the folder that it would lie in is not there"))?
                .join(name)
        }
    };
    let mut sources = vec![layout.extern_dir.clone()];
    sources.extend(super::OWN.map(|name| layout.root.join(name)));
    if let Some(source) = sources.iter().find(|source| place.starts_with(source)) {
        bail!(
            "{shown} lies in {}, which a dist is made from: name another folder",
            layout.show(source)
        );
    }
    Ok(place)
}

/// Holds a place to being free: absent, empty, or an untouched dist. Returns its stamp if it is one.
pub fn check(place: &Path) -> Result<Option<String>> {
    rescue(place)?;
    swap::recover(place)?;
    let shown = place.display();
    match stamp::inspect(place).with_context(|| format!("cannot look into {shown}"))? {
        State::Absent => Ok(None),
        State::Clean(text) => Ok(Some(text)),
        State::Foreign => bail!(
            "{shown} is there and is no earlier dist: name another folder, or remove it first"
        ),
        State::Edited(difference) => bail!(
            "{shown} is a dist that was changed since it was written:\n{}\nIt would be written anew: move what you want to keep elsewhere and restore the rest, or remove the folder",
            list(&difference)
        ),
    }
}

/// What a hand has done to a dist, a line each.
pub fn list(difference: &Difference) -> String {
    let kinds = [
        ("changed", &difference.changed),
        ("added", &difference.added),
        ("removed", &difference.removed),
    ];
    let mut lines = Vec::new();
    for (what, paths) in kinds {
        lines.extend(paths.iter().take(5).map(|path| format!("  {what} {path}")));
        if paths.len() > 5 {
            lines.push(format!("  {what} {} more", paths.len() - 5));
        }
    }
    lines.join("\n")
}

/// Writes the plan beside `place`, its stamp last, and exchanges it with what is there.
pub fn install(place: &Path, plan: &Plan) -> Result<Done> {
    if check(place)?.as_ref() == Some(&plan.stamp) {
        return Ok(Done::Unchanged);
    }
    let git = place.join(GIT);
    let put = swap::put(place, |new| {
        write(new, place, plan)?;
        // Last, for what fails before it is deleted. A repository goes on in the new folder.
        if git.symlink_metadata().is_ok() {
            fs::rename(&git, new.join(GIT)).map_err(TreeError::io("move", &git))?;
        }
        Ok(())
    });
    if put.is_err() {
        // The repository may wait in a folder that did not get into place.
        rescue(place)?;
    }
    put?;
    Ok(Done::Written)
}

/// Brings a repository back that an interrupted run had moved into the folder which was not in place yet.
fn rescue(place: &Path) -> Result<()> {
    let moved = swap::beside(place).join(GIT);
    if moved.symlink_metadata().is_err() {
        return Ok(());
    }
    let parked = swap::parked(place);
    let home = if place.exists() { place } else { &parked };
    let back = home.join(GIT);
    ensure!(
        home.exists() && back.symlink_metadata().is_err(),
        "{} holds a git repository that an interrupted run left there: move it back by hand",
        moved.display()
    );
    fs::rename(&moved, &back).with_context(|| format!("cannot move {} back", moved.display()))
}

fn write(new: &Path, earlier: &Path, plan: &Plan) -> Result<(), TreeError> {
    for (name, item) in &plan.files {
        let (path, before) = (new.join(name), earlier.join(name));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(TreeError::io("create", parent))?;
        }
        match &item.content {
            Content::Bytes(bytes) => {
                fs::write(&path, bytes).map_err(TreeError::io("write", &path))?;
                // Cargo rebuilds by time, and only what changed needs building.
                let same = fs::read(&before).is_ok_and(|found| found[..] == bytes[..]);
                if let (true, Ok(time)) = (same, fs::metadata(&before).and_then(|m| m.modified())) {
                    let file = fs::File::options().write(true).open(&path);
                    file.and_then(|file| file.set_modified(time))
                        .map_err(TreeError::io("write", &path))?;
                }
            }
            Content::File(from) => {
                fs::copy(from, &path).map_err(TreeError::io("copy", from))?;
            }
        }
        permit(
            &path,
            if item.mode == Mode::Executable {
                0o755
            } else {
                0o644
            },
        )?;
    }
    let path = new.join(FILE);
    fs::write(&path, &plan.stamp).map_err(TreeError::io("write", &path))?;
    permit(&path, 0o644)?;
    // Whatever the umask is: others are to read it.
    for entry in walkdir::WalkDir::new(new)
        .into_iter()
        .flatten()
        .filter(|e| e.file_type().is_dir())
    {
        permit(entry.path(), 0o755)?;
    }
    Ok(())
}

fn permit(path: &Path, mode: u32) -> Result<(), TreeError> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(TreeError::io("write", path))
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
