//! Readings of this process's own cost. Each one is an `Option`: a system that does not give a reading leaves it
//! out, because a zero would be read as a very good result.

use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Readings of the whole process up to now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Process {
    /// Load of the machine over the last minute: what else was running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load1: Option<f64>,
    /// Times that a thread gave its processor up to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    /// Times that a processor was taken away from a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// Page faults served without reading a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor_faults: Option<u64>,
    /// Page faults that read a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub major_faults: Option<u64>,
    /// Highest resident memory since the last region began, or since the start of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// Processor time in user mode, all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_s: Option<f64>,
    /// Processor time in the kernel, all threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_s: Option<f64>,
}

impl Process {
    /// The readings of this moment.
    pub fn now() -> Self {
        let usage = Usage::now();
        Process {
            load1: load1(),
            voluntary_switches: usage.map(|u| u.voluntary_switches),
            involuntary_switches: usage.map(|u| u.involuntary_switches),
            minor_faults: usage.map(|u| u.minor_faults),
            major_faults: usage.map(|u| u.major_faults),
            peak_bytes: peak_resident(),
            user_s: usage.map(|u| u.user_s),
            system_s: usage.map(|u| u.system_s),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Usage {
    user_s: f64,
    system_s: f64,
    minor_faults: u64,
    major_faults: u64,
    voluntary_switches: u64,
    involuntary_switches: u64,
}

impl Usage {
    fn now() -> Option<Self> {
        // SAFETY: `rusage` is a plain C struct of integers, for which all zero bits are a value.
        let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `raw` is a valid place for the one struct that the call writes.
        let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut raw) };
        (status == 0).then(|| Usage {
            user_s: seconds(raw.ru_utime),
            system_s: seconds(raw.ru_stime),
            minor_faults: raw.ru_minflt as u64,
            major_faults: raw.ru_majflt as u64,
            voluntary_switches: raw.ru_nvcsw as u64,
            involuntary_switches: raw.ru_nivcsw as u64,
        })
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}

fn load1() -> Option<f64> {
    fs::read_to_string("/proc/loadavg")
        .ok()?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Highest resident memory of the process, in bytes.
pub fn peak_resident() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// Resident memory of the process now, in bytes.
pub fn resident() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// Memory that the machine could still give out without swapping, in bytes.
pub fn available() -> Option<u64> {
    parse_status(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Has the allocator give its free memory back to the system. What was done before a region would otherwise be in its peak: an
/// allocator keeps what was freed, and does not always use it again.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn status_bytes(key: &str) -> Option<u64> {
    parse_status(&fs::read_to_string("/proc/self/status").ok()?, key)
}

fn parse_status(status: &str, key: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// What a region cost besides its wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegionCost {
    /// Processor time in user mode, all threads.
    pub user_s: Option<f64>,
    /// Processor time in the kernel, all threads.
    pub system_s: Option<f64>,
    /// Page faults served without reading a disk.
    pub minor_faults: Option<u64>,
    /// Highest resident memory within the region.
    pub peak_bytes: Option<u64>,
}

/// A measured stretch of a program, from [`Region::start`] to [`Region::stop`].
#[derive(Debug)]
pub struct Region {
    usage: Option<Usage>,
    peak_was_reset: bool,
    peak_before: Option<u64>,
    start: Instant,
}

impl Region {
    /// Resets the kernel's record of the highest resident memory, reads the counters, then starts the clock.
    pub fn start() -> Self {
        // 5 = "set the peak to what is resident now" (proc(5)). Where this is refused, only a peak that rises
        // within the region can be told from one before it.
        let peak_was_reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        Region {
            peak_before: peak_resident(),
            peak_was_reset,
            usage: Usage::now(),
            start: Instant::now(),
        }
    }

    /// Stops the clock first, then reads what the region cost.
    pub fn stop(self) -> (Duration, RegionCost) {
        let wall = self.start.elapsed();
        let (before, after) = (self.usage, Usage::now());
        let both = before.zip(after);
        let peak_bytes =
            peak_resident().filter(|&peak| self.peak_was_reset || self.peak_before < Some(peak));
        let cost = RegionCost {
            user_s: both.map(|(b, a)| a.user_s - b.user_s),
            system_s: both.map(|(b, a)| a.system_s - b.system_s),
            minor_faults: both.map(|(b, a)| a.minor_faults.saturating_sub(b.minor_faults)),
            peak_bytes,
        };
        (wall, cost)
    }
}

impl RegionCost {
    /// The cost of two regions together: times and faults add up, the higher peak counts.
    /// A reading that either lacks is lacking in the sum.
    pub fn and(self, other: Self) -> Self {
        RegionCost {
            user_s: self.user_s.zip(other.user_s).map(|(a, b)| a + b),
            system_s: self.system_s.zip(other.system_s).map(|(a, b)| a + b),
            minor_faults: self
                .minor_faults
                .zip(other.minor_faults)
                .map(|(a, b)| a + b),
            peak_bytes: self.peak_bytes.zip(other.peak_bytes).map(|(a, b)| a.max(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        let status = "Name:\tworkload\nVmHWM:\t    1536 kB\nVmRSS:\t  12 kB\n";
        assert_eq!(parse_status(status, "VmHWM:"), Some(1536 * 1024));
        assert_eq!(parse_status(status, "VmSwap:"), None);
        assert_eq!(parse_status("VmHWM: many kB", "VmHWM:"), None);
        assert_eq!(parse_status("VmHWM: 7 MB", "VmHWM:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_region_sees_memory_that_is_gone_at_its_end() {
        const SIZE: usize = 64 << 20;
        let region = Region::start();
        let buffer = std::hint::black_box(vec![1u8; SIZE]);
        drop(buffer);
        let (wall, cost) = region.stop();
        assert!(wall > Duration::ZERO);
        if let Some(peak) = cost.peak_bytes {
            assert!(peak >= SIZE as u64, "{peak}");
        }
        assert!(cost.minor_faults.is_some_and(|faults| faults > 0));
    }
}
