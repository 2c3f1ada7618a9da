//! Recordings of Filecoin's circuits, in a folder: `NAME.recording`, with the name of the circuit's parameters.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bellperson::Circuit;
use blstrs::Scalar as Fr;

use super::{CircuitId, CircuitVisitor, FilecoinError};
use crate::ParametersShape;
use crate::budget::Sizes;
use crate::job::RecordingSource;
use crate::recorded::{Loaded, Origin, RecordedError, RecordedShape, Recorder, Recording, Wanted};

/// Whose circuits they are: other releases may have other constraints.
const CIRCUITS: &str = "storage-proofs 19.1.0";

/// What a recording takes at most, in bytes a constraint. `prove/tests/requests/` holds recordings against it.
const BYTES_A_CONSTRAINT: u64 = 8;

/// What it takes beside, whatever the size of the circuit.
const BYTES_BESIDE: u64 = 32 << 20;

/// Where recordings are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingFolder {
    folder: Option<PathBuf>,
}

impl RecordingFolder {
    /// In this folder, which is made where it is not there.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        let folder = Some(folder.into());
        Self { folder }
    }

    /// Nowhere: a circuit is recorded anew by every process.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// The file for this circuit's recording, whether it is there or not.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn path(&self, circuit: CircuitId) -> Result<Option<PathBuf>, FilecoinError> {
        let file = format!("{}.recording", circuit.parameters_name()?);
        Ok(self.folder.as_ref().map(|folder| folder.join(file)))
    }

    /// The recording of a circuit with such parameters, and the counts of one partition: exact where the file is there,
    /// otherwise the largest that the parameters allow. Nothing but the head of a file is read.
    ///
    /// Loading it reads the file, or records the circuit, which takes up to minutes, and writes the file.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`]. A file that cannot be used is none: the circuit will be recorded again.
    pub fn source(
        &self,
        circuit: CircuitId,
        parameters: &ParametersShape,
    ) -> Result<(RecordingSource, Sizes), FilecoinError> {
        let id = circuit.recording_id()?;
        let path = self.path(circuit)?;
        let known = path
            .as_deref()
            .and_then(|path| Recording::peek(path, &wanted(&id)).ok())
            .filter(|header| fits(&header.shape, parameters));
        let (sizes, bytes) = match known {
            Some(header) => (Sizes::from(&header.shape), header.bytes),
            None => {
                let sizes = Sizes::at_most(parameters);
                (sizes, at_most(&sizes))
            }
        };
        let (parameters, circuit_id) = (*parameters, id.clone());
        let load = move || {
            let recording = load(circuit, path.as_deref(), &circuit_id)?;
            let shape = recording.shape();
            if !fits(&shape, &parameters) {
                return Err(FilecoinError::ForeignRecording {
                    circuit,
                    recorded: Box::new(shape),
                    inputs: parameters.ic,
                    aux: parameters.l,
                }
                .into());
            }
            Ok(recording)
        };
        let load = Arc::new(load);
        Ok((RecordingSource { id, bytes, load }, sizes))
    }
}

impl CircuitId {
    /// Names its recording: with everything that its constraints depend on.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    pub fn recording_id(self) -> Result<String, FilecoinError> {
        Ok(format!("{self} {} {CIRCUITS}", self.parameters_name()?))
    }

    /// Records it, of any size: circuits of production too, whose parameters are not generated.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Recording`], [`FilecoinError::Proofs`].
    pub fn record(self) -> Result<Recording, FilecoinError> {
        load(self, None, "")
    }
}

/// Reads it from the file, or records it and writes the file.
fn load(circuit: CircuitId, path: Option<&Path>, id: &str) -> Result<Recording, FilecoinError> {
    if let Some(folder) = path.and_then(Path::parent) {
        // Where this fails so does writing the file, which is told below.
        let _ = fs::create_dir_all(folder);
    }
    let failed = |error| FilecoinError::Recording {
        circuit,
        source: Box::new(error),
    };
    let loaded = circuit.visit_any_blank(Load { path, id })?;
    let Loaded { recording, origin } = loaded.map_err(failed)?;
    if let Origin::Recorded {
        instead_of,
        not_stored,
    } = origin
    {
        if let Some(error) = instead_of {
            tracing::warn!(%circuit, %error, "the file of the recording cannot be used: it was recorded again");
        }
        if let Some(error) = not_stored {
            tracing::warn!(%circuit, %error, "the recording could not be kept: the next process records it again");
        }
    }
    Ok(recording)
}

struct Load<'a> {
    path: Option<&'a Path>,
    id: &'a str,
}

impl CircuitVisitor for Load<'_> {
    type Output = Result<Loaded, RecordedError>;

    fn visit<C: Circuit<Fr> + Send>(self, blank: impl Fn() -> C) -> Self::Output {
        match self.path {
            Some(path) => Recording::load_or_record(path, &wanted(self.id), blank),
            None => Ok(Loaded {
                recording: Recorder::record(blank())?,
                origin: Origin::Recorded {
                    instead_of: None,
                    not_stored: None,
                },
            }),
        }
    }
}

fn wanted(circuit_id: &str) -> Wanted<'_> {
    Wanted {
        circuit_id,
        shape: None,
    }
}

/// Whether a recording can be of the circuit that the parameters are for.
fn fits(recorded: &RecordedShape, parameters: &ParametersShape) -> bool {
    let Sizes { constraints, .. } = Sizes::at_most(parameters);
    recorded.inputs == parameters.ic
        && recorded.aux == parameters.l
        && recorded.constraints as u64 <= constraints
}

fn at_most(sizes: &Sizes) -> u64 {
    let rows = sizes.constraints.saturating_mul(BYTES_A_CONSTRAINT);
    rows.saturating_add(BYTES_BESIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The release that is named is the one that is compiled in.
    #[test]
    fn the_circuits_are_those_of_the_pinned_release() {
        let manifest = include_str!("../../../Cargo.toml");
        let version = CIRCUITS.rsplit(' ').next().expect("a version");
        for name in ["core", "porep", "post", "update"] {
            let pin = format!("storage-proofs-{name} = {{ version = \"={version}\"");
            assert!(manifest.contains(&pin), "{pin}");
        }
    }

    #[test]
    fn each_circuit_has_a_recording_of_its_own() {
        let ids = CircuitId::all().map(|circuit| circuit.recording_id().expect("a name"));
        let ids: std::collections::BTreeSet<_> = ids.collect();
        assert_eq!(ids.len(), 20);
    }
}
