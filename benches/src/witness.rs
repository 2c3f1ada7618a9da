//! Real circuits as a witness generator sees them: gadgets that compute their variables natively must append those of
//! plain synthesis.

use anyhow::Result;
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use ff::Field;

use crate::{porep, sectors};

/// The assignment of a circuit and nothing else, from a constraint system that says it is a witness generator.
struct Assignment {
    inputs: Vec<Fr>,
    aux: Vec<Fr>,
}

impl Assignment {
    fn of(circuit: impl Circuit<Fr>) -> Result<Self, SynthesisError> {
        let mut assignment = Self::new();
        assignment.inputs.push(Fr::ONE);
        circuit.synthesize(&mut assignment)?;
        Ok(assignment)
    }
}

impl ConstraintSystem<Fr> for Assignment {
    type Root = Self;

    fn new() -> Self {
        Self {
            inputs: Vec::new(),
            aux: Vec::new(),
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
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

    fn is_extensible() -> bool {
        true
    }

    // The other one's first input is a temporary one.
    fn extend(&mut self, other: &Self) {
        self.inputs.extend(other.inputs.iter().skip(1));
        self.aux.extend(&other.aux);
    }

    fn is_witness_generator(&self) -> bool {
        true
    }

    fn extend_inputs(&mut self, new: &[Fr]) {
        self.inputs.extend(new);
    }

    fn extend_aux(&mut self, new: &[Fr]) {
        self.aux.extend(new);
    }
}

fn check<C: Circuit<Fr> + Clone + Send>(name: &str, circuit: Result<(C, Vec<Fr>)>) {
    let (circuit, inputs) = circuit.expect("sealed");
    let plain = synthesize(vec![circuit.clone()], &SynthesisOptions::default());
    let plain = plain.expect("synthesised").assignments.remove(0);
    let native = Assignment::of(circuit).expect("evaluated");
    assert_eq!(native.inputs[1..], inputs, "{name}");
    assert_eq!(native.inputs, plain.input_assignment(), "{name}");
    let (native, plain) = (&native.aux[..], plain.aux_assignment());
    assert_eq!(native.len(), plain.len(), "{name}");
    let different = native.iter().zip(plain).position(|(a, b)| a != b);
    assert_eq!(different, None, "{name}");
}

/// One test, because the environment is set once.
#[test]
fn native_witnesses_are_those_of_plain_synthesis() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    // SAFETY: tests of this binary that run beside this one read no environment.
    unsafe { porep::set_environment(scratch.path()) };
    for seed in [7, 8] {
        check("winning", sectors::winning(seed));
        check("window", sectors::window(seed, 3));
        check("snap", sectors::snap(seed));
        // Sealing and synthesis take minutes without optimisation.
        if !cfg!(debug_assertions) {
            check("porep", porep::circuit(seed));
        }
    }
}
