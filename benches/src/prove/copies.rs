//! Copies of synthesised batches, for provers that consume what they are given.
//!
//! A copy is made with what constraint systems offer for circuits that are put together from parts, so it needs nothing
//! of the stack. It is equal in every vector; only spare capacity differs.

use anyhow::{Context, Result};
use bellperson::ConstraintSystem;
use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;
use cuzk_core::synthesis::Synthesis;
use rayon::prelude::*;

/// A copy of a batch. Its pages have been touched, as those of a synthesis are.
pub fn copy(synthesis: &Synthesis) -> Result<Synthesis> {
    let assignments = synthesis.assignments.par_iter().map(copy_of);
    Ok(Synthesis {
        assignments: assignments.collect::<Result<_>>()?,
        wall: synthesis.wall,
    })
}

fn copy_of(assignment: &ProvingAssignment<Fr>) -> Result<ProvingAssignment<Fr>> {
    let one = assignment.input_assignment().first();
    let one = *one.context("an assignment without the constant one")?;
    let mut copy = ProvingAssignment::<Fr>::new();
    // The first input of what is appended is left out: each part of a circuit has the constant one of its own.
    copy.alloc_input(|| "one", || Ok(one))?;
    copy.extend(assignment);
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use bellperson::groth16::{Parameters, generate_random_parameters};
    use blstrs::Bls12;
    use cuzk_circuits::parameters::public_rng;
    use cuzk_circuits::{Blend, BlendCircuit, Shaped, ShapedCircuit};
    use cuzk_core::backend::{Randomness, prove_verified};
    use cuzk_core::synthesis::{SynthesisOptions, synthesize};

    use super::*;

    #[test]
    fn a_copy_is_equal_and_so_is_its_proof() {
        let circuit = BlendCircuit::from_seed(Blend::Porep, 1, 0, 8).expect("a size");
        let parameters: Parameters<Bls12> =
            generate_random_parameters(circuit.clone(), &mut public_rng()).expect("generated");
        let original = synthesize(vec![circuit.clone(), circuit], &SynthesisOptions::default());
        let original = original.expect("synthesised");
        let copied = copy(&original).expect("copied");
        assert!(copied.assignments == original.assignments);
        assert_eq!(copied.shape(), original.shape());

        let randomness = Randomness {
            r: vec![Fr::from(2), Fr::from(3)],
            s: vec![Fr::from(4), Fr::from(5)],
        };
        let prove = |synthesis| prove_verified(synthesis, &parameters, &randomness);
        let proofs = [copied, original].map(|synthesis| prove(synthesis).expect("proven").proofs);
        assert!(proofs[0] == proofs[1]);
    }

    /// Inputs in all three matrices, the constant one in B or not.
    #[test]
    fn inputs_are_copied_with_their_densities() {
        for shape in [Shaped::ManyInputs, Shaped::SparseB, Shaped::Dense] {
            let circuit = ShapedCircuit::from_seed(shape, 1, 50);
            let original = synthesize(vec![circuit], &SynthesisOptions::default());
            let original = original.expect("synthesised");
            let copied = copy(&original).expect("copied");
            assert!(copied.assignments == original.assignments, "{shape:?}");
        }
    }
}
