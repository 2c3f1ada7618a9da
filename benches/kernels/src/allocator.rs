//! What glibc's allocator does with freed memory.
//!
//! It decides by what the process has freed before whether a large block is a mapping of its own, with untouched pages,
//! or memory that was used before. A bench that depends on it would measure the benches that ran before it, so it says
//! what it wants. Other allocators have no such setting, and keep their ways.

/// Large blocks come with untouched pages and go back to the system when they are freed.
pub fn fresh_pages() {
    set(64 << 10, 128 << 10);
}

/// Freed memory is kept and used again, pages and all. Blocks above 32 MiB are mappings of their own nevertheless.
pub fn kept_pages() {
    set(32 << 20, i32::MAX);
}

/// Blocks of `own_mapping` bytes or more are mappings of their own; what is free at the end of the heap goes back to the
/// system from `trim` bytes on. A threshold that is set no longer moves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set(own_mapping: i32, trim: i32) {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const M_TRIM_THRESHOLD: c_int = -1;
    const M_MMAP_THRESHOLD: c_int = -3;
    for (parameter, value) in [(M_MMAP_THRESHOLD, own_mapping), (M_TRIM_THRESHOLD, trim)] {
        // SAFETY: mallopt(3) takes two integers, locks the arena and stores one number, which an allocation reads once.
        // Both thresholds may change at any time: a block remembers whether it is a mapping.
        let taken = unsafe { mallopt(parameter, value) };
        assert_eq!(taken, 1, "mallopt refused parameter {parameter} = {value}");
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn set(_own_mapping: i32, _trim: i32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_outlive_a_change_of_settings() {
        let block = || vec![1u8; 1 << 20];
        kept_pages();
        let kept = block();
        fresh_pages();
        let fresh = block();
        drop(kept);
        kept_pages();
        drop(fresh);
        assert_eq!(block().len(), 1 << 20);
    }
}
