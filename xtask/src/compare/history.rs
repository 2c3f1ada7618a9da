//! Which files are the history of a result: earlier runs, whole ones, of the same class of host, each once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::results::{ResultFile, store};

/// The folder of a host's profiles, which are no results.
const PROFILES: &str = "profiles";

/// Why two files can't be compared, or a history can't be read.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// A file is no result.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The two were measured on different machines.
    #[error(
        "{old} and {new} are of different machines ({difference}), and their times are never compared: measure both on one machine"
    )]
    OtherHost {
        /// The first file.
        old: String,
        /// The second file.
        new: String,
        /// What is different.
        difference: String,
    },
    /// Both files hold the same run.
    #[error("{old} and {new} hold the same run, begun {time}: name an earlier one first")]
    SameRun {
        /// The first file.
        old: String,
        /// The second file.
        new: String,
        /// When it began.
        time: String,
    },
    /// The first of two files was cut short.
    #[error("{old} was cut short, and nothing in it is judged: name a whole result first")]
    CutShort {
        /// The first file.
        old: String,
    },
    /// A folder that was named isn't there.
    #[error("{folder}: no such folder of results")]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
}

/// A result and the name that messages give it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it lies, as it is shown.
    pub path: String,
    /// What it holds.
    pub result: ResultFile,
}

/// The earlier runs that a result is compared with.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Whole results of the same machine, oldest first.
    pub runs: Vec<Source>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Reads what lies in `results/`, a folder for each class of host, and in other folders, which may be of that form or hold
/// the files themselves. `show` names a path.
pub fn read(
    results: &Path,
    others: &[PathBuf],
    show: impl Fn(&Path) -> String,
) -> Result<Vec<Source>, HistoryError> {
    let mut found = store::kept(results)?;
    for folder in others {
        if !folder.is_dir() {
            return Err(HistoryError::NoFolder {
                folder: folder.clone(),
            });
        }
        let mut folders = vec![folder.clone()];
        let below = store::sorted_entries(folder)?;
        folders.extend(below.into_iter().filter(|path| {
            path.is_dir()
                && path
                    .file_name()
                    .is_some_and(|name| name != PROFILES && name != store::GPU_SUITE)
        }));
        for folder in folders {
            for path in store::results_in(&folder)? {
                let result = store::read(&path)?;
                found.push((path, result));
            }
        }
    }
    let source = |(path, result): (PathBuf, ResultFile)| Source {
        path: show(&path),
        result,
    };
    Ok(found.into_iter().map(source).collect())
}

/// What of `found` is the history of `new`.
pub fn of(new: &Source, found: Vec<Source>) -> History {
    let mut history = History::default();
    let (mut elsewhere, mut later) = (Vec::new(), 0);
    for source in found {
        if same_run(&source.result, &new.result) {
            continue;
        }
        if source.result.host.class != new.result.host.class {
            elsewhere.push(source.result.host.class);
        } else if let Some(difference) = source.result.host.difference(&new.result.host) {
            let note = format!("{} is left out: {difference}", source.path);
            history.notes.push(note);
        } else if !source.result.complete {
            let note = format!("{} is left out: it was cut short", source.path);
            history.notes.push(note);
        } else if source.result.time >= new.result.time {
            later += 1;
        } else if !known(&history.runs, &source.result) {
            history.runs.push(source);
        }
    }
    if !elsewhere.is_empty() {
        let results = elsewhere.len();
        let classes = elsewhere.into_iter().collect::<BTreeSet<_>>().len();
        history.notes.push(format!(
            "{} of {} left out",
            counted(results, "result"),
            counted(classes, "other host class") + if results == 1 { " was" } else { " were" },
        ));
    }
    if later > 0 {
        let begun = counted(later, "result");
        history
            .notes
            .push(format!("{begun} begun after this one: no history of it"));
    }
    history
        .runs
        .sort_by(|a, b| (&a.result.time, &a.path).cmp(&(&b.result.time, &b.path)));
    history
}

/// Two files, the first of which is all the history that the second has.
pub fn pair(old: Source, new: &Source) -> Result<History, HistoryError> {
    if let Some(difference) = old.result.host.difference(&new.result.host) {
        return Err(HistoryError::OtherHost {
            old: old.path,
            new: new.path.clone(),
            difference,
        });
    }
    if same_run(&old.result, &new.result) {
        return Err(HistoryError::SameRun {
            old: old.path,
            new: new.path.clone(),
            time: old.result.time,
        });
    }
    if !old.result.complete {
        return Err(HistoryError::CutShort { old: old.path });
    }
    let turned = old.result.time > new.result.time;
    let note = format!(
        "{}, the first file, was begun after {}: is that the order that you mean?",
        old.path, new.path
    );
    Ok(History {
        runs: vec![old],
        notes: turned.then_some(note).into_iter().collect(),
    })
}

/// True for one run, wherever its file lies and whatever was concluded from it.
fn same_run(a: &ResultFile, b: &ResultFile) -> bool {
    a.plan.seed == b.plan.seed && a.trials == b.trials && a.host.class == b.host.class
}

fn known(runs: &[Source], result: &ResultFile) -> bool {
    runs.iter().any(|run| same_run(&run.result, result))
}

/// `1 result`, `2 results`, `2 other host classes`.
pub fn counted(count: usize, what: &str) -> String {
    match (count, what.ends_with('s')) {
        (1, _) => format!("1 {what}"),
        (_, true) => format!("{count} {what}es"),
        (_, false) => format!("{count} {what}s"),
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
