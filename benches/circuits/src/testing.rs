//! What every circuit of this crate is held to.

use std::collections::BTreeSet;

use bellperson::util_cs::test_cs::TestConstraintSystem;
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
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

/// How many variables occur in A and in B: what a prover calls densities.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Auxiliary variables in A.
    pub a_aux: usize,
    /// Auxiliary variables in B.
    pub b_aux: usize,
    /// Inputs in B, the constant one included.
    pub b_inputs: usize,
}

impl Columns {
    pub(crate) fn of(circuit: impl Circuit<Scalar>) -> Self {
        let mut seen = Seen::default();
        seen.alloc_input(|| "", || Ok(Scalar::ONE)).expect("one");
        circuit.synthesize(&mut seen).expect("synthesises");
        let aux = |seen: &BTreeSet<(bool, usize)>| seen.iter().filter(|(aux, _)| *aux).count();
        Columns {
            a_aux: aux(&seen.a),
            b_aux: aux(&seen.b),
            b_inputs: seen.b.len() - aux(&seen.b),
        }
    }
}

/// The variables that occurred, as (auxiliary, index).
#[derive(Default)]
struct Seen {
    a: BTreeSet<(bool, usize)>,
    b: BTreeSet<(bool, usize)>,
    aux: usize,
    inputs: usize,
}

impl ConstraintSystem<Scalar> for Seen {
    type Root = Self;

    fn alloc<V, A, AR>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<V, A, AR>(&mut self, _: A, _: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let rows = [
            (&mut self.a, a(LinearCombination::zero())),
            (&mut self.b, b(LinearCombination::zero())),
        ];
        for (seen, row) in rows {
            seen.extend(row.iter().map(|(Variable(index), _)| match index {
                Index::Input(index) => (false, index),
                Index::Aux(index) => (true, index),
            }));
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
