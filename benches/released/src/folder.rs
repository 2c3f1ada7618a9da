//! Verification of the proofs in a folder, against the statement in it.
//!
//! Each file is read once: the bytes whose digest was compared are the bytes that are judged.

mod error;

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};

pub use error::FolderError;

use crate::verify::{INPUT, Key, PROOF};

const STATEMENT: &str = "statement.json";
const PROOFS: &str = "proof.bin";
const INPUTS: &str = "inputs.bin";
const KEY: &str = "circuit.vk";
const C1: &str = "c1.json";
const VANILLA: &str = "vanilla.json";
/// The form of a statement that is understood here.
const SCHEMA: u64 = 1;

/// What `statement.json` says of its folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    #[serde(rename = "schema")]
    _schema: u64,
    circuit: String,
    partitions: NonZeroUsize,
    inputs_per_partition: NonZeroUsize,
    sha256: Digests,
    /// Who vouches for the proofs. Nothing here rests on it.
    #[serde(rename = "verified_by")]
    _verified_by: Vec<String>,
}

/// The digest of each file, in hex.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Digests {
    #[serde(rename = "proof.bin")]
    proofs: String,
    #[serde(rename = "inputs.bin")]
    inputs: String,
    #[serde(rename = "circuit.vk")]
    key: String,
    #[serde(rename = "c1.json")]
    c1: Option<String>,
    #[serde(rename = "vanilla.json")]
    vanilla: Option<String>,
}

/// What was found good.
#[derive(Debug)]
pub struct Verified {
    circuit: String,
    partitions: usize,
    inputs: usize,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verified {
            circuit,
            partitions,
            inputs,
        } = self;
        let proofs = match partitions {
            1 => "The proof".to_owned(),
            n => format!("Each of the {n} proofs"),
        };
        write!(
            f,
            "{proofs} of {circuit:?}, {PROOF} bytes for {inputs} public inputs, verifies with bellperson as published, \
             and every file is the one that {STATEMENT} names."
        )
    }
}

/// Checks the files of a folder against its statement, then verifies the proof of every partition.
pub fn verify(folder: &Path) -> Result<Verified, FolderError> {
    let statement = read_statement(&folder.join(STATEMENT))?;
    let (partitions, inputs) = (
        statement.partitions.get(),
        statement.inputs_per_partition.get(),
    );
    let digests = &statement.sha256;
    check_proven(folder, digests)?;
    let proofs = read(&folder.join(PROOFS), &digests.proofs)?;
    let public = read(&folder.join(INPUTS), &digests.inputs)?;
    let key_path = folder.join(KEY);
    let key = read(&key_path, &digests.key)?;

    check_length(&folder.join(PROOFS), &proofs, &[partitions, PROOF], || {
        format!("{partitions} proofs of {PROOF} bytes")
    })?;
    let lengths = [partitions, inputs, INPUT];
    check_length(&folder.join(INPUTS), &public, &lengths, || {
        format!("{inputs} public inputs of {INPUT} bytes for each of {partitions} partitions")
    })?;
    let key = Key::parse(&key).map_err(|source| FolderError::Key {
        path: key_path,
        source,
    })?;

    let public: Vec<&[u8]> = public.chunks(inputs * INPUT).collect();
    check_distinct(&public)?;
    let mut failed = Vec::new();
    for (partition, (proof, inputs)) in proofs.chunks(PROOF).zip(&public).enumerate() {
        let holds = key
            .verify(proof, inputs)
            .map_err(|source| FolderError::Partition {
                partition,
                partitions,
                source,
            })?;
        if !holds {
            failed.push(partition);
        }
    }
    if !failed.is_empty() {
        return Err(FolderError::False { partitions, failed });
    }
    Ok(Verified {
        circuit: statement.circuit,
        partitions,
        inputs,
    })
}

fn read_statement(path: &Path) -> Result<Statement, FolderError> {
    /// The one field that every schema has.
    #[derive(Deserialize)]
    struct Version {
        schema: u64,
    }
    let text = fs::read(path).map_err(io_error(path))?;
    let error = |source| FolderError::Statement {
        path: path.to_owned(),
        source,
    };
    let Version { schema } = serde_json::from_slice(&text).map_err(error)?;
    if schema != SCHEMA {
        return Err(FolderError::Schema {
            path: path.to_owned(),
            schema,
        });
    }
    let statement: Statement = serde_json::from_slice(&text).map_err(error)?;
    let count = [&statement.sha256.c1, &statement.sha256.vanilla];
    let count = count.into_iter().flatten().count();
    if count != 1 {
        return Err(FolderError::Proven {
            path: path.to_owned(),
            count,
        });
    }
    Ok(statement)
}

/// What was proven may be large and is not looked into: only its digest is taken.
fn check_proven(folder: &Path, digests: &Digests) -> Result<(), FolderError> {
    for (name, expected) in [(C1, &digests.c1), (VANILLA, &digests.vanilla)] {
        let Some(expected) = expected else { continue };
        let path = folder.join(name);
        let mut hasher = Sha256::new();
        File::open(&path)
            .and_then(|mut file| io::copy(&mut file, &mut hasher))
            .map_err(io_error(&path))?;
        compare(&path, expected, hasher)?;
    }
    Ok(())
}

fn read(path: &Path, expected: &str) -> Result<Vec<u8>, FolderError> {
    let bytes = fs::read(path).map_err(io_error(path))?;
    compare(path, expected, Sha256::new_with_prefix(&bytes))?;
    Ok(bytes)
}

fn compare(path: &Path, expected: &str, hasher: Sha256) -> Result<(), FolderError> {
    let digest = hasher.finalize();
    let actual: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if actual != expected {
        return Err(FolderError::Digest {
            path: path.to_owned(),
            expected: expected.to_owned(),
            actual,
        });
    }
    Ok(())
}

/// A file of so many times so many bytes.
fn check_length(
    path: &Path,
    bytes: &[u8],
    factors: &[usize],
    what: impl FnOnce() -> String,
) -> Result<(), FolderError> {
    // A count from a file may be any number.
    let expected = factors
        .iter()
        .try_fold(1, |product: usize, factor| product.checked_mul(*factor));
    if expected == Some(bytes.len()) {
        return Ok(());
    }
    Err(FolderError::Length {
        path: path.to_owned(),
        what: what(),
        actual: bytes.len() as u64,
        expected: expected.map_or("more than memory can hold".to_owned(), |n| n.to_string()),
    })
}

fn check_distinct(inputs: &[&[u8]]) -> Result<(), FolderError> {
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by_key(|&partition| (inputs[partition], partition));
    let twice = order.windows(2).find(|w| inputs[w[0]] == inputs[w[1]]);
    match twice {
        Some(pair) => Err(FolderError::Twice {
            first: pair[0],
            second: pair[1],
        }),
        None => Ok(()),
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Read { path, source }
}

#[cfg(test)]
mod tests;
