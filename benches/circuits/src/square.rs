//! The least circuit with a public input and a private variable: for tests of what lies around a proof.

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use ff::PrimeField;

/// Knows a square root of the one public input. With the constraints that the prover adds for its two inputs it has three.
#[derive(Clone, Debug)]
pub struct SquareCircuit<F>(pub Option<F>);

impl<F: PrimeField> Circuit<F> for SquareCircuit<F> {
    fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let value = |scalar: Option<F>| scalar.ok_or(SynthesisError::AssignmentMissing);
        let root = cs.alloc(|| "root", || value(self.0))?;
        let square = cs.alloc_input(|| "square", || value(self.0.map(|root| root.square())))?;
        cs.enforce(
            || "root times root",
            |lc| lc + root,
            |lc| lc + root,
            |lc| lc + square,
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bellperson::util_cs::test_cs::TestConstraintSystem;
    use blstrs::Scalar as Fr;

    use super::*;

    #[test]
    fn it_holds_for_a_root_and_its_square_alone() {
        let mut cs = TestConstraintSystem::<Fr>::new();
        SquareCircuit(Some(Fr::from(3)))
            .synthesize(&mut cs)
            .expect("synthesises");
        assert!(cs.is_satisfied() && cs.verify(&[Fr::from(9)]));
        assert!(!cs.verify(&[Fr::from(8)]));
        let mut cs = TestConstraintSystem::<Fr>::new();
        assert!(SquareCircuit::<Fr>(None).synthesize(&mut cs).is_err());
    }
}
