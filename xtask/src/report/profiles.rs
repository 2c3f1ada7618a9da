//! Reading kept profiles: `results/<host class>/profiles/*.json`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::results::profile::{ProfileFile, SCHEMA};
use crate::results::store::{self, StoreError};

/// Why a file is not a profile.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It isn't JSON, it ends too early, or it is not a profile.
    #[error("{path}: not a profile: {source}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is missing or odd.
        source: serde_json::Error,
    },
    /// It has another schema.
    #[error(
        "{path}: schema {found}, and this code reads schema {SCHEMA} of profiles: take it again with `cargo xtask profile --keep`"
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// What stands in it.
        found: String,
    },
    /// Its parts are not its whole.
    #[error("{path}: its categories add up to {sum}, and not to its total of {total}")]
    Sum {
        /// The file.
        path: PathBuf,
        /// All categories together.
        sum: u64,
        /// What stands as the whole.
        total: u64,
    },
    /// A profile of one machine lies with those of another.
    #[error("{path}: taken on {class}, but it lies in the folder of {folder}")]
    OtherHost {
        /// The file.
        path: PathBuf,
        /// The machine that took it.
        class: String,
        /// The folder.
        folder: String,
    },
}

/// A profile and where it lies, or why the file is none.
pub type Found = Result<(PathBuf, ProfileFile), ProfileError>;

/// Every kept profile below `results`, by path, each for itself.
pub fn read_all(results: &Path) -> Result<Vec<Found>, StoreError> {
    let mut found = Vec::new();
    for folder in store::sorted_entries(results)?
        .into_iter()
        .filter(|path| path.is_dir())
    {
        for path in store::results_in(&folder.join("profiles"))? {
            found.push(read(&path, &folder).map(|profile| (path, profile)));
        }
    }
    Ok(found)
}

fn read(path: &Path, folder: &Path) -> Result<ProfileFile, ProfileError> {
    let path = || path.to_path_buf();
    let shape = |source| ProfileError::Shape {
        path: path(),
        source,
    };
    let text = fs::read_to_string(path()).map_err(|source| ProfileError::Io {
        path: path(),
        source,
    })?;
    let value: Value = text.parse().map_err(shape)?;
    let schema = value.get("schema");
    if schema.and_then(Value::as_u64) != Some(u64::from(SCHEMA)) {
        return Err(ProfileError::Schema {
            path: path(),
            found: schema.map_or_else(|| "missing".to_owned(), Value::to_string),
        });
    }
    let profile: ProfileFile = serde_json::from_value(value).map_err(shape)?;
    let sum = profile
        .categories
        .iter()
        .fold(0u64, |sum, category| sum.saturating_add(category.value));
    if sum != profile.total {
        return Err(ProfileError::Sum {
            path: path(),
            sum,
            total: profile.total,
        });
    }
    let class = folder.file_name().unwrap_or_default();
    if *class != *profile.host.class {
        return Err(ProfileError::OtherHost {
            path: path(),
            class: profile.host.class,
            folder: class.to_string_lossy().into_owned(),
        });
    }
    Ok(profile)
}
