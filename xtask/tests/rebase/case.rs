//! The made-up upstreams of `tests/rebase`, each as a repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use walkdir::WalkDir;

use crate::world::{World, message};

/// Texts by relative path.
type Files = BTreeMap<String, String>;

pub(crate) fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/rebase")
        .join(case)
}

/// The files below a folder, without what is built there and what git keeps there.
pub(crate) fn files(root: &Path) -> Files {
    WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "target" && entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(root).expect("below");
            let text = fs::read_to_string(entry.path()).expect("text");
            (name.to_str().expect("UTF-8").to_owned(), text)
        })
        .collect()
}

fn pairs(files: &Files) -> Vec<(&str, &str)> {
    files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect()
}

/// Folders `N-SLUG` in order, each with its slug.
fn steps(folder: &Path) -> Vec<(String, Files)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
    paths.sort();
    let slug = |path: &Path| {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        name.split_once('-').expect("N-SLUG").1.to_owned()
    };
    paths.iter().map(|path| (slug(path), files(path))).collect()
}

/// A repository whose stack has the case's crate too.
pub(crate) fn world(case: &str) -> World {
    let (world, case) = (World::new(), folder(case));
    let old = files(&case.join("old"));
    world.publish("toy", "1.0.0", &pairs(&old), &[]);
    world.publish("toy", "2.0.0", &pairs(&files(&case.join("new"))), &[]);
    world.join("toy", "1.0.0");
    let needs = fs::read_to_string(case.join("depends.txt")).unwrap_or_default();
    let depends = |slug: &str| -> Vec<&str> {
        let own = needs.lines().filter_map(|line| line.split_once(": "));
        own.filter(|(of, _)| *of == slug)
            .map(|(_, needed)| needed)
            .collect()
    };
    let mut before = old;
    for (slug, after) in steps(&case.join("series")) {
        let message = message(&slug, &depends(&slug));
        world.patch("toy", &slug, &pairs(&before), &pairs(&after), &message);
        world.optimisation(&slug, "perf", true, &["toy"]);
        before = after;
    }
    for (slug, after) in steps(&case.join("off")) {
        let message = message(&slug, &depends(&slug));
        world.patch("toy", &slug, &pairs(&before), &pairs(&after), &message);
        world.optimisation(&slug, "experiment", false, &["toy"]);
    }
    world
}

/// Brings the crate to 2.0.0, which stops where `code` is 1.
pub(crate) fn begin(world: &World, code: i32, says: &[&str]) -> String {
    world.expect(&["patch", "rebase", "toy", "2.0.0"], code, says)
}

pub(crate) fn go(world: &World, how: &str, code: i32, says: &[&str]) -> String {
    world.expect(&["patch", "rebase", how], code, says)
}

/// Makes the trees, and holds the crate to what the case says.
pub(crate) fn ends_as(world: &World, case: &str) {
    world.expect(&["vendor"], 0, &[]);
    let mut made = files(&world.path("extern/toy"));
    let manifest = made.remove("Cargo.toml").expect("there");
    assert!(manifest.contains("version = \"2.0.0\""), "{manifest}");
    made.remove(".cuzk-stamp");
    assert_eq!(made, files(&folder(case).join("after")), "{case}");
    assert!(!world.path("target/rebase").exists());
}
