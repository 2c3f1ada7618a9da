//! The lines put into a workspace, its lock file brought in line, and the graph looked at again: all of that, or nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::lines;
use super::look::{Place, View};
use super::reason::Reason;
use crate::bench::process::Interrupt;
use crate::cargo;
use crate::stack::manifest::write::{self, Change, Originals};

/// How long this program may take to notice a signal.
const SIGNAL: Duration = Duration::from_millis(100);

/// What came of it.
#[derive(Debug)]
pub struct Applied {
    /// How the crates stand now; where nothing was kept, how they stood when it was tried.
    pub view: View,
    /// The files that differ from what they were.
    pub changed: Vec<PathBuf>,
}

/// Does it. Both files are as they were, byte for byte, unless every crate of the stack that is used is patched. Ctrl-C ends
/// what cargo does, and brings the files back too.
pub fn apply(place: &Place, interrupt: &Interrupt) -> Result<Applied> {
    let (manifest, lock) = (place.workspace.manifest(), place.workspace.lock());
    let originals = Originals::of([manifest.as_path(), lock.as_path()])?;
    match attempt(&Attempt { place, interrupt }) {
        Ok(view) if view.is_good() => {
            let changed = originals.changed().map(Path::to_path_buf).collect();
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

struct Attempt<'a> {
    place: &'a Place,
    interrupt: &'a Interrupt,
}

fn attempt(attempt: &Attempt<'_>) -> Result<View> {
    let place = attempt.place;
    if !place.workspace.lock().exists() {
        attempt.resolve(&["generate-lockfile"])?;
    }
    let mut view = match place.look() {
        Ok(view) => view,
        // The lock file may be older than a manifest.
        Err(_) => {
            attempt.follow()?;
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
                    attempt.resolve(&["update", "-p", &id, "--precise", &row.version])?;
                }
            }
        }
        attempt.follow()?;
        view = place.look()?;
    }
    attempt.go_on()?;
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

impl Attempt<'_> {
    /// Brings the lock file in line with the manifests, and changes nothing else in it.
    fn follow(&self) -> Result<()> {
        let host = &self.place.toolchain.host;
        // What other platforms need is resolved too, and not fetched.
        self.resolve(&[
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            host,
        ])
    }

    /// A call of cargo that resolves. Where the network is needed and not there, what has been fetched has to do.
    fn resolve(&self, arguments: &[&str]) -> Result<()> {
        let cargo = || self.place.project.cargo();
        let Err(error) = cargo::output(cargo().args(arguments)) else {
            return self.go_on();
        };
        // Ctrl-C reaches cargo and this program at the same time, and cargo may be the first to end.
        std::thread::sleep(SIGNAL);
        self.go_on()?;
        match cargo::output(cargo().args(arguments).arg("--offline")) {
            Ok(_) => self.go_on(),
            // The first one says more.
            Err(_) => Err(self.place.explain(error)),
        }
    }

    fn go_on(&self) -> Result<()> {
        ensure!(!self.interrupt.is_raised(), "interrupted");
        Ok(())
    }
}
