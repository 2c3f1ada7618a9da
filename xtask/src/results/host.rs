//! The machine that a result was measured on, and a key for machines that may be compared.
//!
//! The key is made of what survives a reboot and a kernel update: the processor with its family, model and stepping
//! (clouds give unlike processors the same name), the cores that a process may use, and the memory.
//!
//! Processors of Arm do not name themselves to Linux. What they tell instead (implementer, part, variant, revision) takes
//! the place of a name, for every kind of core that a machine has. Memory is rounded up, because kernels keep some of it
//! for themselves, and not always the same: page tables for huge pages that are given back, room for a crash kernel, a
//! small balloon. A host that lacks more than that, or has cores taken offline or out of its control group, is another
//! machine for what is measured on it, and has another key.

use std::collections::BTreeSet;
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
    /// By what another machine differs from this one, if it does. Classes say it nearly always; where they are the same, the
    /// readings that they were made of still have to be.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.class != other.class {
            return Some(format!("host class {} and {}", self.class, other.class));
        }
        let readings = |host: &Self| {
            let id = host.cpu_id.clone().unwrap_or_else(|| "unknown".to_owned());
            format!("{} ({id}), {} cores, {}", host.cpu, host.cores, host.arch)
        };
        let (own, others) = (readings(self), readings(other));
        (own != others).then(|| {
            format!(
                "host class {}, which one file says of {own} and the other of {others}",
                self.class
            )
        })
    }

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
            .or_else(|| cpu_field("CPU implementer").map(|id| format!("arm-{id}")))
            .unwrap_or_else(|| "unknown".to_owned());
        let cpu_id = match (
            cpu_field("cpu family"),
            cpu_field("model"),
            cpu_field("stepping"),
        ) {
            (Some(family), Some(model), Some(stepping)) => {
                Some(format!("{family}-{model}-{stepping}"))
            }
            _ => arm_cores(cpuinfo),
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

/// Every kind of core of an Arm machine, in an order that does not depend on which core is asked first; `None` on others.
fn arm_cores(cpuinfo: &str) -> Option<String> {
    let kinds: BTreeSet<String> = cpuinfo
        .split("\n\n")
        .filter_map(|core| {
            let field = |key: &str| field(core, key, ':');
            let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
            let variant = field("CPU variant").unwrap_or_default();
            let revision = field("CPU revision").unwrap_or_default();
            let digits = [implementer, part, variant, revision];
            Some(
                digits
                    .map(|d| d.trim_start_matches("0x").to_owned())
                    .join("."),
            )
        })
        .collect();
    (!kinds.is_empty()).then(|| kinds.into_iter().collect::<Vec<_>>().join("-"))
}

/// The value of the first `key<separator>value` line whose key is exactly `key`.
fn field(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// What the machine was sold with: kernels keep a few per cent for themselves, and not always the same. What they keep
/// grows with the memory, so large machines are rounded in larger steps: an eighth of the power of two below.
fn rounded_gib(bytes: u64) -> u64 {
    let gib = bytes.div_ceil(1 << 30);
    if gib > 8 {
        gib.next_multiple_of((1 << gib.ilog2() >> 3).max(4))
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

    /// `MemTotal` of machines as they are sold, in GiB, before and after what moves it.
    #[test]
    fn what_a_kernel_keeps_is_no_other_machine() {
        let class = |gib: f64| {
            let kib = (gib * f64::from(1 << 20)) as u64;
            host(&format!("MemTotal: {kib} kB\n"), "6", 2).class
        };
        for (before, after, what) in [
            (23.54, 23.02, "a crash kernel on 24 GiB"),
            (31.3, 29.1, "a balloon of 2 GiB on 32 GiB"),
            (
                251.6,
                255.4,
                "page tables of huge pages given back, 256 GiB",
            ),
            (503.5, 496.0, "a balloon on 512 GiB"),
            (
                1007.2,
                1019.9,
                "page tables of huge pages given back, 1 TiB",
            ),
        ] {
            assert_eq!(class(before), class(after), "{what}");
        }
        for (one, other) in [(31.3, 23.5), (125.7, 251.6), (188.7, 251.6), (377.0, 503.5)] {
            assert_ne!(class(one), class(other), "{one} and {other} GiB");
        }
        assert!(class(23.54).ends_with("-24g") && class(94.3).ends_with("-96g"));
        assert!(class(188.7).ends_with("-192g") && class(755.6).ends_with("-768g"));
    }

    #[test]
    fn cores_that_a_process_may_not_use_make_another_machine() {
        let memory = "MemTotal: 24683656 kB\n";
        // Taken offline, out of the affinity or out of the control group: what counts is what is left.
        assert_ne!(host(memory, "6", 2).class, host(memory, "6", 1).class);
        // Which core is listed first says nothing.
        let second = CPUINFO.replace("processor\t: 0", "processor\t: 1");
        let other = Host::from_readings(&second, memory, "", "6", 2);
        assert_eq!(host(memory, "6", 2).class, other.class);
    }

    /// A core of /proc/cpuinfo on arm64, which has no model name.
    fn arm_core(part: &str, revision: u32) -> String {
        format!(
            "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
             CPU variant\t: 0x3\nCPU part\t: {part}\nCPU revision\t: {revision}\n\n"
        )
    }

    #[test]
    fn arm_machines_are_told_apart() {
        let class = |cpuinfo: &str| Host::from_readings(cpuinfo, "", "", "", 4).class;
        let (n1, v1) = (arm_core("0xd0c", 1), arm_core("0xd40", 1));
        assert_eq!(class(&n1), "arm-0x41-41.d0c.3.1-4c-0g");
        assert_ne!(class(&n1), class(&v1));
        assert_ne!(class(&n1), class(&arm_core("0xd0c", 2)));
        let (mixed, turned) = (format!("{n1}{v1}"), format!("{v1}{n1}{n1}"));
        assert_eq!(class(&mixed), class(&turned));
        assert_ne!(class(&mixed), class(&n1));
    }

    #[test]
    fn two_machines_under_one_key_are_noticed() {
        let one = host("MemTotal: 24683656 kB\n", "6", 2);
        let mut other = host("MemTotal: 24501112 kB\n", "6.12", 2);
        assert_eq!(one.difference(&other), None);
        other.cpu_id = Some("6-143-9".to_owned());
        let said = one.difference(&other).unwrap_or_default();
        assert!(
            said.contains("6-143-8") && said.contains("6-143-9"),
            "{said}"
        );
        other.class = "another".to_owned();
        let said = one.difference(&other).unwrap_or_default();
        assert!(
            said.contains(&one.class) && said.contains("another"),
            "{said}"
        );
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
