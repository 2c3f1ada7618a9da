//! Circuits of unusual shapes: many inputs, hardly any variable in B, every variable everywhere.
//!
//! What a parameter generator or a prover does depends on which variables occur in which matrix. SHA-256 is one case of
//! many: these are at the edges.

use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use ff::PrimeField;
use rand_chacha::ChaCha8Rng;

use crate::mix;

/// Variables that a linear combination of [`Shaped::Dense`] and [`Shaped::SparseB`] sums up.
const WINDOW: usize = 4;
/// [`Shaped::SparseB`] has one product of sums among so many constraints, and else sums only.
const PRODUCT: usize = 1024;
/// [`Shaped::SparseB`] makes no use of one result among so many constraints.
const LEAF: usize = 3;

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaped {
    /// As many inputs as auxiliary variables, and inputs in all three matrices.
    ManyInputs,
    /// Less than one auxiliary variable of a hundred occurs in B, and a third of them in neither A nor B.
    SparseB,
    /// Every auxiliary variable occurs in A and in B, with coefficients that fill the field.
    Dense,
}

/// A chain of about as many constraints as its size, which ends in a public input.
#[derive(Clone, Debug)]
pub struct ShapedCircuit<F> {
    shape: Shaped,
    /// The values that the chain starts with.
    start: Vec<F>,
    size: usize,
}

/// A variable with its value.
type Known<F> = (Variable, F);

impl<F: PrimeField> ShapedCircuit<F> {
    /// `size` constraints of a shape, over values drawn from a seed.
    pub fn from_seed(shape: Shaped, seed: u64, size: usize) -> Self {
        let mut witness = mix::witness(seed, 7);
        let count = match shape {
            Shaped::ManyInputs => size,
            Shaped::SparseB | Shaped::Dense => WINDOW,
        };
        ShapedCircuit {
            shape,
            start: (0..count).map(|_| F::random(&mut witness)).collect(),
            size,
        }
    }

    /// What a verifier has to be given.
    pub fn public_inputs(&self) -> Vec<F> {
        let mut rng = mix::structure(7);
        if self.shape == Shaped::ManyInputs {
            let mut last = F::ONE;
            let next = |x: &F| {
                let (a, b) = (F::random(&mut rng), F::random(&mut rng));
                last = (*x + a * last) * (*x + b * last);
                last
            };
            return self.start.iter().map(next).collect();
        }
        let mut values = self.start.clone();
        let sum = |rng: &mut ChaCha8Rng, values: &[F]| {
            let window = &values[values.len() - WINDOW..];
            window
                .iter()
                .map(|value| F::random(&mut *rng) * value)
                .sum::<F>()
        };
        for i in 0..self.size {
            let left: F = sum(&mut rng, &values);
            let value = match self.is_product(i) {
                true => left * sum(&mut rng, &values),
                false => left,
            };
            if !self.is_leaf(i) {
                values.push(value);
            }
        }
        values.pop().into_iter().collect()
    }

    fn is_product(&self, constraint: usize) -> bool {
        self.shape == Shaped::Dense || constraint % PRODUCT == PRODUCT - 1
    }

    fn is_leaf(&self, constraint: usize) -> bool {
        let last = constraint + 1 == self.size;
        self.shape == Shaped::SparseB && constraint % LEAF == LEAF - 1 && !last
    }

