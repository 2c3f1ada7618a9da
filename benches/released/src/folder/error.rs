//! Why a folder of proofs was not found good.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{C1, SCHEMA, STATEMENT, VANILLA};
use crate::verify::VerifyError;

/// Why a folder was not found good.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file could not be read.
    #[error("reading {path}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The statement is not one, or of a form that is not known here.
    #[error("{path} is not a statement of schema {SCHEMA}", path = .path.display())]
    Statement {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The statement is of another schema.
    #[error("{path} has schema {schema}, and only {SCHEMA} is known here: was it made by a newer cuzk?", path = .path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        schema: u64,
    },
    /// The statement names no file that was proven, or two.
    #[error("{path} names {count} of {C1} and {VANILLA}, not one: what was proven?", path = .path.display())]
    Proven {
        /// The statement.
        path: PathBuf,
        /// How many of the two.
        count: usize,
    },
    /// A file is not the one of the statement.
    #[error("{path} is not the file of the statement: its SHA-256 is {actual}, {STATEMENT} says {expected:?}", path = .path.display())]
    Digest {
        /// The file.
        path: PathBuf,
        /// What the statement says.
        expected: String,
        /// What it is.
        actual: String,
    },
    /// A file is longer or shorter than the counts of the statement make it.
    #[error("{path} has {actual} bytes, and {what} have {expected}", path = .path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// What the statement counts.
        what: String,
        /// What it is.
        actual: u64,
        /// What it should be, where that is a number at all.
        expected: String,
    },
    /// Two partitions are about the same: one proof would count twice.
    #[error("partitions {first} and {second} have the same public inputs", first = .first + 1, second = .second + 1)]
    Twice {
        /// The first of them, counted from 0.
        first: usize,
        /// The other.
        second: usize,
    },
    /// The verifying key is none.
    #[error("{path}", path = .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// Why.
        source: VerifyError,
    },
    /// A partition could not be judged: its proof is none, or its inputs are none or too many.
    #[error("partition {number} of {partitions}", number = .partition + 1)]
    Partition {
        /// Which, counted from 0.
        partition: usize,
        /// Of how many.
        partitions: usize,
        /// Why.
        source: VerifyError,
    },
    /// Proofs are well-formed and false.
    #[error("of {partitions} proofs, these do not verify: {list}", list = numbers(.failed))]
    False {
        /// How many there are.
        partitions: usize,
        /// Which do not verify, counted from 0.
        failed: Vec<usize>,
    },
}

impl FolderError {
    /// True when the folder was judged and does not hold what it claims; false when it could not be judged.
    pub fn falls_short(&self) -> bool {
        !matches!(
            self,
            FolderError::Read { .. }
                | FolderError::Statement { .. }
                | FolderError::Schema { .. }
                | FolderError::Proven { .. }
        )
    }
}

fn numbers(partitions: &[usize]) -> String {
    let numbers: Vec<String> = partitions.iter().map(|p| (p + 1).to_string()).collect();
    format!("partition {}", numbers.join(", "))
}
