//! Results on disk: written whole or not at all, kept ones never overwritten, bad ones refused by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::read::{checked, parse, shape};
use super::{ResultFile, SCHEMA, clock};
use crate::files;

/// Why a file is not a result, or could not become one.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is nothing in it.
    #[error("{path}: the file is empty")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It isn't JSON, or it ends too early.
    #[error("{path}: not a whole JSON document: {source}")]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What the parser said, with line and column.
        source: serde_json::Error,
    },
    /// It has another schema.
    #[error(
        "{path}: schema {found}, and this code reads results of schema {SCHEMA}: measure again with `cargo xtask bench --keep`, or remove what is no result"
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// What stands in it.
        found: String,
    },
    /// NaN, an infinity or nothing stands where a number belongs.
    #[error("{path}: {place} is {found}, which is not a number that can be judged")]
    NotANumber {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        place: String,
        /// What stands there.
        found: String,
    },
    /// It is JSON, and not a result.
    #[error("{path}: not a result: {source}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is missing or odd.
        source: serde_json::Error,
    },
    /// It is a result that contradicts itself.
    #[error("{path}: a result that can't be judged: {problem}")]
    Unsound {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A result of one machine lies with those of another.
    #[error("{path}: measured on {class}, but it lies in the folder of {folder}")]
    OtherHost {
        /// The file.
        path: PathBuf,
        /// The machine that measured it.
        class: String,
        /// The folder.
        folder: String,
    },
    /// Kept results are only ever added.
    #[error("{path}: exists, and kept results are never overwritten")]
    Exists {
        /// The file.
        path: PathBuf,
    },
}

/// Writes a result, replacing what is there.
pub fn write(path: &Path, result: &ResultFile) -> Result<(), StoreError> {
    replace(path, text(result))
}

/// Writes another document of this program, replacing what is there.
pub fn write_document(path: &Path, document: &impl Serialize) -> Result<(), StoreError> {
    replace(path, spread(document))
}

/// Writes a document that is to be kept: refuses when the file exists.
pub fn keep_document(path: &Path, document: &impl Serialize) -> Result<(), StoreError> {
    add(path, spread(document))
}

fn spread(document: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(document).map(|text| text + "\n")
}

fn replace(path: &Path, text: Result<String, serde_json::Error>) -> Result<(), StoreError> {
    let text = text.map_err(|source| unwritable(path, source))?;
    files::replace(path, text.as_bytes()).map_err(|e| io(path, e))
}

fn unwritable(path: &Path, source: serde_json::Error) -> StoreError {
    StoreError::Shape {
        path: path.to_path_buf(),
        source,
    }
}

/// Writes a result that is to be kept: refuses when the file exists.
pub fn keep(path: &Path, result: &ResultFile) -> Result<(), StoreError> {
    add(path, text(result))
}

fn add(path: &Path, text: Result<String, serde_json::Error>) -> Result<(), StoreError> {
    let text = text.map_err(|source| unwritable(path, source))?;
    files::add(path, text.as_bytes()).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => StoreError::Exists {
            path: path.to_path_buf(),
        },
        _ => io(path, e),
    })
}

/// Reads a result back.
pub fn read(path: &Path) -> Result<ResultFile, StoreError> {
    let text = fs::read_to_string(path).map_err(|e| io(path, e))?;
    parse(path, &text)
}

/// The kept results below `results`, by path; a folder for each class of host. The first bad file fails all of it.
pub fn kept(results: &Path) -> Result<Vec<(PathBuf, ResultFile)>, StoreError> {
    each_kept(results, read)?.into_iter().collect()
}

/// The same for pages, each file for itself: only that a folder can't be listed fails all of it. The trials have their
/// times, and not what is larger and in no page: answers and readings of the process.
pub fn kept_for_pages(results: &Path) -> Result<Vec<Found>, StoreError> {
    each_kept(results, |path| {
        let text = fs::read_to_string(path).map_err(|e| io(path, e))?;
        let mut value = checked(path, &text)?;
        let trials = value.get_mut("trials").and_then(Value::as_array_mut);
        for trial in trials.into_iter().flatten() {
            if let Some(trial) = trial.get_mut("trial").and_then(Value::as_object_mut) {
                for unread in ["answers", "process", "check"] {
                    trial.remove(unread);
                }
            }
        }
        shape(path, value)
    })
}

