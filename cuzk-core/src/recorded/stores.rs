//! Writing many scalars.

use blstrs::Scalar as Fr;

/// What is known of the pages of some memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Nobody has touched them: the kernel clears each at the first write, and has it in the caches then.
    Fresh,
    /// They were used before.
    Touched,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recorded) enum Stores {
    /// Through the caches: for what is soon read again.
    Cached,
    /// Past the caches: for what does not fit there anyway. Memory is not read before it is written.
    Streamed,
}

/// Bytes from which on values are written past the caches: more than a core's share of one.
const STREAMED_BYTES: usize = 16 << 20;

impl Stores {
    /// The way for so many scalars.
    pub(in crate::recorded) fn of(scalars: usize, pages: Pages) -> Self {
        match pages {
            Pages::Touched if scalars * size_of::<Fr>() >= STREAMED_BYTES => Self::Streamed,
            _ => Self::Cached,
        }
    }
}

/// Stores past the caches.
#[cfg(target_arch = "x86_64")]
pub(in crate::recorded) mod stream {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    use std::mem::MaybeUninit;

    use blstrs::Scalar as Fr;

    /// Whether [`write`] may write to `out`.
    pub(in crate::recorded) fn is_aligned(out: &[MaybeUninit<Fr>]) -> bool {
        out.as_ptr().cast::<__m128i>().is_aligned()
    }

    /// Writes a scalar.
    ///
    /// # Safety
    ///
    /// `out` is aligned to 16 bytes, and [`finish`] follows before anybody else reads it.
    #[inline(always)]
    pub(in crate::recorded) unsafe fn write(out: &mut MaybeUninit<Fr>, value: &Fr) {
        let from = std::ptr::from_ref(value).cast::<__m128i>();
        let to = out.as_mut_ptr().cast::<__m128i>();
        // SAFETY: a scalar is two times 16 bytes, the caller vouches for the alignment, and every x86-64 has SSE2.
        unsafe {
            _mm_stream_si128(to, _mm_loadu_si128(from));
            _mm_stream_si128(to.add(1), _mm_loadu_si128(from.add(1)));
        }
    }

    /// What was written is seen by whoever is told of it after this.
    pub(in crate::recorded) fn finish() {
        // SAFETY: every x86-64 has SSE.
        unsafe { _mm_sfence() };
    }
}

/// Plain stores, where there are no others.
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::recorded) mod stream {
    use std::mem::MaybeUninit;

    use blstrs::Scalar as Fr;

    pub(in crate::recorded) fn is_aligned(_: &[MaybeUninit<Fr>]) -> bool {
        true
    }

    pub(in crate::recorded) unsafe fn write(out: &mut MaybeUninit<Fr>, value: &Fr) {
        out.write(*value);
    }

    pub(in crate::recorded) fn finish() {}
}
