//! The allocator of this binary: the system's, except that the second synthesis of a process finds the pages of the
//! first.
//!
//! The system's allocator returns large blocks to the kernel as soon as they are freed, so without this a second
//! synthesis would fault in as many fresh pages as the first, and `wall_s.warm` would be a second `wall_s.cold`.
//!
//! # Protocol
//!
//! Until [`take_large_blocks`] every call goes to the system's allocator. After it, a block of at least [`LARGE`] bytes
//! is a mapping of its own that grows by `mremap`, which is how glibc serves such blocks too. A page in front of the
//! block holds the mapping's length. A freed mapping is unmapped, or, after [`keep_freed_blocks`], put aside; a new
//! large block then takes the largest mapping that is put aside, with whatever pages it has: it is a vector that starts
//! small and will grow, the longest vectors first. A [`Wish`] says what becomes of fresh pages: those of a mapping that was
//! put aside are taken as they are.
//! Which allocator a block belongs to follows from its size and alignment alone, and `realloc` moves a block that
//! crosses the line.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// glibc's threshold, as long as nothing has moved it.
const LARGE: usize = 128 << 10;
const PAGE: usize = 4096;
/// Mappings that can be put aside: an assignment has eight vectors.
const PLACES: usize = 64;

static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);
static HUGE: AtomicBool = AtomicBool::new(false);
static TOUCHED: AtomicBool = AtomicBool::new(false);
static KEEPING: AtomicBool = AtomicBool::new(false);
static ASIDE: Mutex<Aside> = Mutex::new(Aside {
    mappings: [Mapping { base: 0, len: 0 }; PLACES],
    count: 0,
});

/// What becomes of fresh pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// The kernel is asked for huge ones.
    pub huge: bool,
    /// They are touched when they are mapped.
    pub touched: bool,
}

/// Serves large blocks from now on.
///
/// # Safety
///
/// No block of [`LARGE`] bytes or more may be allocated at this time, and no other thread may run.
pub unsafe fn take_large_blocks(wish: Wish) {
    if cfg!(target_os = "linux") {
        HUGE.store(wish.huge, Ordering::Relaxed);
        TOUCHED.store(wish.touched, Ordering::Relaxed);
        THRESHOLD.store(LARGE, Ordering::Relaxed);
    }
}

/// Keeps the pages of large blocks that are freed from now on.
pub fn keep_freed_blocks() {
    KEEPING.store(true, Ordering::Relaxed);
}

/// The allocator.
pub struct Pages;

/// A mapping: addresses as integers, so that it may lie in a static.
#[derive(Clone, Copy)]
struct Mapping {
    base: usize,
    len: usize,
}

struct Aside {
    mappings: [Mapping; PLACES],
    count: usize,
}

impl Aside {
    fn put(&mut self, mapping: Mapping) -> bool {
        let Some(place) = self.mappings.get_mut(self.count) else {
            return false;
        };
        *place = mapping;
        self.count += 1;
        true
    }

    fn take(&mut self, len: usize) -> Option<Mapping> {
        let (index, mapping) = self.mappings[..self.count]
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, mapping)| mapping.len >= len)
            .max_by_key(|(_, mapping)| mapping.len)?;
        self.count -= 1;
        self.mappings[index] = self.mappings[self.count];
        Some(mapping)
    }
}

fn is_large(size: usize, align: usize) -> bool {
    size >= THRESHOLD.load(Ordering::Relaxed) && align <= PAGE
}

/// Length of a mapping for a block, or `None` where it would overflow.
fn mapping_len(size: usize) -> Option<usize> {
    size.checked_add(2 * PAGE - 1).map(|len| len & !(PAGE - 1))
}

// SAFETY: a block is either the system allocator's, or a private mapping of at least its size from one page behind
// its start on, which is aligned to a page. `is_large` gives the same answer for a block whenever it is asked, since
// the threshold only changes while there is no block that it concerns.
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout.align()) {
            large::alloc(layout.size()).0
        } else {
            // SAFETY: the caller's duties are those of this call.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !is_large(layout.size(), layout.align()) {
            // SAFETY: the caller's duties are those of this call.
            return unsafe { System.alloc_zeroed(layout) };
        }
        let (block, used) = large::alloc(layout.size());
        if used {
            // SAFETY: the block has this many bytes; one that was used before is never null.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout.align()) {
            // SAFETY: a block of this layout came from `large`.
            unsafe { large::free(block) };
        } else {
            // SAFETY: a block of this layout came from the system's allocator.
            unsafe { System.dealloc(block, layout) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let old = is_large(layout.size(), layout.align());
        let new = is_large(size, layout.align());
        if !old && !new {
            // SAFETY: the block is the system allocator's, and stays so.
            return unsafe { System.realloc(block, layout, size) };
        }
        if old && new {
            // SAFETY: a block of this layout came from `large`.
            return unsafe { large::resize(block, layout.size(), size) };
        }
        // SAFETY: the caller vouches for a size above zero that, rounded up to the alignment, does not overflow.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both blocks have this many bytes and are different ones; the old one is not used again.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        moved
    }
}

