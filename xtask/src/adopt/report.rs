//! What was found, for people and for programs.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use super::engine::Engine;
use super::lines;
use super::look::{Place, View};
use super::reason::Reason;
use super::survey::{Row, State};

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
    if view.rows.iter().all(|row| row.state == State::NotUsed) {
        text.push_str("\nThe project uses none of them.\n");
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
    if view.is_blocked() {
        let text = "No lines while a crate can't be patched: the stack's crates are changed together, and one of them beside a \
                    published one need not even compile.";
        return Ok(Some(text.to_owned()));
    }
    let entries = lines::entries(view.missing_lines(), &place.workspace.workspace_root)?;
    if entries.is_empty() {
        return Ok(None);
    }
    let manifest = place.workspace.manifest();
    let table = lines::table(&entries)?;
    Ok(Some(format!(
        "Lines for {}, which `--write` adds:\n\n{table}",
        manifest.display()
    )))
}

/// Everything, as JSON.
#[derive(Debug, Serialize)]
pub struct Document {
    schema: u32,
    root: PathBuf,
    from: PathBuf,
    rust: String,
    good: bool,
    crates: Vec<Crate>,
    cuzk_core: Option<Engine>,
    lines: Vec<Line>,
    changed: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Crate {
    name: String,
    version: String,
    path: PathBuf,
    state: &'static str,
    reasons: Vec<Why>,
}

#[derive(Debug, Serialize)]
struct Why {
    kind: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct Line {
    name: String,
    path: String,
}

/// The document of a view; `changed` are the files that were written.
pub fn document(place: &Place, view: &View, changed: &[PathBuf]) -> Result<Document> {
    let root = place.workspace.workspace_root.clone();
    let entries = lines::entries(view.missing_lines(), &root)?;
    let why = |reason: &Reason| Why {
        kind: reason.key(),
        text: reason.to_string(),
    };
    let rows = view.rows.iter().map(|row| Crate {
        name: row.name.clone(),
        version: row.version.clone(),
        path: row.path.clone(),
        state: row.state.key(),
        reasons: row.reasons.iter().map(why).collect(),
    });
    Ok(Document {
        schema: 1,
        from: place.offer.folder.clone(),
        rust: place.toolchain.release.to_string(),
        good: view.is_good(),
        crates: rows.collect(),
        cuzk_core: view.engine.clone(),
        lines: entries
            .into_iter()
            .map(|(name, path)| Line { name, path })
            .collect(),
        changed: changed.to_vec(),
        root,
    })
}

/// What came of `--write`.
pub fn written(view: &View, changed: &[PathBuf]) -> String {
    match (view.is_good(), changed) {
        (true, []) => "Nothing is missing, and nothing was written.".to_owned(),
        (true, files) => {
            let shown: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
            format!("Written: {}.", shown.join(" and "))
        }
        (false, _) => "Nothing was written, and Cargo.toml and Cargo.lock are as they were: the stack's crates are changed together, \
                       and one of them beside a published one need not even compile."
            .to_owned(),
    }
}
