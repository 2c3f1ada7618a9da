//! Reading parameters into memory.

use std::path::Path;

use bellperson::groth16::Parameters;
use blstrs::Bls12;

use super::digest::Algorithm;
use super::error::ParametersError;
use super::pass::{Hashing, Source};
use super::sink::Sink;
use super::trust::Trust;
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
    let compare = |algorithm: Algorithm, digest: &str| match algorithm.parse(digest) {
        Some(digest) => Ok(Hashing::Compare(algorithm, digest)),
        None => Err(ParametersError::MalformedDigest {
            path: path.to_owned(),
            algorithm: algorithm.name(),
            digest: digest.to_owned(),
            digits: algorithm.digits(),
        }),
    };
    let hashing = match trust {
        Trust::Sha256(digest) => compare(Algorithm::Sha256, digest)?,
        Trust::Blake2b(digest) => compare(Algorithm::Blake2b, digest)?,
        Trust::Check | Trust::Unverified => Hashing::Skip,
    };
    let source = Source::open(path)?;
    let mut sink = Sink::new(&source, matches!(trust, Trust::Check), true)?;
    progress.begin("reading parameters", source.layout.bytes(), "bytes");
    source.pass(&hashing, progress, |block| sink.take(block))?;
    sink.parameters()
}