#[cfg(target_os = "linux")]
mod large {
    use super::*;

    /// A block, null when there is no memory, and whether it may hold bytes other than zero.
    pub(super) fn alloc(size: usize) -> (*mut u8, bool) {
        let Some(len) = mapping_len(size) else {
            return (ptr::null_mut(), false);
        };
        let aside = ASIDE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(len);
        if let Some(mapping) = aside {
            return (block_of(mapping), true);
        }
        // SAFETY: a new private mapping without a wish where.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let block = opened(base, len);
        if !block.is_null() {
            // SAFETY: the mapping is fresh but for the length at its start.
            unsafe { ready(base.cast(), PAGE, len) };
        }
        (block, false)
    }

    /// Does with the pages from `from` to `to` of a mapping what was wished for.
    ///
    /// # Safety
    ///
    /// They are pages of a mapping at `base` that nobody has written to.
    unsafe fn ready(base: *mut u8, from: usize, to: usize) {
        if HUGE.load(Ordering::Relaxed) {
            // SAFETY: the range is mapped, and the advice changes no byte of it. A kernel that does not take it has none.
            unsafe { libc::madvise(base.cast(), to, libc::MADV_HUGEPAGE) };
        }
        if TOUCHED.load(Ordering::Relaxed) {
            for at in (from..to).step_by(PAGE) {
                // SAFETY: within the range, whose bytes are zero and stay so.
                unsafe { base.add(at).write_volatile(0) };
            }
        }
    }

    /// Writes the length where `mapping_of` finds it.
    fn opened(base: *mut libc::c_void, len: usize) -> *mut u8 {
        if base == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        // SAFETY: a mapping starts at a page of its own, writable and aligned.
        unsafe { base.cast::<usize>().write(len) };
        block_of(Mapping {
            base: base.expose_provenance(),
            len,
        })
    }

    fn block_of(mapping: Mapping) -> *mut u8 {
        ptr::with_exposed_provenance_mut::<u8>(mapping.base + PAGE)
    }

    /// # Safety
    ///
    /// The block came from this module and has not been freed.
    unsafe fn mapping_of(block: *mut u8) -> Mapping {
        let base = block.wrapping_sub(PAGE).cast::<usize>();
        Mapping {
            base: base.expose_provenance(),
            // SAFETY: the page in front of a block starts with the mapping's length.
            len: unsafe { base.read() },
        }
    }

    /// # Safety
    ///
    /// The block came from this module and is not used again.
    pub(super) unsafe fn free(block: *mut u8) {
        // SAFETY: as the caller vouches.
        let mapping = unsafe { mapping_of(block) };
        let kept = KEEPING.load(Ordering::Relaxed)
            && ASIDE
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .put(mapping);
        if !kept {
            let base = ptr::with_exposed_provenance_mut(mapping.base);
            // SAFETY: the mapping is this module's and nothing in it is used again.
            unsafe { libc::munmap(base, mapping.len) };
        }
    }

    /// # Safety
    ///
    /// The block came from this module with size `old`, and is used again only where null is returned.
    pub(super) unsafe fn resize(block: *mut u8, old: usize, new: usize) -> *mut u8 {
        let Some(len) = mapping_len(new) else {
            return ptr::null_mut();
        };
        // SAFETY: as the caller vouches.
        let mapping = unsafe { mapping_of(block) };
        if len == mapping.len || (new > old && len <= mapping.len) {
            return block;
        }
        let base = ptr::with_exposed_provenance_mut(mapping.base);
        // SAFETY: the mapping is this module's and of this length.
        let base = unsafe { libc::mremap(base, mapping.len, len, libc::MREMAP_MAYMOVE) };
        let block = opened(base, len);
        if !block.is_null() && len > mapping.len {
            // SAFETY: what the mapping has grown by is fresh.
            unsafe { ready(base.cast(), mapping.len, len) };
        }
        block
    }
}

#[cfg(not(target_os = "linux"))]
mod large {
    pub(super) fn alloc(_: usize) -> (*mut u8, bool) {
        unreachable!("no block is large where take_large_blocks has no effect")
    }

    pub(super) unsafe fn free(_: *mut u8) {
        unreachable!("no block is large where take_large_blocks has no effect")
    }

    pub(super) unsafe fn resize(_: *mut u8, _: usize, _: usize) -> *mut u8 {
        unreachable!("no block is large where take_large_blocks has no effect")
    }
}

#[cfg(test)]
mod tests;
