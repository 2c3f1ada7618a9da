//! Three-bit table lookups, plain and with conditional negation, for every mixture of the forms of their bits.

use bellperson::gadgets::boolean::Boolean;
use bellperson::gadgets::lookup::{lookup3_xy, lookup3_xy_with_conditional_negation};
use bellperson::gadgets::num::Num;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;
use rand_core::RngCore;

use crate::mix::{self, Form};

/// Allocated bits that select from the tables.
const BANK: usize = 192;
/// Forms of three bits.
const MIXTURES: usize = 64;

/// Which bits a lookup takes, in which forms.
#[derive(Clone, Debug)]
struct Selection([(usize, Form); 3]);

impl Selection {
    fn gadget(&self, bank: &[Boolean]) -> Vec<Boolean> {
        self.0
            .iter()
            .map(|&(bit, form)| form.of(&bank[bit]))
            .collect()
    }

    fn value(&self, bank: &[bool]) -> [bool; 3] {
        self.0.map(|(bit, form)| form.value(bank[bit]))
    }
}

/// Pairs of lookups, plain and negating; now and then the results are public.
#[derive(Clone, Debug)]
pub struct LookupCircuit<F> {
    bank: Vec<bool>,
    selections: Vec<Selection>,
    table: Vec<(F, F)>,
}

impl<F: PrimeField> LookupCircuit<F> {
    /// `lookups` lookups of each kind, by bits drawn from a seed.
    pub fn from_seed(seed: u64, lookups: usize) -> Self {
        let mut structure = mix::structure(4);
        let selections = (0..lookups)
            .map(|i| {
                Selection(std::array::from_fn(|bit| {
                    // All mixtures in turn: the base-4 digits of the lookup's number.
                    let form = Form::ALL[i >> (2 * bit) & 3];
                    (structure.next_u32() as usize % BANK, form)
                }))
            })
            .collect();
        let table = (0..8)
            .map(|_| (F::random(&mut structure), F::random(&mut structure)))
            .collect();
        LookupCircuit {
            bank: mix::random_bits(&mut mix::witness(seed, 4), BANK),
            selections,
            table,
        }
    }

    /// One lookup of each mixture is public, another one in each round over all mixtures.
    fn is_public(lookup: usize) -> bool {
        lookup % MIXTURES == lookup / MIXTURES % MIXTURES
    }

    /// What a verifier has to be given.
    pub fn public_inputs(&self) -> Vec<F> {
        let mut inputs = Vec::new();
        for (i, selection) in self.selections.iter().enumerate() {
            if Self::is_public(i) {
                let [low, middle, high] = selection.value(&self.bank);
                let (x, y) =
                    self.table[usize::from(low) + 2 * usize::from(middle) + 4 * usize::from(high)];
                inputs.extend([x, y]);
                let (x, y) = self.table[usize::from(low) + 2 * usize::from(middle)];
                inputs.extend([x, if high { -y } else { y }]);
            }
        }
        inputs
    }
}

/// Makes a linear combination public.
fn expose<F: PrimeField, CS: ConstraintSystem<F>>(
    mut cs: CS,
    num: &Num<F>,
) -> Result<(), SynthesisError> {
    let input = cs.alloc_input(
        || "input",
        || num.get_value().ok_or(SynthesisError::AssignmentMissing),
    )?;
    cs.enforce(
        || "exposed",
        |lc| lc + &num.lc(F::ONE),
        |lc| lc + CS::one(),
        |lc| lc + input,
    );
    Ok(())
}

impl<F: PrimeField> Circuit<F> for LookupCircuit<F> {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let bank = mix::alloc_bits(cs, "bit", &self.bank)?;
        for (i, selection) in self.selections.iter().enumerate() {
            let mut cs = cs.namespace(|| format!("lookup {i}"));
            let bits = selection.gadget(&bank);
            let (x, y) = lookup3_xy(cs.namespace(|| "plain"), &bits, &self.table)?;
            let (negated_x, negated_y) = lookup3_xy_with_conditional_negation(
                cs.namespace(|| "negating"),
                &bits,
                &self.table[..4],
            )?;
            if Self::is_public(i) {
                expose(cs.namespace(|| "x"), &x.into())?;
                expose(cs.namespace(|| "y"), &y.into())?;
                expose(cs.namespace(|| "negating x"), &negated_x)?;
                expose(cs.namespace(|| "negating y"), &negated_y)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use blstrs::Scalar;

    #[test]
    fn satisfied_and_equal_to_indexing() {
        for (seed, lookups) in [(1, 0), (1, 1), (2, MIXTURES), (3, 3 * MIXTURES)] {
            let circuit = LookupCircuit::<Scalar>::from_seed(seed, lookups);
            let inputs = circuit.public_inputs();
            testing::holds(circuit, &inputs);
        }
    }

    #[test]
    fn every_mixture_is_public_once() {
        let lookups = MIXTURES * MIXTURES;
        let public: Vec<usize> = (0..lookups)
            .filter(|&i| LookupCircuit::<Scalar>::is_public(i))
            .map(|i| i % MIXTURES)
            .collect();
        assert_eq!(public, (0..MIXTURES).collect::<Vec<_>>());
    }

    #[test]
    fn a_false_coordinate_is_named() {
        for (variable, constraint) in [
            ("lookup 9/plain/x/num", "lookup 9/plain/x-coordinate lookup"),
            (
                "lookup 9/negating/y/num",
                "lookup 9/negating/y-coordinate lookup",
            ),
        ] {
            testing::falsified(
                LookupCircuit::<Scalar>::from_seed(1, MIXTURES),
                variable,
                constraint,
            );
        }
    }

    #[test]
    fn seeds_share_their_matrices() {
        testing::same_matrices(
            LookupCircuit::<Scalar>::from_seed(1, 200),
            LookupCircuit::<Scalar>::from_seed(2, 200),
        );
    }
}
