//! How the GPU's prover is to work, and where its time went.

use std::collections::BTreeMap;

use supraseal_c2::PhaseTime;

use super::device::devices;
use super::error::CudaError;

/// The number that stands for every GPU in the option "device".
const EVERY: u64 = u64::MAX;

/// Which GPUs prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gpus {
    /// All that this process may see: circuits of a batch are shared out among them. So it is until something else is set.
    Every,
    /// One, by CUDA's own number among those that this process may see, from 0: [`Device::index`](super::Device::index).
    Only(u32),
}

/// Settings of the GPU's prover. A stack has those options that its patches bring; the release has none.
///
/// They are the process's own and hold until others are applied: what is `None` or not named here stays as it is. **Apply
/// them before parameters are loaded**: loading already takes memory of the GPUs, as much as the options allow, and brings
/// points there where a stack has the option "pipeline". What is applied later holds from the next proof on, which has to
/// give that memory back first.
///
/// | switch | values | unit |
/// | --- | --- | --- |
/// | "pipeline" | 1: this project's prover, the default where a stack has it; 0: upstream's | |
/// | "b-g2" | who computes the MSM of B in G2 over values that are no bits: 0 is decided by the prover, 1 the CPU, 2 a GPU; upstream's prover alone, so with "pipeline" 0 | |
/// | "bases" | 0: points of parameters stay on the GPU where they fit, 1: they are sent for every circuit | |
/// | "abc" | 0: rows of A, B and C are sent in a compact form where that is shorter, 1: always as they are | |
/// | "multiples" | tables of multiples of H's points that a GPU may hold, more memory for less work; 0 is decided by the prover | tables |
/// | "window" | width of a window of H's MSM, 8 to 24; 0 is decided by the number of points | bits |
/// | "gpu-memory" | [`memory`](Self::memory) | bytes |
/// | "device" | [`device`](Self::device): the GPU's number, `u64::MAX` for every one | |
/// | "fail-alloc" | for tests: N > 0 lets the Nth allocation from now on fail, once | allocations |
/// | "fail-worker" | for tests: N > 0 lets a thread of the prover fail at its place N | |
///
/// All from "bases" on down to "device" are the pipeline's and do nothing with "pipeline" 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// How much of each GPU's memory the prover may use, in bytes; 0: what is free when it takes it, less a reserve of 1 GiB.
    pub memory: Option<u64>,
    /// The GPUs to use.
    pub device: Option<Gpus>,
    /// Whether the phases of each proof are recorded, for [`timings`].
    pub timings: Option<bool>,
    /// Options by their names, as in the table above. Stacks differ in what they have: [`option`] says whether this one does.
    pub switches: BTreeMap<String, u64>,
}

impl GpuOptions {
    /// Applies them.
    ///
    /// # Errors
    ///
    /// [`CudaError::NoSuchOption`] where this stack lacks one of them; [`CudaError::NoSuchDevice`], and those of
    /// [`devices`] where a GPU was named. Nothing has been changed then.
    pub fn apply(&self) -> Result<(), CudaError> {
        let all = self.all();
        let unknown = all.iter().filter(|(name, _)| option(name).is_none());
        let names: Vec<String> = unknown.map(|(name, _)| (*name).to_owned()).collect();
        if !names.is_empty() {
            return Err(CudaError::NoSuchOption { names });
        }
        if let Some(Gpus::Only(device)) = self.device {
            let devices = devices()?.len();
            if device as usize >= devices {
                return Err(CudaError::NoSuchDevice { device, devices });
            }
        }
        for (name, value) in all {
            // Each is known, as was found above.
            supraseal_c2::set_option(name, value);
        }
        if let Some(on) = self.timings {
            supraseal_c2::record_timings(on);
        }
        Ok(())
    }

    /// Each by its name. Fields come last: they win over a switch of the same name.
    fn all(&self) -> BTreeMap<&str, u64> {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        all.extend(self.switches.iter().map(|(name, value)| (&**name, *value)));
        all.extend(self.memory.map(|bytes| ("gpu-memory", bytes)));
        let number = |gpus| match gpus {
            Gpus::Every => EVERY,
            Gpus::Only(index) => index.into(),
        };
        all.extend(self.device.map(|gpus| ("device", number(gpus))));
        all
    }
}

/// The value that an option has now. `None`: this stack's prover has no option of that name.
pub fn option(name: &str) -> Option<u64> {
    supraseal_c2::option(name)
}

/// The phases of the newest proof on a GPU, and none a second time. Empty unless [`GpuOptions::timings`] was on.
///
/// Times are in nanoseconds from the entry into the prover's C++ code. What the caller waits for beyond the phase `body` is
/// teardown: destructors run after it.
pub fn timings() -> Vec<PhaseTime> {
    supraseal_c2::take_timings()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_name_and_a_way_back() {
        let mut options = GpuOptions {
            memory: Some(16 << 30),
            device: Some(Gpus::Only(3)),
            timings: None,
            switches: [("abc".to_owned(), 1), ("device".to_owned(), 7)].into(),
        };
        let all = [("abc", 1), ("device", 3), ("gpu-memory", 16 << 30)];
        assert_eq!(options.all(), all.into());
        options.device = Some(Gpus::Every);
        assert_eq!(options.all()["device"], u64::MAX);
        assert!(GpuOptions::default().all().is_empty());
    }

    #[test]
    fn one_option_that_is_not_there_keeps_all_from_being_set() {
        let before = option("pipeline");
        let options = GpuOptions {
            switches: [("pipeline".to_owned(), 0), ("no-such".to_owned(), 1)].into(),
            ..GpuOptions::default()
        };
        match options.apply() {
            Err(CudaError::NoSuchOption { names }) => {
                assert!(names.contains(&"no-such".to_owned()), "{names:?}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(option("pipeline"), before);
        assert!(GpuOptions::default().apply().is_ok());
    }
}
