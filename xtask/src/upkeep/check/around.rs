//! What surrounds the patches: the `[patch]` tables, the pins, the folders.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Fault, Note};
use crate::layout::Layout;
use crate::stack::manifest::{Manifest, Release};

/// The root's manifest and the repository's configuration of cargo, where loading the series does not look.
pub fn tables(layout: &Layout, manifest: &Manifest) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let root = table(layout, &layout.root.join("Cargo.toml"))?.unwrap_or_default();
    faults.extend(patch_table(&root, &manifest.releases));
    faults.extend(pins(&root, &manifest.releases));
    let config = ".cargo/config.toml";
    let settings = table(layout, &layout.root.join(config))?.unwrap_or_default();
    for key in ["patch", "paths"] {
        if settings.contains_key(key) {
            faults.push(Fault {
                rule: "tables",
                file: config.to_owned(),
                what: format!("has `{key}`, which would reach every arm of every measurement"),
                todo: "take it out: the root's Cargo.toml names the stack, and an arm its own"
                    .to_owned(),
            });
        }
    }
    Ok(faults)
}

/// Entries of another form than `crate = { path = "extern/crate" }`.
fn patch_table(root: &toml::Table, releases: &[Release]) -> Vec<Fault> {
    let fault = |what: String, todo: String| Fault {
        rule: "tables",
        file: "Cargo.toml".to_owned(),
        what,
        todo,
    };
    let mut faults = Vec::new();
    if root.contains_key("replace") {
        let what = "has [replace], which would take the place of what [patch] names".to_owned();
        faults.push(fault(what, "use [patch.crates-io]".to_owned()));
    }
    let Some(sources) = root.get("patch").and_then(toml::Value::as_table) else {
        return faults;
    };
    for source in sources.keys().filter(|source| *source != "crates-io") {
        faults.push(fault(
            format!("has [patch.{source:?}], and the stack is made of releases of crates.io"),
            "take it out, or name the crate under [patch.crates-io]".to_owned(),
        ));
    }
    let entries = sources.get("crates-io").and_then(toml::Value::as_table);
    for (name, entry) in entries.into_iter().flatten() {
        let Some(release) = releases.iter().find(|release| release.name == *name) else {
            continue;
        };
        let more: Vec<String> = entry
            .as_table()
            .into_iter()
            .flat_map(toml::Table::keys)
            .filter(|key| *key != "path")
            .map(|key| format!("`{key}`"))
            .collect();
        if !more.is_empty() {
            faults.push(fault(
                format!(
                    "[patch.crates-io] `{name}` has {} beside its path",
                    more.join(", ")
                ),
                format!("write `{name} = {{ path = \"extern/{}\" }}`", release.name),
            ));
        }
    }
    faults
}

/// An exact version that is another one: cargo would take the published crate and only warn.
fn pins(root: &toml::Table, releases: &[Release]) -> Vec<Fault> {
    let dependencies = root
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(toml::Value::as_table);
    let mut faults = Vec::new();
    for (key, entry) in dependencies.into_iter().flatten() {
        let name = entry.get("package").and_then(toml::Value::as_str);
        let Some(release) = releases
            .iter()
            .find(|release| release.name == name.unwrap_or(key))
        else {
            continue;
        };
        let wanted = entry.as_str().or_else(|| entry.get("version")?.as_str());
        let pinned = wanted.and_then(|text| text.trim().strip_prefix('='));
        if let Some(pinned) = pinned.map(str::trim)
            && pinned != release.version
        {
            faults.push(Fault {
                rule: "tables",
                file: "Cargo.toml".to_owned(),
                what: format!(
                    "[workspace.dependencies] `{key}` is pinned to {pinned}, and extern/stack.toml has {}: cargo \
                     would leave our crate unused",
                    release.version
                ),
                todo: "make the two the same".to_owned(),
            });
        }
    }
    faults
}

/// Trees below extern/ that belong to no crate any more. Git ignores them, so they are no fault of the repository.
pub fn left_trees(layout: &Layout, manifest: &Manifest) -> Vec<Note> {
    let entries = fs::read_dir(&layout.extern_dir).into_iter().flatten();
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "patches" && !name.starts_with('.'))
        .filter(|name| {
            manifest
                .releases
                .iter()
                .all(|release| release.name != *name)
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| Note {
            text: format!(
                "extern/{name} is the tree of no crate of extern/stack.toml: remove it when it has nothing of yours"
            ),
            about: name,
        })
        .collect()
}

fn table(layout: &Layout, path: &Path) -> Result<Option<toml::Table>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", layout.show(path)));
        }
    };
    let table = toml::from_str(&text).with_context(|| layout.show(path))?;
    Ok(Some(table))
}

/// Folders and links below extern/patches that hold no patch of the series; loose files are found as it is loaded.
pub fn folders(layout: &Layout, manifest: &Manifest) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    if !layout.patches.exists() {
        return Ok(faults);
    }
    for entry in walkdir::WalkDir::new(&layout.patches)
        .min_depth(1)
        .sort_by_file_name()
    {
        let entry =
            entry.with_context(|| format!("cannot read {}", layout.show(&layout.patches)))?;
        let fault = |what: &str, todo: &str| Fault {
            rule: "folders",
            file: layout.show(entry.path()),
            what: what.to_owned(),
            todo: todo.to_owned(),
        };
        let name = entry.file_name().to_string_lossy();
        if entry.file_type().is_symlink() {
            faults.push(fault(
                "is a link",
                "put the patch itself in its place: a checkout elsewhere would not have it",
            ));
        } else if !entry.file_type().is_dir() {
            continue;
        } else if entry.depth() > 1 {
            faults.push(fault(
                "is a folder in the folder of a crate",
                "remove it: patches lie directly in the folder of their crate",
            ));
        } else if manifest
            .releases
            .iter()
            .all(|release| release.name != *name)
        {
            faults.push(fault(
                "is the folder of no crate of extern/stack.toml",
                "remove it, or let the crate join: `cargo xtask join CRATE VERSION`",
            ));
        } else if manifest
            .optimisations
            .iter()
            .all(|o| !o.patches.contains_key(&*name))
        {
            faults.push(fault("has no patch of the series", "remove it"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
#[path = "around_tests.rs"]
mod tests;