    /// Each input is the product of two sums of a variable and the input before it.
    fn many_inputs<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut rng = mix::structure(7);
        let mut last = (CS::one(), F::ONE);
        for (i, &value) in self.start.iter().enumerate() {
            let (a, b) = (F::random(&mut rng), F::random(&mut rng));
            let x = cs.alloc(|| format!("root {i}"), || Ok(value))?;
            let product = (value + a * last.1) * (value + b * last.1);
            let input = cs.alloc_input(|| format!("input {i}"), || Ok(product))?;
            cs.enforce(
                || format!("product {i}"),
                |lc| lc + x + (a, last.0),
                |lc| lc + x + (b, last.0),
                |lc| lc + input,
            );
            last = (input, product);
        }
        Ok(())
    }

    /// Each variable is a sum of those before it, or the product of two; the last is public.
    fn chain<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut rng = mix::structure(7);
        let mut known: Vec<Known<F>> = Vec::with_capacity(WINDOW + self.size);
        for (i, &value) in self.start.iter().enumerate() {
            known.push((cs.alloc(|| format!("start {i}"), || Ok(value))?, value));
        }
        for i in 0..self.size {
            let (left, mut value) = sum(&mut rng, &known);
            let mut right = LinearCombination::zero() + CS::one();
            if self.is_product(i) {
                let factor;
                (right, factor) = sum(&mut rng, &known);
                value *= factor;
            }
            // The last one is an input. It is the only variable that no later sum is made of.
            let next = match i + 1 == self.size {
                true => cs.alloc_input(|| "result", || Ok(value))?,
                false => cs.alloc(|| format!("value {i}"), || Ok(value))?,
            };
            cs.enforce(|| format!("step {i}"), |_| left, |_| right, |lc| lc + next);
            if !self.is_leaf(i) {
                known.push((next, value));
            }
        }
        Ok(())
    }
}

/// A sum of the last few variables, and its value.
fn sum<F: PrimeField>(rng: &mut ChaCha8Rng, known: &[Known<F>]) -> (LinearCombination<F>, F) {
    let mut lc = LinearCombination::zero();
    let mut value = F::ZERO;
    for (variable, its) in &known[known.len() - WINDOW..] {
        let coefficient = F::random(&mut *rng);
        lc = lc + (coefficient, *variable);
        value += coefficient * its;
    }
    (lc, value)
}

impl<F: PrimeField> Circuit<F> for ShapedCircuit<F> {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self.shape {
            Shaped::ManyInputs => self.many_inputs(cs),
            Shaped::SparseB | Shaped::Dense => self.chain(cs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::Shape;
    use crate::testing::{self, Columns};
    use blstrs::Scalar;

    const ALL: [Shaped; 3] = [Shaped::ManyInputs, Shaped::SparseB, Shaped::Dense];

    fn circuit(shape: Shaped, seed: u64, size: usize) -> ShapedCircuit<Scalar> {
        ShapedCircuit::from_seed(shape, seed, size)
    }

    #[test]
    fn satisfied_and_equal_to_plain_arithmetic() {
        for shape in ALL {
            for size in [1, 2, LEAF, LEAF + 1, 100, PRODUCT + 1] {
                let circuit = circuit(shape, 1, size);
                let inputs = circuit.public_inputs();
                testing::holds(circuit, &inputs);
            }
        }
    }

    #[test]
    fn a_false_value_is_named() {
        testing::falsified(circuit(Shaped::ManyInputs, 1, 9), "root 5", "product 5");
        testing::falsified(circuit(Shaped::SparseB, 1, 9), "start 2", "step 0");
        testing::falsified(circuit(Shaped::Dense, 1, 9), "value 5", "step 5");
    }

    #[test]
    fn seeds_share_their_matrices() {
        for shape in ALL {
            testing::same_matrices(circuit(shape, 1, 50), circuit(shape, 2, 50));
        }
    }

    #[test]
    fn the_shapes_are_what_they_are_called() {
        let shape = Shape::of(circuit(Shaped::ManyInputs, 1, 500)).expect("synthesises");
        assert_eq!((shape.inputs, shape.aux), (501, 500));
        let columns = Columns::of(circuit(Shaped::ManyInputs, 1, 500));
        assert_eq!(columns.b_inputs, 500);

        let size = 4 * PRODUCT;
        let sparse = Columns::of(circuit(Shaped::SparseB, 1, size));
        assert!(sparse.b_aux > 0 && 100 * sparse.b_aux < size, "{sparse:?}");
        assert!(sparse.a_aux < size * 7 / 10, "{sparse:?}");

        let shape = Shape::of(circuit(Shaped::Dense, 1, 500)).expect("synthesises");
        let dense = Columns::of(circuit(Shaped::Dense, 1, 500));
        assert_eq!((dense.a_aux, dense.b_aux), (shape.aux, shape.aux));
    }
}
