//! What there is to say that a file of parameters is good.

use std::path::{Path, PathBuf};

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::Bls12;
use serde::{Deserialize, Serialize};

use super::error::ParametersError;
use super::files;
use super::layout::Layout;
use super::read::read;
use super::verifying_key::{parse, read_bytes, read_prefix};
use crate::progress::Progress;

/// Why a file of parameters is to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust<'a> {
    /// It has this SHA-256: 64 hexadecimal digits.
    Sha256(&'a str),
    /// It has this BLAKE2b-512, of which Filecoin publishes the first 32 hexadecimal digits.
    Blake2b(&'a str),
    /// It is checked in full as it is read.
    Check,
    /// Somebody asked for it as it is. A forged file leads to proofs that do not verify, or that give the witness away.
    Unverified,
}

impl Trust<'_> {
    /// The record that [`check`](super::check()) left beside `path`; `None` where there is none. Whoever can write to the
    /// folder can make one, as he could replace the file.
    ///
    /// # Errors
    ///
    /// [`ParametersError::Io`], [`ParametersError::Record`] and [`ParametersError::Schema`].
    pub fn recorded(path: &Path) -> Result<Option<CheckRecord>, ParametersError> {
        let record_path = CheckRecord::path(path);
        let record: Option<CheckRecord> = files::read_record(&record_path)?;
        if let Some(record) = &record {
            files::check_schema(&record_path, record.schema, CheckRecord::SCHEMA)?;
        }
        Ok(record)
    }
}

/// That a file was checked in full: what is in `FILE.checked`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRecord {
    /// Form of the record.
    pub schema: u64,
    /// SHA-256 of the file that was checked, hex.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// Number of its points.
    pub points: u64,
}

impl CheckRecord {
    const SCHEMA: u64 = 1;

    pub(super) fn new(sha256: String, bytes: u64, points: u64) -> Self {
        Self {
            schema: Self::SCHEMA,
            sha256,
            bytes,
            points,
        }
    }

    /// Where the record of a file lies.
    pub fn path(path: &Path) -> PathBuf {
        files::with_suffix(path, ".checked")
    }

    /// To read the file with: it has to be the one that was checked.
    pub fn trust(&self) -> Trust<'_> {
        Trust::Sha256(&self.sha256)
    }

    pub(super) fn leave_beside(&self, path: &Path) -> Result<PathBuf, ParametersError> {
        let record = Self::path(path);
        files::replace_record(&record, self)?;
        Ok(record)
    }
}

/// Parameters as Filecoin's own software keeps them, `NAME.params` in a folder of many, with a reason to believe them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The file of the parameters.
    pub params: PathBuf,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Published(String),
    Checked(CheckRecord),
}

impl Resolved {
    /// Why the file is to be believed.
    pub fn trust(&self) -> Trust<'_> {
        match &self.reason {
            Reason::Published(digest) => Trust::Blake2b(digest),
            Reason::Checked(record) => record.trust(),
        }
    }

    /// Reads the parameters, and compares their digest.
    ///
    /// # Errors
    ///
    /// As [`read`](super::read()).
    pub fn read(&self, progress: &dyn Progress) -> Result<Parameters<Bls12>, ParametersError> {
        read(&self.params, self.trust(), progress)
    }

    /// Reads the verifying key with which the parameters begin. Its points are checked; that it is the published one is
    /// known only after [`read`](Resolved::read).
    ///
    /// # Errors
    ///
    /// As [`read_verifying_key`](super::read_verifying_key).
    pub fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, ParametersError> {
        parse(&self.params, &verifying_key_bytes(&self.params)?)
    }
}

/// Finds `folder/name.params` and a reason to believe it: the record of a [`check`](super::check()) where somebody has
/// made one, otherwise the published digest (32 hexadecimal digits of BLAKE2b-512). `None` where there is no such file.
/// Where `folder/name.vk` is there too it has to be the key that the parameters begin with.
///
/// # Errors
///
/// [`ParametersError::Unverified`] where there is no reason, [`ParametersError::ForeignVerifyingKey`], those of
/// [`Layout::read`](super::Layout::read) and of [`Trust::recorded`].
pub fn resolve(
    name: &str,
    folder: &Path,
    published: Option<&str>,
) -> Result<Option<Resolved>, ParametersError> {
    let params = folder.join(format!("{name}.params"));
    let vk = folder.join(format!("{name}.vk"));
    if !exists(&params)? {
        return Ok(None);
    }
    if exists(&vk)? {
        check_verifying_key(&vk, &read_bytes(&vk)?, &params)?;
    }
    let reason = match (Trust::recorded(&params)?, published) {
        (Some(record), _) => Reason::Checked(record),
        (None, Some(digest)) => Reason::Published(digest.to_owned()),
        (None, None) => return Err(ParametersError::Unverified { path: params }),
    };
    Ok(Some(Resolved { params, reason }))
}

/// Refuses a key, `bytes`, that the parameters do not begin with.
pub(super) fn check_verifying_key(
    vk: &Path,
    bytes: &[u8],
    params: &Path,
) -> Result<(), ParametersError> {
    if verifying_key_bytes(params)? == bytes {
        return Ok(());
    }
    Err(ParametersError::ForeignVerifyingKey {
        vk: vk.to_owned(),
        params: params.to_owned(),
    })
}

/// The bytes of the verifying key in a file of parameters.
fn verifying_key_bytes(params: &Path) -> Result<Vec<u8>, ParametersError> {
    let (file, bytes) = files::open(params)?;
    let layout = Layout::of(params, &file, bytes)?;
    read_prefix(params, &file, layout.verifying_key_bytes())
}

fn exists(path: &Path) -> Result<bool, ParametersError> {
    path.try_exists()
        .map_err(ParametersError::io("looking for", path))
}
