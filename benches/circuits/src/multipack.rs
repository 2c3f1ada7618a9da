//! Packing of bits into scalars, private (`pack_bits`) and public (`pack_into_inputs`).

use bellperson::gadgets::boolean::Boolean;
use bellperson::gadgets::multipack;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_core::RngCore;

use crate::mix::{self, Form};

/// Allocated bits that the packings draw from.
const BANK: usize = 512;
/// One packing in this many is public.
const PUBLIC: usize = 32;

/// A stretch of the bank, each bit in a form of its own. It may be longer than the bank, so that bits come twice.
#[derive(Clone, Debug)]
struct Window {
    start: usize,
    forms: Vec<Form>,
}

impl Window {
    fn gadget(&self, bank: &[Boolean]) -> Vec<Boolean> {
        let bits = bank.iter().cycle().skip(self.start);
        bits.zip(&self.forms)
            .map(|(bit, form)| form.of(bit))
            .collect()
    }

    fn value(&self, bank: &[bool]) -> Vec<bool> {
        let bits = bank.iter().cycle().skip(self.start);
        bits.zip(&self.forms)
            .map(|(bit, form)| form.value(*bit))
            .collect()
    }
}

/// Packings of bits that are allocated, negated and constant.
#[derive(Clone, Debug)]
pub struct MultipackCircuit {
    bank: Vec<bool>,
    windows: Vec<Window>,
}

impl MultipackCircuit {
    /// `packings` packings of bits drawn from a seed.
    pub fn from_seed(seed: u64, packings: usize) -> Self {
        let mut structure = mix::structure(3);
        let windows = (0..packings)
            .map(|i| {
                // Public ones exceed one scalar; private ones vary around and below it.
                let len = match i % PUBLIC {
                    0 => 700,
                    _ => 128 + structure.next_u32() as usize % 128,
                };
                Window {
                    start: structure.next_u32() as usize % BANK,
                    forms: (0..len)
                        .map(|_| Form::usual(structure.next_u32()))
                        .collect(),
                }
            })
            .collect();
        MultipackCircuit {
            bank: mix::random_bits(&mut mix::witness(seed, 3), BANK),
            windows,
        }
    }

    /// What a verifier has to be given.
    pub fn public_inputs<F: PrimeField>(&self) -> Vec<F> {
        self.windows
            .iter()
            .step_by(PUBLIC)
            .flat_map(|window| multipack::compute_multipacking::<F>(&window.value(&self.bank)))
            .collect()
    }
}

impl<F: PrimeField> Circuit<F> for MultipackCircuit {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let bank = mix::alloc_bits(cs, "bit", &self.bank)?;
        for (i, window) in self.windows.iter().enumerate() {
            let bits = window.gadget(&bank);
            let cs = cs.namespace(|| format!("packing {i}"));
            if i % PUBLIC == 0 {
                multipack::pack_into_inputs(cs, &bits)?;
            } else {
                multipack::pack_bits(cs, &bits)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use bellperson::util_cs::test_cs::TestConstraintSystem;
    use blstrs::Scalar;

    #[test]
    fn satisfied_and_equal_to_plain_packing() {
        for (seed, packings) in [(1, 0), (1, 1), (2, 70)] {
            let circuit = MultipackCircuit::from_seed(seed, packings);
            let inputs = circuit.public_inputs::<Scalar>();
            testing::holds(circuit, &inputs);
        }
    }

    #[test]
    fn private_packings_equal_plain_ones() {
        let circuit = MultipackCircuit::from_seed(5, 20);
        let mut cs = TestConstraintSystem::<Scalar>::new();
        circuit
            .clone()
            .synthesize(&mut cs)
            .expect("has a whole witness");
        for (i, window) in circuit.windows.iter().enumerate().skip(1) {
            let plain = multipack::compute_multipacking::<Scalar>(&window.value(&circuit.bank));
            assert_eq!(cs.get(&format!("packing {i}/input/num")), plain[0]);
        }
    }

    #[test]
    fn a_false_packing_is_named() {
        testing::falsified(
            MultipackCircuit::from_seed(1, 10),
            "packing 3/input/num",
            "packing 3/packing constraint",
        );
    }

    #[test]
    fn seeds_share_their_matrices() {
        testing::same_matrices(
            MultipackCircuit::from_seed(1, 40),
            MultipackCircuit::from_seed(2, 40),
        );
    }
}
