//! Where parameters come from, and how much they weigh.
//!
//! An [`Srs`] is a source: an engine loads it once for a backend, whoever asks and however many ask at the same time, keeps
//! it for all jobs, and gives it up again when memory is needed and nothing uses it.

use std::path::PathBuf;
use std::sync::Arc;

use bellperson::groth16::Parameters;
use blstrs::Bls12;

use crate::ParametersShape;
use crate::backend::{Backend, LoadedParameters};
use crate::job::WorkError;
use crate::parameters::{Layout, ParametersError, Resolved, Set, Trust};
use crate::progress::Progress;

/// A source of parameters.
pub trait Srs: Send + Sync + 'static {
    /// Names them: two sources of one id are taken for the same parameters.
    fn id(&self) -> &str;

    /// Bytes of host memory that they take once they are loaded for a backend.
    ///
    /// # Errors
    ///
    /// Why they could not be loaded either.
    fn bytes(&self, backend: Backend) -> Result<u64, WorkError>;

    /// Loads them. This can take minutes.
    ///
    /// # Errors
    ///
    /// Why they cannot be had.
    fn load(
        &self,
        backend: Backend,
        progress: &dyn Progress,
    ) -> Result<LoadedParameters, WorkError>;
}

/// Why a file of parameters is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belief {
    /// It has this SHA-256, in hexadecimal digits.
    Sha256(String),
    /// Its BLAKE2b-512 begins with these hexadecimal digits, as Filecoin publishes them.
    Blake2b(String),
    /// It is checked in full as it is read.
    Check,
    /// Somebody asked for it by name; nothing but its format is looked at.
    Unverified,
}

/// A file of parameters.
#[derive(Clone, Debug)]
pub struct SrsFile {
    id: String,
    path: PathBuf,
    belief: Belief,
}

impl SrsFile {
    /// The file at `path`.
    pub fn new(id: impl Into<String>, path: impl Into<PathBuf>, belief: Belief) -> Self {
        Self {
            id: id.into(),
            path: path.into(),
            belief,
        }
    }

    /// A set of a store.
    pub fn of_set(id: impl Into<String>, set: &Set) -> Self {
        Self::new(id, &set.params, Belief::Sha256(set.digest.clone()))
    }

    /// What [`resolve`](crate::parameters::resolve) has found.
    pub fn of_resolved(id: impl Into<String>, resolved: &Resolved) -> Self {
        let belief = match resolved.trust() {
            Trust::Sha256(digest) => Belief::Sha256(digest.to_owned()),
            Trust::Blake2b(digits) => Belief::Blake2b(digits.to_owned()),
            Trust::Check => Belief::Check,
            Trust::Unverified => Belief::Unverified,
        };
        Self::new(id, &resolved.params, belief)
    }

    /// The number of points in each section, as the file says.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::read`].
    pub fn shape(&self) -> Result<ParametersShape, ParametersError> {
        Ok(Layout::read(&self.path)?.shape())
    }

    fn trust(&self) -> Trust<'_> {
        match &self.belief {
            Belief::Sha256(digest) => Trust::Sha256(digest),
            Belief::Blake2b(digits) => Trust::Blake2b(digits),
            Belief::Check => Trust::Check,
            Belief::Unverified => Trust::Unverified,
        }
    }
}

impl Srs for SrsFile {
    fn id(&self) -> &str {
        &self.id
    }

    /// Points take in memory what they take in the file, uncompressed.
    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(Layout::read(&self.path)?.bytes())
    }

    fn load(
        &self,
        backend: Backend,
        progress: &dyn Progress,
    ) -> Result<LoadedParameters, WorkError> {
        let parameters = LoadedParameters::read(backend, &self.path, self.trust(), progress)?;
        // On a GPU points are decoded in the background: a proof would wait for them.
        parameters.wait();
        Ok(parameters)
    }
}

/// Parameters that are in memory already, for the CPU's prover.
pub struct SrsInMemory {
    id: String,
    parameters: Arc<Parameters<Bls12>>,
}

impl SrsInMemory {
    /// These parameters.
    pub fn new(id: impl Into<String>, parameters: Arc<Parameters<Bls12>>) -> Self {
        Self {
            id: id.into(),
            parameters,
        }
    }
}

impl Srs for SrsInMemory {
    fn id(&self) -> &str {
        &self.id
    }

    /// Sections are shared with whoever owns them, so loading takes nothing.
    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(0)
    }

    fn load(&self, backend: Backend, _: &dyn Progress) -> Result<LoadedParameters, WorkError> {
        match backend {
            Backend::Cpu => Ok(LoadedParameters::Cpu(Box::new((*self.parameters).clone()))),
            Backend::Gpu => {
                Err("parameters in memory are for the CPU's prover; give the GPU's a file".into())
            }
        }
    }
}
