//! The values of a chunk's rows as numbers of a table.

use std::sync::OnceLock;

use blstrs::Scalar as Fr;

use super::super::format::{CHUNK_ROWS, MAX_SUM};
use super::super::limbs::integer;
use super::rows::Sink;

/// The least value of a repeated row: all of its coefficients on one side, and its constant.
pub(super) const LEAST: i64 = -2 * MAX_SUM;
/// Number of values that a repeated row can have.
pub(super) const SMALL: usize = (4 * MAX_SUM + 1) as usize;

const _: () = assert!(SMALL + CHUNK_ROWS as usize <= 1 << 16);

/// The values of a chunk's rows in one matrix: for each row the number of its value in a table, which begins with the
/// scalars of the integers from [`LEAST`] on. Two bytes a row, so all of it stays in a core's cache.
pub(super) struct Codes {
    codes: Vec<u16>,
    table: Vec<Fr>,
}

impl Default for Codes {
    fn default() -> Self {
        static INTEGERS: OnceLock<Vec<Fr>> = OnceLock::new();
        let integers = || (0..SMALL as i64).map(|i| integer(i + LEAST)).collect();
        let mut table = Vec::with_capacity(SMALL + CHUNK_ROWS as usize);
        table.extend_from_slice(INTEGERS.get_or_init(integers));
        Self {
            codes: Vec::with_capacity(CHUNK_ROWS as usize),
            table,
        }
    }
}

impl Codes {
    /// Makes room for `rows` rows.
    pub(super) fn start(&mut self, rows: usize) {
        self.codes.resize(rows, 0);
        self.table.truncate(SMALL);
    }

    /// The value of each row as a number of [`table`](Self::table).
    pub(super) fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// Has the values of all codes.
    pub(super) fn table(&self) -> &[Fr] {
        &self.table
    }
}

impl Sink for Codes {
    #[inline(always)]
    unsafe fn small(&mut self, row: usize, step: usize, bytes: &[u8], offset: i64) {
        // An offset is at least LEAST, and with any of its bytes the value is in the table.
        let base = (offset - LEAST) as u16;
        debug_assert!(row + step * (bytes.len() - 1) < self.codes.len());
        if step <= 1 {
            // SAFETY: the caller vouches for these rows being in this chunk.
            let codes = unsafe { self.codes.get_unchecked_mut(row..row + bytes.len()) };
            for (code, byte) in codes.iter_mut().zip(bytes) {
                *code = base + u16::from(*byte);
            }
            return;
        }
        let codes = self.codes.as_mut_ptr();
        for (i, byte) in bytes.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *codes.add(row + i * step) = base + u16::from(*byte) };
        }
    }

    #[inline(always)]
    unsafe fn whole(&mut self, row: usize, value: Fr) {
        // At most one value a row, so that its number fits.
        let code = self.table.len() as u16;
        self.table.push(value);
        // SAFETY: the caller vouches for the row being in this chunk.
        unsafe { *self.codes.get_unchecked_mut(row) = code };
    }
}
