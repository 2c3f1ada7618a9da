//! Reading parameters into memory.

use std::path::Path;

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::Bls12;

use super::digest::Algorithm;
use super::error::ParametersError;
use super::layout::Layout;
use super::pass::{Hashing, Source};
use super::section::Section;
use super::sink::Sink;
use super::trust::Trust;
use super::verifying_key;
use crate::progress::Progress;

/// Reads a file of parameters, believing of it what `trust` says.
///
/// Counts are checked against the length of the file before anything is allocated. Every point is on the curve and not the
/// identity; that it is in the subgroup is checked for the verifying key always, and for the rest where `trust` is
/// [`Trust::Check`]. Needs as much memory as the file is long, and 48 MiB.
///
/// One phase of progress, "reading parameters", in bytes.
///
/// # Errors
///
/// As [`Layout::read`](super::Layout::read), and [`ParametersError::Point`] for the first bad point;
/// [`ParametersError::MalformedDigest`] and [`ParametersError::Digest`]; with [`Trust::Check`] also what
/// [`check`](super::check()) reports; [`ParametersError::Memory`] and [`ParametersError::Changed`].
pub fn read(
    path: &Path,
    trust: Trust<'_>,
    progress: &dyn Progress,
) -> Result<Parameters<Bls12>, ParametersError> {
    let hashing = hashing(path, trust)?;
    let source = Source::open(path)?;
    let mut sink = Sink::new(&source, matches!(trust, Trust::Check), true)?;
    progress.begin("reading parameters", source.layout.bytes(), "bytes");
    source.pass(&hashing, progress, |block| sink.take(block))?;
    sink.parameters()
}

/// Looks at a file of parameters that somebody else will read, believing of it what `trust` says, and returns where
/// everything lies in it and its verifying key.
///
/// The key's points are checked always. The others are decoded only with [`Trust::Check`], so that a digest takes as long as
/// the hash alone, and with [`Trust::Unverified`] nothing more of the file is read. Needs 48 MiB of memory, whatever the
/// file's length.
///
/// One phase of progress, "inspecting parameters", in bytes, where more than the key is read.
///
/// # Errors
///
/// As [`read`].
pub fn inspect(
    path: &Path,
    trust: Trust<'_>,
    progress: &dyn Progress,
) -> Result<(Layout, VerifyingKey<Bls12>), ParametersError> {
    let hashing = hashing(path, trust)?;
    let source = Source::open(path)?;
    let check = matches!(trust, Trust::Check);
    let mut sink = Sink::new(&source, check, false)?;
    let bytes = source.layout.bytes();
    if trust == Trust::Unverified {
        let vk = verifying_key::of_parameters(path, &source.layout)?;
        return Ok((source.layout, vk));
    }
    progress.begin("inspecting parameters", bytes, "bytes");
    source.pass(&hashing, progress, |block| match block.section {
        Section::VerifyingKey | Section::Ic => sink.take(block),
        _ if check => sink.take(block),
        _ => Ok(()),
    })?;
    let vk = sink.parameters()?.vk;
    Ok((source.layout, vk))
}

fn hashing(path: &Path, trust: Trust<'_>) -> Result<Hashing, ParametersError> {
    let compare = |algorithm: Algorithm, digest: &str| match algorithm.parse(digest) {
        Some(digest) => Ok(Hashing::Compare(algorithm, digest)),
        None => Err(ParametersError::MalformedDigest {
            path: path.to_owned(),
            algorithm: algorithm.name(),
            digest: digest.to_owned(),
            digits: algorithm.digits(),
        }),
    };
    match trust {
        Trust::Sha256(digest) => compare(Algorithm::Sha256, digest),
        Trust::Blake2b(digest) => compare(Algorithm::Blake2b, digest),
        Trust::Check | Trust::Unverified => Ok(Hashing::Skip),
    }
}
