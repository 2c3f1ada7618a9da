//! Waiting for the GPU's loader.
//!
//! The loader returns at once and decodes the points on a thread of its own; the first proof waits for it. It says nowhere
//! when it is done, but it has the file mapped until then, and the system says what a process has mapped.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

const STEP: Duration = Duration::from_millis(5);

/// Waits until this process has no mapping of the file any more. False where the system does not say, or the time is up.
pub(super) fn wait_unmapped(path: &Path, limit: Duration) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    let end = Instant::now() + limit;
    loop {
        match is_mapped(&path) {
            None => return false,
            Some(false) => return true,
            Some(true) if Instant::now() > end => return false,
            Some(true) => thread::sleep(STEP),
        }
    }
}

fn is_mapped(path: &Path) -> Option<bool> {
    let maps = std::fs::read("/proc/self/maps").ok()?;
    let path = path.as_os_str().as_encoded_bytes();
    Some(
        maps.split(|byte| *byte == b'\n')
            .any(|line| line.ends_with(path)),
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_mapping_is_waited_for() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("mapped.params");
        std::fs::write(&path, [7; 4096]).expect("writable");
        assert!(wait_unmapped(&path, Duration::ZERO));

        let file = File::open(&path).expect("readable");
        // SAFETY: a private mapping of a file that nobody changes.
        let map = unsafe {
            let (read, private) = (libc::PROT_READ, libc::MAP_PRIVATE);
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                read,
                private,
                file.as_raw_fd(),
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED);
        assert!(!wait_unmapped(&path, Duration::ZERO), "mapped");
        // SAFETY: the mapping made above, which nothing points into.
        assert_eq!(unsafe { libc::munmap(map, 4096) }, 0);
        assert!(wait_unmapped(&path, Duration::ZERO));
        assert!(!wait_unmapped(&folder.path().join("none"), Duration::ZERO));
    }
}
