//! Evaluation of linear combinations, alone and as constraints reach the prover.
//!
//! `eval/lc_COEFFICIENTS/VALUES/LENGTH`: `LinearCombination::eval`. Each iteration evaluates as many combinations as have
//! 4096 terms together, over one assignment, so that no branch can be learnt by heart; the throughput is that of terms.
//!
//! `eval/enforce_VECTORS/CONSTRAINT/COUNT`: `ProvingAssignment::enforce` of so many constraints, whose throughput is that
//! of constraints. Variables are allocated before the clock starts. With `fresh` vectors the three vectors of results
//! start empty, grow as they are filled, and their pages are untouched; with `warm` ones there is room for all of them,
//! in memory that the iteration before has used.
//!
//! `eval/circuit/CIRCUIT/SIZE`: the synthesis of a small circuit as a whole, with the gadgets of the stack.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, Variable};
use bellperson::groth16::{Capacity, ProvingAssignment};
use blstrs::Scalar as Fr;
use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group,
    criterion_main,
};
use cuzk_circuits::{AddManyCircuit, LookupCircuit, Sha256Circuit, Shaped, ShapedCircuit};
use cuzk_core::synthesis::{Synthesis, SynthesisOptions, synthesize};
use cuzk_kernels::values::rng;
use cuzk_kernels::{Values, allocator, bench, settings, size};
use ff::Field;
use rand_core::RngCore;

type Lc = LinearCombination<Fr>;
type Term = (Fr, Variable);

/// Terms of all the combinations that one iteration evaluates, and variables of the assignment that they are over.
const TERMS: usize = 4096;
const LENGTHS: [usize; 4] = [1, 3, 32, 256];
const ONE: Variable = Variable(Index::Input(0));

fn aux(index: usize) -> Variable {
    Variable::new_unchecked(Index::Aux(index))
}

fn sum(lc: Lc, terms: &[Term]) -> Lc {
    terms.iter().fold(lc, |lc, &term| lc + term)
}

/// What the terms sum up to, in plain arithmetic.
fn plain(terms: &[Term], values: &[Fr]) -> Fr {
    let product = |(coefficient, variable): &Term| match variable.get_unchecked() {
        Index::Input(_) => *coefficient,
        Index::Aux(index) => *coefficient * values[index],
    };
    terms.iter().map(product).sum()
}

/// Combinations, and the assignment that they are evaluated at.
struct Combinations {
    values: Vec<Fr>,
    lcs: Vec<Lc>,
}

impl Combinations {
    fn new(coefficients: Coefficients, values: Values, len: usize) -> Self {
        let mut rng = rng(11);
        let values = values.draw(&mut rng, TERMS);
        let combination = |first| {
            let coefficients = match coefficients {
                Coefficients::One => vec![Fr::ONE; len],
                Coefficients::Dense => Values::Dense.draw(&mut rng, len),
            };
            // Variables of one combination lie side by side, as those of a gadget do.
            let variables = (first..).map(aux);
            let terms: Vec<Term> = coefficients.into_iter().zip(variables).collect();
            let lc = sum(Lc::zero(), &terms);
            assert_eq!(lc.eval(&[Fr::ONE], &values), plain(&terms, &values));
            lc
        };
        let count = size(TERMS / len, 2);
        let lcs = (0..count).map(|i| i * len).map(combination).collect();
        Combinations { values, lcs }
    }

    fn eval(&self) -> Fr {
        let eval = |lc: &Lc| lc.eval(&[Fr::ONE], &self.values);
        self.lcs.iter().map(eval).sum()
    }
}

#[derive(Clone, Copy)]
enum Coefficients {
    One,
    Dense,
}

fn combinations(criterion: &mut Criterion) {
    for (name, coefficients) in [("one", Coefficients::One), ("dense", Coefficients::Dense)] {
        let mut group = criterion.benchmark_group(format!("eval/lc_{name}"));
        for values in Values::ALL {
            for len in LENGTHS {
                group.throughput(Throughput::Elements((TERMS / len * len) as u64));
                bench(
                    &mut group,
                    BenchmarkId::new(values.name(), len),
                    || Combinations::new(coefficients, values, len),
                    |b, case| b.iter(|| black_box(case).eval()),
                );
            }
        }
        group.finish();
    }
}

