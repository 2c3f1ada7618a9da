//! The plain form of products: every term of every row, multiplied.

use blstrs::Scalar as Fr;
use ff::Field;

use super::super::Recording;
use super::super::coefficients::small;
use super::super::format::{Group, INPUT, Run, Term, next_group};
use super::super::limbs::{integer, scalar};

impl Recording {
    /// The products of A, B and C with the variables, from every term on its own: what
    /// [`products`](Self::products) is held to. Slow.
    ///
    /// # Panics
    ///
    /// Where there are fewer variables than the recording has.
    pub fn plain_products(&self, inputs: &[Fr], aux: &[Fr]) -> [Vec<Fr>; 3] {
        std::array::from_fn(|matrix| {
            let mut values = Vec::with_capacity(self.shape().constraints);
            for (i, chunk) in self.parts().packed.chunks.iter().enumerate() {
                let first = values.len();
                values.resize(first + chunk.rows as usize, Fr::ZERO);
                self.visit(matrix, i, |row, variable, coefficient| {
                    let value = match variable & INPUT {
                        0 => aux[variable as usize],
                        _ => inputs[(variable & !INPUT) as usize],
                    };
                    values[first + row as usize] += coefficient * value;
                });
            }
            values
        })
    }

    /// Calls `term` with each term of a chunk: its row in the chunk, its variable and its coefficient.
    fn visit(&self, matrix: usize, chunk: usize, mut term: impl FnMut(u32, u32, Fr)) {
        let coefficients = self.parts().coefficients.scalars();
        // A recording has been unpacked once, so this is not empty.
        let words = self.parts().packed.unpack_plainly(matrix, chunk);
        let words = words.unwrap_or_default();
        let mut words = words.as_slice();
        while let Some(group) = next_group(&mut words) {
            match group {
                Group::Repeated(head, terms) => {
                    for i in 0..head.rows {
                        let row = head.row + i * head.row_step;
                        term(row, INPUT, integer(head.constant));
                        for each in terms.chunks_exact(2).map(Term::read) {
                            let coefficient = integer(small(each.code).unwrap_or(0));
                            term(row, each.variable + i * each.step, coefficient);
                        }
                    }
                }
                Group::Single(row, runs) => {
                    for run in runs.chunks_exact(2).map(Run::read) {
                        let mut coefficient = scalar(coefficients[run.code as usize]);
                        for i in 0..run.count {
                            term(row, run.variable + i * run.step, coefficient);
                            if run.doubling {
                                coefficient = coefficient.double();
                            }
                        }
                    }
                }
            }
        }
    }
}
