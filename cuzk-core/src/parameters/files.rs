//! Opening files, and putting them in place whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ParametersError;

/// What unfinished files and folders begin with. No finished one does.
pub(super) const UNFINISHED: &str = ".part-";

/// Opens a regular file and says how long it is.
pub(super) fn open(path: &Path) -> Result<(File, u64), ParametersError> {
    let io = |error| ParametersError::io("opening", path)(error);
    // Before it is opened: opening a pipe waits for somebody to write into it.
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(ParametersError::NotAFile {
            path: path.to_owned(),
        });
    }
    let file = File::open(path).map_err(io)?;
    let bytes = file.metadata().map_err(io)?.len();
    Ok((file, bytes))
}

/// A path in `folder` that nothing else of this machine uses: `.part-NAME~PROCESS-NUMBER`. A name of parameters has no `~`.
pub(super) fn unfinished(folder: &Path, name: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: the number only has to be another one.
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{UNFINISHED}{name}~{}-{number}", process::id()))
}

/// Writes a record, as JSON, in place of what was there: a reader finds the old one or the new one.
pub(super) fn replace_record(path: &Path, record: &impl Serialize) -> Result<(), ParametersError> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = unfinished(folder, &name);
    let written = write_record(&part, record)
        .and_then(|()| fs::rename(&part, path).map_err(ParametersError::io("renaming to", path)))
        .and_then(|()| sync_folder(folder));
    if written.is_err() {
        // Nothing more can be done about it than not to leave it there.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Writes a record, as JSON, to a file that is not there yet.
pub(super) fn write_record(path: &Path, record: &impl Serialize) -> Result<(), ParametersError> {
    let mut text = serde_json::to_vec_pretty(record).map_err(|source| ParametersError::Record {
        path: path.to_owned(),
        source,
    })?;
    text.push(b'\n');
    write_new(path, &text)
}

/// Writes a file that is not there yet.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), ParametersError> {
    let mut file = create_new(path)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(ParametersError::io("writing", path))
}

/// Reads a record; `None` when there is no such file.
pub(super) fn read_record<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ParametersError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ParametersError::io("reading", path)(error)),
    };
    let record = serde_json::from_slice(&text).map_err(|source| ParametersError::Record {
        path: path.to_owned(),
        source,
    })?;
    Ok(Some(record))
}

/// Refuses records of another schema.
pub(super) fn check_schema(path: &Path, schema: u64, known: u64) -> Result<(), ParametersError> {
    if schema == known {
        return Ok(());
    }
    Err(ParametersError::Schema {
        path: path.to_owned(),
        schema,
        known,
    })
}

/// Creates a file that is not there yet.
pub(super) fn create_new(path: &Path) -> Result<File, ParametersError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
        .open(path)
        .map_err(ParametersError::io("creating", path))
}

/// Makes what was renamed within a folder last beyond a loss of power.
pub(super) fn sync_folder(folder: &Path) -> Result<(), ParametersError> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(ParametersError::io("writing", folder))
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// `path` with `suffix` added to its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