/// A kind of constraint.
#[derive(Clone, Copy)]
enum Kind {
    /// (1 - x) * x = 0: a variable is a bit. The shortest one, and one of the most frequent.
    Boolean,
    /// x + y = z for words of 32 bits, in bits, as sums of SHA-256 are.
    Word,
    /// The product of two sums of four variables; coefficients and values fill the field.
    Dense,
}

impl Kind {
    const ALL: [(Kind, &'static str, usize); 3] = [
        (Kind::Boolean, "boolean", 8192),
        (Kind::Word, "word", 512),
        (Kind::Dense, "dense", 4096),
    ];
}

/// Terms of A, B and C.
type Row = [Vec<Term>; 3];

/// Constraints that hold, and the values that they hold for.
struct Constraints {
    values: Vec<Fr>,
    rows: Vec<Row>,
}

impl Constraints {
    fn new(kind: Kind, count: usize) -> Self {
        let mut new = Constraints {
            values: Vec::new(),
            rows: Vec::new(),
        };
        let mut rng = rng(12);
        for _ in 0..count {
            let row = match kind {
                Kind::Boolean => {
                    let bit = new.bits(u64::from(rng.next_u32() & 1), 1);
                    let variable = bit[0].1;
                    [vec![(Fr::ONE, ONE), (-Fr::ONE, variable)], bit, vec![]]
                }
                Kind::Word => {
                    let (x, y) = (u64::from(rng.next_u32()), u64::from(rng.next_u32()));
                    let words = [new.bits(x, 32), new.bits(y, 32)].concat();
                    [words, vec![(Fr::ONE, ONE)], new.bits(x + y, 33)]
                }
                Kind::Dense => {
                    let mut four = || -> Vec<Term> {
                        let coefficients = Values::Dense.draw(&mut rng, 4);
                        let values = Values::Dense.draw(&mut rng, 4);
                        let variables = values.into_iter().map(|value| new.variable(value));
                        coefficients.into_iter().zip(variables).collect()
                    };
                    let (left, right) = (four(), four());
                    let product = plain(&left, &new.values) * plain(&right, &new.values);
                    let product = new.variable(product);
                    [left, right, vec![(Fr::ONE, product)]]
                }
            };
            new.rows.push(row);
        }
        new
    }

    fn variable(&mut self, value: Fr) -> Variable {
        self.values.push(value);
        aux(self.values.len() - 1)
    }

    /// New variables for so many bits of a word, each with its weight.
    fn bits(&mut self, word: u64, count: u32) -> Vec<Term> {
        let bit = |i| {
            let variable = self.variable(Fr::from(word >> i & 1));
            (Fr::from(1u64 << i), variable)
        };
        (0..count).map(bit).collect()
    }

    /// An assignment with all variables and no constraint.
    fn allocate(&self, vectors: Vectors) -> ProvingAssignment<Fr> {
        let mut cs = match vectors {
            Vectors::Fresh => ProvingAssignment::new(),
            Vectors::Warm => ProvingAssignment::with_capacity(Capacity {
                constraints: self.rows.len(),
                inputs: 1,
                aux: self.values.len(),
            }),
        };
        let known = "a variable with a value can be allocated";
        cs.alloc_input(|| "one", || Ok(Fr::ONE)).expect(known);
        for &value in &self.values {
            cs.alloc(|| "value", || Ok(value)).expect(known);
        }
        cs
    }

    fn enforce(&self, cs: &mut ProvingAssignment<Fr>) {
        for [a, b, c] in &self.rows {
            cs.enforce(
                || "constraint",
                |lc| sum(lc, a),
                |lc| sum(lc, b),
                |lc| sum(lc, c),
            );
        }
    }

    /// The constraints, once what the prover gets of them is found to be what plain arithmetic says.
    fn checked(self) -> Self {
        let mut cs = self.allocate(Vectors::Fresh);
        self.enforce(&mut cs);
        for (of, results) in [cs.a(), cs.b(), cs.c()].into_iter().enumerate() {
            let expected: Vec<Fr> = self
                .rows
                .iter()
                .map(|row| plain(&row[of], &self.values))
                .collect();
            assert_eq!(results, expected, "matrix {of} times the assignment");
        }
        let products = cs.a().iter().zip(cs.b()).map(|(a, b)| *a * b);
        assert!(products.eq(cs.c().iter().copied()), "a constraint fails");
        for (of, density) in [cs.a_aux_density(), cs.b_aux_density()].iter().enumerate() {
            let terms = self.rows.iter().flat_map(|row| &row[of]);
            let used: BTreeSet<usize> = terms
                .filter_map(|(_, variable)| match variable.get_unchecked() {
                    Index::Aux(index) => Some(index),
                    Index::Input(_) => None,
                })
                .collect();
            assert_eq!(density.total, used.len(), "density of matrix {of}");
        }
        self
    }

