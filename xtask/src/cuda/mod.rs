//! The CUDA toolkit that device code is compiled with and linked from: found, or installed, and asked what it can do.
//!
//! One toolkit does both. A toolkit that a variable names is taken or refused, never passed over in silence; the others are
//! looked for in a fixed order. What is found here is what builds are told: which nvcc, which host compiler, which
//! architectures, where the runtime lies.

mod agree;
mod architectures;
mod ask;
mod error;
mod host;
pub mod install;
mod places;
pub mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

pub use architectures::Architectures;
pub use ask::Version;
pub use error::CudaError;
pub use host::Host;
pub use places::Surroundings;

/// The oldest toolkit that sppark compiles with.
const OLDEST: [u32; 2] = [11, 4];

/// A toolkit that compiles and links.
#[derive(Clone, Debug)]
pub struct Toolkit {
    /// The folder that has `bin`, the headers and the libraries.
    pub root: PathBuf,
    /// Why this one.
    pub why: String,
    /// Its compiler.
    pub nvcc: PathBuf,
    /// The version of that.
    pub version: Version,
    /// The folder of the static runtime.
    pub library: PathBuf,
    /// What compiles the code of the host.
    pub host: Host,
    /// What device code is made for.
    pub architectures: Architectures,
}

/// What of a toolkit decides a binary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The toolkit's full version.
    pub version: String,
    /// As `CUZK_CUDA_ARCHS` takes them.
    pub architectures: String,
    /// First line of what the host compiler says of its version.
    pub host: String,
}

/// Finds the toolkit and checks that it can be used.
pub fn find(around: &Surroundings) -> Result<Toolkit, CudaError> {
    let place = places::find(around)?;
    let version = ask::version(&place.nvcc)?;
    if version.release < OLDEST {
        return Err(CudaError::TooOld {
            nvcc: place.nvcc,
            version: version.full,
        });
    }
    let root = ask::root(&place.nvcc)?;
    let library = agree::library(&root, &place.nvcc)?;
    agree::with_variables(around, &root)?;
    agree::versions(&root, &version)?;
    let architectures = architectures::choose(around, &place.nvcc, &version)?;
    let host = host::choose(around, &place.nvcc, &version)?;
    Ok(Toolkit {
        root,
        why: place.why,
        nvcc: place.nvcc,
        version,
        library,
        host,
        architectures,
    })
}

impl Toolkit {
    /// What a build script and a linker have to know.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut libraries = vec![self.library.clone()];
        if let Some(others) = std::env::var_os("LIBRARY_PATH") {
            libraries.extend(std::env::split_paths(&others).filter(|path| *path != self.library));
        }
        // A path with a colon in it cannot be in the list, and build scripts say it to rustc besides.
        let libraries =
            std::env::join_paths(libraries).unwrap_or_else(|_| self.library.clone().into());
        vec![
            ("NVCC", self.nvcc.clone().into()),
            ("NVCC_CCBIN", self.host.program.clone().into()),
            ("CUDA_HOME", self.root.clone().into()),
            ("CUDA_PATH", self.root.clone().into()),
            ("CUZK_CUDA_ARCHS", self.architectures.to_string().into()),
            ("LIBRARY_PATH", libraries),
        ]
    }

    /// Has a command compile with this toolkit.
    pub fn apply(&self, command: &mut Command) {
        command.envs(self.variables());
    }

    /// The same with machine code for one architecture, where nvcc can make it: the quickest that shows everything.
    pub fn only(mut self, architecture: &str) -> Result<Self, CudaError> {
        let version = &self.version;
        self.architectures = Architectures::asked(architecture, &self.nvcc, version)?;
        Ok(self)
    }

    /// What of it decides a binary.
    pub fn record(&self) -> Record {
        Record {
            version: self.version.full.clone(),
            architectures: self.architectures.to_string(),
            host: self.host.version.clone(),
        }
    }

    /// Compiles and links a program with a kernel for the first architecture, which takes some seconds. What was asked
    /// until now is what nvcc says of itself; a part that is missing shows only here.
    pub fn try_out(&self, folder: &Path) -> Result<(), CudaError> {
        ask::compile(self, folder)
    }
}

#[cfg(all(test, unix))]
mod testing;
#[cfg(all(test, unix))]
mod tests;
