//! The verdict on a file of parameters.

use std::path::{Path, PathBuf};

use cuzk_core::parameters::{self, ParametersError};
use cuzk_core::progress::Progress;
use serde::Serialize;

use crate::ProveError;

/// What a check of a parameter file has found, as `--json` writes it.
#[derive(Debug, Serialize)]
pub struct ParametersVerdict {
    /// The version of this form.
    pub schema: u32,
    /// The file.
    pub path: PathBuf,
    /// Whether it is good.
    pub ok: bool,
    /// The verdict in one sentence.
    pub verdict: String,
    /// Its SHA-256, where it is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Number of its points, where they are good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// The record that was left, so that it can be read by its digest from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// The section of the first bad point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its index in the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
}

impl ParametersVerdict {
    /// 0 where the file is good, 1 where it is not.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.ok)
    }
}

/// Checks every point of a parameter file.
///
/// # Errors
///
/// Where it could not be checked. That it is no good is no error.
pub fn check_parameters(
    path: &Path,
    progress: &dyn Progress,
) -> Result<ParametersVerdict, ProveError> {
    let mut verdict = ParametersVerdict {
        schema: 1,
        path: path.to_owned(),
        ok: false,
        verdict: String::new(),
        sha256: None,
        points: None,
        record: None,
        section: None,
        index: None,
    };
    match parameters::check(path, progress) {
        Ok(report) => {
            let (file, points) = (path.display(), report.points);
            let recorded = match report.recorded {
                Ok(record) => {
                    let text = format!("which {} records", record.display());
                    verdict.record = Some(record);
                    text
                }
                Err(error) => format!("which could not be recorded: {}", cuzk_core::chain(&error)),
            };
            verdict.ok = true;
            verdict.sha256 = Some(report.sha256);
            verdict.points = Some(points);
            verdict.verdict =
                format!("{file} is good: each of its {points} points was checked, {recorded}.");
        }
        Err(error) if is_about_content(&error) => {
            verdict.section = error.place().map(|place| place.section.to_string());
            verdict.index = error.place().map(|place| place.index);
            verdict.verdict = format!(
                "{} is NOT good: {}.",
                path.display(),
                cuzk_core::chain(&error)
            );
        }
        Err(error) => return Err(error.into()),
    }
    Ok(verdict)
}

/// Whether an error says that the file is bad, not that it could not be read.
fn is_about_content(error: &ParametersError) -> bool {
    matches!(
        error,
        ParametersError::Truncated { .. }
            | ParametersError::Trailing { .. }
            | ParametersError::NoInputs { .. }
            | ParametersError::Inconsistent { .. }
            | ParametersError::Point { .. }
            | ParametersError::BetaDiffers { .. }
            | ParametersError::BDiffers { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_good_is_told_from_one_that_cannot_be_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("x.params");
        let error = check_parameters(&file, &()).expect_err("not there");
        assert!(error.to_string().contains("x.params"), "{error}");
        std::fs::write(&file, b"cut short").expect("writable");
        let verdict = check_parameters(&file, &()).expect("checked");
        assert_eq!((verdict.ok, verdict.exit_code()), (false, 1));
        assert!(
            verdict.verdict.contains("x.params is NOT good"),
            "{}",
            verdict.verdict
        );
    }
}
