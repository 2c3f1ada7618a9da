//! The content of a file, to and from memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::super::coefficients::Coefficients;
use super::super::density::PackedDensity;
use super::super::packed::{Chunk, Packed};
use super::super::recording::Parts;
use super::super::{RecordedError, Recording};
use super::header::{FIXED, Header, INDEX, blake2b, finish, sections};
use super::{Wanted, check_shape, io_error};

/// Bytes that are converted at a time; a multiple of 8.
const BUFFER: usize = 1 << 18;

/// Hands the content of a recording to `put`, piece by piece.
pub(super) fn content<E>(
    recording: &Recording,
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let parts = recording.parts();
    let mut buffer = Vec::with_capacity(BUFFER);
    for coefficients in parts.coefficients.others().chunks(BUFFER / 32) {
        pour(
            &mut buffer,
            coefficients.iter().flatten().map(|limb| limb.to_le_bytes()),
            &mut put,
        )?;
    }
    for chunk in &parts.packed.chunks {
        pour(
            &mut buffer,
            index(chunk).iter().map(|number| number.to_le_bytes()),
            &mut put,
        )?;
    }
    sections(parts).into_iter().try_for_each(put)
}

/// A chunk as it stands in the index.
fn index(chunk: &Chunk) -> [u64; INDEX as usize] {
    let ([a, b, c], rows) = (chunk.words.map(u64::from), u64::from(chunk.rows));
    let [known_a, known_b, known_c] = chunk.known.map(u64::from);
    let [end_a, end_b, end_c] = chunk.ends;
    let known = known_a | known_b << 16 | known_c << 32;
    [rows | a << 32, b | c << 32, known, end_a, end_b, end_c]
}

/// Undoes [`index`].
fn chunk(&[first, second, known, end_a, end_b, end_c]: &[u64; INDEX as usize]) -> Chunk {
    let (low, high) = (|number| number as u32, |number| (number >> 32) as u32);
    Chunk {
        rows: low(first),
        words: [high(first), low(second), high(second)],
        known: [known as u16, (known >> 16) as u16, (known >> 32) as u16],
        ends: [end_a, end_b, end_c],
    }
}

fn pour<const N: usize, E>(
    buffer: &mut Vec<u8>,
    numbers: impl Iterator<Item = [u8; N]>,
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    buffer.clear();
    buffer.extend(numbers.flatten());
    put(buffer)
}

/// BLAKE2b-256 of the counts and the content.
pub(super) fn digest(recording: &Recording) -> [u8; 32] {
    let mut state = blake2b();
    state.update(&Header::counts(recording).numbers());
    let hashed = content(recording, |bytes| {
        state.update(bytes);
        Ok::<(), std::convert::Infallible>(())
    });
    match hashed {
        Ok(()) => finish(&state),
    }
}

/// Reads the header of the wanted recording and leaves the file where its content begins. Gives the bytes of that too: as
/// many as the header says.
pub(super) fn header(
    file: &mut File,
    path: &Path,
    wanted: &Wanted<'_>,
) -> Result<(Header, u64), RecordedError> {
    let damaged = |what: &str| damaged(path, what);
    let read_error = |source| io_error("read", path, source);
    let length = file.metadata().map_err(read_error)?.len();
    let mut fixed = [0; FIXED];
    if length < FIXED as u64 {
        return Err(damaged("it is too short"));
    }
    file.read_exact(&mut fixed).map_err(read_error)?;
    let rest = Header::rest(&fixed).map_err(|what| RecordedError::Foreign {
        path: path.to_owned(),
        what,
    })?;
    let before = (FIXED + rest) as u64;
    if length < before {
        return Err(damaged("it is too short"));
    }
    let mut rest = vec![0; rest];
    file.read_exact(&mut rest).map_err(read_error)?;
    let header = Header::read(&fixed, &rest).map_err(damaged)?;
    let content = length - before;
    if header.content_bytes() != Some(content) {
        return Err(damaged("it is not as long as its header says"));
    }
    if header.circuit_id != wanted.circuit_id {
        return Err(RecordedError::OtherCircuit {
            path: path.to_owned(),
            found: header.circuit_id,
            wanted: wanted.circuit_id.to_owned(),
        });
    }
    check_shape(path, &header.shape, wanted)?;
    Ok((header, content))
}

/// Reads a recording. Memory is taken for what the file has, not for what it says.
pub(super) fn read(
    mut file: File,
    path: &Path,
    wanted: &Wanted<'_>,
) -> Result<Recording, RecordedError> {
    let damaged = |what: &str| damaged(path, what);
    let read_error = |source| io_error("read", path, source);
    let (header, _) = header(&mut file, path, wanted)?;
    let mut state = blake2b();
    state.update(&header.numbers());
    let mut reader = Reader { file, state };
    let parts = reader.parts(&header).map_err(read_error)?;
    if finish(&reader.state) != header.digest {
        return Err(damaged("its content is not what was written"));
    }
    let parts = parts.ok_or_else(|| damaged("its numbers are out of range"))?;
    Recording::checked(parts).map_err(|error| damaged(&error.to_string()))
}

fn damaged(path: &Path, what: &str) -> RecordedError {
    RecordedError::DamagedFile {
        path: path.to_owned(),
        what: what.to_owned(),
    }
}

struct Reader {
    file: File,
    state: blake2b_simd::State,
}

impl Reader {
    /// All parts; `None` where one of them cannot be what it should be.
    fn parts(&mut self, header: &Header) -> std::io::Result<Option<Parts>> {
        let shape = header.shape;
        let scalars = self.u64s(header.coefficients * 4)?;
        let index = self.u64s(header.chunks * INDEX)?;
        let mut sections = [const { Vec::new() }; 9];
        for (section, length) in sections.iter_mut().zip(header.packed) {
            *section = self.bytes(length)?;
        }
        let [a_aux, b_input, b_aux, known_a, known_b, known_c, a, b, c] = sections;
        let density = |len, block| PackedDensity { len, block };
        let parts = || {
            Some(Parts {
                inputs: shape.inputs,
                aux: shape.aux,
                rows: shape.constraints as u64,
                nonzeros: shape.nonzeros,
                packed: Packed {
                    chunks: index.as_chunks().0.iter().map(chunk).collect(),
                    dictionaries: [known_a, known_b, known_c],
                    blocks: [a, b, c],
                },
                coefficients: Coefficients::with(scalars.as_chunks::<4>().0.iter().copied())?,
                a_aux: density(shape.aux, a_aux),
                b_input: density(shape.inputs, b_input),
                b_aux: density(shape.aux, b_aux),
            })
        };
        Ok(parts())
    }

    /// Reads `count` bytes, which the file has been found to have.
    fn bytes(&mut self, count: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; count as usize];
        self.file.read_exact(&mut bytes)?;
        self.state.update(&bytes);
        Ok(bytes)
    }

    /// Reads `count` numbers, of which the file has been found to have as many.
    fn u64s(&mut self, count: u64) -> std::io::Result<Vec<u64>> {
        let mut numbers = Vec::with_capacity(count as usize);
        let mut buffer = vec![0; BUFFER.min(count as usize * 8)];
        while (numbers.len() as u64) < count {
            let bytes = ((count as usize - numbers.len()) * 8).min(BUFFER);
            let bytes = &mut buffer[..bytes];
            self.file.read_exact(bytes)?;
            self.state.update(bytes);
            let words = bytes.as_chunks().0.iter();
            numbers.extend(words.map(|bytes| u64::from_le_bytes(*bytes)));
        }
        Ok(numbers)
    }
}
