//! Results on disk: written whole or not at all, kept ones never overwritten, bad ones refused by name.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use super::{ResultFile, SCHEMA, clock};

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
        "{path}: schema {found}, and this code reads schema {SCHEMA}: measure again with `cargo xtask bench --keep`"
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

/// Writes a result or a profile, replacing what is there.
pub fn write(path: &Path, result: &impl Serialize) -> Result<(), StoreError> {
    staged(path, result)?
        .persist(path)
        .map_err(|e| io(path, e.error))?;
    Ok(())
}

/// Writes a result or a profile that is to be kept: refuses when the file exists.
pub fn keep(path: &Path, result: &impl Serialize) -> Result<(), StoreError> {
    match staged(path, result)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => Err(StoreError::Exists {
            path: path.to_path_buf(),
        }),
        Err(e) => Err(io(path, e.error)),
    }
}

/// Reads a result back.
pub fn read(path: &Path) -> Result<ResultFile, StoreError> {
    let text = fs::read_to_string(path).map_err(|e| io(path, e))?;
    parse(path, &text)
}

/// The kept results below `results`, by path; a folder for each class of host.
pub fn kept(results: &Path) -> Result<Vec<(PathBuf, ResultFile)>, StoreError> {
    let mut found = Vec::new();
    for folder in sorted_entries(results)?
        .into_iter()
        .filter(|path| path.is_dir())
    {
        let class = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for path in results_in(&folder)? {
            let result = read(&path)?;
            if result.host.class != class {
                return Err(StoreError::OtherHost {
                    path,
                    class: result.host.class,
                    folder: class,
                });
            }
            found.push((path, result));
        }
    }
    Ok(found)
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

fn staged(path: &Path, result: &impl Serialize) -> Result<tempfile::NamedTempFile, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| io(folder, e))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| io(folder, e))?;
    serde_json::to_writer_pretty(&mut file, result).map_err(|source| StoreError::Shape {
        path: path.to_path_buf(),
        source,
    })?;
    file.write_all(b"\n").map_err(|e| io(path, e))?;
    file.as_file().sync_all().map_err(|e| io(path, e))?;
    readable_by_all(&file).map_err(|e| io(path, e))?;
    Ok(file)
}

/// Temporary files are private; a result is for everybody.
#[cfg(unix)]
fn readable_by_all(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}

fn parse(path: &Path, text: &str) -> Result<ResultFile, StoreError> {
    if text.trim().is_empty() {
        return Err(StoreError::Empty {
            path: path.to_path_buf(),
        });
    }
    let value: Value =
        serde_json::from_str(text).map_err(|source| match bare_word(text, &source) {
            Some(found) => StoreError::NotANumber {
                path: path.to_path_buf(),
                place: format!("line {}", source.line()),
                found,
            },
            None => StoreError::NotJson {
                path: path.to_path_buf(),
                source,
            },
        })?;
    let schema = value.get("schema");
    if schema.and_then(Value::as_u64) != Some(u64::from(SCHEMA)) {
        let found = schema.map_or_else(|| "missing".to_owned(), Value::to_string);
        return Err(StoreError::Schema {
            path: path.to_path_buf(),
            found,
        });
    }
    if let Some(place) = missing_number(&value, "", "") {
        return Err(StoreError::NotANumber {
            path: path.to_path_buf(),
            place,
            found: "null".to_owned(),
        });
    }
    serde_json::from_value(value).map_err(|source| StoreError::Shape {
        path: path.to_path_buf(),
        source,
    })
}

/// The number that JSON has no word for, if the parser stumbled over one.
fn bare_word(text: &str, error: &serde_json::Error) -> Option<String> {
    if error.to_string().starts_with("number out of range") {
        return Some("too large for a number".to_owned());
    }
    let line = text.lines().nth(error.line().checked_sub(1)?)?;
    let value = |word: &&str| {
        let word = word.trim_start_matches('-').to_lowercase();
        ["nan", "inf", "infinity"].contains(&word.as_str())
    };
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .find(value)
        .map(str::to_owned)
}

/// Fields that may be null; everything else that is null was NaN or infinite when it was written.
const NULLABLE: [&str; 12] = [
    "size",
    "threads",
    "p",
    "p_adjusted",
    "detectable",
    "reason",
    "check",
    "foreign_cpu_s",
    "steal_s",
    "mhz",
    "cpu_id",
    "inputs",
];

fn missing_number(value: &Value, key: &str, place: &str) -> Option<String> {
    let below = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    match value {
        Value::Null if !NULLABLE.contains(&key) => Some(place.to_owned()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(i, item)| missing_number(item, key, &format!("{place}[{i}]"))),
        Value::Object(fields) if !["inputs", "process"].contains(&key) => fields
            .iter()
            .find_map(|(name, field)| missing_number(field, name, &below(name))),
        _ => None,
    }
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
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
