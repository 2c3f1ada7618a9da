//! The full check of a file of parameters.

use std::path::{Path, PathBuf};

use super::digest::Algorithm;
use super::error::ParametersError;
use super::pass::{Hashing, Source};
use super::sink::Sink;
use super::trust::CheckRecord;
use crate::ParametersShape;
use crate::progress::Progress;

/// What a check that found nothing wrong has seen.
#[derive(Debug)]
pub struct CheckReport {
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, hex.
    pub sha256: String,
    /// Number of points.
    pub points: u64,
    /// The number of points in each section.
    pub shape: ParametersShape,
    /// The record that was left beside the file, from now on to be read with [`Trust::recorded`](super::Trust::recorded).
    /// An error here, such as a folder that cannot be written to, takes nothing from what was found.
    pub recorded: Result<PathBuf, ParametersError>,
}

/// Checks a file of parameters in full, on all cores: every point is on the curve, in the subgroup and not the identity;
/// beta is the same number in both groups; each point of b_g2 belongs to its counterpart in b_g1.
///
/// What no file can show of itself is not checked: that nobody knows the numbers it was made from, and that it is for one
/// circuit or another. For that there are digests.
///
/// Points are checked many at once, through random sums, so that a bad one goes unnoticed with a probability of 2^-128.
/// The error is the same on any number of cores: it names the first bad point of the file. Blocks of the file are held in
/// memory, never all of it.
///
/// One phase of progress, "checking parameters", in bytes. Leaves `FILE.checked` beside the file.
///
/// # Errors
///
/// As [`Layout::read`](super::Layout::read); [`ParametersError::Point`], [`ParametersError::BetaDiffers`] and
/// [`ParametersError::BDiffers`] for what is bad; [`ParametersError::Changed`], [`ParametersError::Memory`],
/// [`ParametersError::Randomness`] and [`ParametersError::Contradiction`] where it could not be decided.
pub fn check(path: &Path, progress: &dyn Progress) -> Result<CheckReport, ParametersError> {
    let source = Source::open(path)?;
    let layout = &source.layout;
    let mut sink = Sink::new(&source, true, false)?;
    progress.begin("checking parameters", layout.bytes(), "bytes");
    let hashing = Hashing::Compute(Algorithm::Sha256);
    let digest = source.pass(&hashing, progress, |block| sink.take(block))?;
    let record = CheckRecord::new(digest.unwrap_or_default(), layout.bytes(), layout.points());
    Ok(CheckReport {
        path: path.to_owned(),
        bytes: record.bytes,
        sha256: record.sha256.clone(),
        points: record.points,
        shape: layout.shape(),
        recorded: record.leave_beside(path),
    })
}
