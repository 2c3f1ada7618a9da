//! Real circuits as a witness generator sees them: gadgets that compute their variables natively must append those of
//! plain synthesis.

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

fn check<C: Circuit<Fr> + Clone + Send>((circuit, _): (C, Vec<Fr>)) {
    let plain = synthesize(vec![circuit.clone()], &SynthesisOptions::default()).expect("plain");
    let plain = &plain.assignments[0];
    let start = std::time::Instant::now();
    let native = Assignment::of(circuit.clone()).expect("native");
    drop(native);
    let cold = start.elapsed();
    let mut best = cold;
    for _ in 0..5 {
    let start = std::time::Instant::now();
    let n = Assignment::of(circuit.clone()).expect("native");
    best = best.min(start.elapsed());
    drop(n);
    }
    let native = Assignment::of(circuit.clone()).expect("native");
    let dense = native.aux.iter().filter(|v| **v != Fr::ZERO && **v != Fr::ONE).count();
    println!("{} variables, dense {dense}, {} ns each (cold {})", native.aux.len(), best.as_nanos() as usize / native.aux.len(), cold.as_nanos() as usize / native.aux.len());
    assert_eq!(native.inputs, plain.input_assignment());
    assert_eq!(native.aux.len(), plain.aux_assignment().len());
    let different = (0..native.aux.len()).find(|&i| native.aux[i] != plain.aux_assignment()[i]);
    assert_eq!(different, None);
}

#[test]
fn proofs_of_spacetime() {
    check(sectors::winning(7).expect("sealed"));
    check(sectors::window(7, if cfg!(debug_assertions) { 3 } else { 100 }).expect("sealed"));
}

#[test]
fn new_data_in_a_sector() {
    check(sectors::snap(7).expect("sealed"));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_proof_of_replication() {
    check(porep::circuit(7).expect("sealed"));
}
