//! Products in compact form: a byte for each small integer, and the other scalars apart.

use blstrs::Scalar as Fr;
use ff::Field;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::super::coefficients::small_of;
use super::super::limbs::{integer, limbs};
use super::super::stores::{Stores, stream};
use super::super::{Assignment, Pages, RecordedError, Recording};
use super::Memory;
use super::codes::{Codes, LEAST, SMALL};
use super::rows::evaluate;

/// The least integer that has a code of its own, and how many there are: codes `0..COMPACT_COUNT` are theirs, in order.
pub const COMPACT_LEAST: i64 = -64;
/// See [`COMPACT_LEAST`].
pub const COMPACT_COUNT: u8 = 128;
/// The code of every other scalar: it stands in [`Compact::whole`].
pub const WHOLE: u8 = 255;
/// Blocks that one task expands.
const EXPANDED: usize = 64;
/// Values of a block, of which [`Compact::firsts`] says where its first whole scalar stands.
pub const BLOCK: usize = 256;

/// A vector of scalars in compact form. Each vector has one such form: whatever has a code has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compact {
    /// One a value.
    pub codes: Vec<u8>,
    /// For each block the number of scalars in `whole` that belong to blocks before it.
    pub firsts: Vec<u32>,
    /// The scalars without a code, in order.
    pub whole: Vec<Fr>,
}

impl Compact {
    /// The compact form of `values`: what [`Recording::compact_products`] is held to.
    pub fn of(values: &[Fr]) -> Self {
        let mut compact = Self::default();
        for value in values {
            if compact.codes.len().is_multiple_of(BLOCK) {
                compact.firsts.push(compact.whole.len() as u32);
            }
            compact.codes.push(code_of(value));
            if compact.codes.last() == Some(&WHOLE) {
                compact.whole.push(*value);
            }
        }
        compact
    }

    /// The scalars. Codes that mean nothing, and whole scalars that are missing, come out as zero.
    pub fn expand(&self) -> Vec<Fr> {
        let mut whole = self.whole.iter();
        let value = |code: &u8| match *code {
            code if code < COMPACT_COUNT => integer(i64::from(code) + COMPACT_LEAST),
            WHOLE => whole.next().copied().unwrap_or(Fr::ZERO),
            _ => Fr::ZERO,
        };
        self.codes.iter().map(value).collect()
    }

    /// Appends what [`expand`](Self::expand) gives to an empty vector that has room for it, on all threads of the current
    /// rayon pool.
    pub(in crate::recorded) fn append_to(&self, values: &mut Vec<Fr>, pages: Pages) {
        let len = self.codes.len();
        let stores = Stores::of(len, pages);
        let small: [Fr; COMPACT_COUNT as usize] =
            std::array::from_fn(|code| integer(code as i64 + COMPACT_LEAST));
        values.spare_capacity_mut()[..len]
            .par_chunks_mut(EXPANDED * BLOCK)
            .zip(self.codes.par_chunks(EXPANDED * BLOCK))
            .zip(self.firsts.par_chunks(EXPANDED))
            .for_each(|((out, codes), firsts)| {
                let mut whole = self.whole[firsts[0] as usize..].iter();
                let value = |code: &u8| match small.get(usize::from(*code)) {
                    Some(value) => *value,
                    None if *code == WHOLE => whole.next().copied().unwrap_or(Fr::ZERO),
                    None => Fr::ZERO,
                };
                let streamed = stores == Stores::Streamed && stream::is_aligned(out);
                let pairs = out.iter_mut().zip(codes.iter().map(value));
                if !streamed {
                    pairs.for_each(|(out, value)| _ = out.write(value));
                    return;
                }
                for (out, value) in pairs {
                    // SAFETY: `out` is aligned, and `finish` follows.
                    unsafe { stream::write(out, &value) };
                }
                stream::finish();
            });
        // SAFETY: each of them has been written.
        unsafe { values.set_len(len) };
    }

    /// Bytes of its vectors.
    pub fn bytes(&self) -> usize {
        self.codes.len() + 4 * self.firsts.len() + size_of::<Fr>() * self.whole.len()
    }

    /// Puts the whole scalars of consecutive chunks together, and counts them by blocks.
    fn complete(&mut self, parts: &[Vec<Fr>]) {
        let counts = self.codes.par_chunks(BLOCK);
        counts
            .map(|block| block.iter().map(|code| u32::from(*code == WHOLE)).sum())
            .collect_into_vec(&mut self.firsts);
        let mut before = 0;
        for first in &mut self.firsts {
            before += std::mem::replace(first, before);
        }
        self.whole.clear();
        append(&mut self.whole, parts);
    }
}

