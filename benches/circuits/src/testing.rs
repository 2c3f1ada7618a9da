//! What every circuit of this crate is held to.

use bellperson::Circuit;
use bellperson::util_cs::test_cs::TestConstraintSystem;
use blstrs::Scalar;
use ff::Field;

use crate::matrices::Matrices;

/// The circuit is satisfied and its public inputs are these.
pub(crate) fn holds<C: Circuit<Scalar>>(circuit: C, inputs: &[Scalar]) {
    let mut cs = TestConstraintSystem::new();
    circuit.synthesize(&mut cs).expect("has a whole witness");
    assert_eq!(cs.which_is_unsatisfied(), None);
    assert!(cs.verify(inputs), "public inputs differ");
}

/// With the value of one bit or number replaced, a constraint is not satisfied, and it is the named one.
///
/// A bit is flipped; a bit's own constraint goes on holding, so the one that is named lies where it is used.
pub(crate) fn falsified<C: Circuit<Scalar>>(circuit: C, variable: &str, constraint: &str) {
    let mut cs = TestConstraintSystem::new();
    circuit.synthesize(&mut cs).expect("has a whole witness");
    let value = cs.get(variable);
    cs.set(variable, Scalar::ONE - value);
    assert!(!cs.is_satisfied());
    let named = cs.which_is_unsatisfied().expect("one is unsatisfied");
    assert!(named.starts_with(constraint), "{named}, not {constraint}");
}

/// Two circuits have the same matrices.
pub(crate) fn same_matrices(left: impl Circuit<Scalar>, right: impl Circuit<Scalar>) {
    let left = Matrices::of(left).expect("synthesises");
    let right = Matrices::of(right).expect("synthesises");
    assert_eq!(left, right);
}
