//! `Boolean::enforce_equal` for every pair of forms that can be equal.

use bellperson::gadgets::boolean::Boolean;
use bellperson::gadgets::multipack;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;

use crate::mix::{self, Form};

/// Random bits; each is allocated twice, and once more negated.
const BANK: usize = 256;

/// The pairs that are satisfiable: all sixteen but one constant against the other, and a bit against itself.
const PAIRS: usize = 15;

/// Equalities between bits, negations and constants.
#[derive(Clone, Debug)]
pub struct EnforceEqualCircuit {
    bits: Vec<bool>,
    equalities: usize,
}

/// The variables that the equalities are between.
struct Bank {
    bits: Vec<Boolean>,
    same: Vec<Boolean>,
    opposite: Vec<Boolean>,
    one: Boolean,
    zero: Boolean,
}

impl Bank {
    /// The two sides of the equality with this number.
    fn pair(&self, number: usize) -> (Boolean, Boolean) {
        let i = number / PAIRS % BANK;
        let (bit, same, opposite) = (&self.bits[i], &self.same[i], &self.opposite[i]);
        let constant = |form: Form, value: bool| match form {
            Form::Is if value => self.one.clone(),
            Form::Is => self.zero.clone(),
            _ if value => self.zero.not(),
            _ => self.one.not(),
        };
        let (yes, no) = (Boolean::constant(true), Boolean::constant(false));
        match number % PAIRS {
            0 => (bit.clone(), same.clone()),
            1 => (bit.not(), same.not()),
            2 => (bit.clone(), opposite.not()),
            3 => (opposite.not(), bit.clone()),
            // The same variable on both sides cancels out and leaves a coefficient of zero.
            4 => (bit.clone(), bit.clone()),
            5 => (constant(Form::Is, true), yes),
            6 => (constant(Form::Not, true), yes),
            7 => (yes, constant(Form::Is, true)),
            8 => (yes, constant(Form::Not, true)),
            9 => (constant(Form::Is, false), no),
            10 => (constant(Form::Not, false), no),
            11 => (no, constant(Form::Is, false)),
            12 => (no, constant(Form::Not, false)),
            13 => (yes.clone(), yes),
            _ => (no.clone(), no),
        }
    }
}

impl EnforceEqualCircuit {
    /// `equalities` equalities between bits drawn from a seed.
    pub fn from_seed(seed: u64, equalities: usize) -> Self {
        EnforceEqualCircuit {
            bits: mix::random_bits(&mut mix::witness(seed, 5), BANK),
            equalities,
        }
    }

    /// What a verifier has to be given.
    pub fn public_inputs<F: PrimeField>(&self) -> Vec<F> {
        multipack::compute_multipacking(&self.bits)
    }
}

impl<F: PrimeField> Circuit<F> for EnforceEqualCircuit {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let negated: Vec<bool> = self.bits.iter().map(|bit| !bit).collect();
        let constants = mix::alloc_bits(cs, "constant", &[false, true])?;
        let bank = Bank {
            bits: mix::alloc_bits(cs, "bit", &self.bits)?,
            same: mix::alloc_bits(cs, "same", &self.bits)?,
            opposite: mix::alloc_bits(cs, "opposite", &negated)?,
            zero: constants[0].clone(),
            one: constants[1].clone(),
        };
        for i in 0..self.equalities {
            let (left, right) = bank.pair(i);
            Boolean::enforce_equal(cs.namespace(|| format!("equality {i}")), &left, &right)?;
        }
        multipack::pack_into_inputs(cs.namespace(|| "bits"), &bank.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use blstrs::Scalar;

    #[test]
    fn satisfied() {
        for (seed, equalities) in [(1, 0), (1, 1), (2, PAIRS), (3, 5 * PAIRS + 2)] {
            let circuit = EnforceEqualCircuit::from_seed(seed, equalities);
            let inputs = circuit.public_inputs::<Scalar>();
            testing::holds(circuit, &inputs);
        }
    }

    #[test]
    fn a_false_side_is_named_in_every_pair_that_has_a_variable() {
        let circuit = || EnforceEqualCircuit::from_seed(1, PAIRS);
        testing::falsified(circuit(), "same 0/boolean", "equality 0/enforce equal");
        testing::falsified(circuit(), "opposite 0/boolean", "equality 2/enforce equal");
        testing::falsified(
            circuit(),
            "constant 1/boolean",
            "equality 5/enforce equal to one",
        );
        testing::falsified(
            circuit(),
            "constant 0/boolean",
            "equality 6/enforce equal to one",
        );
    }

    #[test]
    fn seeds_share_their_matrices() {
        testing::same_matrices(
            EnforceEqualCircuit::from_seed(1, 100),
            EnforceEqualCircuit::from_seed(2, 100),
        );
    }
}
