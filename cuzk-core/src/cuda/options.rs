//! How the GPU's prover is to work, and where its time went.

use std::collections::BTreeMap;

use supraseal_c2::PhaseTime;

use super::device::devices;
use super::error::CudaError;

/// Settings of the GPU's prover. A stack has those options that its patches bring; the release has none.
///
/// They are the process's own and hold from the next proof on, until others are applied: what is `None` or not named here
/// stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// How much of one GPU's memory the prover may use, in bytes; 0: what is free when a proof begins, less a reserve.
    pub memory: Option<u64>,
    /// The number of the GPU to use, from 0.
    pub device: Option<u32>,
    /// Whether the phases of each proof are recorded, for [`timings`].
    pub timings: bool,
    /// Other options by their names: "pipeline", "bases", "abc", "b-g2" and so on. Stacks differ in what they have.
    pub switches: BTreeMap<String, u64>,
}

impl GpuOptions {
    /// Applies them, and returns the names of those that this stack does not have.
    ///
    /// # Errors
    ///
    /// [`CudaError::NoSuchDevice`], and those of [`devices`] where a GPU was named. Nothing has been changed then.
    pub fn apply(&self) -> Result<Vec<String>, CudaError> {
        if let Some(device) = self.device {
            let devices = devices()?.len();
            if device as usize >= devices {
                return Err(CudaError::NoSuchDevice { device, devices });
            }
        }
        let memory = self.memory.map(|bytes| ("gpu-memory", bytes));
        let device = self.device.map(|index| ("device", index.into()));
        let switches = self.switches.iter();
        let switches = switches.map(|(name, value)| (name.as_str(), *value));
        let all = memory.into_iter().chain(device).chain(switches);
        let unknown = all.filter(|(name, value)| !supraseal_c2::set_option(name, *value));
        let unknown = unknown.map(|(name, _)| name.to_owned()).collect();
        supraseal_c2::record_timings(self.timings);
        Ok(unknown)
    }
}

/// The phases of the newest proof on a GPU, and none a second time. Empty unless [`GpuOptions::timings`] was on.
///
/// Times are in nanoseconds from the entry into the prover's C++ code. What the caller waits for beyond the phase `body` is
/// teardown: destructors run after it.
pub fn timings() -> Vec<PhaseTime> {
    supraseal_c2::take_timings()
}
