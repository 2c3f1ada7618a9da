//! What became of the cases: lines between processes, the table, and the JSON.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::host::Host;

/// The number of the form of the JSON.
pub const SCHEMA: u32 = 1;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it must.
    Passed,
    /// This stack, or this machine, does not have what it is about.
    Skipped,
    /// Otherwise.
    Failed,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The case.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// What was seen, in a few words.
    pub detail: String,
    /// How long it took.
    pub seconds: f64,
}

/// What a worker process says, a line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// It begins with a case.
    Begin(String),
    /// It is done with one.
    End(Row),
}

/// Before each of those lines: libraries may print too.
const PREFIX: &str = "gpu-suite ";

impl Line {
    /// As a line of text.
    pub fn print(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{PREFIX}{json}")
    }

    /// `None` for what somebody else printed.
    pub fn parse(text: &str) -> Option<Self> {
        // What was printed before without an end of its line stands before it.
        let (_, json) = text.split_once(PREFIX)?;
        serde_json::from_str(json).ok()
    }
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// As they must.
    pub passed: usize,
    /// Not at all.
    pub skipped: usize,
    /// Otherwise.
    pub failed: usize,
}

impl Counts {
    fn of(rows: &[Row]) -> Self {
        let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
        Self {
            passed: count(Verdict::Passed),
            skipped: count(Verdict::Skipped),
            failed: count(Verdict::Failed),
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Which prover was looked at: "gpu", or "cpu" in a trial of the suite itself.
    pub backend: String,
    /// What the arm was made of, as whoever built this program says.
    pub stamp: Option<String>,
    /// Seconds since 1970 at the beginning.
    pub begun: u64,
    /// Where it ran.
    pub host: Host,
    /// The patterns of the cases that were asked for; empty: all.
    pub only: Vec<String>,
    /// How many ended how.
    pub counts: Counts,
    /// Names of those that failed.
    pub failures: Vec<String>,
    /// How long all of it took.
    pub seconds: f64,
    /// Every case, in the order of the list.
    pub cases: Vec<Row>,
}

impl Report {
    /// A result with these rows.
    pub fn new(host: Host, backend: String, rows: Vec<Row>) -> Self {
        let failed = rows.iter().filter(|row| row.verdict == Verdict::Failed);
        Self {
            schema: SCHEMA,
            backend,
            stamp: None,
            begun: 0,
            host,
            only: Vec::new(),
            counts: Counts::of(&rows),
            failures: failed.map(|row| row.name.clone()).collect(),
            seconds: 0.0,
            cases: rows,
        }
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("the result as JSON")? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A row as a line of the table.
pub fn line(row: &Row) -> String {
    let verdict = match row.verdict {
        Verdict::Passed => "ok",
        Verdict::Skipped => "skipped",
        Verdict::Failed => "FAILED",
    };
    let detail = row.detail.replace('\n', " ");
    format!(
        "{:<72} {verdict:<7} {:>7.3} s  {detail}",
        row.name, row.seconds
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, verdict: Verdict) -> Row {
        Row {
            name: name.to_owned(),
            verdict,
            detail: "two\nlines".to_owned(),
            seconds: 0.25,
        }
    }

    #[test]
    fn lines_round_trip_among_others() {
        for own in [
            Line::Begin("a/b".to_owned()),
            Line::End(row("a/b", Verdict::Failed)),
        ] {
            let printed = own.print();
            assert!(!printed.contains('\n'));
            assert_eq!(Line::parse(&printed), Some(own.clone()));
            assert_eq!(Line::parse(&format!("noise{printed}")), Some(own));
        }
        assert_eq!(Line::parse("gpu-suite says nothing"), None);
    }

    #[test]
    fn a_report_counts_and_names_failures() {
        let rows = vec![
            row("a", Verdict::Passed),
            row("b", Verdict::Failed),
            row("c", Verdict::Skipped),
        ];
        let report = Report::new(Host::default(), "gpu".to_owned(), rows);
        assert_eq!(
            report.counts,
            Counts {
                passed: 1,
                skipped: 1,
                failed: 1
            }
        );
        assert_eq!(report.failures, ["b"]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("r.json");
        report.write(&path).expect("written");
        let text = fs::read_to_string(&path).expect("read");
        let back: Report = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, report);
        assert!(!line(&report.cases[0]).contains('\n'));
    }
}
