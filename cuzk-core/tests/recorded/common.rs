//! What recorded synthesis is held to.

use bellperson::groth16::ProvingAssignment;
use bellperson::{Circuit, ConstraintSystem};
use blstrs::Scalar as Fr;
use cuzk_core::recorded::{Assignment, Compact, Outputs, Recorder, Recording, Witness};
use cuzk_core::synthesis::synthesize;
use ff::Field;

/// Plain synthesis.
pub fn plain<C: Circuit<Fr> + Send>(circuit: C) -> ProvingAssignment<Fr> {
    let mut synthesis = synthesize(vec![circuit], &Default::default()).expect("synthesises");
    synthesis.assignments.remove(0)
}

/// The variables of a circuit, collected by a witness generator.
pub fn witness<C: Circuit<Fr>>(circuit: C) -> Assignment {
    let mut witness = Witness::new();
    witness.alloc_input(|| "", || Ok(Fr::ONE)).expect("one");
    circuit.synthesize(&mut witness).expect("synthesises");
    witness
        .finish()
        .expect("only has parts that begin with one")
}

/// All private variables.
pub fn expanded(assignment: &Assignment) -> Vec<Fr> {
    let mut dense = assignment.dense().iter();
    (0..assignment.aux_len())
        .map(|i| {
            let bit = |words: &[u64]| words[i / 64] >> (i % 64) & 1;
            match bit(assignment.wide()) {
                0 => Fr::from(bit(assignment.bits())),
                _ => *dense.next().expect("one for each bit"),
            }
        })
        .collect()
}

/// a, b and c of a recording with these variables.
pub fn products(recording: &Recording, assignment: &Assignment) -> [Vec<Fr>; 3] {
    let mut values = [(); 3].map(|()| vec![-Fr::ONE; recording.shape().constraints]);
    let [a, b, c] = &mut values;
    recording
        .products(assignment, Outputs::over(a, b, c))
        .expect("is of this circuit");
    values
}

/// A recording of `blank` is right for `circuit`: the same circuit, with a witness.
pub fn agrees<C: Circuit<Fr> + Send + Clone>(blank: C, circuit: C) -> Recording {
    let recording = Recorder::record(blank).expect("records");
    agrees_with(&recording, circuit);
    recording
}

/// `recording` is right for `circuit`.
pub fn agrees_with<C: Circuit<Fr> + Send + Clone>(recording: &Recording, circuit: C) {
    let plain = plain(circuit.clone());
    let assignment = witness(circuit);
    assert_eq!(assignment.inputs(), plain.input_assignment());
    assert_eq!(expanded(&assignment), plain.aux_assignment());
    same_products(recording, &assignment, &plain);
    assert_eq!(recording.a_aux_density(), plain.a_aux_density());
    assert_eq!(recording.b_input_density(), plain.b_input_density());
    assert_eq!(recording.b_aux_density(), plain.b_aux_density());
}

fn same_products(recording: &Recording, assignment: &Assignment, plain: &ProvingAssignment<Fr>) {
    let expected = [plain.a(), plain.b(), plain.c()];
    let slow = recording.plain_products(plain.input_assignment(), plain.aux_assignment());
    let fast = products(recording, assignment);
    let mut compact = [Default::default()];
    recording
        .compact_products(&[assignment], &mut compact)
        .expect("is of this circuit");
    for (values, compact) in expected.iter().zip(&compact[0]) {
        assert_eq!(*compact, Compact::of(values));
        assert_eq!(compact.expand(), *values);
    }
    for (matrix, expected) in expected.iter().enumerate() {
        let name = ["a", "b", "c"][matrix];
        assert_eq!(slow[matrix].len(), expected.len());
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(slow[matrix][i], *value, "plain products, {name} of {i}");
            assert_eq!(fast[matrix][i], *value, "products, {name} of {i}");
        }
    }
}
