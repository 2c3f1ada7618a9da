//! Parameters in the cache folder, each set under its digest.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use bellperson::groth16::VerifyingKey;
use blstrs::Bls12;
use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::job::WorkError;
use cuzk_core::parameters::{Set, Store, Trust};
use cuzk_core::progress::Progress;
use cuzk_core::srs::{Srs, SrsFile};
use cuzk_harness::Request;

/// Where parameters lie in a cache folder: where `prove` looks, when it is pointed at that folder.
pub fn store(cache: &Path) -> Store {
    Store::at(cache.join("cuzk"))
}

/// A set that is there.
pub struct Stored(Set);

impl Stored {
    /// The set of a name. It is made in a process of its own where it is not there.
    pub fn of(request: &Request, name: &str) -> Result<Self> {
        let store = store(&request.cache);
        if let Some(set) = store.find(name)? {
            return Ok(Self(set));
        }
        request.prepare_in_child()?;
        let set = store.find(name)?;
        let set =
            set.with_context(|| format!("{name} is not there although it was made just now"))?;
        Ok(Self(set))
    }

    /// Reads them for a prover, digest checked, and waits until they are there. The GPU prover's options are applied before.
    pub fn load(&self, backend: Backend) -> Result<LoadedParameters> {
        let Self(set) = self;
        let trust = Trust::Sha256(&set.digest);
        let loaded = LoadedParameters::read(backend, &set.params, trust, &())?;
        ensure!(
            loaded.wait(),
            "{}: nothing says when these parameters are loaded, so that a first call could not be told from loading. GPU \
             trials need a Linux with /proc/self/maps",
            set.params.display()
        );
        Ok(loaded)
    }

    /// What proofs made with them are verified with.
    pub fn verifying_key(&self) -> Result<VerifyingKey<Bls12>> {
        Ok(self.0.verifying_key()?)
    }
}

impl Srs for Stored {
    fn id(&self) -> &str {
        &self.0.digest
    }

    fn bytes(&self, backend: Backend) -> Result<u64, WorkError> {
        SrsFile::of_set(self.id(), &self.0).bytes(backend)
    }

    fn load(&self, backend: Backend, _: &dyn Progress) -> Result<LoadedParameters, WorkError> {
        Ok(Self::load(self, backend)?)
    }
}
