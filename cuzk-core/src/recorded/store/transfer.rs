//! The content of a file, to and from memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::super::coefficients::Coefficients;
use super::super::density::Density;
use super::super::recording::{Chunk, Parts};
use super::super::{RecordedError, Recording};
use super::header::{FIXED, Header, blake2b, finish};
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
    for chunk in &parts.chunks {
        let numbers = [
            u64::from(chunk.rows),
            chunk.ends[0],
            chunk.ends[1],
            chunk.ends[2],
        ];
        pour(
            &mut buffer,
            numbers.iter().map(|number| number.to_le_bytes()),
            &mut put,
        )?;
    }
    for density in [&parts.a_aux, &parts.b_input, &parts.b_aux] {
        for words in density.words().chunks(BUFFER / 8) {
            pour(
                &mut buffer,
                words.iter().map(|word| word.to_le_bytes()),
                &mut put,
            )?;
        }
    }
    for words in parts
        .words
        .iter()
        .flat_map(|words| words.chunks(BUFFER / 4))
    {
        pour(
            &mut buffer,
            words.iter().map(|word| word.to_le_bytes()),
            &mut put,
        )?;
    }
    Ok(())
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
        let index = self.u64s(header.chunks * 4)?;
        let a_aux = self.u64s(shape.aux.div_ceil(64) as u64)?;
        let b_input = self.u64s(shape.inputs.div_ceil(64) as u64)?;
        let b_aux = self.u64s(shape.aux.div_ceil(64) as u64)?;
        let words = [
            self.u32s(header.words[0])?,
            self.u32s(header.words[1])?,
            self.u32s(header.words[2])?,
        ];
        let chunks = index.as_chunks::<4>().0.iter().map(|[rows, a, b, c]| {
            let rows = u32::try_from(*rows).ok()?;
            Some(Chunk {
                rows,
                ends: [*a, *b, *c],
            })
        });
        let parts = || {
            Some(Parts {
                inputs: shape.inputs,
                aux: shape.aux,
                rows: shape.constraints as u64,
                chunks: chunks.collect::<Option<_>>()?,
                nonzeros: shape.nonzeros,
                words,
                coefficients: Coefficients::with(scalars.as_chunks::<4>().0.iter().copied())?,
                a_aux: Density::from_words(a_aux, shape.aux)?,
                b_input: Density::from_words(b_input, shape.inputs)?,
                b_aux: Density::from_words(b_aux, shape.aux)?,
            })
        };
        Ok(parts())
    }

    fn u64s(&mut self, count: u64) -> std::io::Result<Vec<u64>> {
        self.numbers(count, u64::from_le_bytes)
    }

    fn u32s(&mut self, count: u64) -> std::io::Result<Vec<u32>> {
        self.numbers(count, u32::from_le_bytes)
    }

    /// Reads `count` numbers, of which the file has been found to have as many bytes.
    fn numbers<const N: usize, T>(
        &mut self,
        count: u64,
        number: impl Fn([u8; N]) -> T,
    ) -> std::io::Result<Vec<T>> {
        let mut numbers = Vec::with_capacity(count as usize);
        let mut buffer = vec![0; BUFFER.min(count as usize * N)];
        while (numbers.len() as u64) < count {
            let bytes = ((count as usize - numbers.len()) * N).min(BUFFER);
            let bytes = &mut buffer[..bytes];
            self.file.read_exact(bytes)?;
            self.state.update(bytes);
            numbers.extend(bytes.as_chunks::<N>().0.iter().map(|bytes| number(*bytes)));
        }
        Ok(numbers)
    }
}
