//! What was found, for people and for programs.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::lines;
use super::look::{Place, View};
use super::survey::Row;

/// The table, and what else is to be known.
pub fn text(place: &Place, view: &View) -> String {
    let root = place.workspace.workspace_root.display();
    let mut text = format!(
        "{root}, with Rust {}, against {}\n\n",
        place.toolchain.release,
        place.offer.folder.display()
    );
    let width = view
        .rows
        .iter()
        .map(|row| title(row).len())
        .max()
        .unwrap_or(0);
    for row in &view.rows {
        // Writing to a string cannot fail.
        let _ = write!(text, "  {:width$}  {}", title(row), row.state.words());
        for (index, reason) in row.reasons.iter().enumerate() {
            let before = match index {
                0 => ": ".to_owned(),
                _ => format!("\n  {:width$}  and ", ""),
            };
            let _ = write!(text, "{before}{reason}");
        }
        text.push('\n');
    }
    if let Some(engine) = &view.engine {
        let _ = write!(text, "\n{}\n", engine.line());
    }
    let manifest = place.workspace.manifest();
    if place.project.manifest.canonicalize().ok() != manifest.canonicalize().ok() {
        let _ = write!(
            text,
            "\n{} is of the workspace whose root is {}: a [patch] table counts only there.\n",
            place.project.manifest.display(),
            manifest.display()
        );
    }
    text
}

fn title(row: &Row) -> String {
    format!("{} {}", row.name, row.version)
}

/// What a person is to do next, where something is left to do.
pub fn advice(place: &Place, view: &View) -> Result<Option<String>> {
    let entries = lines::entries(view.missing_lines(), &place.workspace.workspace_root)?;
    if entries.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "Lines for {}, which `--write` adds:\n\n{}",
        place.workspace.manifest().display(),
        lines::table(&entries)?
    )))
}

/// Everything, as JSON.
pub fn document(place: &Place, view: &View, changed: &[String]) -> Result<Value> {
    let entries = lines::entries(view.missing_lines(), &place.workspace.workspace_root)?;
    let rows = view.rows.iter().map(|row| {
        let reasons = row
            .reasons
            .iter()
            .map(|reason| json!({ "kind": reason.key(), "text": reason.to_string() }));
        json!({
            "crate": row.name, "version": row.version, "path": row.path, "state": row.state.key(),
            "reasons": reasons.collect::<Vec<_>>(),
        })
    });
    let engine = view.engine.as_ref().map(|engine| {
        json!({ "version": engine.version, "from": engine.from, "ours": engine.ours, "on_stack": engine.on_stack })
    });
    Ok(json!({
        "schema": 1, "root": place.workspace.workspace_root, "from": place.offer.folder,
        "rust": place.toolchain.release.to_string(), "good": view.is_good(), "crates": rows.collect::<Vec<_>>(),
        "cuzk_core": engine, "changed": changed,
        "lines": entries.iter().map(|(name, path)| json!({ "crate": name, "path": path })).collect::<Vec<_>>(),
    }))
}

/// What came of `--write`.
pub fn written(view: &View, changed: &[String]) -> String {
    match (view.is_good(), changed) {
        (true, []) => "Nothing is missing, and nothing was written.".to_owned(),
        (true, files) => format!("Written: {}.", files.join(" and ")),
        (false, _) => "Nothing was written: part of a stack is what nobody has tried. Cargo.toml and Cargo.lock are as they were."
            .to_owned(),
    }
}
