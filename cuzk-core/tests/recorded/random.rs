//! Random circuits.

use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use ff::Field;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{agrees, agrees_with};

/// A scalar by a short description, so that a failing case reads well.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Small(i64),
    Power(u32),
    MinusPower(u32),
    Random(u64),
}

impl Number {
    fn scalar(self) -> Fr {
        let power = |exponent: u32| Fr::from(2).pow_vartime([u64::from(exponent)]);
        match self {
            Self::Small(value) if value < 0 => -Fr::from(value.unsigned_abs()),
            Self::Small(value) => Fr::from(value as u64),
            Self::Power(exponent) => power(exponent),
            Self::MinusPower(exponent) => -power(exponent),
            Self::Random(seed) => (Fr::from(seed) + Fr::from(3)).pow_vartime([seed | 1 << 60]),
        }
    }
}

/// A step of a circuit. Variables are named by numbers that are reduced to how many there are.
#[derive(Clone, Debug)]
pub enum Step {
    Private(Number),
    Bits(u64, u8),
    Input(Number),
    Row([Vec<(u16, Number)>; 3]),
    /// `rows` rows, of which each term advances by its own step.
    Rows {
        rows: u8,
        terms: [Vec<(u16, u8, Number)>; 3],
    },
    /// A row in which `count` private variables, `step` apart, have a coefficient that doubles or stays.
    Word {
        first: u16,
        step: u8,
        count: u8,
        coefficient: Number,
        doubles: bool,
    },
    Part(Vec<Step>),
}

/// A circuit of steps. Without a witness it has no values.
#[derive(Clone, Debug)]
pub struct Steps {
    pub steps: Vec<Step>,
    pub blank: bool,
    /// Flips bits and changes other values.
    pub other: bool,
}

impl Steps {
    fn value(&self, number: Number) -> Result<Fr, SynthesisError> {
        match self.blank {
            true => Err(SynthesisError::AssignmentMissing),
            false if self.other => Ok(Fr::ONE - number.scalar()),
            false => Ok(number.scalar()),
        }
    }

    fn run<CS: ConstraintSystem<Fr>>(
        &self,
        steps: &[Step],
        cs: &mut CS,
        mut aux: usize,
        mut inputs: usize,
    ) -> Result<(usize, usize), SynthesisError> {
        for step in steps {
            let variable = |name: usize| match name % (aux + inputs) {
                i if i < inputs => Variable(Index::Input(i)),
                i => Variable(Index::Aux(i - inputs)),
            };
            match step {
                Step::Private(number) => {
                    cs.alloc(|| "", || self.value(*number))?;
                    aux += 1;
                }
                Step::Bits(bits, count) => {
                    for i in 0..*count {
                        let bit = Number::Small((bits >> (i % 64) & 1) as i64);
                        cs.alloc(|| "", || self.value(bit))?;
                    }
                    aux += usize::from(*count);
                }
                Step::Input(number) => {
                    cs.alloc_input(|| "", || self.value(*number))?;
                    inputs += 1;
                }
                Step::Row(matrices) => {
                    let row = |terms: &[(u16, Number)], lc: LinearCombination<Fr>| {
                        terms.iter().fold(lc, |lc, (name, coefficient)| {
                            lc + (coefficient.scalar(), variable(usize::from(*name)))
                        })
                    };
                    let [a, b, c] = matrices;
                    cs.enforce(|| "", |lc| row(a, lc), |lc| row(b, lc), |lc| row(c, lc));
                }
                Step::Rows { rows, terms } => {
                    for i in 0..usize::from(*rows) {
                        let row = |terms: &[(u16, u8, Number)], lc: LinearCombination<Fr>| {
                            terms.iter().fold(lc, |lc, (name, step, coefficient)| {
                                let name = usize::from(*name) + i * usize::from(*step);
                                lc + (coefficient.scalar(), variable(name))
                            })
                        };
                        let [a, b, c] = terms;
                        cs.enforce(|| "", |lc| row(a, lc), |lc| row(b, lc), |lc| row(c, lc));
                    }
                }
                Step::Word {
                    first,
                    step,
                    count,
                    coefficient,
                    doubles,
                } => {
                    let word = |mut lc: LinearCombination<Fr>| {
                        let mut coefficient = coefficient.scalar();
                        for i in 0..usize::from(*count) {
                            let name = usize::from(*first) + i * usize::from(*step);
                            lc = lc + (coefficient, variable(name));
                            if *doubles {
                                coefficient = coefficient.double();
                            }
                        }
                        lc
                    };
                    cs.enforce(|| "", word, |lc| lc + CS::one(), word);
                }
                Step::Part(steps) => {
                    if CS::is_extensible() {
                        let mut part = CS::new();
                        part.alloc_input(|| "", || Ok(Fr::ONE))?;
                        let (more_aux, more_inputs) = self.run(steps, &mut part, 0, 1)?;
                        cs.extend(&part);
                        aux += more_aux;
                        inputs += more_inputs - 1;
                    }
                }
            }
        }
        Ok((aux, inputs))
    }
}

