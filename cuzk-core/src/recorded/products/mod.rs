//! The products of a recording's matrices with assignments.
//!
//! A group of repeated rows has small integers for coefficients. As long as its variables are bits, its values are small
//! integers too, of which the scalars lie in a table: 64 rows at a time are summed in bytes ([`rows`]), and their scalars are
//! written in the order of rows when the chunk is complete ([`codes`], [`expanded`]). Whether they are bits
//! is asked of the assignment, not of the circuit, so a value that is not what its constraint says comes out right too. All
//! other rows are sums of scalars that are reduced once.
//!
//! Threads take chunks of rows, so nothing is shared but what is read. What a thread needs besides is memory for one chunk in
//! one matrix: its words, unpacked, and the codes and scalars of its values.

mod codes;
mod compact;
mod expanded;
mod plain;
mod rows;
mod window;

use std::mem::MaybeUninit;

use blstrs::Scalar as Fr;
use ff::Field;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

pub use self::compact::{BLOCK, COMPACT_COUNT, COMPACT_LEAST, Compact, WHOLE};

use self::codes::Codes;
use super::packed::Words;
use super::stores::Stores;
use super::{Assignment, Pages, RecordedError, Recording};

/// Memory for the products of one assignment, one value a constraint each. Whatever it holds is overwritten.
#[derive(Debug)]
pub struct Outputs<'a> {
    matrices: [&'a mut [MaybeUninit<Fr>]; 3],
    pages: Pages,
}

impl<'a> Outputs<'a> {
    /// Memory that holds something already.
    pub fn over(a: &'a mut [Fr], b: &'a mut [Fr], c: &'a mut [Fr]) -> Self {
        let matrices = [a, b, c].map(|values: &mut [Fr]| {
            let uninit = std::ptr::from_mut(values) as *mut [MaybeUninit<Fr>];
            // SAFETY: the layouts are the same, the borrow lasts as long, and nothing but scalars is ever written to it.
            unsafe { &mut *uninit }
        });
        Self {
            matrices,
            pages: Pages::Touched,
        }
    }

    /// Memory that holds nothing yet. All of it is written where no error is returned. `pages` decides how; what is written
    /// does not depend on it.
    pub fn into(matrices: [&'a mut [MaybeUninit<Fr>]; 3], pages: Pages) -> Self {
        Self { matrices, pages }
    }

    fn lengths(&self) -> [usize; 3] {
        self.matrices.each_ref().map(|matrix| matrix.len())
    }
}

/// What a thread works in.
#[derive(Default)]
struct Memory {
    words: Words,
    codes: Codes,
}

/// The values of one chunk of rows.
type ChunkOutputs<'a> = [&'a mut [MaybeUninit<Fr>]; 3];

impl Recording {
    /// Whether `assignment` is of the recorded circuit, as far as its counts tell.
    ///
    /// # Errors
    ///
    /// [`RecordedError::WrongCircuit`], [`RecordedError::NoOne`].
    pub fn fits(&self, assignment: &Assignment) -> Result<(), RecordedError> {
        let shape = self.shape();
        let (inputs, aux) = (assignment.inputs().len(), assignment.aux_len());
        if (inputs, aux) != (shape.inputs, shape.aux) {
            return Err(RecordedError::WrongCircuit {
                expected_inputs: shape.inputs,
                expected_aux: shape.aux,
                inputs,
                aux,
            });
        }
        match assignment.inputs().first() {
            Some(one) if *one == Fr::ONE => Ok(()),
            _ => Err(RecordedError::NoOne),
        }
    }

    /// Writes the products of A, B and C with `assignment`, on all threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// Those of [`fits`](Self::fits), [`RecordedError::WrongLength`].
    pub fn products(
        &self,
        assignment: &Assignment,
        outputs: Outputs<'_>,
    ) -> Result<(), RecordedError> {
        self.products_of_all(&[assignment], vec![outputs])
    }

    /// As [`products`](Self::products), for several assignments in one pass over the matrices.
    ///
    /// # Errors
    ///
    /// Those of [`products`](Self::products), [`RecordedError::WrongCount`].
    pub fn products_of_all(
        &self,
        assignments: &[&Assignment],
        outputs: Vec<Outputs<'_>>,
    ) -> Result<(), RecordedError> {
        if assignments.len() != outputs.len() {
            return Err(RecordedError::WrongCount {
                assignments: assignments.len(),
                outputs: outputs.len(),
            });
        }
        let needed = self.shape().constraints;
        for (assignment, outputs) in assignments.iter().zip(&outputs) {
            self.fits(assignment)?;
            let given = outputs.lengths();
            if given != [needed; 3] {
                return Err(RecordedError::WrongLength { needed, given });
            }
        }
        let scalars = 3 * needed * assignments.len();
        let stores: Vec<Stores> = outputs
            .iter()
            .map(|outputs| Stores::of(scalars, outputs.pages))
            .collect();
        let chunks = self.split(outputs);
        chunks.into_par_iter().enumerate().for_each_init(
            Memory::default,
            |memory, (chunk, mut outputs)| {
                let Memory { words, codes } = memory;
                for matrix in 0..3 {
                    let words = self.parts().packed.words(matrix, chunk, words);
                    let each = assignments.iter().zip(&stores).zip(&mut outputs);
                    for ((assignment, stores), outputs) in each {
                        let out = &mut *outputs[matrix];
                        codes.start(out.len());
                        // SAFETY: they are the words of this chunk, the assignment has as many variables as the
                        // recording, and `out` has a value for each row of the chunk.
                        unsafe { rows::evaluate(self, words, assignment, codes) };
                        expanded::write(codes, out, *stores);
                    }
                }
            },
        );
        Ok(())
    }

    /// The outputs of each chunk, and in it of each assignment.
    fn split<'a>(&self, outputs: Vec<Outputs<'a>>) -> Vec<Vec<ChunkOutputs<'a>>> {
        let mut rest: Vec<ChunkOutputs<'a>> = outputs.into_iter().map(|o| o.matrices).collect();
        let chunks = &self.parts().packed.chunks;
        let take = |rows: usize| {
            let first = |values: &mut &'a mut [MaybeUninit<Fr>]| {
                let (first, after) = std::mem::take(values).split_at_mut(rows);
                *values = after;
                first
            };
            rest.iter_mut()
                .map(|matrices| matrices.each_mut().map(first))
                .collect()
        };
        chunks
            .iter()
            .map(|chunk| chunk.rows as usize)
            .map(take)
            .collect()
    }
}
