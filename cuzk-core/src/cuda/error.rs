//! What can be wrong with a GPU and what leads to it.

use std::io;
use std::path::PathBuf;

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
    #[error("NVIDIA's driver refuses {call}, error {code}{}", meaning(*code))]
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
    #[error("there is no GPU {device}: the driver shows {devices}, numbered from 0")]
    NoSuchDevice {
        /// The number that was asked for.
        device: u32,
        /// How many there are.
        devices: usize,
    },

    /// The memory of the GPU, or page-locked memory of the host, did not suffice for a proof.
    #[error(
        "memory did not suffice for the GPU's prover: {message}. Prove fewer circuits at a time, see what else uses the GPU, \
         or prove on the CPU"
    )]
    OutOfMemory {
        /// What the prover said.
        message: String,
    },

    /// The prover reports another error.
    #[error("the GPU's prover gave up: {message}")]
    Prover {
        /// What it said.
        message: String,
    },

    /// The GPU's loader takes paths in UTF-8 only.
    #[error("{}: the GPU's prover reads files with names in UTF-8 only: rename it, or link to it", path.display())]
    Path {
        /// The file.
        path: PathBuf,
    },

    /// The file is good as far as could be seen, and the GPU's loader refuses it.
    #[error("{}: the GPU's prover cannot load these parameters: {message}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What the loader said.
        message: String,
    },
}

impl CudaError {
    /// From what bellperson makes of an error of SupraSeal. Others are given back.
    pub(crate) fn of_prover(error: SynthesisError) -> Result<Self, SynthesisError> {
        match error {
            SynthesisError::IoError(error) => {
                let message = error.to_string();
                Ok(match error.kind() {
                    io::ErrorKind::OutOfMemory => Self::OutOfMemory { message },
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
        let malformed = CudaError::of_prover(SynthesisError::MalformedSrs);
        assert!(malformed.is_err());
    }
}
