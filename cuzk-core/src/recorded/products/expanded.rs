//! Products as scalars.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use blstrs::Scalar as Fr;

use super::super::format::MAX_SUM;
use super::super::limbs::integer;
use super::rows::Sink;

/// The least and the greatest value of a repeated row: all of its coefficients on one side, and its constant.
const LEAST: i64 = -2 * MAX_SUM;
const COUNT: usize = (4 * MAX_SUM + 1) as usize;

/// The scalars of the integers from [`LEAST`] on.
pub(super) type SmallIntegers = [Fr; COUNT];

pub(super) fn small_integers() -> &'static SmallIntegers {
    static TABLE: OnceLock<Box<SmallIntegers>> = OnceLock::new();
    TABLE.get_or_init(|| Box::new(std::array::from_fn(|i| integer(i as i64 + LEAST))))
}

/// The scalars of a chunk's rows in a matrix.
pub(super) struct Expanded<'a> {
    table: &'static SmallIntegers,
    out: &'a mut [MaybeUninit<Fr>],
}

impl<'a> Expanded<'a> {
    pub(super) fn new(table: &'static SmallIntegers, out: &'a mut [MaybeUninit<Fr>]) -> Self {
        Self { table, out }
    }
}

impl Sink for Expanded<'_> {
    #[inline(always)]
    unsafe fn small(&mut self, row: usize, step: usize, bytes: &[u8], offset: i64) {
        // An offset is between LEAST and MAX_SUM, and with any of its bytes the value is in the table.
        let base = (offset - LEAST) as usize;
        let out = self.out.as_mut_ptr();
        let table = self.table.as_ptr();
        for (i, byte) in bytes.iter().enumerate() {
            // SAFETY: the caller vouches for the rows being in this chunk, and for the values.
            unsafe {
                let value = *table.add(base + *byte as usize);
                out.add(row + i * step).write(MaybeUninit::new(value));
            }
        }
    }

    #[inline(always)]
    unsafe fn whole(&mut self, row: usize, value: Fr) {
        // SAFETY: the caller vouches for the row being in this chunk.
        unsafe { self.out.get_unchecked_mut(row) }.write(value);
    }
}
