//! One pass over a file of parameters: each byte is read once, and what is hashed is what is looked at.
//!
//! The file is read in blocks into memory that is ours, never mapped: a mapped file can change between the look of the
//! digest and that of the decoder, and a truncated one would end the process. Two blocks are held at a time. In each step
//! three things run side by side on rayon's pool: the next block is read, the present one is hashed, and its points are
//! looked at (on as many threads as there are). The step ends when all three have. So neither the digest nor the disk adds
//! to the time where the other takes longer, and the memory needed beyond the points is two blocks.

use std::fs::File;
use std::mem;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::digest::Algorithm;
use super::error::ParametersError;
use super::files;
use super::layout::{COUNT_BYTES, Layout};
use super::point::PointFault;
use super::section::{Place, Section};
use crate::progress::Progress;

/// Points in a block: enough to keep many cores busy, 12 MiB of G1 and 24 MiB of G2.
pub(super) const BLOCK_POINTS: u64 = 1 << 17;

/// A file of parameters that is open.
pub(super) struct Source<'a> {
    /// Where it was opened.
    pub path: &'a Path,
    /// What lies where in it.
    pub layout: Layout,
    file: File,
}

/// Consecutive points of one section, as they stand in the file.
pub(super) struct Block<'a> {
    /// The section.
    pub section: Section,
    /// The number of the first point.
    pub first: u64,
    /// The points.
    pub bytes: &'a [u8],
}

/// What is to be done about the digest.
pub(super) enum Hashing {
    /// Nothing.
    Skip,
    /// Compute it.
    Compute(Algorithm),
    /// Compute it and compare it.
    Compare(Algorithm, String),
}

/// A block's place in the file.
struct Piece {
    section: Section,
    /// The section's count stands before the points.
    counted: bool,
    first: u64,
    offset: u64,
    bytes: usize,
}

impl<'a> Source<'a> {
    /// Opens a file and reads its layout.
    pub fn open(path: &'a Path) -> Result<Self, ParametersError> {
        let (file, bytes) = files::open(path)?;
        let layout = Layout::of(path, &file, bytes)?;
        Ok(Self { path, layout, file })
    }

    /// Reads the bytes of some points of a section.
    pub fn points(
        &self,
        section: Section,
        first: u64,
        count: u64,
    ) -> Result<Vec<u8>, ParametersError> {
        let span = self.layout.span(section);
        let (start, end) = (span.offset_of(first), span.offset_of(first + count));
        let mut bytes = vec![0; (end - start) as usize];
        self.fill(&mut bytes, start)?;
        Ok(bytes)
    }

    /// Shows each block of the file to `each`, in order, and returns the digest if one was to be computed.
    ///
    /// Where a digest is compared, `each` is not called any more once it has found an error, and the file is read to its
    /// end: a wrong digest says more than what it led to, which its error then names too. Otherwise the first error ends
    /// the pass.
    pub fn pass(
        &self,
        hashing: &Hashing,
        progress: &dyn Progress,
        mut each: impl FnMut(Block<'_>) -> Result<(), ParametersError> + Send,
    ) -> Result<Option<String>, ParametersError> {
        let (mut hasher, expected) = match hashing {
            Hashing::Skip => (None, None),
            Hashing::Compute(algorithm) => (Some(algorithm.hasher()), None),
            Hashing::Compare(algorithm, expected) => {
                (Some(algorithm.hasher()), Some((algorithm, expected)))
            }
        };
        let pieces = self.pieces();
        let (mut present, mut next) = (Vec::new(), Vec::new());
        let mut fault = None;
        let mut read = pieces
            .first()
            .map_or(Ok(()), |piece| self.read(piece, &mut present));
        for (index, piece) in pieces.iter().enumerate() {
            read?;
            read = Ok(());
            let mut seen = Ok(());
            rayon::scope(|scope| {
                let (present, next, read) = (&present, &mut next, &mut read);
                if let Some(piece) = pieces.get(index + 1) {
                    scope.spawn(move |_| *read = self.read(piece, next));
                }
                if let Some(hasher) = &mut hasher {
                    scope.spawn(move |_| hasher.update(present));
                }
                if fault.is_none() {
                    seen = self.block(piece, present).and_then(&mut each);
                }
            });
            if let Err(error) = seen {
                if expected.is_none() {
                    return Err(error);
                }
                fault = Some(error);
            }
            progress.advance(piece.bytes as u64);
            mem::swap(&mut present, &mut next);
        }
        let actual = hasher.map(|hasher| hasher.finish());
        if let (Some((algorithm, expected)), Some(actual)) = (expected, &actual)
            && expected != actual
        {
            return Err(ParametersError::Digest {
                path: self.path.to_owned(),
                algorithm: algorithm.name(),
                expected: expected.clone(),
                actual: actual.clone(),
                first_bad: fault.map(Box::new),
            });
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let length = self.file.metadata();
        let length = length
            .map_err(ParametersError::io("reading", self.path))?
            .len();
        if length == self.layout.bytes() {
            Ok(actual)
        } else {
            Err(self.changed())
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for span in self.layout.spans() {
            let mut first = 0;
            // A section without points is its count.
            while first == 0 || first < span.count {
                let points = BLOCK_POINTS.min(span.count - first);
                let counted = first == 0 && span.section != Section::VerifyingKey;
                let offset = span.offset_of(first) - if counted { COUNT_BYTES } else { 0 };
                pieces.push(Piece {
                    section: span.section,
                    counted,
                    first,
                    offset,
                    bytes: (span.offset_of(first + points) - offset) as usize,
                });
                first += points.max(1);
            }
        }
        pieces
    }

    fn read(&self, piece: &Piece, buffer: &mut Vec<u8>) -> Result<(), ParametersError> {
        buffer.resize(piece.bytes, 0);
        self.fill(buffer, piece.offset)
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<(), ParametersError> {
        let read = self.file.read_exact_at(buffer, offset);
        read.map_err(|error| match error.kind() {
            // The layout has been checked against the length.
            std::io::ErrorKind::UnexpectedEof => self.changed(),
            _ => ParametersError::io("reading", self.path)(error),
        })
    }

    /// The points of a piece. Its count has to be the one that the layout was made from.
    fn block<'b>(&self, piece: &Piece, bytes: &'b [u8]) -> Result<Block<'b>, ParametersError> {
        let mut points = bytes;
        if piece.counted {
            let (count, rest) = bytes.split_at(COUNT_BYTES as usize);
            if self.layout.span(piece.section).count.to_be_bytes()[COUNT_BYTES as usize..] != *count
            {
                return Err(self.changed());
            }
            points = rest;
        }
        Ok(Block {
            section: piece.section,
            first: piece.first,
            bytes: points,
        })
    }

    /// That a point of the file is bad.
    pub fn bad_point(&self, place: Place, fault: PointFault) -> ParametersError {
        ParametersError::Point {
            path: self.path.to_owned(),
            place,
            offset: self.layout.span(place.section).offset_of(place.index),
            fault,
        }
    }

    /// That the file is not what it was a moment ago.
    pub fn changed(&self) -> ParametersError {
        ParametersError::Changed {
            path: self.path.to_owned(),
        }
    }
}
