//! What is left to be done by hand once the patches are at another release, in the order in which it is done.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use walkdir::WalkDir;

use crate::layout::Layout;
use crate::stack::manifest::Release;

/// The steps, a line each. A file that cannot be read is passed over: this is advice.
pub(super) fn lines(layout: &Layout, old: &Release, new: &Release) -> Vec<String> {
    let Release { name, version, .. } = new;
    let mut lines = vec!["cargo xtask vendor".to_owned()];
    let mut locks: BTreeSet<PathBuf> = below(&layout.root.join("tests/downstream"), "Cargo.lock");
    locks.insert(layout.root.join("benches/released/Cargo.lock"));
    if has(&layout.root.join("Cargo.lock"), old) {
        lines.push("cargo update --workspace".to_owned());
    }
    for lock in locks.iter().filter(|lock| has(lock, old)) {
        let manifest = layout.show(&lock.with_file_name("Cargo.toml"));
        lines.push(format!(
            "cargo update --manifest-path {manifest} -p {name} --precise {version}    (fails where something there asks for another version)"
        ));
    }
    lines.push(format!(
        "cargo xtask build    (whether everything takes {name} {version}, and no second copy)"
    ));
    let tests = layout.root.join(format!("tests/upstream/{name}.tests"));
    if tests.exists() {
        lines.push(
            "cargo xtask test --update-upstream    (the names of upstream's tests, and their lock file)"
                .to_owned(),
        );
    }
    lines.push("cargo xtask lint; cargo xtask test --proofs".to_owned());
    let texts = texts(layout, old);
    if !texts.is_empty() {
        let texts: Vec<String> = texts.iter().map(|path| layout.show(path)).collect();
        lines.push(format!(
            "look at what says {name} {}: {}",
            old.version,
            texts.join(", ")
        ));
    }
    lines.push(
        "cargo xtask bench … --keep; cargo xtask report    (every verdict on these trees is stale: `cargo xtask patch list`)"
            .to_owned(),
    );
    lines
}

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// True when a lock file has that release.
fn has(lock: &Path, release: &Release) -> bool {
    let lock = fs::read_to_string(lock).unwrap_or_default();
    let lock: Option<Lock> = toml::from_str(&lock).ok();
    lock.is_some_and(|lock| {
        lock.package
            .iter()
            .any(|p| p.name == release.name && p.version == release.version)
    })
}

/// Pages with a line that names the old release: those at the top and below docs/.
fn texts(layout: &Layout, old: &Release) -> BTreeSet<PathBuf> {
    let says = |line: &str| line.contains(&old.name) && line.contains(&old.version);
    let top = fs::read_dir(&layout.root).into_iter().flatten();
    let top = top.filter_map(Result::ok).map(|entry| entry.path());
    let mut pages: BTreeSet<PathBuf> = top.filter(|path| is_page(path)).collect();
    let docs = WalkDir::new(layout.root.join("docs")).into_iter();
    let docs = docs
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path);
    pages.extend(docs.filter(|path| is_page(path)));
    pages.retain(|path| fs::read_to_string(path).is_ok_and(|text| text.lines().any(says)));
    pages
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Files of that name in the folders of `root`.
fn below(root: &Path, name: &str) -> BTreeSet<PathBuf> {
    let walk = WalkDir::new(root).max_depth(3).into_iter();
    walk.filter_map(Result::ok)
        .filter(|entry| entry.file_name() == name)
        .map(walkdir::DirEntry::into_path)
        .collect()
}
