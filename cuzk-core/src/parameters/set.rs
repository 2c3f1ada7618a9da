//! Parameters and their verifying key, as one.

use std::fs;
use std::path::{Path, PathBuf};

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::Bls12;
use serde::{Deserialize, Serialize};

use super::digest::{Algorithm, sha256};
use super::error::ParametersError;
use super::files;
use super::pass::{Hashing, Source};
use super::read::read;
use super::store::is_name;
use super::trust::{Trust, check_verifying_key};
use super::verifying_key::{parse, read_bytes};
use super::write::write;
use crate::progress::Progress;

/// What describes a set, in its folder.
const RECORD: &str = "set.json";
const SCHEMA: u64 = 1;
const ORIGIN: &str = "generated locally: for tests only";

/// Parameters and their verifying key, in a folder that is named after the digest of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The folder that holds both and `set.json`.
    pub folder: PathBuf,
    /// The file of the parameters, `NAME.params`.
    pub params: PathBuf,
    /// The file of the verifying key, `NAME.vk`.
    pub vk: PathBuf,
    /// SHA-256 of the parameters, hex.
    pub digest: String,
    vk_digest: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetRecord {
    schema: u64,
    name: String,
    params: FileRecord,
    vk: FileRecord,
    origin: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    sha256: String,
    bytes: u64,
}

impl Set {
    /// Reads the parameters, and compares their digest.
    ///
    /// # Errors
    ///
    /// As [`read`](super::read()) with [`Trust::Sha256`].
    pub fn read(&self, progress: &dyn Progress) -> Result<Parameters<Bls12>, ParametersError> {
        read(&self.params, Trust::Sha256(&self.digest), progress)
    }

    /// Reads the verifying key, compares its digest and checks its points.
    ///
    /// # Errors
    ///
    /// [`ParametersError::Digest`], and those of [`read_verifying_key`](super::read_verifying_key).
    pub fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, ParametersError> {
        parse(&self.vk, &self.verifying_key_bytes()?)
    }

    fn verifying_key_bytes(&self) -> Result<Vec<u8>, ParametersError> {
        let bytes = read_bytes(&self.vk)?;
        let actual = sha256(&bytes);
        if actual == self.vk_digest {
            return Ok(bytes);
        }
        Err(ParametersError::Digest {
            path: self.vk.clone(),
            algorithm: Algorithm::Sha256.name(),
            expected: self.vk_digest.clone(),
            actual,
            first_bad: None,
        })
    }

    /// The set in a folder; `None` where there is no such folder. All is checked but the digest of the parameters: that
    /// comes when they are read.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>, ParametersError> {
        let there = folder.try_exists();
        if !there.map_err(ParametersError::io("looking for", folder))? {
            return Ok(None);
        }
        let damaged = |what: String| ParametersError::DamagedSet {
            folder: folder.to_owned(),
            what,
        };
        let path = folder.join(RECORD);
        let record: Option<SetRecord> = files::read_record(&path)?;
        let record = record.ok_or_else(|| damaged(format!("{RECORD} is missing")))?;
        files::check_schema(&path, record.schema, SCHEMA)?;
        let SetRecord {
            name, params, vk, ..
        } = record;
        if !is_name(&name) {
            return Err(damaged(format!("{RECORD} calls it \"{name}\"")));
        }
        if folder
            .file_name()
            .is_none_or(|name| name != &*params.sha256)
        {
            return Err(damaged(format!(
                "{RECORD} is about parameters with the digest {}",
                params.sha256
            )));
        }
        let file = |suffix: &str, record: &FileRecord| {
            let path = folder.join(format!("{name}.{suffix}"));
            let bytes = match fs::metadata(&path) {
                Ok(found) => found.len(),
                Err(error) => return Err(damaged(format!("{name}.{suffix}: {error}"))),
            };
            if bytes == record.bytes {
                return Ok(path);
            }
            Err(damaged(format!(
                "{name}.{suffix} has {bytes} bytes, not {}",
                record.bytes
            )))
        };
        let set = Self {
            folder: folder.to_owned(),
            params: file("params", &params)?,
            vk: file("vk", &vk)?,
            digest: params.sha256,
            vk_digest: vk.sha256,
        };
        check_verifying_key(&set.vk, &set.verifying_key_bytes()?, &set.params)?;
        Ok(Some(set))
    }

    /// Compares the digest of the parameters.
    pub(super) fn verify(&self, progress: &dyn Progress) -> Result<(), ParametersError> {
        let source = Source::open(&self.params)?;
        let expected = Hashing::Compare(Algorithm::Sha256, self.digest.clone());
        progress.begin("comparing digests", source.layout.bytes(), "bytes");
        source.pass(&expected, progress, |_| Ok(())).map(drop)
    }

    /// Writes a set into an empty folder, and returns the digest that the folder is to be named after.
    pub(super) fn write(
        folder: &Path,
        name: &str,
        parameters: &Parameters<Bls12>,
        progress: &dyn Progress,
    ) -> Result<String, ParametersError> {
        let params_path = folder.join(format!("{name}.params"));
        let params = write(parameters, &params_path, progress)?;
        let mut key = Vec::new();
        let vk_path = folder.join(format!("{name}.vk"));
        let io = |error| ParametersError::io("writing", &vk_path)(error);
        parameters.vk.write(&mut key).map_err(io)?;
        files::write_new(&vk_path, &key)?;
        // What could not be read again does not become a set.
        check_verifying_key(&vk_path, &read_bytes(&vk_path)?, &params_path)?;
        let record = SetRecord {
            schema: SCHEMA,
            name: name.to_owned(),
            params: FileRecord {
                sha256: params.sha256.clone(),
                bytes: params.bytes,
            },
            vk: FileRecord {
                sha256: sha256(&key),
                bytes: key.len() as u64,
            },
            origin: ORIGIN.to_owned(),
        };
        files::write_record(&folder.join(RECORD), &record)?;
        files::sync_folder(folder)?;
        Ok(params.sha256)
    }
}
