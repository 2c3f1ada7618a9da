//! What stands before the content of a file.

use blake2b_simd::Params;

use super::super::coefficients::{CODE_BITS, SMALL_COUNT};
use super::super::format::INPUT;
use super::super::recording::Parts;
use super::super::{RecordedError, RecordedShape, Recording};

/// Version of the format: another one is not read.
pub const VERSION: u32 = 2;

const MAGIC: [u8; 8] = *b"CUZKREC\0";
/// Magic, version and a word of zeros.
const PREFIX: usize = 16;
/// Numbers of 8 bytes in it, the length of the circuit id last.
const NUMBERS: usize = 18;
/// Bytes before the circuit id.
pub(super) const FIXED: usize = PREFIX + NUMBERS * 8;
const MAX_ID: u64 = 4096;
/// Numbers of 8 bytes that a chunk has in the index.
pub(super) const INDEX: u64 = 6;
/// Digest and checksum.
const TAIL: usize = 64;

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) shape: RecordedShape,
    pub(super) coefficients: u64,
    pub(super) chunks: u64,
    /// Bytes of the densities, of the dictionaries of A, B and C, and of their blocks.
    pub(super) packed: [u64; 9],
    pub(super) circuit_id: String,
    pub(super) digest: [u8; 32],
}

pub(super) fn blake2b() -> blake2b_simd::State {
    Params::new().hash_length(32).to_state()
}

pub(super) fn finish(state: &blake2b_simd::State) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.copy_from_slice(state.finalize().as_bytes());
    digest
}

impl Header {
    pub(super) fn of(recording: &Recording, circuit_id: &str) -> Result<Self, RecordedError> {
        if circuit_id.len() as u64 > MAX_ID {
            let what = "bytes in its circuit id";
            return Err(RecordedError::TooLarge { what });
        }
        Ok(Self {
            digest: recording.digest(),
            circuit_id: circuit_id.to_owned(),
            ..Self::counts(recording)
        })
    }

    /// The header without what is not of the content.
    pub(super) fn counts(recording: &Recording) -> Self {
        let parts = recording.parts();
        Self {
            shape: recording.shape(),
            coefficients: recording.coefficients() as u64,
            chunks: parts.packed.chunks.len() as u64,
            packed: sections(parts).map(|section| section.len() as u64),
            circuit_id: String::new(),
            digest: [0; 32],
        }
    }

    /// The counts as they stand in the file.
    pub(super) fn numbers(&self) -> Vec<u8> {
        let RecordedShape {
            constraints,
            inputs,
            aux,
            nonzeros,
        } = self.shape;
        let counts = [constraints as u64, inputs as u64, aux as u64];
        let sections = [self.coefficients, self.chunks];
        let numbers = counts
            .iter()
            .chain(&nonzeros)
            .chain(&sections)
            .chain(&self.packed);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// As it stands in the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.numbers());
        bytes.extend((self.circuit_id.len() as u64).to_le_bytes());
        bytes.extend(self.circuit_id.as_bytes());
        bytes.extend(self.digest);
        let mut state = blake2b();
        state.update(&bytes);
        bytes.extend(finish(&state));
        bytes
    }

    /// Bytes of the header after the fixed ones; an error says that this is no recording.
    pub(super) fn rest(fixed: &[u8; FIXED]) -> Result<usize, String> {
        if fixed[..8] != MAGIC {
            return Err("it does not begin as one".to_owned());
        }
        let version = fixed[8..12].try_into().map_or(0, u32::from_le_bytes);
        if version != VERSION {
            return Err(format!("its version is {version}, not {VERSION}"));
        }
        let length = number(fixed, NUMBERS - 1);
        match length <= MAX_ID {
            true => Ok(length as usize + TAIL),
            false => Err("its circuit id is too long".to_owned()),
        }
    }

    /// Reads a header from all of its bytes; an error says what is damaged.
    pub(super) fn read(fixed: &[u8; FIXED], rest: &[u8]) -> Result<Self, &'static str> {
        let (body, checksum) = rest
            .split_last_chunk::<32>()
            .ok_or("its header ends early")?;
        let (id, digest) = body
            .split_last_chunk::<32>()
            .ok_or("its header ends early")?;
        let mut state = blake2b();
        state.update(fixed).update(body);
        if finish(&state) != *checksum {
            return Err("its header is not what was written");
        }
        let wrong = "its header has impossible counts";
        let count = |i: usize, limit: u64| match number(fixed, i) {
            count if count <= limit => Ok(count as usize),
            _ => Err(wrong),
        };
        let variables = u64::from(INPUT);
        Ok(Self {
            shape: RecordedShape {
                constraints: count(0, u64::MAX >> 8)?,
                inputs: count(1, variables)?,
                aux: count(2, variables)?,
                nonzeros: [3, 4, 5].map(|i| number(fixed, i)),
            },
            coefficients: count(6, (1 << CODE_BITS) - u64::from(SMALL_COUNT))? as u64,
            chunks: number(fixed, 7),
            packed: std::array::from_fn(|i| number(fixed, 8 + i)),
            circuit_id: String::from_utf8(id.to_vec()).map_err(|_| wrong)?,
            digest: *digest,
        })
    }

    /// Bytes of the content, unless they are too many for any file.
    pub(super) fn content_bytes(&self) -> Option<u64> {
        let mut bytes = self.coefficients.checked_mul(32)?;
        bytes = bytes.checked_add(self.chunks.checked_mul(INDEX * 8)?)?;
        for packed in self.packed {
            bytes = bytes.checked_add(packed)?;
        }
        Some(bytes)
    }
}

/// The sections of the content that are bytes, in order.
pub(super) fn sections(parts: &Parts) -> [&[u8]; 9] {
    let [known_a, known_b, known_c] = &parts.packed.dictionaries;
    let [a, b, c] = &parts.packed.blocks;
    let densities = [&parts.a_aux, &parts.b_input, &parts.b_aux];
    let [a_aux, b_input, b_aux] = densities.map(|density| density.block.as_slice());
    [a_aux, b_input, b_aux, known_a, known_b, known_c, a, b, c]
}

fn number(fixed: &[u8; FIXED], index: usize) -> u64 {
    let at = PREFIX + 8 * index;
    fixed[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}
