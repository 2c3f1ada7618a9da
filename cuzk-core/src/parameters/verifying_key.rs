//! Verifying keys, read strictly.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, G1Affine, G2Affine};

use super::error::ParametersError;
use super::files;
use super::layout::{self, COUNT_BYTES, Layout};
use super::point::{G1_BYTES, Point, PointFault, decode_strictly};
use super::section::{FIXED_BYTES, FIXED_POINTS, Place, Section};

/// Reads a file that holds a verifying key and nothing else. Every point is checked: on the curve, in the subgroup, not the
/// identity.
///
/// # Errors
///
/// [`ParametersError::Io`] and [`ParametersError::NotAFile`]; [`ParametersError::Truncated`],
/// [`ParametersError::Trailing`] and [`ParametersError::NoInputs`] before anything is allocated;
/// [`ParametersError::Point`] for the first bad point.
pub fn read_verifying_key(path: &Path) -> Result<VerifyingKey<Bls12>, ParametersError> {
    parse(path, &read_bytes(path)?)
}

/// Reads the verifying key at the beginning of a file of parameters, as strictly.
///
/// # Errors
///
/// Those of [`Layout::read`]; [`ParametersError::Point`] for the first bad point.
pub fn read_verifying_key_of(path: &Path) -> Result<VerifyingKey<Bls12>, ParametersError> {
    let (file, bytes) = files::open(path)?;
    let layout = Layout::of(path, &file, bytes)?;
    parse(
        path,
        &read_prefix(path, &file, layout.verifying_key_bytes())?,
    )
}

/// The bytes of a file whose length is that of a verifying key.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ParametersError> {
    let (file, bytes) = files::open(path)?;
    layout::verifying_key_inputs(path, &file, bytes)?;
    read_prefix(path, &file, bytes)
}

/// The first `bytes` bytes of a file, which is at least as long.
pub(super) fn read_prefix(
    path: &Path,
    file: &File,
    bytes: u64,
) -> Result<Vec<u8>, ParametersError> {
    let mut prefix = Vec::new();
    let reserved = prefix.try_reserve_exact(bytes as usize);
    reserved.map_err(|_| ParametersError::Memory {
        path: path.to_owned(),
        section: Section::Ic,
        count: bytes.saturating_sub(FIXED_BYTES as u64 + COUNT_BYTES) / G1_BYTES as u64,
        bytes,
    })?;
    let read = file.take(bytes).read_to_end(&mut prefix);
    let read = read.map_err(ParametersError::io("reading", path))?;
    if read as u64 == bytes {
        Ok(prefix)
    } else {
        Err(ParametersError::Changed {
            path: path.to_owned(),
        })
    }
}

/// The key that parameters of this layout begin with.
pub(super) fn of_parameters(
    path: &Path,
    layout: &Layout,
) -> Result<VerifyingKey<Bls12>, ParametersError> {
    let (file, _) = files::open(path)?;
    parse(
        path,
        &read_prefix(path, &file, layout.verifying_key_bytes())?,
    )
}

/// The key that `bytes` hold, from [`read_bytes`].
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<VerifyingKey<Bls12>, ParametersError> {
    let bad = |(place, fault): (Place, PointFault), offset: usize| ParametersError::Point {
        path: path.to_owned(),
        place,
        offset: offset as u64,
        fault,
    };
    let Some((fixed, inputs)) = bytes.split_at_checked(FIXED_BYTES) else {
        return Err(ParametersError::Changed {
            path: path.to_owned(),
        });
    };
    let mut vk = fixed_points(fixed).map_err(|(place, fault)| {
        let before = FIXED_POINTS.iter().take(place.index as usize);
        bad((place, fault), before.map(|(_, bytes)| bytes).sum())
    })?;
    let inputs = inputs.get(COUNT_BYTES as usize..).unwrap_or_default();
    for (index, bytes) in inputs.chunks_exact(G1_BYTES).enumerate() {
        let point = decode_strictly(bytes).map_err(|fault| {
            let place = Place {
                section: Section::Ic,
                index: index as u64,
            };
            let offset = FIXED_BYTES + COUNT_BYTES as usize + index * G1_BYTES;
            bad((place, fault), offset)
        })?;
        vk.ic.push(point);
    }
    Ok(vk)
}

/// The fixed part of a verifying key from its `FIXED_BYTES` bytes, with no input points yet.
pub(super) fn fixed_points(bytes: &[u8]) -> Result<VerifyingKey<Bls12>, (Place, PointFault)> {
    fn next<P: Point>(rest: &mut &[u8], index: &mut u64) -> Result<P, (Place, PointFault)> {
        let place = Place {
            section: Section::VerifyingKey,
            index: *index,
        };
        let (point, after) = rest.split_at(P::BYTES);
        *rest = after;
        *index += 1;
        decode_strictly(point).map_err(|fault| (place, fault))
    }
    let (mut rest, mut index) = (bytes, 0);
    Ok(VerifyingKey {
        alpha_g1: next::<G1Affine>(&mut rest, &mut index)?,
        beta_g1: next::<G1Affine>(&mut rest, &mut index)?,
        beta_g2: next::<G2Affine>(&mut rest, &mut index)?,
        gamma_g2: next::<G2Affine>(&mut rest, &mut index)?,
        delta_g1: next::<G1Affine>(&mut rest, &mut index)?,
        delta_g2: next::<G2Affine>(&mut rest, &mut index)?,
        ic: Vec::new(),
    })
}
