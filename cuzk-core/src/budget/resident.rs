//! What this process takes now.

use std::fs;

/// Resident memory of this process in bytes; `None` where the system does not say.
pub fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_takes_something() {
        let bytes = super::resident().expect("Linux says it");
        assert!(bytes > 1 << 20, "{bytes}");
    }
}
