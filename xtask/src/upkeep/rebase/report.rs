//! What a survey says: a table, a sentence, and the same as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::difference::Difference;
use super::replay::{Outcome, Row};
use crate::patch::attempt::{FileConflict, Part};
use crate::stack::manifest::Release;
use crate::upkeep::line::Line;

/// A survey that was made.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The release that the patches were made for.
    pub old: &'a Release,
    /// The release that they were tried on.
    pub new: &'a Release,
    /// What changes between them.
    pub difference: &'a Difference,
    /// The patches.
    pub line: &'a Line<'a>,
    /// What became of them, a row each.
    pub rows: &'a [Row],
}

/// How many rows came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    exact: usize,
    clean: usize,
    three_way: usize,
    upstream: usize,
    conflict: usize,
    blocked: usize,
}

impl Survey<'_> {
    /// True when no person is needed.
    pub fn goes_by_itself(&self) -> bool {
        let counts = self.counts();
        counts.conflict + counts.blocked == 0
    }

    /// The table and the sentence, ending in a newline.
    pub fn text(&self) -> String {
        let (old, new) = (self.old, self.new);
        let mut text = format!(
            "{} {} to {}: {}\n",
            old.name,
            old.version,
            new.version,
            self.difference.sentence()
        );
        for (what, paths) in [
            ("added", &self.difference.added),
            ("removed", &self.difference.removed),
        ] {
            for path in paths {
                let _ = writeln!(text, "  {what:<8} {path}");
            }
        }
        for (was, is) in &self.difference.renamed {
            let _ = writeln!(text, "  renamed  {was} to {is}");
        }
        text.push('\n');
        for (at, row) in self.rows.iter().enumerate() {
            let step = &self.line.steps[at];
            let state = if at < self.line.series { "on" } else { "off" };
            let _ = writeln!(text, "  {:<22} {state:<4} {}", step.slug(), self.words(row));
            for detail in details(row) {
                let _ = writeln!(text, "  {:<22} {:<4}   {detail}", "", "");
            }
        }
        if !self.rows.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.sentence());
        text
    }

    fn words(&self, row: &Row) -> String {
        let word = row.outcome.word();
        match &row.outcome {
            Outcome::Blocked(by) => {
                let by: Vec<&str> = by.iter().map(String::as_str).collect();
                format!("{word} by {}", by.join(", "))
            }
            Outcome::Upstream => format!("{word}: all of it, it is dropped"),
            _ if row.there.is_empty() => word.to_owned(),
            _ => format!("{word}, partly upstream"),
        }
    }

    /// What it comes to.
    fn sentence(&self) -> String {
        let next = format!(
            "`cargo xtask patch rebase {} {}`",
            self.new.name, self.new.version
        );
        if self.rows.is_empty() {
            return format!("{} has no patches: {next} needs nobody.", self.new.name);
        }
        let counts = self.counts();
        let on = counts.exact + counts.clean + counts.three_way;
        let mut parts = vec![format!(
            "{on} of {} patches go on by themselves ({} exact, {} clean, {} three-way)",
            self.rows.len(),
            counts.exact,
            counts.clean,
            counts.three_way
        )];
        if counts.upstream > 0 {
            parts.push(format!("{} upstream already", counts.upstream));
        }
        if counts.conflict > 0 {
            parts.push(format!("{} in conflict", counts.conflict));
        }
        if counts.blocked > 0 {
            parts.push(format!("{} blocked by those", counts.blocked));
        }
        let first = self
            .rows
            .iter()
            .position(|row| matches!(row.outcome, Outcome::Conflict(_)));
        let end = match first {
            Some(at) => format!("{next} stops first at {}", self.line.steps[at].slug()),
            None => format!("{next} needs nobody"),
        };
        format!("{}. {end}.", parts.join(", "))
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for row in self.rows {
            let own = match &row.outcome {
                Outcome::Exact => &mut counts.exact,
                Outcome::Clean => &mut counts.clean,
                Outcome::ThreeWay | Outcome::Resolved => &mut counts.three_way,
                Outcome::Upstream => &mut counts.upstream,
                Outcome::Conflict(_) | Outcome::Skipped => &mut counts.conflict,
                Outcome::Blocked(_) => &mut counts.blocked,
            };
            *own += 1;
        }
        counts
    }

    /// Everything that the text says.
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let step = &self.line.steps[at];
                let mut value = json!({
                    "slug": step.slug(), "default": at < self.line.series, "outcome": row.outcome.word(),
                    "merged": row.merged,
                    "partly_upstream": row.there.iter().map(part_json).collect::<Vec<_>>(),
                });
                match &row.outcome {
                    Outcome::Blocked(by) => value["blocked_by"] = json!(by),
                    Outcome::Conflict(conflict) => {
                        let files: Vec<Value> = conflict.files.iter().map(file_json).collect();
                        value["conflicts"] = json!(files);
                    }
                    _ => {}
                }
                value
            })
            .collect();
        let release = |of: &Release| json!({ "version": of.version, "checksum": of.checksum, "tree": of.tree });
        json!({
            "schema": 1, "crate": self.old.name, "from": release(self.old), "to": release(self.new),
            "difference": self.difference, "patches": rows, "goes_by_itself": self.goes_by_itself(),
            "summary": self.sentence(),
        })
    }
}

/// What is to be said below a row.
fn details(row: &Row) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Outcome::Conflict(conflict) = &row.outcome {
        lines.extend(conflict.files.iter().flat_map(conflict_lines));
    }
    lines.extend(row.merged.iter().map(|file| format!("{file}: merged")));
    lines.extend(row.there.iter().map(|part| match &part.hunk {
        None => format!("{}: upstream has it", part.file),
        Some((number, ranges)) => {
            format!("{}, hunk {number} ({ranges}): upstream has it", part.file)
        }
    }));
    lines
}

/// A line for each hunk of a file that does not fit, or one for the file.
pub fn conflict_lines(file: &FileConflict) -> Vec<String> {
    let path = &file.path;
    let mut lines = Vec::new();
    if file.hunks.is_empty() || file.renamed.is_some() {
        lines.push(format!("{path}: {}", file.text));
    }
    for (number, ranges, text) in &file.hunks {
        lines.push(format!("{path}, hunk {number} ({ranges}): {text}"));
    }
    lines
}

fn part_json(part: &Part) -> Value {
    let hunk = part.hunk.as_ref();
    json!({ "file": part.file, "hunk": hunk.map(|h| h.0), "lines": hunk.map(|h| &h.1) })
}

fn file_json(file: &FileConflict) -> Value {
    let hunks: Vec<Value> = file
        .hunks
        .iter()
        .map(|(number, ranges, text)| json!({ "hunk": number, "lines": ranges, "why": text }))
        .collect();
    json!({ "file": file.path, "why": file.text, "renamed_to": file.renamed, "hunks": hunks })
}
