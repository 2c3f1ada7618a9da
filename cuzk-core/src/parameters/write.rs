//! Writing parameters, in bellperson's format, with their digest.
//!
//! As in reading, two blocks are held: while one is hashed and written, the next is encoded on the remaining cores.

use std::io::Write;
use std::mem;
use std::path::Path;

use bellperson::groth16::Parameters;
use blstrs::Bls12;
use rayon::prelude::*;

use super::digest::Algorithm;
use super::error::ParametersError;
use super::files;
use super::pass::BLOCK_POINTS;
use super::point::Point;
use super::section::Section;
use crate::progress::Progress;

/// A file that was written.
pub(super) struct Written {
    /// Its SHA-256, hex.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// Appends a block to a buffer.
type Encode<'a> = Box<dyn Fn(&mut Vec<u8>) + Send + Sync + 'a>;

/// Writes parameters to a file that is not there yet. One phase of progress, in bytes.
pub(super) fn write(
    parameters: &Parameters<Bls12>,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Written, ParametersError> {
    let io = |error| ParametersError::io("writing", path)(error);
    let mut key = Vec::new();
    parameters.vk.write(&mut key).map_err(io)?;
    let mut bytes = key.len() as u64;
    let mut blocks: Vec<Encode<'_>> = vec![Box::new(move |buffer| buffer.extend(&key))];
    let g1 = [
        (Section::H, &parameters.h),
        (Section::L, &parameters.l),
        (Section::A, &parameters.a),
        (Section::BG1, &parameters.b_g1),
    ];
    for (section, points) in g1 {
        bytes += add_section(path, section, points, &mut blocks)?;
    }
    bytes += add_section(path, Section::BG2, &parameters.b_g2, &mut blocks)?;

    progress.begin("writing parameters", bytes, "bytes");
    let mut file = files::create_new(path)?;
    let mut hasher = Algorithm::Sha256.hasher();
    let (mut present, mut next) = (Vec::new(), Vec::new());
    blocks[0](&mut present);
    for index in 1..=blocks.len() {
        let mut written = Ok(());
        rayon::scope(|scope| {
            let (present, next) = (&present, &mut next);
            if let Some(encode) = blocks.get(index) {
                scope.spawn(move |_| {
                    next.clear();
                    encode(next);
                });
            }
            let hasher = &mut hasher;
            scope.spawn(move |_| hasher.update(present));
            written = file.write_all(present);
        });
        written.map_err(io)?;
        progress.advance(present.len() as u64);
        mem::swap(&mut present, &mut next);
    }
    file.sync_all().map_err(io)?;
    Ok(Written {
        sha256: hasher.finish(),
        bytes,
    })
}

/// Adds the blocks of a section and returns how many bytes it takes.
fn add_section<'a, P: Point>(
    path: &Path,
    section: Section,
    points: &'a [P],
    blocks: &mut Vec<Encode<'a>>,
) -> Result<u64, ParametersError> {
    let count = u32::try_from(points.len()).map_err(|_| ParametersError::Inconsistent {
        path: path.to_owned(),
        section,
        count: points.len() as u64,
        needs: "the format counts them with 32 bits".into(),
    })?;
    blocks.push(Box::new(move |buffer| buffer.extend(count.to_be_bytes())));
    for points in points.chunks(BLOCK_POINTS as usize) {
        blocks.push(Box::new(move |buffer| {
            buffer.resize(points.len() * P::BYTES, 0);
            let encoded = buffer.par_chunks_exact_mut(P::BYTES);
            encoded
                .zip(points)
                .with_min_len(256)
                .for_each(|(bytes, point)| {
                    bytes.copy_from_slice(point.to_uncompressed().as_ref());
                });
        }));
    }
    Ok(size_of::<u32>() as u64 + (points.len() * P::BYTES) as u64)
}
