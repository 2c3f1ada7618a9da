//! `cargo xtask patch`: a look at the series.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;

use crate::flags::patch::{PatchArgs, PatchVerb};
use crate::layout::Layout;
use crate::stack::manifest::Manifest;

/// Runs a verb on the patches.
pub fn run(layout: &Layout, args: PatchArgs) -> Result<ExitCode> {
    match args.verb {
        PatchVerb::List { json } => list(layout, json),
        PatchVerb::Edit(args) => super::edit::run(layout, args),
        PatchVerb::Export(args) => super::export::run(layout, args),
        PatchVerb::Rebase(args) => super::rebase::rebase(layout, args),
    }
}

fn list(layout: &Layout, json: Option<PathBuf>) -> Result<ExitCode> {
    let manifest = Manifest::load(layout)?;
    let mut rows = Vec::new();
    for optimisation in &manifest.optimisations {
        let crates: Vec<&String> = optimisation.patches.keys().collect();
        let counts = optimisation.patches.values().map(|p| p.line_counts());
        let (added, removed) = counts.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let subject = optimisation
            .patches
            .values()
            .next()
            .map_or("", |p| &p.message.subject);
        let state = if optimisation.default { "on" } else { "off" };
        let lines = format!("+{added} -{removed}");
        let names = crates
            .iter()
            .map(|c| c.as_str())
            .collect::<Vec<_>>()
            .join(",");
        println!(
            "{:<20} {:<10} {state:<3} {lines:>12}  {names:<28} {subject}",
            optimisation.slug, optimisation.kind
        );
        rows.push(json!({
            "slug": optimisation.slug, "kind": optimisation.kind, "default": optimisation.default, "crates": crates,
            "depends": optimisation.depends, "lines_added": added, "lines_removed": removed, "subject": subject,
        }));
    }
    if rows.is_empty() {
        println!("the series in extern/stack.toml is empty");
    }
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&json!({ "schema": 1, "optimisations": rows }))?;
        std::fs::write(&path, text + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