    /// Time of `enforce` alone, over so many assignments.
    fn time(&self, vectors: Vectors, iterations: u64) -> Duration {
        match vectors {
            Vectors::Fresh => allocator::fresh_pages(),
            Vectors::Warm => allocator::kept_pages(),
        }
        let mut total = Duration::ZERO;
        for _ in 0..iterations {
            let mut cs = self.allocate(vectors);
            let start = Instant::now();
            self.enforce(&mut cs);
            total += start.elapsed();
            black_box(cs);
        }
        total
    }
}

/// The vectors of an assignment before its first constraint.
#[derive(Clone, Copy)]
enum Vectors {
    Fresh,
    Warm,
}

fn constraints(criterion: &mut Criterion) {
    for (name, vectors) in [("fresh", Vectors::Fresh), ("warm", Vectors::Warm)] {
        let mut group = criterion.benchmark_group(format!("eval/enforce_{name}"));
        for (kind, shape, count) in Kind::ALL {
            group.throughput(Throughput::Elements(count as u64));
            bench(
                &mut group,
                BenchmarkId::new(shape, count),
                || Constraints::new(kind, size(count, 16)).checked(),
                |b, case| b.iter_custom(|iterations| case.time(vectors, iterations)),
            );
        }
        group.finish();
    }
}

/// Synthesises a circuit that is small enough to stay in the caches, once it is found to have these public inputs.
fn synthesis<C: Circuit<Fr> + Clone + Send>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    make: impl FnOnce() -> (C, Vec<Fr>),
) {
    let run = |circuit: C| -> Synthesis {
        synthesize(vec![circuit], &SynthesisOptions::default()).expect("the circuit has a witness")
    };
    let checked = || {
        let (circuit, inputs) = make();
        let synthesis = run(circuit.clone());
        let [assignment] = &synthesis.assignments[..] else {
            panic!(
                "one circuit gave {} assignments",
                synthesis.assignments.len()
            );
        };
        assert_eq!(assignment.input_assignment()[1..], inputs, "public inputs");
        let (a, b, c) = (assignment.a(), assignment.b(), assignment.c());
        let mut rows = a.iter().zip(b).zip(c);
        assert!(rows.all(|((a, b), c)| *a * b == *c), "a constraint fails");
        circuit
    };
    bench(group, id, checked, |b, circuit| {
        allocator::kept_pages();
        b.iter_batched(|| circuit.clone(), run, BatchSize::LargeInput);
    });
}

fn circuits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("eval/circuit");
    // The largest take tens of milliseconds.
    group
        .sample_size(20)
        .sampling_mode(SamplingMode::Flat)
        .measurement_time(Duration::from_secs(1));
    synthesis(&mut group, BenchmarkId::new("addmany", 16), || {
        let circuit = AddManyCircuit::from_seed(1, size(16, 2));
        let inputs = circuit.public_inputs();
        (circuit, inputs)
    });
    synthesis(&mut group, BenchmarkId::new("lookup", 64), || {
        let circuit = LookupCircuit::from_seed(1, size(64, 2));
        let inputs = circuit.public_inputs();
        (circuit, inputs)
    });
    synthesis(&mut group, BenchmarkId::new("sha256", 1), || {
        let circuit = Sha256Circuit::from_seed(1, 1);
        let inputs = circuit.public_inputs();
        (
            circuit,
            inputs.expect("a circuit from a seed has a witness"),
        )
    });
    synthesis(&mut group, BenchmarkId::new("dense", 4096), || {
        let circuit = ShapedCircuit::from_seed(Shaped::Dense, 1, size(4096, 16));
        let inputs = circuit.public_inputs();
        (circuit, inputs)
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = settings();
    targets = combinations, constraints, circuits
}
criterion_main!(benches);
