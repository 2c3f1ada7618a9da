//! `plan.json`: what a bundle runs, and what is needed for it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checksums;
use super::error::BundleError;
use super::needs::Needs;
use crate::results::ResultFile;

/// The schema of `plan.json` that this code writes, and the only one that it reads.
pub const BUNDLE_SCHEMA: u32 = 1;

/// The name of the file.
pub const PLAN: &str = "plan.json";

/// What a bundle is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BundleFile {
    /// Always [`BUNDLE_SCHEMA`].
    pub bundle_schema: u32,
    /// What is run, as a result without trials. Its host is the one that made the bundle; threads are null where a
    /// workload takes all cores of the host that runs it.
    pub planned: ResultFile,
    /// The arms, in the order of the plan.
    pub arms: Vec<BundledArm>,
    /// Count instructions and what else can be counted, too.
    pub counters: bool,
    /// What a host must have.
    pub needs: Needs,
}

/// The binary of an arm. What its stamp stands for is in the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BundledArm {
    /// The arm's name in the plan.
    pub name: String,
    /// The binary, below the bundle. Arms of one stamp share it.
    pub file: String,
    /// Its SHA-256. The stamp names the binary as it was built, and this the one without symbols.
    pub sha256: String,
    /// Run-time options.
    pub options: Vec<(String, String)>,
    /// True for upstream's public API without any patch.
    pub released: bool,
}

/// A bundle whose files are those that were packed.
#[derive(Debug)]
pub struct Bundle {
    /// The folder.
    pub dir: PathBuf,
    /// What it is for.
    pub file: BundleFile,
}

impl Bundle {
    /// Reads a bundle and checks every file of it.
    pub fn open(dir: &Path) -> Result<Self, BundleError> {
        let dir = fs::canonicalize(dir).map_err(|e| BundleError::io(dir, e))?;
        let sums = checksums::check(&dir)?;
        let path = dir.join(PLAN);
        if !sums.contains_key(PLAN) {
            return Err(BundleError::NoBundle {
                path: dir,
                missing: PLAN,
            });
        }
        let text = fs::read_to_string(&path).map_err(|e| BundleError::io(&path, e))?;
        let file = parse(&path, &text)?;
        for arm in &file.arms {
            if sums.get(&arm.file) != Some(&arm.sha256) {
                return Err(BundleError::Unlisted {
                    path: dir.join(&arm.file),
                });
            }
        }
        Ok(Self { dir, file })
    }
}

fn parse(path: &Path, text: &str) -> Result<BundleFile, BundleError> {
    let shape = |source| BundleError::Shape {
        path: path.to_path_buf(),
        source,
    };
    let value: Value = serde_json::from_str(text).map_err(shape)?;
    let schema = value.get("bundle_schema");
    if schema.and_then(Value::as_u64) != Some(u64::from(BUNDLE_SCHEMA)) {
        return Err(BundleError::Schema {
            path: path.to_path_buf(),
            found: schema.map_or_else(|| "missing".to_owned(), Value::to_string),
        });
    }
    serde_json::from_value(value).map_err(shape)
}
