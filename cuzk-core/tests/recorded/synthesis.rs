//! The door of recorded synthesis.

use blstrs::Scalar as Fr;
use cuzk_circuits::{MultipackCircuit, Sha256Circuit};
use cuzk_core::Error;
use cuzk_core::backend::{Randomness, prove_verified};
use cuzk_core::parameters::generate;
use cuzk_core::recorded::{
    Compact, OnMismatch, Outputs, Pool, RecordedError, RecordedOptions, Recorder, Recording,
    synthesize_compact, synthesize_recorded,
};
use cuzk_core::synthesis::synthesize;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use crate::common::{plain, products, witness};

fn recording() -> Recording {
    Recorder::record(Sha256Circuit::blank(1)).expect("records")
}

fn circuits(seeds: &[u64]) -> Vec<Sha256Circuit> {
    seeds
        .iter()
        .map(|seed| Sha256Circuit::from_seed(*seed, 1))
        .collect()
}

#[test]
fn batches_are_those_of_plain_synthesis() {
    let (recording, pool) = (recording(), Pool::new());
    let options = RecordedOptions {
        self_check: true,
        ..Default::default()
    };
    let mut held = 0;
    for seeds in [&[1, 2, 3][..], &[4], &[5, 6], &[7, 8, 9]] {
        let recorded = synthesize_recorded(
            circuits(seeds),
            || circuits(seeds),
            &recording,
            &options,
            &pool,
        );
        let recorded = recorded.expect("synthesises");
        assert!(recorded.times.is_some() && recorded.fell_back.is_none());
        let assignments = recorded.synthesis.assignments;
        assert_eq!(assignments.len(), seeds.len());
        for (assignment, seed) in assignments.into_iter().zip(seeds) {
            assert!(assignment == plain(Sha256Circuit::from_seed(*seed, 1)));
            pool.give(assignment);
        }
        // Whatever a batch needed is there for the next one.
        held = held.max(pool.bytes());
        assert_eq!(pool.bytes(), held);
    }
    pool.clear();
    assert_eq!(pool.bytes(), 0);
}

#[test]
fn the_compact_form_is_small_and_expands_to_plain_synthesis() {
    let (recording, pool) = (recording(), Pool::new());
    for seeds in [&[1, 2, 3][..], &[4], &[5, 6]] {
        let compact = synthesize_compact(circuits(seeds), &recording, &pool).expect("synthesises");
        let bytes = compact.bytes();
        assert_eq!(compact.parts().len(), seeds.len());
        let synthesis = compact
            .expand(&recording, &pool)
            .expect("is of this recording");
        let scalars = 3 * recording.shape().constraints + recording.shape().aux;
        assert!(
            bytes * 20 < seeds.len() * scalars * size_of::<Fr>(),
            "{bytes} bytes"
        );
        for (assignment, seed) in synthesis.assignments.into_iter().zip(seeds) {
            assert!(assignment == plain(Sha256Circuit::from_seed(*seed, 1)));
            pool.give(assignment);
        }
    }

    let compact = synthesize_compact(circuits(&[1]), &recording, &pool).expect("synthesises");
    let other = Recorder::record(MultipackCircuit::from_seed(1, 2)).expect("records");
    let refused = compact.expand(&other, &pool).err().expect("is another");
    assert!(
        matches!(refused, RecordedError::WrongCircuit { .. }),
        "{refused}"
    );
    let nothing = synthesize_compact(circuits(&[]), &recording, &pool);
    let nothing = nothing.err().expect("is empty");
    assert!(
        matches!(nothing, RecordedError::Plain(Error::NoCircuits)),
        "{nothing}"
    );
}

