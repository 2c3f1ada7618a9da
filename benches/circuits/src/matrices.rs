//! The constraint matrices of a circuit, as counts and digests.
//!
//! Two stacks may build their linear combinations in different ways; the rows that come out have to be the same.
//! A row is hashed in a canonical form: the number of its terms, then each term in the order of
//! `LinearCombination::iter` as kind, index and 32-byte little-endian coefficient. Terms with a coefficient of zero
//! are left out, since a stack is free to keep or drop them.

use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blake2b_simd::State;
use cuzk_harness::digest;
use ff::PrimeField;

/// How large a circuit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Constraints, the prover's own one for each input included.
    pub constraints: usize,
    /// Inputs, the constant one included.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
}

impl Shape {
    /// Counts what a circuit allocates and enforces, without evaluating any of it.
    pub fn of<F: PrimeField, C: Circuit<F>>(circuit: C) -> Result<Self, SynthesisError> {
        let mut counter = Walker::default();
        walk(circuit, &mut counter)?;
        Ok(counter.shape)
    }
}

/// Digests of a circuit's three matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrices {
    /// The circuit's size.
    pub shape: Shape,
    /// Hex digests of A, B and C.
    pub digests: [String; 3],
    /// Non-zero coefficients of A, B and C.
    pub nonzeros: [usize; 3],
}

impl Matrices {
    /// Digests the matrices that a circuit has with the linear combinations of this build.
    pub fn of<F: PrimeField, C: Circuit<F>>(circuit: C) -> Result<Self, SynthesisError> {
        let mut walker = Walker {
            shape: Shape::default(),
            rows: Some(Digests::default()),
        };
        walk(circuit, &mut walker)?;
        let matrices = walker.rows.unwrap_or_default().matrices;
        Ok(Matrices {
            shape: walker.shape,
            nonzeros: matrices.each_ref().map(|matrix| matrix.nonzeros),
            digests: matrices.map(|matrix| digest::hex(matrix.state.finalize())),
        })
    }

    /// Counts and digests as one line of JSON. The constraints are the circuit's own.
    pub fn to_json(&self) -> String {
        let [a, b, c] = &self.digests;
        let [nonzeros_a, nonzeros_b, nonzeros_c] = self.nonzeros;
        serde_json::json!({
            "digests": { "matrix_a": a, "matrix_b": b, "matrix_c": c },
            "constraints": self.shape.constraints - self.shape.inputs,
            "inputs": self.shape.inputs,
            "aux": self.shape.aux,
            "nonzeros": { "a": nonzeros_a, "b": nonzeros_b, "c": nonzeros_c },
        })
        .to_string()
    }

    /// One digest that names the three matrices together.
    pub fn name(&self) -> String {
        digest::bytes(self.digests.concat().as_bytes())
    }
}

/// Synthesises as bellperson's prover does: the constant one first, and in the end a constraint for each input.
fn walk<F: PrimeField, C: Circuit<F>>(
    circuit: C,
    walker: &mut Walker,
) -> Result<(), SynthesisError> {
    walker.alloc_input(|| "", || Ok(F::ONE))?;
    circuit.synthesize(walker)?;
    for i in 0..walker.shape.inputs {
        let input = |lc: LinearCombination<F>| lc + Variable(Index::Input(i));
        walker.enforce(|| "", input, |lc| lc, |lc| lc);
    }
    Ok(())
}

/// A matrix as far as it was seen.
struct Matrix {
    state: State,
    nonzeros: usize,
}

/// The three matrices, and a buffer in which each row is written before it is hashed.
struct Digests {
    matrices: [Matrix; 3],
    buffer: Vec<u8>,
}

impl Default for Digests {
    fn default() -> Self {
        Digests {
            matrices: std::array::from_fn(|_| Matrix {
                state: digest::hasher(),
                nonzeros: 0,
            }),
            buffer: Vec::new(),
        }
    }
}

impl Digests {
    fn add<F: PrimeField>(&mut self, rows: &[LinearCombination<F>; 3]) {
        for (matrix, row) in self.matrices.iter_mut().zip(rows) {
            matrix.nonzeros += write_row(row, &mut self.buffer);
            matrix.state.update(&self.buffer);
        }
    }
}

