//! The GPUs of this machine.

use std::fmt;

use super::driver::{Attr, Driver};
use super::error::CudaError;

/// The least major number of a compute capability that sppark accepts: GPUs below it are none to the prover. Which kernels a
/// program has is another matter, decided when it is built.
const LEAST_MAJOR: u32 = 7;

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// CUDA's number of it among those that this process may see, from 0.
    pub index: u32,
    /// What NVIDIA calls it.
    pub name: String,
    /// All of its memory, in bytes.
    pub memory: u64,
    /// Its compute capability, major and minor.
    pub compute: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
}

impl Device {
    /// Whether the prover accepts it.
    pub fn is_usable(&self) -> bool {
        self.compute.0 >= LEAST_MAJOR
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute;
        write!(
            f,
            "GPU {}: {}, compute capability {major}.{minor}, {} multiprocessors, {} MiB",
            self.index,
            self.name,
            self.multiprocessors,
            self.memory >> 20
        )
    }
}

/// The GPUs that this process may see: `CUDA_VISIBLE_DEVICES` counts. Takes no memory on any of them. Never empty.
///
/// # Errors
///
/// [`CudaError::NoDriver`], [`CudaError::Driver`], and [`CudaError::NoDevice`] where none of them can be used.
pub fn devices() -> Result<Vec<Device>, CudaError> {
    let driver = Driver::load()?;
    let devices = (0..driver.count()?)
        .map(|index| {
            let handle = driver.device(index)?;
            let attribute = |attribute| driver.attribute(handle, attribute);
            Ok(Device {
                index,
                name: driver.name(handle)?,
                memory: driver.memory(handle)?,
                compute: (
                    attribute(Attr::ComputeMajor)?,
                    attribute(Attr::ComputeMinor)?,
                ),
                multiprocessors: attribute(Attr::Multiprocessors)?,
            })
        })
        .collect::<Result<Vec<_>, CudaError>>()?;
    match devices.iter().any(Device::is_usable) {
        true => Ok(devices),
        false => Err(CudaError::NoDevice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a machine with a GPU the first is looked at; on one without, the way out is named.
    #[test]
    fn there_are_gpus_or_a_way_out() {
        match devices() {
            Ok(devices) => {
                assert!(devices.iter().all(|device| device.memory > 0));
                assert_eq!(devices[0].index, 0);
            }
            Err(error @ (CudaError::NoDriver { .. } | CudaError::NoDevice)) => {
                assert!(error.to_string().contains("on the CPU"), "{error}");
            }
            Err(error) => assert!(error.to_string().contains("driver"), "{error}"),
        }
    }

    #[test]
    fn a_gpu_is_shown_with_what_decides() {
        let mut device = Device {
            index: 1,
            name: "NVIDIA H200".to_owned(),
            memory: 143_771 << 20,
            compute: (9, 0),
            multiprocessors: 132,
        };
        let shown = device.to_string();
        assert_eq!(
            shown,
            "GPU 1: NVIDIA H200, compute capability 9.0, 132 multiprocessors, 143771 MiB"
        );
        assert!(device.is_usable());
        device.compute = (6, 1);
        assert!(!device.is_usable());
    }
}
