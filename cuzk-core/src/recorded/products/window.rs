//! Bits of a map at equal distances.

use super::super::bits::PADDING;

/// The lowest `count` bits, 1 to 64.
#[inline(always)]
pub(super) fn below(count: u32) -> u64 {
    u64::MAX >> (64 - count)
}

/// Bit `i` of the result is bit `first + i * step` of `words`, for `i` below `count`, which is 1 to 64. The bits above are
/// of any value.
///
/// # Safety
///
/// `words` has all of these bits, and `PADDING` words behind the one with the last of them.
#[inline(always)]
pub(super) unsafe fn gather(words: &[u64], first: usize, step: u32, count: u32) -> u64 {
    const { assert!(PADDING >= 2) };
    // SAFETY: the caller vouches for the first bit, and a window ends in the word after.
    let window = |at: usize| unsafe { window(words, at) };
    match step {
        1 => window(first),
        0 => 0u64.wrapping_sub(window(first) & 1),
        // The second window begins in the word behind the one of the first bit.
        2 => even_bits(window(first)) | even_bits(window(first + 64)) << 32,
        _ => (0..count).fold(0, |bits, i| {
            bits | (window(first + (i * step) as usize) & 1) << i
        }),
    }
}

/// The 64 bits from bit `at` on.
///
/// # Safety
///
/// `words` has the word of `at`, and one more.
#[inline(always)]
unsafe fn window(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    // SAFETY: the caller vouches for them.
    let (low, high) = unsafe { (*words.get_unchecked(word), *words.get_unchecked(word + 1)) };
    low >> shift | high << 1 << (63 - shift)
}

/// The bits at even places, in the lower half.
#[inline(always)]
fn even_bits(word: u64) -> u64 {
    let mut bits = word & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0x0000_0000_ffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    #[test]
    fn gathers_what_single_bits_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let len = 64 * 64 * 12;
        let mut words: Vec<u64> = (0..len / 64).map(|_| rng.next_u64()).collect();
        words.extend([rng.next_u64(); PADDING]);
        for _ in 0..20_000 {
            let (step, count) = (rng.next_u32() % 12, rng.next_u32() % 64 + 1);
            let reach = (step * (count - 1)) as usize;
            // Often the very last bits.
            let first = match rng.next_u32() % 2 {
                0 => len - 1 - reach,
                _ => rng.next_u32() as usize % (len - reach),
            };
            // SAFETY: all bits are below `len`.
            let got = unsafe { gather(&words, first, step, count) } & below(count);
            for i in 0..count {
                let at = first + (i * step) as usize;
                assert_eq!(got >> i & 1, words[at / 64] >> (at % 64) & 1);
            }
        }
    }
}
