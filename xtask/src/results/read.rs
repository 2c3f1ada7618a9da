//! From the text of a file to a result, or the reason why it is none.

use std::path::Path;

use serde_json::Value;

use super::store::StoreError;
use super::{ResultFile, SCHEMA, sound};

/// A result.
pub(super) fn parse(path: &Path, text: &str) -> Result<ResultFile, StoreError> {
    shape(path, checked(path, text)?)
}

/// The document, which has the schema that this code reads and a number wherever one belongs.
pub(super) fn checked(path: &Path, text: &str) -> Result<Value, StoreError> {
    if text.trim().is_empty() {
        return Err(StoreError::Empty {
            path: path.to_path_buf(),
        });
    }
    // Not `from_str`, which would be compiled without optimisation, as a part of this crate.
    let value: Value =
        text.parse()
            .map_err(|source: serde_json::Error| match bare_word(text, &source) {
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
    if let Some(place) = missing_number(&value, "") {
        return Err(StoreError::NotANumber {
            path: path.to_path_buf(),
            place,
            found: "null".to_owned(),
        });
    }
    Ok(value)
}

/// The result, which does not contradict itself.
pub(super) fn shape(path: &Path, value: Value) -> Result<ResultFile, StoreError> {
    let result = serde_json::from_value(value).map_err(|source| StoreError::Shape {
        path: path.to_path_buf(),
        source,
    })?;
    match sound::problem(&result) {
        None => Ok(result),
        Some(problem) => Err(StoreError::Unsound {
            path: path.to_path_buf(),
            problem,
        }),
    }
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
const NULLABLE: [&str; 15] = [
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
    "step",
    "alone",
    "last",
];

/// Where a number is missing, if one is. The place is put together only when there is one to tell of.
fn missing_number(value: &Value, key: &str) -> Option<String> {
    let place = |here: String, below: String| match below.chars().next() {
        None | Some('[') => here + &below,
        Some(_) => format!("{here}.{below}"),
    };
    match value {
        Value::Null if !NULLABLE.contains(&key) => Some(String::new()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(i, item)| Some(place(format!("[{i}]"), missing_number(item, key)?))),
        Value::Object(fields) if !["inputs", "process"].contains(&key) => fields
            .iter()
            .find_map(|(name, field)| Some(place(name.clone(), missing_number(field, name)?))),
        _ => None,
    }
}