/// Writes the canonical form of a row and gives the number of its terms.
fn write_row<F: PrimeField>(row: &LinearCombination<F>, buffer: &mut Vec<u8>) -> usize {
    buffer.clear();
    buffer.extend_from_slice(&[0; 8]);
    let mut terms = 0;
    for (Variable(index), coefficient) in row.iter() {
        if coefficient.is_zero_vartime() {
            continue;
        }
        let (kind, index) = match index {
            Index::Input(index) => (0, index),
            Index::Aux(index) => (1, index),
        };
        buffer.push(kind);
        buffer.extend_from_slice(&(index as u64).to_le_bytes());
        buffer.extend_from_slice(coefficient.to_repr().as_ref());
        terms += 1;
    }
    buffer[..8].copy_from_slice(&(terms as u64).to_le_bytes());
    terms
}

/// A constraint system that counts, and digests each row where that is wanted. It never asks for a value. Both uses
/// are one type, because a large circuit takes long to compile for each.
#[derive(Default)]
struct Walker {
    shape: Shape,
    rows: Option<Digests>,
}

impl<F: PrimeField> ConstraintSystem<F> for Walker {
    type Root = Self;

    fn alloc<V, A, AR>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.shape.aux += 1;
        Ok(Variable(Index::Aux(self.shape.aux - 1)))
    }

    fn alloc_input<V, A, AR>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.shape.inputs += 1;
        Ok(Variable(Index::Input(self.shape.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LB: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LC: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
    {
        self.shape.constraints += 1;
        if let Some(digests) = &mut self.rows {
            digests.add(&[
                a(LinearCombination::zero()),
                b(LinearCombination::zero()),
                c(LinearCombination::zero()),
            ]);
        }
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blstrs::Scalar;
    use ff::Field;

    /// x · (coefficient · x) = y, and optionally a term that cancels out.
    #[derive(Clone)]
    struct Small {
        coefficient: u64,
        cancelled: bool,
    }

    impl Circuit<Scalar> for Small {
        fn synthesize<CS: ConstraintSystem<Scalar>>(
            self,
            cs: &mut CS,
        ) -> Result<(), SynthesisError> {
            let x = cs.alloc(|| "x", || Err(SynthesisError::AssignmentMissing))?;
            let y = cs.alloc_input(|| "y", || Err(SynthesisError::AssignmentMissing))?;
            cs.enforce(
                || "row",
                |lc| match self.cancelled {
                    true => lc + x + y - y,
                    false => lc + x,
                },
                |lc| lc + (Scalar::from(self.coefficient), x),
                |lc| lc + y,
            );
            Ok(())
        }
    }

    fn small(coefficient: u64, cancelled: bool) -> Matrices {
        Matrices::of::<Scalar, _>(Small {
            coefficient,
            cancelled,
        })
        .expect("never asks for a value")
    }

    #[test]
    fn counts() {
        let matrices = small(3, false);
        // The row, and one for each of the inputs: the constant one and y.
        assert_eq!(
            matrices.shape,
            Shape {
                constraints: 3,
                inputs: 2,
                aux: 1
            }
        );
        assert_eq!(matrices.nonzeros, [3, 1, 1]);
        let counted = Shape::of::<Scalar, _>(Small {
            coefficient: 3,
            cancelled: false,
        });
        assert_eq!(counted.expect("never asks for a value"), matrices.shape);
    }

    #[test]
    fn a_coefficient_changes_its_own_matrix_only() {
        let (three, four) = (small(3, false), small(4, false));
        assert_eq!(three.digests[0], four.digests[0]);
        assert_ne!(three.digests[1], four.digests[1]);
        assert_eq!(three.digests[2], four.digests[2]);
        assert_ne!(three.name(), four.name());
    }

    #[test]
    fn a_term_of_zero_does_not_count() {
        assert_eq!(small(3, false), small(3, true));
        assert_eq!(Scalar::ZERO.to_repr().len(), 32);
    }
}
