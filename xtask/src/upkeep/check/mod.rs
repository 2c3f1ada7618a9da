//! `cargo xtask patch check`: a dry export of every patch, and the rules that patches keep. It changes nothing.

mod around;
mod backing;
mod content;
mod edits;
mod form;
mod message;
mod rules;
mod subject;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::files;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::report::{self, today};
use crate::results::store;
use crate::stack::manifest::{Manifest, ManifestError};
use crate::stack::release;
use crate::stack::stamps::Stamps;
use backing::Backing;
use subject::Subject;

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The rule's name.
    pub rule: &'static str,
    /// The file, from the repository's root.
    pub file: String,
    /// What is wrong.
    pub what: String,
    /// What to do; empty where `what` says so.
    pub todo: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.what)?;
        match self.todo.as_str() {
            "" => Ok(()),
            todo => write!(f, ": {todo}"),
        }
    }
}

/// What a maintainer should know, and what is no fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The slug, crate or file that it is about.
    pub about: String,
    /// The sentence.
    pub text: String,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Of the document.
    pub schema: u32,
    /// How many patches were looked at.
    pub patches: usize,
    /// The rules that are broken, by patch, in the order of the series.
    pub violations: Vec<Fault>,
    /// What is no violation.
    pub notes: Vec<Note>,
}

/// Checks and prints.
pub fn run(layout: &Layout, json: Option<PathBuf>) -> Result<ExitCode> {
    let json = json
        .map(|path| files::destination("--json", &path, Some(&layout.results), files::is_document))
        .transpose()?;
    let findings = check(layout, Progress::stderr())?;
    if let Some(path) = json {
        store::write_document(&path, &findings)?;
    }
    for fault in &findings.violations {
        println!("{fault}");
    }
    for note in &findings.notes {
        println!("Note: {}", note.text);
    }
    println!("{}", findings.sentence());
    Ok(match findings.violations.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

impl Findings {
    fn sentence(&self) -> String {
        let count = |count: usize, what: &str| match count {
            0 => format!("no {what}"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let patches = match self.patches {
            1 => "1 patch".to_owned(),
            other => format!("{other} patches"),
        };
        format!(
            "{patches}: {}, {}",
            count(self.violations.len(), "violation"),
            count(self.notes.len(), "note")
        )
    }
}

/// Looks at every patch, and at what surrounds them.
pub fn check(layout: &Layout, progress: Progress) -> Result<Findings> {
    let mut findings = Findings {
        schema: 1,
        ..Findings::default()
    };
    let survey = match Manifest::survey(layout) {
        Ok(survey) => survey,
        Err(error @ ManifestError::Read { .. }) => return Err(error.into()),
        Err(error) => {
            findings.violations.push(of_manifest(&error));
            findings.leave_out("patches could not be looked at");
            return Ok(findings);
        }
    };
    let manifest = &survey.manifest;
    if !survey.errors.is_empty() {
        for error in survey.errors {
            match error {
                ManifestError::Read { .. } => return Err(error.into()),
                other => findings.violations.push(of_manifest(&other)),
            }
        }
        findings.surroundings(layout, manifest)?;
        findings.rules(&subject::gather(layout, manifest, None)?);
        findings
            .leave_out("where patches apply, their form and what backs them were not looked at");
        return Ok(findings);
    }
    // Cargo is asked for the releases while the results are read.
    let (releases, found) = thread::scope(|scope| {
        let results = scope.spawn(|| report::found(layout));
        let releases = release::load(layout, &manifest.releases, progress);
        (releases, results.join())
    });
    let releases = releases?;
    let mut found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    findings.surroundings(layout, manifest)?;
    findings.rules(&subject::gather(layout, manifest, Some(&releases))?);
    // What does not apply is named by its rule.
    let Ok(mut stamps) = Stamps::new(manifest, &releases) else {
        findings.leave_out("what backs the patches was not looked at");
        return Ok(findings);
    };
    report::set_aside_contradictions(&mut found);
    for why in &found.unreadable {
        findings.notes.push(Note {
            about: "results".to_owned(),
            text: format!("a kept result backs nothing, as it can't be read: {why}"),
        });
    }
    report::lasting::rename(&mut found, manifest, |selection, features| {
        stamps.of(selection, features).ok()
    })?;
    let backing = Backing::read(manifest, &found.results, |selection, features| {
        stamps.of(selection, features)
    });
    let today = today::of(layout, backing.arms(), |selection, features| {
        Ok(stamps.of(selection, features)?)
    })
    .context("whether results are stale")?;
    let (faults, notes) = backing.judge(manifest, &today);
    findings.violations.extend(faults);
    findings.notes.extend(notes);
    Ok(findings)
}

impl Findings {
    fn surroundings(&mut self, layout: &Layout, manifest: &Manifest) -> Result<()> {
        self.violations.extend(around::tables(layout, manifest)?);
        self.violations.extend(around::folders(layout, manifest)?);
        self.notes.extend(around::left_trees(layout, manifest));
        self.notes.extend(edits::notes(layout, manifest));
        Ok(())
    }

    fn rules(&mut self, subjects: &[Subject]) {
        self.patches = subjects.len();
        for subject in subjects {
            self.violations.extend(broken(subject));
        }
    }

    fn leave_out(&mut self, what: &str) {
        self.notes.push(Note {
            about: "check".to_owned(),
            text: format!("{what}: mend what is named above, then check again"),
        });
    }
}

/// The rules that one patch breaks.
fn broken(subject: &Subject) -> Vec<Fault> {
    let each = rules::RULES.iter().flat_map(|rule| {
        (rule.broken)(subject)
            .into_iter()
            .map(|broken| (rule.name, broken))
    });
    each.map(|(rule, broken)| Fault {
        rule,
        file: subject.file(),
        what: broken.what,
        todo: broken.todo,
    })
    .collect()
}

/// An error of the manifest, which begins with its file and says what to do.
fn of_manifest(error: &ManifestError) -> Fault {
    let text = error.to_string();
    let (file, what) = text
        .split_once(": ")
        .unwrap_or(("extern/stack.toml", &text));
    Fault {
        rule: "series",
        file: file.to_owned(),
        what: what.trim_end().to_owned(),
        todo: String::new(),
    }
}

#[cfg(test)]
mod testing;