#[test]
fn proofs_have_the_same_bytes() {
    let circuit = || Sha256Circuit::from_seed(1, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let parameters = generate(|| Sha256Circuit::blank(1), &mut rng, &()).expect("generates");
    let bytes = |synthesis| {
        let randomness = Randomness {
            r: vec![Fr::from(5)],
            s: vec![Fr::from(7)],
        };
        let proved = prove_verified(synthesis, &parameters, &randomness).expect("verifies");
        let mut bytes = Vec::new();
        proved.proofs[0].write(&mut bytes).expect("writes");
        bytes
    };
    let (recording, pool) = (recording(), Pool::new());
    let plain = synthesize(vec![circuit()], &Default::default()).expect("synthesises");
    let options = RecordedOptions::default();
    let recorded = synthesize_recorded(vec![circuit()], Vec::new, &recording, &options, &pool);
    let compact = synthesize_compact(vec![circuit()], &recording, &pool).expect("synthesises");
    let expanded = compact.expand(&recording, &pool).expect("expands");
    let expected = bytes(plain);
    assert_eq!(bytes(recorded.expect("synthesises").synthesis), expected);
    assert_eq!(bytes(expanded), expected);
}

#[test]
fn another_circuit_is_refused_or_synthesised_plainly() {
    let (recording, pool) = (recording(), Pool::new());
    let other = || vec![MultipackCircuit::from_seed(1, 3)];
    let refused = synthesize_recorded(other(), other, &recording, &Default::default(), &pool);
    let refused = refused.err().expect("is another circuit");
    assert!(
        matches!(refused, RecordedError::WrongCircuit { .. }),
        "{refused}"
    );

    let options = RecordedOptions {
        on_mismatch: OnMismatch::Plain,
        ..Default::default()
    };
    let fell_back =
        synthesize_recorded(other(), other, &recording, &options, &pool).expect("falls back");
    let why = fell_back.fell_back.expect("says why");
    assert!(matches!(why, RecordedError::WrongCircuit { .. }), "{why}");
    assert!(fell_back.synthesis.assignments[0] == plain(MultipackCircuit::from_seed(1, 3)));

    let off = RecordedOptions {
        enabled: false,
        ..Default::default()
    };
    let off = synthesize_recorded(other(), other, &recording, &off, &pool).expect("is plain");
    assert!(off.times.is_none() && off.fell_back.is_none());

    let nothing = synthesize_recorded(
        circuits(&[]),
        Vec::new,
        &recording,
        &Default::default(),
        &pool,
    );
    let nothing = nothing.err().expect("is empty");
    assert!(
        matches!(nothing, RecordedError::Plain(Error::NoCircuits)),
        "{nothing}"
    );

    let blank = vec![Sha256Circuit::blank(1)];
    let blank = synthesize_recorded(blank, Vec::new, &recording, &options, &pool)
        .err()
        .expect("is blank");
    assert!(matches!(blank, RecordedError::Circuit(_)), "{blank}");
}

/// A circuit with the same counts and other constraints: the self-check finds it.
#[test]
fn the_self_check_finds_other_constraints() {
    use crate::random::{Number, Step, Steps};
    let circuit = |coefficient, blank| Steps {
        steps: vec![
            Step::Private(Number::Random(9)),
            Step::Row([
                vec![(1, Number::Small(coefficient))],
                vec![(1, Number::Small(1))],
                vec![],
            ]),
        ],
        blank,
        other: false,
    };
    let recording = Recorder::record(circuit(2, true)).expect("records");
    let options = RecordedOptions {
        self_check: true,
        ..Default::default()
    };
    let check = |circuit: Steps| {
        let again = || vec![circuit.clone()];
        synthesize_recorded(again(), again, &recording, &options, &Pool::new())
    };
    assert!(check(circuit(2, false)).is_ok());
    let nothing =
        |circuit| synthesize_recorded(vec![circuit], Vec::new, &recording, &options, &Pool::new());
    let nothing = nothing(circuit(2, false))
        .err()
        .expect("is not there again");
    assert!(
        matches!(nothing, RecordedError::NotAgain { count: 1, again: 0 }),
        "{nothing}"
    );
    match check(circuit(3, false)).err().expect("differs") {
        RecordedError::Differs {
            index: 0,
            vector: "a",
            position: Some(0),
        } => {}
        other => panic!("{other}"),
    }
}

/// One pass for several assignments, and wrong sizes.
#[test]
fn several_assignments_at_once() {
    let recording = recording();
    let rows = recording.shape().constraints;
    let assignments: Vec<_> = circuits(&[1, 2, 3]).into_iter().map(witness).collect();
    let references: Vec<_> = assignments.iter().collect();
    let mut values = vec![[(); 3].map(|()| vec![Fr::ONE; rows]); 3];
    let outputs = |values: &mut [[Vec<Fr>; 3]]| {
        let each = values.iter_mut().map(|[a, b, c]| Outputs::over(a, b, c));
        // The borrow ends with the call that these go to.
        let each: Vec<Outputs<'_>> = each.collect();
        recording.products_of_all(&references, each)
    };
    outputs(&mut values).expect("fits");
    let mut compact = vec![<[Compact; 3]>::default(); 3];
    recording
        .compact_products(&references, &mut compact)
        .expect("fits");
    // Memory of an earlier call is used again.
    recording
        .compact_products(&references, &mut compact)
        .expect("fits");
    for ((assignment, values), compact) in assignments.iter().zip(&values).zip(&compact) {
        assert_eq!(products(&recording, assignment), *values);
        assert_eq!(compact.each_ref().map(Compact::expand), *values);
    }

    values[1][2].pop();
    let short = outputs(&mut values).expect_err("is too short");
    assert!(
        matches!(short, RecordedError::WrongLength { .. }),
        "{short}"
    );
    let few = outputs(&mut values[..2]).expect_err("are too few");
    assert!(matches!(few, RecordedError::WrongCount { .. }), "{few}");
    let few = recording
        .compact_products(&references, &mut compact[..2])
        .expect_err("are too few");
    assert!(matches!(few, RecordedError::WrongCount { .. }), "{few}");

    let other = witness(MultipackCircuit::from_seed(1, 2));
    let mut values = [(); 3].map(|()| vec![Fr::ONE; rows]);
    let [a, b, c] = &mut values;
    let wrong = recording
        .products(&other, Outputs::over(a, b, c))
        .expect_err("is another circuit");
    assert!(
        matches!(wrong, RecordedError::WrongCircuit { .. }),
        "{wrong}"
    );
}
