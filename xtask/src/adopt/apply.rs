//! The lines put into a workspace, its lock file brought in line, and the graph looked at again: all of that, or nothing.

use std::fs;

use anyhow::{Context, Result};

use super::lines;
use super::look::{Place, View};
use super::reason::Reason;
use crate::cargo;
use crate::stack::manifest::write::{self, Change, Originals};

/// What came of it.
#[derive(Debug)]
pub struct Applied {
    /// How the crates stand now; where nothing was kept, how they stood when it was tried.
    pub view: View,
    /// The files that differ from what they were, by name.
    pub changed: Vec<String>,
}

/// Does it. Both files are as they were, byte for byte, unless every crate of the stack that is used is patched.
pub fn apply(place: &Place) -> Result<Applied> {
    let (manifest, lock) = (place.workspace.manifest(), place.workspace.lock());
    let originals = Originals::of([manifest.as_path(), lock.as_path()])?;
    match attempt(place) {
        Ok(view) if view.is_good() => {
            let changed = originals
                .changed()
                .map(|path| path.display().to_string())
                .collect();
            originals.forget();
            Ok(Applied { view, changed })
        }
        Ok(view) => {
            originals.restore()?;
            Ok(Applied {
                view,
                changed: Vec::new(),
            })
        }
        Err(error) => {
            originals.restore()?;
            Err(error.context("nothing was written: Cargo.toml and Cargo.lock are as they were"))
        }
    }
}

fn attempt(place: &Place) -> Result<View> {
    if !place.workspace.lock().exists() {
        resolve(place, &["generate-lockfile"])?;
    }
    let mut view = match place.look() {
        Ok(view) => view,
        // The lock file may be older than a manifest.
        Err(_) => {
            follow(place)?;
            place.look()?
        }
    };
    // A crate that only the stack's copies use is seen when those are in the graph.
    for _ in 0..=place.offer.copies.len() {
        if view.is_good() || view.is_blocked() {
            break;
        }
        add_lines(place, &view)?;
        for row in &view.rows {
            for reason in &row.reasons {
                if let Reason::Locked { found, .. } = reason {
                    let id = format!("{}@{found}", row.name);
                    resolve(place, &["update", "-p", &id, "--precise", &row.version])?;
                }
            }
        }
        follow(place)?;
        view = place.look()?;
    }
    Ok(view)
}

fn add_lines(place: &Place, view: &View) -> Result<()> {
    let path = place.workspace.manifest();
    let shown = path.display().to_string();
    let entries = lines::entries(view.missing_lines(), &place.workspace.workspace_root)?;
    if entries.is_empty() {
        return Ok(());
    }
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {shown}"))?;
    let text = write::add_patches(&text, &entries).with_context(|| shown.clone())?;
    // The caller holds what was there.
    write::write(&[Change { path, text }])?.forget();
    Ok(())
}

/// Brings the lock file in line with the manifests, and changes nothing else in it.
fn follow(place: &Place) -> Result<()> {
    resolve(place, &["metadata", "--format-version", "1"])
}

/// A call of cargo that resolves. Where the network is needed and not there, what has been fetched has to do.
fn resolve(place: &Place, arguments: &[&str]) -> Result<()> {
    let call = |more: &[&str]| cargo::output(place.project.cargo().args(arguments).args(more));
    match call(&[]) {
        Ok(_) => Ok(()),
        Err(error) => call(&["--offline"]).map(|_| ()).map_err(|_| error),
    }
}
