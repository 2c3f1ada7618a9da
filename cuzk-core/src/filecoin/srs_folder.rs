//! Where the parameters of Filecoin's circuits are looked for.
//!
//! | looked for | believed because |
//! | --- | --- |
//! | one file | somebody asked for it by name |
//! | `NAME.params` in a flat folder, as Filecoin's own software keeps them | its digest is that of a full check, or the published one |
//! | a set in a [`Store`] of our own | it has the digest that it was stored under |
//!
//! The first that is there is taken.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{CircuitId, FilecoinError};
use crate::ParametersShape;
use crate::parameters::{Resolved, Set, Store, resolve};
use crate::srs::{Belief, Srs, SrsFile};

/// The parameters of a circuit, not loaded yet.
#[derive(Clone)]
pub struct CircuitSrs {
    /// Where they come from; the id is that of the circuit.
    pub srs: Arc<dyn Srs>,
    /// How many points they have. They bound the counts of the circuit.
    pub shape: ParametersShape,
}

/// Whoever knows where the parameters of circuits are.
pub trait SrsSource: Send + Sync + 'static {
    /// The parameters of this one. Nothing of their points is read.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::NoParameters`], and whatever is wrong with those that are there.
    fn srs(&self, circuit: CircuitId) -> Result<CircuitSrs, FilecoinError>;
}

/// Files of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SrsFolder {
    /// A file to take as it is, whatever the circuit.
    pub unverified: Option<PathBuf>,
    /// A folder of published files.
    pub folder: Option<PathBuf>,
    /// A store of our own.
    pub store: Store,
}

/// Parameters that are there.
#[derive(Debug)]
pub enum Found {
    /// A file that somebody asked for by name.
    Unverified(PathBuf),
    /// A file of a flat folder.
    Flat(Resolved),
    /// A set of the store.
    Set(Set),
}

impl SrsFolder {
    /// The first that is there; `None` where there is none. Nothing but names and sizes is looked at, so that what is
    /// missing is missed at once.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Parameters`] where what is there cannot be believed or read, [`FilecoinError::Proofs`].
    pub fn find(&self, circuit: CircuitId) -> Result<Option<Found>, FilecoinError> {
        if let Some(path) = &self.unverified {
            return Ok(Some(Found::Unverified(path.clone())));
        }
        let name = circuit.parameters_name()?;
        if let Some(folder) = &self.folder {
            let published = circuit.published()?.map(|published| published.params);
            if let Some(resolved) = resolve(&name, folder, published)? {
                return Ok(Some(Found::Flat(resolved)));
            }
        }
        Ok(self.store.find(&name)?.map(Found::Set))
    }
}

impl Found {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unverified(path) => path,
            Self::Flat(resolved) => &resolved.params,
            Self::Set(set) => &set.params,
        }
    }

    /// It as a source for an engine, under this id.
    pub fn srs(&self, id: impl Into<String>) -> SrsFile {
        match self {
            Self::Unverified(path) => SrsFile::new(id, path, Belief::Unverified),
            Self::Flat(resolved) => SrsFile::of_resolved(id, resolved),
            Self::Set(set) => SrsFile::of_set(id, set),
        }
    }
}

impl SrsSource for SrsFolder {
    fn srs(&self, circuit: CircuitId) -> Result<CircuitSrs, FilecoinError> {
        let Some(found) = self.find(circuit)? else {
            return Err(FilecoinError::NoParameters {
                circuit,
                file: format!("{}.params", circuit.parameters_name()?),
                folder: self.folder.clone(),
                store: self.store.root().to_owned(),
            });
        };
        let file = found.srs(circuit.to_string());
        Ok(CircuitSrs {
            shape: file.shape()?,
            srs: Arc::new(file),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_missed_by_name_and_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folders = SrsFolder {
            unverified: None,
            folder: Some(folder.path().to_owned()),
            store: Store::at(folder.path().join("cuzk")),
        };
        let circuit: CircuitId = "porep-32g".parse().expect("an id");
        let error = folders.srs(circuit).err().expect("missing").to_string();
        let name = circuit.parameters_name().expect("a name");
        let there = folder.path().display().to_string();
        for part in ["porep-32g", &format!("{name}.params"), &there] {
            assert!(error.contains(part), "{part}: {error}");
        }
        std::fs::write(folder.path().join(format!("{name}.params")), b"cut short")
            .expect("writable");
        let found = folders.find(circuit).expect("looked");
        assert!(matches!(found, Some(Found::Flat(_))), "{found:?}");
        let error = folders.srs(circuit).err().expect("too short");
        assert!(matches!(error, FilecoinError::Parameters(_)), "{error}");
    }
}
