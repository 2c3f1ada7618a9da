//! The folder with a proof and all that somebody else needs to verify it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::filecoin::CircuitId;
use ff::PrimeField;
use serde::{Deserialize, Serialize};

use crate::ProveError;
use crate::digest::sha256_hex;

/// What `statement.json` says about the files beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The version of this form: 1.
    pub schema: u32,
    /// The circuit, as in `porep-2k`.
    pub circuit: String,
    /// The number of partitions.
    pub partitions: usize,
    /// The number of public inputs of each, the constant one left out.
    pub inputs_per_partition: usize,
    /// SHA-256 of each other file, hexadecimal.
    pub sha256: BTreeMap<String, String>,
    /// Who has verified the proof before it was put here.
    pub verified_by: Vec<String>,
}

/// What goes into the folder.
pub(crate) struct Result<'a> {
    pub circuit: CircuitId,
    /// C1 output or vanilla proofs: a file's name and its bytes.
    pub material: (&'a str, &'a [u8]),
    pub proof: &'a [u8],
    pub inputs: &'a [Vec<Fr>],
    pub key: &'a VerifyingKey<Bls12>,
    pub verified_by: &'a [&'a str],
}

/// Refuses, before the proof is made, a folder that could not be written after it: one that holds something, a file or
/// link of that name, a name that cannot be renamed to, a place where nothing can be created.
pub(crate) fn check(path: &Path) -> std::result::Result<(), ProveError> {
    if path.file_name().is_none() || path.is_symlink() {
        return Err(ProveError::OutNoName {
            path: path.to_owned(),
        });
    }
    let parent = parent(path);
    fs::create_dir_all(parent).map_err(error("creating", parent))?;
    temporary(0o777, |builder| builder.tempdir_in(parent))
        .map_err(error("creating a folder in", parent))?;
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(ProveError::OutNotEmpty {
                path: path.to_owned(),
            }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(error("reading", path)(source)),
    }
}

/// Writes the folder under another name beside it, and renames it.
pub(crate) fn write(path: &Path, result: &Result<'_>) -> std::result::Result<(), ProveError> {
    let parent = parent(path);
    fs::create_dir_all(parent).map_err(error("creating", parent))?;
    let folder = temporary(0o777, |builder| builder.tempdir_in(parent))
        .map_err(error("creating a folder in", parent))?;
    let mut sha256 = BTreeMap::new();
    let mut key = Vec::new();
    result
        .key
        .write(&mut key)
        .map_err(error("writing the verifying key to", folder.path()))?;
    let inputs = inputs_bytes(result.inputs);
    let (material, material_bytes) = result.material;
    for (name, bytes) in [
        (material, material_bytes),
        ("proof.bin", result.proof),
        ("inputs.bin", &inputs),
        ("circuit.vk", &key),
    ] {
        write_file(&folder.path().join(name), bytes)?;
        sha256.insert(name.to_owned(), sha256_hex(bytes));
    }
    let statement = Statement {
        schema: 1,
        circuit: result.circuit.to_string(),
        partitions: result.inputs.len(),
        inputs_per_partition: result.inputs.first().map_or(0, Vec::len),
        sha256,
        verified_by: result.verified_by.iter().map(|&by| by.to_owned()).collect(),
    };
    let mut json = serde_json::to_vec_pretty(&statement).expect("plain data is JSON");
    json.push(b'\n');
    write_file(&folder.path().join("statement.json"), &json)?;
    // An empty folder gives way to it; one that has been filled meanwhile does not.
    fs::rename(folder.path(), path).map_err(error("renaming the result to", path))?;
    // It is not where the guard would remove it any more.
    let _ = folder.keep();
    Ok(())
}

/// The folder that something lies in.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// A temporary file or folder that becomes a result, so that others may read it as far as the umask lets them.
fn temporary<R>(
    mode: u32,
    make: impl FnOnce(&tempfile::Builder<'_, '_>) -> io::Result<R>,
) -> io::Result<R> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cuzk-prove-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    make(&builder)
}

fn inputs_bytes(inputs: &[Vec<Fr>]) -> Vec<u8> {
    inputs.iter().flatten().flat_map(Fr::to_repr).collect()
}

fn write_file(path: &PathBuf, bytes: &[u8]) -> std::result::Result<(), ProveError> {
    fs::File::create_new(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .map_err(error("writing", path))
}

/// Puts a file in the place of another, in one step.
pub fn replace_file(path: &Path, bytes: &[u8]) -> std::result::Result<(), ProveError> {
    let parent = parent(path);
    let write = || {
        let mut file = temporary(0o666, |builder| builder.tempfile_in(parent))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(error("writing", path))
}

fn error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ProveError {
    let path = path.to_owned();
    move |source| ProveError::Io {
        doing,
        path,
        source,
    }
}
