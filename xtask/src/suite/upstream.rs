//! Upstream's own tests, on the patched trees.
//!
//! They run on a throwaway copy: in the tree itself cargo would write a lock file, the root's patch table would not
//! reach it, and a toolchain file of upstream would take over. The copy gets the same table, a committed lock file from
//! `tests/upstream/<crate>.lock`, and the names of the tests that ran are compared with `tests/upstream/<crate>.tests`,
//! so that a suite that ran nothing fails.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{Outcome, commands};
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::stack::manifest::Manifest;
use crate::stack::tree::Tree;

/// A suite: a crate of the stack, and the features that its tests need.
pub struct Suite {
    /// The crate.
    pub krate: &'static str,
    /// Flags for the features that its tests need.
    pub features: &'static [&'static str],
}

/// The suites that run without a GPU. supraseal-c2 and sppark have none that do.
pub const SUITES: [Suite; 4] = [
    Suite {
        krate: "bellpepper-core",
        features: &["--features", "groth16"],
    },
    Suite {
        krate: "bellperson",
        features: &[],
    },
    Suite {
        krate: "blstrs",
        features: &[],
    },
    Suite {
        krate: "neptune",
        features: &[],
    },
];

/// Runs one suite; with `update` it writes what it would compare with.
pub fn run(layout: &Layout, suite: &Suite, update: bool) -> Outcome {
    let copy = copy(layout, suite.krate)?;
    let folder = layout.root.join("tests/upstream");
    let lock = folder.join(format!("{}.lock", suite.krate));
    let names = folder.join(format!("{}.tests", suite.krate));
    // A new lock file starts from the workspace's, so that dependencies are those that are built already.
    let from = if update {
        layout.root.join("Cargo.lock")
    } else {
        lock.clone()
    };
    fs::copy(&from, copy.join("Cargo.lock")).with_context(|| {
        format!(
            "cannot copy {}; if it is missing, run `cargo xtask test --update-upstream`",
            layout.show(&from)
        )
    })?;
    let ran = test(layout, suite, &copy, update)?;
    if update {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", layout.show(&folder)))?;
        fs::copy(copy.join("Cargo.lock"), &lock).context("cannot keep the lock file")?;
        let mut text = String::new();
        ran.iter().for_each(|name| {
            let _ = writeln!(text, "{name}");
        });
        fs::write(&names, text).with_context(|| format!("cannot write {}", layout.show(&names)))?;
    }
    let expected = fs::read_to_string(&names)
        .with_context(|| format!("cannot read {}", layout.show(&names)))?;
    compare(&expected, &ran, &layout.show(&names))?;
    Ok(format!("{} tests", ran.len()))
}

/// A fresh copy of the patched tree that cargo treats as a workspace of its own, on the same stack.
fn copy(layout: &Layout, krate: &str) -> Result<PathBuf> {
    let copy = layout.target.join("suites").join(krate);
    if copy.exists() {
        fs::remove_dir_all(&copy)
            .with_context(|| format!("cannot remove {}", layout.show(&copy)))?;
    }
    let tree = Tree::read(&layout.extern_dir.join(krate), &[])?;
    tree.write(&copy, Some(&layout.extern_dir.join(krate)))?;
    for file in ["rust-toolchain", "rust-toolchain.toml", "Cargo.lock"] {
        let path = copy.join(file);
        if path.exists() {
            fs::remove_file(&path)
                .with_context(|| format!("cannot remove {}", layout.show(&path)))?;
        }
    }
    let manifest = copy.join("Cargo.toml");
    let mut text = fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", layout.show(&manifest)))?;
    text.push_str("\n[workspace]\n\n[patch.crates-io]\n");
    for release in Manifest::load(layout)?.releases {
        if release.name != krate && text.contains(&format!("dependencies.{}]", release.name)) {
            let path = layout.extern_dir.join(&release.name);
            writeln!(text, "{} = {{ path = {path:?} }}", release.name)?;
        }
    }
    fs::write(&manifest, text)
        .with_context(|| format!("cannot write {}", layout.show(&manifest)))?;
    Ok(copy)
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Builds the suite's binaries, runs each, then the examples in the documentation, and returns the names of what passed.
fn test(layout: &Layout, suite: &Suite, copy: &Path, unlocked: bool) -> Result<BTreeSet<String>> {
    // Dependencies are those of the arms; only what is tested gets its assertions and overflow checks.
    let checks = ["debug-assertions", "overflow-checks"]
        .map(|check| format!("profile.release.package.{}.{check}=true", suite.krate));
    let cargo = |args: &[&str]| {
        let mut command = cargo::cargo(layout);
        command.current_dir(copy).args(["test", "--release"]);
        for check in &checks {
            command.arg("--config").arg(check);
        }
        command.arg("--target-dir").arg(&layout.target);
        command.args(suite.features).args(args);
        if !unlocked {
            command.arg("--locked");
        }
        cargo::run(&mut command, Progress::stderr())
    };
    let messages = cargo(&[
        "--lib",
        "--tests",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ])?;
    let mut passed = BTreeSet::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            continue;
        };
        if let ("compiler-artifact", Some(target), Some(binary)) =
            (message.reason.as_str(), message.target, message.executable)
        {
            let text = commands::test_binary(&binary, copy)?;
            passed.extend(passes(&text).map(|name| format!("{} {name}", target.name)));
        }
    }
    let examples = cargo(&["--doc"])?;
    passed.extend(passes(&examples).map(|name| format!("doc {name}")));
    Ok(passed)
}

/// The tests that a binary says have passed.
fn passes(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"))
        .map(|name| name.trim_end_matches(" - should panic"))
}

/// Every test that is expected ran, and no other did.
fn compare(expected: &str, ran: &BTreeSet<String>, list: &str) -> Result<()> {
    let expected: BTreeSet<&str> = expected.lines().filter(|line| !line.is_empty()).collect();
    let missing: Vec<&str> = expected
        .iter()
        .copied()
        .filter(|name| !ran.contains(*name))
        .collect();
    let new: Vec<&str> = ran
        .iter()
        .map(String::as_str)
        .filter(|name| !expected.contains(name))
        .collect();
    if !missing.is_empty() || expected.is_empty() {
        bail!(
            "{} of {} tests in {list} did not run: {}",
            missing.len(),
            expected.len(),
            missing.join(", ")
        );
    }
    if !new.is_empty() {
        bail!(
            "{} tests are not in {list}: {}; add them with `cargo xtask test --update-upstream`",
            new.len(),
            new.join(", ")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\nrunning 3 tests\ntest a::one ... ok\ntest a::two - should panic ... ok\n\
        test b ... ignored\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n";

    #[test]
    fn names_come_from_what_passed() {
        let names: Vec<&str> = passes(OUTPUT).collect();
        assert_eq!(names, ["a::one", "a::two"]);
    }

    #[test]
    fn an_empty_run_and_a_new_test_fail() {
        let ran = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        assert!(compare("x a\nx b\n", &ran(&["x a", "x b"]), "list").is_ok());
        let error = compare("x a\nx b\n", &ran(&[]), "list").err();
        assert!(error.is_some_and(|e| e.to_string().contains("2 of 2")));
        let error = compare("x a\n", &ran(&["x a", "x c"]), "list").err();
        assert!(error.is_some_and(|e| e.to_string().contains("x c")));
        assert!(compare("", &ran(&[]), "list").is_err());
    }
}
