//! The machine that a run was on.

use std::fs;

use serde::{Deserialize, Serialize};

/// What counts of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What NVIDIA calls the GPUs that the prover may see.
    pub gpus: Vec<String>,
    /// The version of NVIDIA's driver.
    pub driver: Option<String>,
    /// What the processor calls itself.
    pub cpu: String,
    /// Threads that may run at the same time.
    pub cores: usize,
}

impl Host {
    /// This one.
    pub fn here() -> Self {
        let driver = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            gpus: gpus(),
            driver: driver_version(&driver),
            cpu: cpu_model(&cpu),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
        }
    }
}

#[cfg(feature = "cuda")]
fn gpus() -> Vec<String> {
    let devices = cuzk_core::cuda::devices().unwrap_or_default();
    devices.iter().map(ToString::to_string).collect()
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Vec<String> {
    Vec::new()
}

/// From the first line of what the kernel module says: the first word made of numbers and points.
fn driver_version(text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let is_version = |word: &&str| {
        let only = word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        only && word.contains('.')
    };
    first.split_whitespace().find(is_version).map(str::to_owned)
}

fn cpu_model(text: &str) -> String {
    let mut lines = text.lines();
    let model = lines.find_map(|line| line.strip_prefix("model name"));
    let model = model.map(|rest| rest.trim_start_matches([':', ' ', '\t']));
    model.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_who_it_is() {
        let module = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\nGCC version: gcc 12.2.0\n";
        assert_eq!(driver_version(module).as_deref(), Some("580.95.05"));
        assert_eq!(driver_version(""), None);
        let cpu = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: Other\n";
        assert_eq!(cpu_model(cpu), "Some CPU @ 2 GHz");
        assert_eq!(cpu_model(""), "unknown");
        assert!(Host::here().cores > 0);
    }
}
