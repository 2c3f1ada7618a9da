//! What can be wrong with a GPU and what leads to it.

use std::io;
use std::path::{Path, PathBuf};

use bellperson::SynthesisError;

/// An error of [`cuda`](super).
#[derive(Debug, thiserror::Error)]
pub enum CudaError {
    /// The library that comes with NVIDIA's driver cannot be loaded.
    #[error(
        "there is no NVIDIA driver here ({reason}): install one, give the container its GPU, or prove on the CPU"
    )]
    NoDriver {
        /// What the system said.
        reason: String,
    },

    /// The driver is there and refuses.
    #[error(
        "NVIDIA's driver refuses {call}, error {code}{}: see that nvidia-smi works here, or prove on the CPU",
        meaning(*code)
    )]
    Driver {
        /// The function of the driver's library.
        call: &'static str,
        /// Its CUresult.
        code: i32,
    },

    /// The driver shows no GPU that the prover can use.
    #[error(
        "NVIDIA's driver shows no GPU of compute capability 7.0 or more: look at nvidia-smi and CUDA_VISIBLE_DEVICES, or \
         prove on the CPU"
    )]
    NoDevice,

    /// There are fewer GPUs than the number that was asked for says.
    #[error(
        "there is no GPU {device}: the driver shows {devices}, numbered from 0. Name one of them, or see what \
         CUDA_VISIBLE_DEVICES leaves of them"
    )]
    NoSuchDevice {
        /// The number that was asked for.
        device: u32,
        /// How many there are.
        devices: usize,
    },

    /// The memory of the GPU, or page-locked memory of the host, did not suffice for a proof.
    #[error(
        "memory did not suffice for the GPU's prover: {message}. Raise gpu-memory or leave it out, free the GPU (nvidia-smi \
         shows who uses it), or prove on the CPU"
    )]
    OutOfMemory {
        /// What the prover said.
        message: String,
    },

    /// The prover reports another error.
    #[error(
        "the GPU's prover gave up: {message}. Prove again, or on the CPU; what the GPU says of itself is in dmesg"
    )]
    Prover {
        /// What it said.
        message: String,
    },

    /// The prover was compiled for other GPUs than the one here.
    #[error(
        "the GPU's prover has no code for this GPU: {message}. Build with CUZK_CUDA_ARCHS naming its compute capability, 90 for \
         9.0, or without that variable for all that the toolkit knows"
    )]
    NoKernel {
        /// What the prover said.
        message: String,
    },

    /// Options that this stack's prover does not have. None was set.
    #[error(
        "the GPU's prover of this stack has no option {}: leave it out, or take a stack that has it, such as `patched`",
        names.join(", ")
    )]
    NoSuchOption {
        /// Their names.
        names: Vec<String>,
    },

    /// The GPU's loader takes paths in UTF-8 only.
    #[error("{}: the GPU's prover reads files with names in UTF-8 only: rename it, or link to it", path.display())]
    Path {
        /// The file.
        path: PathBuf,
    },

    /// The file is good as far as could be seen, and the GPU's loader refuses it.
    #[error(
        "{}: the GPU's prover cannot load these parameters: {message}. See what `cargo xtask params check` says of the file \
         and how much memory the host has, or prove on the CPU",
        path.display()
    )]
    Load {
        /// The file.
        path: PathBuf,
        /// What the loader said.
        message: String,
    },
}

/// What CUDA says of cudaErrorNoKernelImageForDevice. bellperson leaves the words of an error and not its code.
const NO_KERNEL: &str = "no kernel image is available";

/// The code of the same error where SupraSeal reports it: the negative of CUDA's.
const NO_KERNEL_CODE: i32 = -209;

impl CudaError {
    /// From the code and the words of SupraSeal's loader, whose type of errors has a name in some stacks only.
    pub(crate) fn of_loader(path: &Path, code: i32, message: String) -> Self {
        match code {
            NO_KERNEL_CODE => Self::NoKernel { message },
            _ => Self::Load {
                path: path.to_owned(),
                message,
            },
        }
    }

    /// From what bellperson makes of an error of SupraSeal. Others are given back.
    pub(crate) fn of_prover(error: SynthesisError) -> Result<Self, SynthesisError> {
        match error {
            SynthesisError::IoError(error) => {
                let message = error.to_string();
                Ok(match error.kind() {
                    io::ErrorKind::OutOfMemory => Self::OutOfMemory { message },
                    _ if message.contains(NO_KERNEL) => Self::NoKernel { message },
                    _ => Self::Prover { message },
                })
            }
            other => Err(other),
        }
    }
}

fn meaning(code: i32) -> &'static str {
    match code {
        2 => " (out of memory)",
        3 => " (the driver is not initialised, or shutting down)",
        100 => " (no GPU is visible: look at CUDA_VISIBLE_DEVICES)",
        101 => " (no such GPU)",
        802 => " (the GPUs' fabric is not ready: is nvidia-fabricmanager running?)",
        803 => " (the driver's library and its kernel module are of different versions)",
        804 => " (the driver's library is newer than the hardware allows)",
        999 => " (unknown: look at dmesg)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_prover_are_told_apart() {
        let of = |kind| {
            let error = io::Error::new(kind, "cudaMalloc failed");
            CudaError::of_prover(SynthesisError::IoError(error)).expect("the prover's")
        };
        let memory = of(io::ErrorKind::OutOfMemory);
        assert!(matches!(memory, CudaError::OutOfMemory { .. }), "{memory}");
        assert!(memory.to_string().contains("cudaMalloc"), "{memory}");
        let other = of(io::ErrorKind::Other);
        assert!(matches!(other, CudaError::Prover { .. }), "{other}");
        let error = io::Error::other("no kernel image is available for execution on the device");
        let error = CudaError::of_prover(SynthesisError::IoError(error)).expect("the prover's");
        assert!(error.to_string().contains("CUZK_CUDA_ARCHS"), "{error}");
        let malformed = CudaError::of_prover(SynthesisError::MalformedSrs);
        assert!(malformed.is_err());
    }
}
