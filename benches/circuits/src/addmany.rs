//! Sums of 32-bit words: `UInt32::addmany` with two to ten operands in every form.

use bellperson::gadgets::boolean::Boolean;
use bellperson::gadgets::multieq::MultiEq;
use bellperson::gadgets::multipack;
use bellperson::gadgets::uint32::UInt32;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

use crate::mix::{self, Form};

/// Words that the sums are made from; each sum replaces one.
const WORDS: usize = 8;

/// An operand of a sum, in a form that does not depend on the witness.
#[derive(Clone, Debug)]
enum Operand {
    Word(usize),
    Rotated(usize, usize),
    /// Each bit of the word in a form of its own.
    Mixed(usize, Vec<Form>),
    Constant(u32),
}

impl Operand {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let word = rng.next_u32() as usize % WORDS;
        match rng.next_u32() % 8 {
            0..=2 => Operand::Word(word),
            3 | 4 => Operand::Rotated(word, 1 + rng.next_u32() as usize % 31),
            5 | 6 => Operand::Mixed(word, (0..32).map(|_| Form::usual(rng.next_u32())).collect()),
            _ => Operand::Constant(rng.next_u32()),
        }
    }

    fn gadget(&self, words: &[UInt32]) -> UInt32 {
        match self {
            Operand::Word(word) => words[*word].clone(),
            Operand::Rotated(word, by) => words[*word].rotr(*by),
            Operand::Mixed(word, forms) => {
                let bits: Vec<Boolean> = words[*word]
                    .clone()
                    .into_bits()
                    .iter()
                    .zip(forms)
                    .map(|(bit, form)| form.of(bit))
                    .collect();
                UInt32::from_bits(&bits)
            }
            Operand::Constant(value) => UInt32::constant(*value),
        }
    }

    fn value(&self, words: &[u32]) -> u32 {
        match self {
            Operand::Word(word) => words[*word],
            Operand::Rotated(word, by) => words[*word].rotate_right(*by as u32),
            Operand::Mixed(word, forms) => forms
                .iter()
                .enumerate()
                .map(|(i, form)| u32::from(form.value(words[*word] >> i & 1 == 1)) << i)
                .sum(),
            Operand::Constant(value) => *value,
        }
    }
}

/// A chain of sums over a few words, whose last values are public.
#[derive(Clone, Debug)]
pub struct AddManyCircuit {
    words: [u32; WORDS],
    sums: Vec<Vec<Operand>>,
}

impl AddManyCircuit {
    /// `sums` sums over words drawn from a seed.
    pub fn from_seed(seed: u64, sums: usize) -> Self {
        let mut structure = mix::structure(2);
        let sums = (0..sums)
            .map(|i| {
                let operands = 2 + i % 9;
                (0..operands)
                    .map(|_| Operand::random(&mut structure))
                    .collect()
            })
            .collect();
        let mut witness = mix::witness(seed, 2);
        AddManyCircuit {
            words: std::array::from_fn(|_| witness.next_u32()),
            sums,
        }
    }

    /// What a verifier has to be given.
    pub fn public_inputs<F: PrimeField>(&self) -> Vec<F> {
        let mut words = self.words;
        for (i, operands) in self.sums.iter().enumerate() {
            words[i % WORDS] = operands
                .iter()
                .fold(0, |sum, operand| operand.value(&words).wrapping_add(sum));
        }
        let bits: Vec<bool> = words
            .iter()
            .flat_map(|word| (0..32).map(move |i| word >> i & 1 == 1))
            .collect();
        multipack::compute_multipacking(&bits)
    }
}

impl<F: PrimeField> Circuit<F> for AddManyCircuit {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut words = self
            .words
            .iter()
            .enumerate()
            .map(|(i, &word)| UInt32::alloc(cs.namespace(|| format!("word {i}")), Some(word)))
            .collect::<Result<Vec<_>, _>>()?;
        {
            // Equalities of several sums share a constraint, as in the SHA-256 gadget.
            let mut equalities = MultiEq::new(cs.namespace(|| "sums"));
            for (i, operands) in self.sums.iter().enumerate() {
                let operands: Vec<UInt32> = operands
                    .iter()
                    .map(|operand| operand.gadget(&words))
                    .collect();
                words[i % WORDS] =
                    UInt32::addmany(equalities.namespace(|| format!("sum {i}")), &operands)?;
            }
        }
        let bits: Vec<Boolean> = words.into_iter().flat_map(UInt32::into_bits).collect();
        multipack::pack_into_inputs(cs.namespace(|| "words"), &bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use blstrs::Scalar;

    #[test]
    fn satisfied_and_equal_to_wrapping_sums() {
        for (seed, sums) in [(1, 0), (1, 1), (2, 9), (3, 100)] {
            let circuit = AddManyCircuit::from_seed(seed, sums);
            let inputs = circuit.public_inputs::<Scalar>();
            testing::holds(circuit, &inputs);
        }
    }

    #[test]
    fn every_form_of_operand_occurs() {
        let circuit = AddManyCircuit::from_seed(1, 100);
        let operands: Vec<&Operand> = circuit.sums.iter().flatten().collect();
        assert!(operands.iter().any(|o| matches!(o, Operand::Word(_))));
        assert!(operands.iter().any(|o| matches!(o, Operand::Rotated(..))));
        assert!(operands.iter().any(|o| matches!(o, Operand::Constant(_))));
        for form in Form::ALL {
            assert!(
                operands
                    .iter()
                    .any(|o| matches!(o, Operand::Mixed(_, forms) if forms.contains(&form)))
            );
        }
        assert!((2..=10).all(|n| circuit.sums.iter().any(|operands| operands.len() == n)));
    }

    #[test]
    fn a_false_result_bit_is_named() {
        testing::falsified(
            AddManyCircuit::from_seed(1, 20),
            "sums/sum 3/result bit 5/boolean",
            "sums/sum 7/multieq 0",
        );
    }

    #[test]
    fn seeds_share_their_matrices() {
        testing::same_matrices(
            AddManyCircuit::from_seed(1, 50),
            AddManyCircuit::from_seed(2, 50),
        );
    }
}
