//! Why there is no toolkit to build with, each in one line that ends in what to do.

use std::path::PathBuf;

use thiserror::Error;

/// What gets one without the system's help.
const INSTALL: &str = "`cargo xtask cuda --install` puts one under target/cuda";

/// Why there is no toolkit to build with.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CudaError {
    /// None anywhere.
    #[error(
        "no CUDA toolkit found: no variable of NVCC, CUDA_HOME, CUDA_PATH is set, and there is no nvcc on PATH or in {looked}; {INSTALL}"
    )]
    Missing {
        /// Where it was looked for.
        looked: String,
    },
    /// A variable that names none.
    #[error("{variable}={} is no CUDA toolkit: {why}; name a toolkit's folder, or unset it", path.display())]
    NoToolkit {
        /// The variable.
        variable: &'static str,
        /// What it says.
        path: PathBuf,
        /// What is wrong with that.
        why: String,
    },
    /// A variable that names no compiler.
    #[error("NVCC={} cannot be started: {why}; name nvcc of a toolkit, or unset it", path.display())]
    NoNvcc {
        /// What it says.
        path: PathBuf,
        /// What is wrong with that.
        why: String,
    },
    /// It does not answer as nvcc does.
    #[error("{} does not answer as nvcc: {why}; name nvcc of a toolkit in NVCC, or {INSTALL}", nvcc.display())]
    NoAnswer {
        /// The compiler.
        nvcc: PathBuf,
        /// What was asked, and what came.
        why: String,
    },
    /// sppark does not compile with it.
    #[error("{} is of CUDA {version}, and 11.4 is the oldest that sppark compiles with; name a newer toolkit in CUDA_HOME, or {INSTALL}", nvcc.display())]
    TooOld {
        /// The compiler.
        nvcc: PathBuf,
        /// Its version.
        version: String,
    },
    /// It has no runtime to link.
    #[error("{} compiles, and its toolkit {} has no libcudart_static.a to link with (in targets/*/lib, lib64, lib): install the toolkit's cudart development package, or {INSTALL}", nvcc.display(), root.display())]
    NoRuntime {
        /// The compiler.
        nvcc: PathBuf,
        /// Its toolkit.
        root: PathBuf,
    },
    /// Compile from one, link from another.
    #[error("nvcc is of the toolkit {}, and {variable} names {}: one toolkit has to compile and link; let both name the same one, or unset one of them", root.display(), other.display())]
    TwoRoots {
        /// The toolkit of nvcc.
        root: PathBuf,
        /// The variable.
        variable: &'static str,
        /// What that names.
        other: PathBuf,
    },
    /// Parts of two toolkits in one folder.
    #[error("the toolkit {} is of two versions: {what}; install both parts of one version, or {INSTALL}", root.display())]
    Versions {
        /// The toolkit.
        root: PathBuf,
        /// Which parts.
        what: String,
    },
    /// A list that nvcc can't serve.
    #[error("CUZK_CUDA_ARCHS={list}: {why}")]
    Architectures {
        /// The list.
        list: String,
        /// What about it.
        why: String,
    },
    /// A toolkit from another time.
    #[error(
        "nvcc {version} knows no architecture that provers run on (it knows {known}): name one in CUZK_CUDA_ARCHS, or {INSTALL}"
    )]
    NoArchitecture {
        /// Version of nvcc.
        version: String,
        /// What it knows.
        known: String,
    },
    /// A host compiler that was asked for.
    #[error(
        "nvcc {version} does not accept the host compiler {host} ({said}), which {variable} names: {why}; name another one there"
    )]
    RefusedHost {
        /// Version of nvcc.
        version: String,
        /// The compiler.
        host: String,
        /// What that says of its version.
        said: String,
        /// The variable that names it.
        variable: &'static str,
        /// What nvcc says.
        why: String,
    },
    /// No host compiler will do.
    #[error(
        "nvcc {version} accepts no C++ compiler of this machine; of {host} ({said}) it says: {why}; install one that it accepts and name it in NVCC_CCBIN"
    )]
    NoHost {
        /// Version of nvcc.
        version: String,
        /// The first that was tried.
        host: String,
        /// What that says of its version.
        said: String,
        /// What nvcc says.
        why: String,
    },
    /// It says that it can, and can't.
    #[error("the toolkit {} cannot compile and link a program: {why}; repair it, name another one in CUDA_HOME, or {INSTALL}", root.display())]
    Broken {
        /// The toolkit.
        root: PathBuf,
        /// What nvcc says.
        why: String,
    },
    /// Nothing to install with.
    #[error(
        "cannot install: {why}; install python3 with pip, or take a toolkit of NVIDIA's and name its folder in CUDA_HOME"
    )]
    NoPip {
        /// What is missing.
        why: String,
    },
    /// pip failed.
    #[error("cannot install: pip failed with: {why}; {todo}")]
    Pip {
        /// The last thing that it says.
        why: String,
        /// What to do.
        todo: String,
    },
    /// A folder that can't be written or moved.
    #[error("cannot {what} {}: {why}; mend that and run it again", path.display())]
    Io {
        /// What was to be done.
        what: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's answer.
        why: String,
    },
}
