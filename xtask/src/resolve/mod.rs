//! The one check of a graph: every upstream crate resolves exactly once, to the path of the stack in use.

mod faults;
mod graph;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::layout::Layout;
use crate::stack::manifest::Manifest;
use crate::stack::materialise::Stack;
pub use faults::{Fault, Subject, find};
pub use graph::{Copy, Lock, Metadata, Package, copy};

/// Checks the workspace's graph on `stack`. `features` are those that an arm asks for.
pub fn check(
    layout: &Layout,
    manifest: &Manifest,
    stack: &Stack,
    features: &[String],
) -> Result<()> {
    let rustc = cargo::rustc_version(layout)?;
    let mut command = cargo::cargo(layout);
    // All features: resolving builds nothing, and the crates of the CUDA half are in no graph without theirs.
    command
        .args([
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--all-features",
            "--filter-platform",
        ])
        .arg(cargo::host_triple(&rustc)?);
    if let Some(config) = &stack.config {
        command.arg("--config").arg(config);
    }
    let (text, messages) = cargo::output(&mut command).map_err(|error| {
        let stack = &stack.selection;
        // Cargo's own words for a lock file that is out of date.
        let advice = if error.to_string().contains("--locked was passed") {
            "Cargo.lock is older than a manifest: run `cargo update --workspace`, which changes nothing else, and look at the difference"
        } else {
            "what asks for what, in cargo's words:"
        };
        error.context(format!("the graph of stack `{stack}` does not resolve; {advice}"))
    })?;
    let metadata: Metadata = serde_json::from_str(&text)
        .context("cargo metadata printed what is not understood here")?;
    let lock =
        fs::read_to_string(layout.root.join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let lock: Lock = toml::from_str(&lock).context("Cargo.lock is not understood here")?;
    let mut copies = Vec::new();
    for release in &manifest.releases {
        let path = stack
            .trees
            .get(&release.name)
            .context("a stack without one of its crates")?;
        let manifest = fs::read_to_string(path.join("Cargo.toml"));
        let manifest =
            manifest.with_context(|| format!("cannot read {}/Cargo.toml", layout.show(path)))?;
        copies.push(
            copy(path, &manifest).with_context(|| format!("{}/Cargo.toml", layout.show(path)))?,
        );
    }
    let subject = Subject {
        metadata: &metadata,
        lock: &lock,
        messages: &messages,
        copies: &copies,
        features,
    };
    report(&find(&subject), stack)
}

fn report(faults: &[Fault], stack: &Stack) -> Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = faults.iter().map(|fault| format!("  {fault}")).collect();
    let config = stack
        .config
        .as_ref()
        .map(|path| format!(" --config {}", path.display()));
    let names: BTreeSet<&str> = faults.iter().filter_map(Fault::name).collect();
    let trees: Vec<String> = names
        .iter()
        .map(|name| {
            format!(
                "`cargo tree --locked --all-features{} --invert {name}`",
                config.as_deref().unwrap_or_default()
            )
        })
        .collect();
    let next = if trees.is_empty() {
        String::new()
    } else {
        format!("\nto see who asks: {}", trees.join(", "))
    };
    bail!(
        "the graph does not use stack `{}` as it must:\n{}{next}",
        stack.selection,
        list.join("\n")
    )
}
