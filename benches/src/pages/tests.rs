//! One test, because the state is the process's: it runs the whole protocol in order on blocks of its own, while the
//! test's own allocations stay with the system.

use super::*;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 32).expect("a small size")
}

/// Writes a pattern and gives its first and last bytes back.
unsafe fn fill(block: *mut u8, size: usize, byte: u8) {
    // SAFETY: the caller vouches for the size.
    unsafe { ptr::write_bytes(block, byte, size) };
}

unsafe fn ends(block: *mut u8, size: usize) -> [u8; 2] {
    // SAFETY: the caller vouches for the size.
    unsafe { [*block, *block.add(size - 1)] }
}

/// Pages of a block that are in memory.
#[cfg(target_os = "linux")]
fn touched_pages(block: *mut u8, size: usize) -> usize {
    let mut there = vec![0_u8; size.div_ceil(PAGE)];
    // SAFETY: the block is mapped, starts at a page, and there is a byte for each of its pages.
    let result = unsafe { libc::mincore(block.cast(), size, there.as_mut_ptr()) };
    assert_eq!(result, 0);
    there.iter().filter(|page| **page & 1 == 1).count()
}

#[cfg(target_os = "linux")]
#[test]
fn blocks_keep_their_bytes_and_are_found_again() {
    const MIB: usize = 1 << 20;
    // SAFETY: only `Pages` itself looks at the threshold, and in tests it is not the process's allocator.
    unsafe { take_large_blocks(Wish::default()) };

    // SAFETY: every block is used within its size and freed with its last layout.
    unsafe {
        // Across the line, upwards and downwards, by moving.
        let small = Pages.alloc(layout(1000));
        fill(small, 1000, 7);
        let grown = Pages.realloc(small, layout(1000), MIB);
        assert_eq!(ends(grown, 1000), [7, 7]);
        assert!((grown as usize).is_multiple_of(PAGE));
        fill(grown, MIB, 8);
        let grown = Pages.realloc(grown, layout(MIB), 64 * MIB);
        assert_eq!(ends(grown, MIB), [8, 8]);
        let shrunk = Pages.realloc(grown, layout(64 * MIB), MIB / 2);
        assert_eq!(ends(shrunk, MIB / 2), [8, 8]);
        let back = Pages.realloc(shrunk, layout(MIB / 2), 10);
        assert_eq!(ends(back, 10), [8, 8]);
        Pages.dealloc(back, layout(10));

        // Fresh pages are touched, and what was written before is left alone.
        let wish = Wish {
            huge: true,
            touched: true,
        };
        take_large_blocks(wish);
        let block = Pages.alloc(layout(MIB));
        assert_eq!(ends(block, MIB), [0, 0]);
        fill(block, MIB, 5);
        let grown = Pages.realloc(block, layout(MIB), 8 * MIB);
        assert_eq!(ends(grown, MIB), [5, 5]);
        assert_eq!(ends(grown, 8 * MIB), [5, 0]);
        assert_eq!(touched_pages(grown, 8 * MIB), 8 * MIB / PAGE);
        Pages.dealloc(grown, layout(8 * MIB));
        take_large_blocks(Wish::default());
        let untouched = Pages.alloc(layout(8 * MIB));
        assert!(touched_pages(untouched, 8 * MIB) < 8 * MIB / PAGE);
        Pages.dealloc(untouched, layout(8 * MIB));

        // Kept blocks come back, the largest first, and zeroed when that is asked for.
        keep_freed_blocks();
        let (two, four) = (Pages.alloc(layout(2 * MIB)), Pages.alloc(layout(4 * MIB)));
        fill(four, 4 * MIB, 9);
        Pages.dealloc(two, layout(2 * MIB));
        Pages.dealloc(four, layout(4 * MIB));
        let first = Pages.alloc_zeroed(layout(MIB));
        assert_eq!(first, four);
        assert_eq!(ends(first, MIB), [0, 0]);
        assert_eq!(
            Pages.realloc(first, layout(MIB), 4 * MIB),
            four,
            "grows in place"
        );
        let other = Pages.alloc(layout(3 * MIB));
        assert!(
            other != two && other != four && !other.is_null(),
            "two is too small"
        );
        assert_eq!(Pages.alloc(layout(MIB)), two);
        for (block, size) in [(four, 4 * MIB), (two, MIB), (other, 3 * MIB)] {
            Pages.dealloc(block, layout(size));
        }

        // More than can be put aside.
        let blocks: Vec<_> = (0..PLACES + 3).map(|_| Pages.alloc(layout(MIB))).collect();
        for block in blocks {
            Pages.dealloc(block, layout(MIB));
        }
        assert_eq!(ASIDE.lock().map(|aside| aside.count).ok(), Some(PLACES));
        assert!(Pages.alloc(layout(isize::MAX as usize - 64)).is_null());
    }
}
