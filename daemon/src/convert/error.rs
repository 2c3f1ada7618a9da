//! What is wrong with a message.

use cuzk_core::filecoin::c1::C1Error;
use cuzk_core::filecoin::{RegisteredSeal, SectorSize};

/// A field of a message that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{field}: {}", cuzk_core::chain(wrong))]
pub struct Invalid {
    /// The field, as the contract names it.
    pub field: &'static str,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What can be wrong with a field.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// It is not there.
    #[error("it is missing: {hint}")]
    Missing {
        /// What it should be.
        hint: &'static str,
    },

    /// A number of an enum that the contract does not have.
    #[error("{number} is none of the contract's: {hint}")]
    Number {
        /// The number.
        number: i32,
        /// Those that it has.
        hint: &'static str,
    },

    /// An id that cannot be one.
    #[error(
        "an id has at most {limit} bytes and no control characters; this one has {bytes} bytes"
    )]
    Id {
        /// Its bytes.
        bytes: usize,
        /// What it may have.
        limit: usize,
    },

    /// A size that no parameters were published for.
    #[error(
        "sectors of {bytes} bytes have no parameters: it is 2 KiB, 8 MiB, 512 MiB, 32 GiB or 64 GiB, in bytes"
    )]
    SectorSize {
        /// The size.
        bytes: u64,
    },

    /// A number that nothing is registered under.
    #[error("no {kind} proof is registered as {number}: {hint}")]
    Unregistered {
        /// The kind of proof.
        kind: &'static str,
        /// The number.
        number: u64,
        /// The numbers that there are.
        hint: &'static str,
    },

    /// A registered proof of another size.
    #[error("{number} is registered for sectors of {registered}, and sector_size says {size}")]
    OtherSize {
        /// The number.
        number: u64,
        /// The size that it is for.
        registered: SectorSize,
        /// What the message says.
        size: SectorSize,
    },

    /// A seal whose proof is an aggregate.
    #[error("{registered} is non-interactive: its proof is an aggregate, which is not made here")]
    NonInteractive {
        /// The registered proof.
        registered: RegisteredSeal,
    },

    /// The first WindowPoSt.
    #[error(
        "{number} is WindowPoSt of version 1, which counts challenges otherwise and is not made here: version 1.1 is 10 to 14"
    )]
    FirstWindow {
        /// The number.
        number: u64,
    },

    /// Bytes of another length.
    #[error("{actual} bytes, and it has {expected}")]
    Length {
        /// How many there are.
        actual: usize,
        /// How many there should be.
        expected: usize,
    },

    /// Another number of vanilla proofs.
    #[error("{actual} vanilla proofs, and a {kind} proof is made from {expected}")]
    Count {
        /// The kind of proof.
        kind: &'static str,
        /// How many there are.
        actual: usize,
        /// How many there should be.
        expected: usize,
    },

    /// A vanilla proof without bytes.
    #[error("vanilla proof {index} is empty")]
    Empty {
        /// Which, from 0.
        index: usize,
    },

    /// What the JSON says is not what the message says.
    #[error("it is {field}, and {inside} in vanilla_proof says {said}")]
    Contradicts {
        /// The value of the field.
        field: String,
        /// Who says something else.
        inside: &'static str,
        /// What it says.
        said: String,
    },

    /// The JSON of a PoRep.
    #[error(transparent)]
    C1(#[from] C1Error),
}

impl Wrong {
    /// It, of this field.
    pub(super) fn of(self, field: &'static str) -> Invalid {
        Invalid { field, wrong: self }
    }
}
