//! The machine that a result was measured on, and a key for machines that may be compared.
//!
//! The key is made of what survives a reboot and a kernel update: the processor with its family, model and stepping
//! (clouds give unlike processors the same name), the cores that a process may use, and the memory.

use std::fs;

use serde::{Deserialize, Serialize};

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Names machines of one kind, and the folder of their results.
    pub class: String,
    /// The processor, as it names itself.
    pub cpu: String,
    /// Family, model and stepping, where the processor says.
    pub cpu_id: Option<String>,
    /// Cores that a process may use.
    pub cores: usize,
    /// Memory in bytes, as the kernel counts it.
    pub memory_bytes: u64,
    /// The operating system.
    pub os: String,
    /// The kernel's release.
    pub kernel: String,
    /// The architecture.
    pub arch: String,
}

impl Host {
    /// This machine. What it doesn't tell is "unknown", and still part of the key.
    pub fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Self::from_readings(
            &read("/proc/cpuinfo"),
            &read("/proc/meminfo"),
            &read("/etc/os-release"),
            &read("/proc/sys/kernel/osrelease"),
            std::thread::available_parallelism().map_or(1, usize::from),
        )
    }

    fn from_readings(
        cpuinfo: &str,
        meminfo: &str,
        os_release: &str,
        kernel: &str,
        cores: usize,
    ) -> Self {
        let cpu_field = |key: &str| field(cpuinfo, key, ':');
        let cpu = cpu_field("model name")
            .or_else(|| cpu_field("Processor"))
            .unwrap_or_else(|| "unknown".to_owned());
        let cpu_id = match (
            cpu_field("cpu family"),
            cpu_field("model"),
            cpu_field("stepping"),
        ) {
            (Some(family), Some(model), Some(stepping)) => {
                Some(format!("{family}-{model}-{stepping}"))
            }
            _ => None,
        };
        let memory_bytes = field(meminfo, "MemTotal", ':')
            .and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok())
            .map_or(0, |kib| kib * 1024);
        let arch = std::env::consts::ARCH.to_owned();
        let mut key = slug(&cpu);
        if key == "unknown" {
            key = format!("unknown-{arch}");
        }
        if let Some(id) = &cpu_id {
            key = format!("{key}-{id}");
        }
        Self {
            class: format!("{key}-{cores}c-{}g", rounded_gib(memory_bytes)),
            cpu,
            cpu_id,
            cores,
            memory_bytes,
            os: field(os_release, "PRETTY_NAME", '=').map_or_else(
                || std::env::consts::OS.to_owned(),
                |name| name.trim_matches('"').to_owned(),
            ),
            kernel: kernel.trim().to_owned(),
            arch,
        }
    }
}

/// The value of the first `key<separator>value` line whose key is exactly `key`.
fn field(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// What the machine was sold with: kernels keep a few per cent for themselves, and not always the same.
fn rounded_gib(bytes: u64) -> u64 {
    let gib = bytes.div_ceil(1 << 30);
    if gib > 8 {
        gib.next_multiple_of(4)
    } else {
        gib
    }
}

/// Lower case, and single dashes for everything that a folder's name is better without.
fn slug(name: &str) -> String {
    let name = name.replace("(R)", "").replace("(TM)", "").to_lowercase();
    let words: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty() && *word != "cpu")
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
        model name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\nstepping\t: 8\ncpu MHz\t\t: 2699.998\n";

    fn host(meminfo: &str, kernel: &str, cores: usize) -> Host {
        Host::from_readings(
            CPUINFO,
            meminfo,
            "NAME=\"D\"\nPRETTY_NAME=\"Debian 12\"\n",
            kernel,
            cores,
        )
    }

    #[test]
    fn the_key_survives_a_kernel_update() {
        let before = host("MemTotal:       24683656 kB\n", "6.1.0-1\n", 2);
        let after = host("MemTotal:       24501112 kB\n", "6.12.3\n", 2);
        assert_eq!(
            before.class,
            "intel-xeon-platinum-8481c-2.70ghz-6-143-8-2c-24g"
        );
        assert_eq!(before.class, after.class);
        assert_eq!(after.kernel, "6.12.3");
        assert_eq!(before.os, "Debian 12");
    }

    #[test]
    fn other_machines_have_other_keys() {
        let one = host("MemTotal: 24683656 kB\n", "6", 2);
        assert_ne!(one.class, host("MemTotal: 24683656 kB\n", "6", 4).class);
        assert_ne!(one.class, host("MemTotal: 49367312 kB\n", "6", 2).class);
        let stepping = CPUINFO.replace("stepping\t: 8", "stepping\t: 9");
        let other = Host::from_readings(&stepping, "MemTotal: 24683656 kB\n", "", "6", 2);
        assert_ne!(one.class, other.class);
    }

    #[test]
    fn a_machine_that_says_nothing_still_has_a_key() {
        let silent = Host::from_readings("", "", "", "", 1);
        assert_eq!(
            silent.class,
            format!("unknown-{}-1c-0g", std::env::consts::ARCH)
        );
        assert_eq!(silent.cpu, "unknown");
    }

    #[test]
    fn this_machine_is_the_same_twice() {
        assert_eq!(Host::this(), Host::this());
    }
}