/// Appends many slices, side by side.
fn append(vector: &mut Vec<Fr>, parts: &[Vec<Fr>]) {
    let total: usize = parts.iter().map(Vec::len).sum();
    let first = vector.len();
    vector.reserve(total);
    let mut rest = &mut vector.spare_capacity_mut()[..total];
    let mut places = Vec::with_capacity(parts.len());
    for part in parts {
        let (place, after) = rest.split_at_mut(part.len());
        places.push(place);
        rest = after;
    }
    places.into_par_iter().zip(parts).for_each(|(place, part)| {
        for (place, value) in place.iter_mut().zip(part) {
            place.write(*value);
        }
    });
    // SAFETY: the places are one after the other, as many as the parts have values, and each has been written.
    unsafe { vector.set_len(first + total) };
}

/// The code of a scalar.
fn code_of(value: &Fr) -> u8 {
    match small_of(limbs(value)) {
        Some(value) => code_of_small(value),
        None => WHOLE,
    }
}

#[inline(always)]
fn code_of_small(value: i64) -> u8 {
    let code = value - COMPACT_LEAST;
    match (0..i64::from(COMPACT_COUNT)).contains(&code) {
        true => code as u8,
        false => WHOLE,
    }
}

/// The codes of the values that repeated rows have, by their number in the table of [`Codes`].
static SMALL_CODES: [u8; SMALL] = {
    let mut codes = [WHOLE; SMALL];
    let mut code = 0;
    while code < COMPACT_COUNT {
        codes[(code as i64 + COMPACT_LEAST - LEAST) as usize] = code;
        code += 1;
    }
    codes
};

/// Writes the codes of a chunk's rows and gives those that have none.
fn write(values: &Codes, out: &mut [u8]) -> Vec<Fr> {
    let table = values.table();
    let mut whole = Vec::new();
    for (out, index) in out.iter_mut().zip(values.codes()) {
        let index = usize::from(*index);
        *out = match SMALL_CODES.get(index) {
            Some(code) => *code,
            None => code_of(&table[index]),
        };
        if *out == WHOLE {
            whole.push(table[index]);
        }
    }
    whole
}

impl Recording {
    /// Computes the products of A, B and C with each assignment in compact form, without expanding them, in one pass over
    /// the matrices. The memory of `out`, one for each assignment, is used again.
    ///
    /// # Errors
    ///
    /// Those of [`fits`](Self::fits), [`RecordedError::WrongCount`].
    pub fn compact_products(
        &self,
        assignments: &[&Assignment],
        out: &mut [[Compact; 3]],
    ) -> Result<(), RecordedError> {
        if assignments.len() != out.len() {
            return Err(RecordedError::WrongCount {
                assignments: assignments.len(),
                outputs: out.len(),
            });
        }
        assignments
            .iter()
            .try_for_each(|assignment| self.fits(assignment))?;

        let rows = self.shape().constraints;
        out.iter_mut()
            .flatten()
            .for_each(|compact| compact.codes.resize(rows, 0));
        let mut rest: Vec<&mut [u8]> = out
            .iter_mut()
            .flatten()
            .map(|compact| compact.codes.as_mut_slice())
            .collect();
        let mut chunks = Vec::with_capacity(self.parts().packed.chunks.len());
        for chunk in &self.parts().packed.chunks {
            let first = rest
                .iter_mut()
                .map(|codes| split_first(codes, chunk.rows as usize));
            chunks.push(first.collect::<Vec<_>>());
        }
        let mut whole: Vec<Vec<Vec<Fr>>> = Vec::new();
        chunks
            .into_par_iter()
            .enumerate()
            .map_init(Memory::default, |memory, (chunk, mut outputs)| {
                let Memory { words, codes } = memory;
                let mut whole = vec![Vec::new(); outputs.len()];
                for matrix in 0..3 {
                    let words = self.parts().packed.words(matrix, chunk, words);
                    for (i, assignment) in assignments.iter().enumerate() {
                        let i = 3 * i + matrix;
                        codes.start(outputs[i].len());
                        // SAFETY: they are the words of this chunk, the assignment has as many variables as the
                        // recording, and there is room for each row of the chunk.
                        unsafe { evaluate(self, words, assignment, codes) };
                        whole[i] = write(codes, outputs[i]);
                    }
                }
                whole
            })
            .collect_into_vec(&mut whole);

        for (i, compact) in out.iter_mut().flatten().enumerate() {
            let parts: Vec<_> = whole
                .iter_mut()
                .map(|chunk| std::mem::take(&mut chunk[i]))
                .collect();
            compact.complete(&parts);
        }
        Ok(())
    }
}

fn split_first<'a>(codes: &mut &'a mut [u8], count: usize) -> &'a mut [u8] {
    let (first, after) = std::mem::take(codes).split_at_mut(count);
    *codes = after;
    first
}
