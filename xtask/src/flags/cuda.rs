//! Flags of `cargo xtask cuda`.

use std::path::PathBuf;

use clap::Args;

/// Finds the CUDA toolkit that arms with a CUDA feature are built with, says why that one, with which host compiler and for
/// which architectures, and compiles a small program with it. No GPU and no driver is needed for that.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask cuda\n  \
    cargo xtask cuda --install\n  \
    CUDA_HOME=/usr/local/cuda-12.8 CUZK_CUDA_ARCHS=80,90+ptx cargo xtask cuda\n\n\
    Looked for in this order: NVCC, CUDA_HOME, CUDA_PATH, target/cuda, PATH, the usual places.\n\n\
    Exit code: 0 there is one that works; 2 there is none, and one line says what to do.")]
pub struct CudaArgs {
    /// Install NVIDIA's wheels from PyPI under target/cuda, where they are not there yet; about 120 MB.
    #[arg(long)]
    pub install: bool,
    /// Write what was found as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
