//! The rows of a chunk, many at a time.

use blstrs::Scalar as Fr;

use super::super::bits::BitView;
use super::super::coefficients::doubled;
use super::super::coefficients::small;
use super::super::format::{Group, INPUT, MAX_TERMS, Repeated, Run, Term, next_group};
use super::super::limbs::{Limbs, ONE, Sum, limbs};
use super::super::{Assignment, Recording};
use super::window::{below, gather};

/// What becomes of the values of a chunk's rows.
pub(super) trait Sink {
    /// Row `row + i * step` has the value `bytes[i] + offset`.
    ///
    /// # Safety
    ///
    /// All of these rows are rows of the chunk. `offset` is in -510..=255, and the values are in -510..=510.
    unsafe fn small(&mut self, row: usize, step: usize, bytes: &[u8], offset: i64);

    /// Row `row` has this value.
    ///
    /// # Safety
    ///
    /// It is a row of the chunk.
    unsafe fn whole(&mut self, row: usize, value: Fr);
}

/// Hands the value of every row of a chunk in a matrix to `sink`, once each.
///
/// # Safety
///
/// `words` are those that the recording has of the chunk. `assignment` has the number of private variables and inputs that
/// the recording has, and `sink` takes the rows of this chunk.
#[inline(never)]
pub(super) unsafe fn evaluate(
    recording: &Recording,
    mut words: &[u32],
    assignment: &Assignment,
    sink: &mut impl Sink,
) {
    let variables = Variables {
        aux: assignment.view(),
        inputs: assignment.inputs(),
        coefficients: recording.parts().coefficients.scalars(),
    };
    while let Some(group) = next_group(&mut words) {
        // SAFETY: a recording has been checked: rows are those of the chunk, variables and codes exist, sums fit a byte.
        unsafe {
            match group {
                Group::Repeated(head, terms) => variables.repeated(&head, terms, sink),
                Group::Single(row, runs) => sink.whole(row as usize, variables.single(runs)),
            }
        }
    }
}

struct Variables<'a> {
    aux: BitView<'a>,
    inputs: &'a [Fr],
    coefficients: &'a [Limbs],
}

/// Byte `i` of entry `b` is bit `i` of `b`.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

