//! What can be wrong with a C1 output.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::filecoin::{Owner, RegisteredSeal, SectorSize};

/// Why a C1 output cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum C1Error {
    /// The file could not be read.
    #[error("reading {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The file is larger than any C1 output.
    #[error(
        "{} has {bytes} bytes, more than any C1 output: give the JSON that seal_commit_phase1 wrote",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },

    /// It is no JSON, or not that of a C1 output.
    #[error("{place}: {message}")]
    Json {
        /// Where.
        place: Place,
        /// What is wrong there.
        message: String,
    },

    /// `Phase1Out` is no base64.
    #[error("Phase1Out is no base64")]
    Base64(#[from] base64::DecodeError),

    /// A field is missing.
    #[error("{part} has no {field}; {hint}")]
    Missing {
        /// Of what.
        part: Part,
        /// The field.
        field: &'static str,
        /// What it would look like.
        hint: &'static str,
    },

    /// Nothing says which size the sector has.
    #[error("nothing says which size the sector has: name the kind of proof")]
    NoSize,

    /// A prover was named, and nothing says which of its sectors this is.
    #[error(
        "the prover is named, but neither SectorNum nor the caller says the number of the sector: name it as well"
    )]
    NoSector,

    /// Two statements about the sector's size, or its registered proof, exclude each other.
    #[error("{one} says {one_says}, but {other} says {other_says}")]
    Disagree {
        /// Who says the one.
        one: &'static str,
        /// What it says.
        one_says: String,
        /// Who says the other.
        other: &'static str,
        /// What it says.
        other_says: String,
    },

    /// A name of a registered proof, or a size, that does not exist.
    #[error("{field} is {value}, which is not one that parameters were published for")]
    Unknown {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },

    /// The proofs of a non-interactive seal are aggregated, which is not done here.
    #[error("{registered} is non-interactive: its proof is an aggregate, which is not made here")]
    NonInteractive {
        /// The registered proof.
        registered: RegisteredSeal,
    },

    /// A commitment or the seed is all zeros.
    #[error("{field} is all zeros, which no sealed sector has")]
    Zero {
        /// The field.
        field: &'static str,
    },

    /// A commitment is no scalar of the field.
    #[error("{field} is no scalar of the field, so no commitment")]
    NoScalar {
        /// The field.
        field: &'static str,
    },

    /// A list in the vanilla proofs has another length than the circuit of this size needs.
    #[error("{place}: {actual} {what}, but a sector of {size} has {expected}")]
    Length {
        /// Which partition, challenge and part.
        place: String,
        /// What is counted.
        what: &'static str,
        /// How many there are.
        actual: usize,
        /// How many there should be.
        expected: usize,
        /// The size of the sector.
        size: SectorSize,
    },

    /// A Merkle proof is for a tree of another shape, or its index points outside of a node.
    #[error("{place}: {what}")]
    Path {
        /// Which partition, challenge and part.
        place: String,
        /// What is wrong with it.
        what: String,
    },

    /// The vanilla proofs do not hold.
    #[error(
        "the vanilla proofs do not hold for the replica id, the commitments and the seed beside them, as a sector of \
         {registered}; if it was sealed as another registered proof, name that"
    )]
    DoesNotHold {
        /// The registered proof that was assumed.
        registered: RegisteredSeal,
    },

    /// The sector is not this owner's.
    #[error(
        "the replica id is not that of sector {} of prover {} sealed as {registered}",
        owner.sector,
        Hex(&owner.prover_id)
    )]
    Owner {
        /// Who was named.
        owner: Owner,
        /// The registered proof that was assumed.
        registered: RegisteredSeal,
    },
}

/// What a place is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The file, or whatever was given.
    Whole,
    /// What `Phase1Out` holds, decoded.
    Phase1Out,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "the C1 output",
            Self::Phase1Out => "the decoded Phase1Out",
        })
    }
}

/// A place in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What is counted in.
    pub part: Part,
    /// The line, from 1.
    pub line: usize,
    /// The byte in the line, from 1.
    pub column: usize,
    /// The byte in the part, from 0.
    pub offset: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            part,
            line,
            column,
            offset,
        } = self;
        if *part == Part::Phase1Out {
            write!(f, "{part}, ")?;
        }
        write!(f, "line {line}, column {column} (byte {offset})")
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