/// A result and where it lies, or why the file is none.
pub type Found = Result<(PathBuf, ResultFile), StoreError>;

/// The folder below that of kept results in which runs of the GPU's suite are kept: they compare nothing.
pub const GPU_SUITE: &str = "gpu-suite";

/// Reads every kept file with `read`, on all cores.
fn each_kept(
    results: &Path,
    read: impl Fn(&Path) -> Result<ResultFile, StoreError> + Sync,
) -> Result<Vec<Found>, StoreError> {
    let mut paths = Vec::new();
    for folder in sorted_entries(results)?
        .into_iter()
        .filter(|path| path.is_dir() && !path.ends_with(GPU_SUITE))
    {
        paths.extend(results_in(&folder)?);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    // Each thread takes the next file that nobody has taken; the order is put right at the end.
    let take = || -> Vec<(usize, Found)> {
        std::iter::from_fn(|| {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let path = paths.get(place)?;
            Some((
                place,
                read(path).and_then(|result| in_its_folder(path, result)),
            ))
        })
        .collect()
    };
    let mut found = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(paths.len()))
            .map(|_| scope.spawn(take))
            .collect();
        let mut found = take();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    });
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

/// A result has to lie in the folder of its machine.
fn in_its_folder(path: &Path, result: ResultFile) -> Found {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    if *folder != *result.host.class {
        return Err(StoreError::OtherHost {
            path: path.to_path_buf(),
            class: result.host.class,
            folder: folder.to_string_lossy().into_owned(),
        });
    }
    Ok((path.to_path_buf(), result))
}

/// The complete result files directly in `folder`, by name.
pub fn results_in(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut paths = sorted_entries(folder)?;
    paths.retain(|path| {
        path.extension().is_some_and(|e| e == "json")
            && !path.to_string_lossy().ends_with(".partial.json")
    });
    Ok(paths)
}

/// The name of a result: when, what, and which contender.
pub fn file_name(result: &ResultFile) -> String {
    let names: Vec<String> = result
        .plan
        .workloads
        .iter()
        .map(|w| w.name.replace('/', "-"))
        .collect();
    let workloads = match names.len() {
        0 => "nothing".to_owned(),
        1..=3 => names.join("+"),
        n => format!("{n}-workloads"),
    };
    let stamp = result.arms.last().map_or("", |arm| arm.stamp.as_str());
    let short: String = stamp
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    let partial = if result.complete { "" } else { ".partial" };
    format!(
        "{}-{workloads}-{short}{partial}.json",
        clock::for_file_name(&result.time)
    )
}

/// [`file_name`], with a number where one of these folders has that file: two runs may begin in the same second.
pub fn free_name(result: &ResultFile, folders: &[&Path]) -> String {
    let name = file_name(result);
    let (stem, end) = name.split_once('.').unwrap_or((&name, ""));
    let numbered = (2..).map(|number| format!("{stem}-{number}.{end}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    let taken = |name: &String| folders.iter().any(|folder| folder.join(name).exists());
    names.find(|name| !taken(name)).unwrap_or(name)
}

/// The document: what a person reads is spread out, and each trial takes one line.
fn text(result: &ResultFile) -> Result<String, serde_json::Error> {
    const EMPTY: &str = "\"trials\": []\n}";
    let head = ResultFile {
        trials: Vec::new(),
        ..result.clone()
    };
    let head = serde_json::to_string_pretty(&head)?;
    let Some(head) = head.strip_suffix(EMPTY) else {
        // Trials are the last field; if they ever are not, the document is only longer.
        return Ok(serde_json::to_string_pretty(result)? + "\n");
    };
    let trials: Vec<String> = result
        .trials
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?;
    let trials = match trials.is_empty() {
        true => String::new(),
        false => format!("\n    {}\n  ", trials.join(",\n    ")),
    };
    Ok(format!("{head}\"trials\": [{trials}]\n}}\n"))
}

/// Everything directly in `folder`, by name; nothing where there is no such folder.
pub fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(io(folder, e)),
    };
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| io(folder, e))?;
    paths.sort();
    Ok(paths)
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    StoreError::Io {
        path: path.to_path_buf(),
        source,
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