impl Variables<'_> {
    /// # Safety
    ///
    /// The group has been checked.
    #[inline(always)]
    unsafe fn repeated(&self, head: &Repeated, words: &[u32], sink: &mut impl Sink) {
        let mut terms = [(Term::read(&[0, 0]), 0i64); MAX_TERMS];
        let terms = &mut terms[..head.terms];
        for (term, words) in terms.iter_mut().zip(words.chunks_exact(2)) {
            let read = Term::read(words);
            *term = (read, small(read.code).unwrap_or(0));
        }
        let offset = head.constant - head.least;
        let row_step = head.row_step as usize;

        let mut first = 0;
        while first < head.rows {
            let count = (head.rows - first).min(64);
            let mut bytes = [EACH_BYTE * head.least as u64; 8];
            let bytes = &mut bytes[..count.div_ceil(8) as usize];
            let mut wide = 0;
            for (term, coefficient) in terms.iter() {
                let variable = (term.variable + first * term.step) as usize;
                // SAFETY: all variables of the group exist.
                let bits = unsafe { gather(self.aux.bits, variable, term.step, count) };
                wide |= unsafe { gather(self.aux.wide, variable, term.step, count) };
                add_bits(bytes, bits, *coefficient);
            }
            let row = (head.row + first * head.row_step) as usize;
            // SAFETY: `bytes` are at least `count` bytes, the group's rows are of this chunk, and its sums fit.
            unsafe {
                let bytes = std::slice::from_raw_parts(bytes.as_ptr().cast::<u8>(), count as usize);
                sink.small(row, row_step, bytes, offset);
            }
            wide &= below(count);
            while wide != 0 {
                let i = wide.trailing_zeros();
                wide &= wide - 1;
                // SAFETY: as above.
                unsafe {
                    let value = self.repeated_row(head, terms, first + i);
                    sink.whole(row + i as usize * row_step, value);
                }
            }
            first += count;
        }
    }

    /// Row `i` of a group, of which a variable is no bit.
    ///
    /// # Safety
    ///
    /// The group has been checked, and has more than `i` rows.
    unsafe fn repeated_row(&self, head: &Repeated, terms: &[(Term, i64)], i: u32) -> Fr {
        let mut sum = Sum::default();
        if head.constant != 0 {
            sum.add_small(&ONE, head.constant);
        }
        for (term, coefficient) in terms {
            // SAFETY: all variables of the group exist.
            match unsafe { self.aux.get((term.variable + i * term.step) as usize) } {
                Ok(false) => {}
                Ok(true) => sum.add_small(&ONE, *coefficient),
                Err(value) => sum.add_small(limbs(value), *coefficient),
            }
        }
        sum.value()
    }

    /// The value of a row that stands alone.
    ///
    /// # Safety
    ///
    /// The runs have been checked.
    #[inline(never)]
    unsafe fn single(&self, words: &[u32]) -> Fr {
        let mut sum = Sum::default();
        for run in words.chunks_exact(2).map(Run::read) {
            // SAFETY: variables and codes of the run exist.
            unsafe { self.add_run(&run, &mut sum) };
        }
        sum.value()
    }

    /// # Safety
    ///
    /// The run has been checked.
    #[inline(always)]
    unsafe fn add_run(&self, run: &Run, sum: &mut Sum) {
        // SAFETY: the code exists.
        let coefficient = unsafe { self.coefficients.get_unchecked(run.code as usize) };
        if run.variable & INPUT != 0 {
            self.add_inputs(run, coefficient, sum);
            return;
        }
        let variable = run.variable as usize;
        if run.count == 1 {
            // SAFETY: the variable exists.
            match unsafe { self.aux.get(variable) } {
                Ok(false) => {}
                Ok(true) => sum.add(coefficient),
                Err(value) => add_dense(run, coefficient, 0, value, sum),
            }
            return;
        }
        // SAFETY: the variables exist.
        let (bits, wide) = unsafe {
            (
                gather(self.aux.bits, variable, run.step, run.count),
                gather(self.aux.wide, variable, run.step, run.count),
            )
        };
        let mask = below(run.count);
        let (bits, mut wide) = (bits & mask, wide & mask);
        match if run.doubling {
            bits
        } else {
            u64::from(bits.count_ones())
        } {
            0 => {}
            1 => sum.add(coefficient),
            times => sum.add_times(coefficient, times),
        }
        while wide != 0 {
            let i = wide.trailing_zeros();
            wide &= wide - 1;
            // SAFETY: the variable exists.
            if let Err(value) = unsafe { self.aux.get(variable + (i * run.step) as usize) } {
                add_dense(run, coefficient, i, value, sum);
            }
        }
    }

    fn add_inputs(&self, run: &Run, coefficient: &Limbs, sum: &mut Sum) {
        for i in 0..run.count {
            let index = (run.variable & !INPUT) + i * run.step;
            add_dense(run, coefficient, i, &self.inputs[index as usize], sum);
        }
    }
}

/// Adds the product of variable `i` of a run, whatever its value is.
#[inline(always)]
fn add_dense(run: &Run, coefficient: &Limbs, i: u32, value: &Fr, sum: &mut Sum) {
    let mut coefficient = *coefficient;
    if run.doubling {
        (0..i).for_each(|_| coefficient = doubled(&coefficient));
    } else if let Some(small) = small(run.code) {
        sum.add_small(limbs(value), small);
        return;
    }
    sum.add_product(&coefficient, limbs(value));
}

/// Adds `coefficient` to each byte of which the bit is set. No byte over- or underflows: it starts at the magnitude of the
/// least sum, and the magnitudes of all coefficients fit a byte.
#[inline(always)]
fn add_bits(bytes: &mut [u64], bits: u64, coefficient: i64) {
    let magnitude = coefficient.unsigned_abs();
    for (i, byte) in bytes.iter_mut().enumerate() {
        let spread = SPREAD[(bits >> (8 * i)) as usize & 0xff] * magnitude;
        *byte = match coefficient < 0 {
            true => byte.wrapping_sub(spread),
            false => byte.wrapping_add(spread),
        };
    }
}
