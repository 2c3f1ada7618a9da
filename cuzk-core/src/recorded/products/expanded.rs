//! Products as scalars.

use std::mem::MaybeUninit;

use blstrs::Scalar as Fr;

use super::super::stores::{Stores, stream};
use super::codes::Codes;

/// Writes the values of a chunk's rows.
///
/// # Panics
///
/// Where `out` has not as many values as there are rows.
#[inline(never)]
pub(super) fn write(codes: &Codes, out: &mut [MaybeUninit<Fr>], stores: Stores) {
    let (codes, table) = (codes.codes(), codes.table());
    assert_eq!(codes.len(), out.len());
    if stores == Stores::Streamed && stream::is_aligned(out) {
        for (out, code) in out.iter_mut().zip(codes) {
            // SAFETY: every code is that of a value of the table; `out` is aligned.
            unsafe { stream::write(out, table.get_unchecked(usize::from(*code))) };
        }
        stream::finish();
        return;
    }
    for (out, code) in out.iter_mut().zip(codes) {
        // SAFETY: every code is that of a value of the table.
        out.write(unsafe { *table.get_unchecked(usize::from(*code)) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::Sink;
    use super::*;

    #[test]
    fn all_ways_write_the_same() {
        let mut codes = Codes::default();
        codes.start(700);
        let bytes: Vec<u8> = (0..=255).collect();
        // SAFETY: the rows are below 700, and the values in range.
        unsafe {
            codes.small(0, 1, &bytes, -510);
            codes.small(256, 1, &bytes, 255);
            codes.small(512, 2, &bytes[..94], -3);
            codes.small(513, 2, &bytes[..94], 0);
            codes.whole(77, Fr::from(1 << 40));
        }
        let expected = |row: usize| match row {
            77 => Fr::from(1 << 40),
            0..256 => Fr::from(row as u64) - Fr::from(510),
            256..512 => Fr::from(row as u64 - 256 + 255),
            _ if row.is_multiple_of(2) => Fr::from((row as u64 - 512) / 2) - Fr::from(3),
            _ => Fr::from((row as u64 - 513) / 2),
        };
        // In memory that is aligned for streaming and in memory that is not.
        for (stores, skipped) in [
            (Stores::Cached, 0),
            (Stores::Streamed, 0),
            (Stores::Streamed, 8),
        ] {
            let mut memory = vec![0u8; 702 * 32];
            let start = memory.as_ptr().align_offset(32) + skipped;
            let values = memory[start..start + 700 * 32]
                .as_mut_ptr()
                .cast::<MaybeUninit<Fr>>();
            // SAFETY: it is room for 700 scalars, aligned to 8 bytes, of a vector that nobody else uses.
            let out = unsafe { std::slice::from_raw_parts_mut(values, 700) };
            write(&codes, out, stores);
            for (row, value) in out.iter().enumerate() {
                // SAFETY: `write` has written all of them.
                assert_eq!(unsafe { value.assume_init() }, expected(row), "row {row}");
            }
        }
    }
}