impl Circuit<Fr> for Steps {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.run(&self.steps, cs, 0, 1)?;
        Ok(())
    }
}

fn coefficient() -> impl Strategy<Value = Number> {
    prop_oneof![
        6 => prop_oneof![Just(1), Just(-1), Just(2)].prop_map(Number::Small),
        2 => (-300i64..300).prop_map(Number::Small),
        1 => Just(Number::Small(0)),
        2 => (0u32..260).prop_map(Number::Power),
        1 => (0u32..260).prop_map(Number::MinusPower),
        2 => any::<u64>().prop_map(Number::Random),
    ]
}

fn value() -> impl Strategy<Value = Number> {
    prop_oneof![
        6 => (0i64..2).prop_map(Number::Small),
        1 => (-5i64..5).prop_map(Number::Small),
        2 => any::<u64>().prop_map(Number::Random),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let term = || (any::<u16>(), coefficient());
    let row = || vec(term(), 0..6);
    let walk = || vec((any::<u16>(), 0u8..4, coefficient()), 0..5);
    let leaf = prop_oneof![
        4 => value().prop_map(Step::Private),
        4 => (any::<u64>(), 0u8..100).prop_map(|(bits, count)| Step::Bits(bits, count)),
        2 => value().prop_map(Step::Input),
        4 => (row(), row(), row()).prop_map(|(a, b, c)| Step::Row([a, b, c])),
        4 => (0u8..100, walk(), walk(), walk())
            .prop_map(|(rows, a, b, c)| Step::Rows { rows, terms: [a, b, c] }),
        2 => (any::<u16>(), 1u8..20, 0u8..80, coefficient(), any::<bool>()).prop_map(
            |(first, step, count, coefficient, doubles)| Step::Word {
                first, step, count, coefficient, doubles
            }
        ),
    ];
    leaf.prop_recursive(2, 40, 12, |inner| vec(inner, 0..12).prop_map(Step::Part))
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recorded_is_plain(steps in steps()) {
        let circuit = |blank, other| Steps { steps: steps.clone(), blank, other };
        let recording = agrees(circuit(true, false), circuit(false, false));
        agrees_with(&recording, circuit(false, true));
    }
}

/// Chunks are full, and parts begin in the middle of one.
#[test]
fn many_rows() {
    let rows = |first: u16| Step::Rows {
        rows: 250,
        terms: [
            vec![(first, 1, Number::Small(1)), (first, 0, Number::Small(-2))],
            vec![(first, 2, Number::Small(1))],
            vec![],
        ],
    };
    let mut steps = vec![
        Step::Bits(0x1234_5678_9abc_def0, 255),
        Step::Private(Number::Random(5)),
    ];
    steps.extend((0..40).map(rows));
    steps.push(Step::Part(steps.clone()));
    steps.extend((0..3).map(rows));
    steps.push(Step::Part(vec![Step::Part(steps.clone()), rows(7)]));
    let circuit = |blank, other| Steps {
        steps: steps.clone(),
        blank,
        other,
    };
    let recording = agrees(circuit(true, false), circuit(false, false));
    agrees_with(&recording, circuit(false, true));
    assert!(recording.shape().constraints > 40_000);
}

/// The constant one stays where it is when a part is appended, and the part's inputs move: they are no run.
#[test]
fn inputs_of_parts() {
    let part = |row| {
        let inputs = [Number::Small(1), Number::Random(2)].map(Step::Input);
        Step::Part(inputs.into_iter().chain(row).collect())
    };
    let rows = Step::Row([
        vec![
            (0, Number::Small(-1)),
            (1, Number::Small(-1)),
            (2, Number::Small(-1)),
        ],
        vec![
            (0, Number::Power(70)),
            (1, Number::Power(71)),
            (2, Number::Power(72)),
        ],
        vec![],
    ]);
    let steps = vec![
        part(None),
        part(Some(rows.clone())),
        Step::Private(Number::Small(1)),
        rows,
    ];
    let circuit = |blank, other| Steps {
        steps: steps.clone(),
        blank,
        other,
    };
    let recording = agrees(circuit(true, false), circuit(false, false));
    agrees_with(&recording, circuit(false, true));
}
