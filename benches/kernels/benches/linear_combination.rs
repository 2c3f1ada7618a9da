//! Operations on linear combinations, as circuits use them.
//!
//! Names: `lc/OPERATION/SHAPE/LENGTH`. A combination that an operation consumes is copied before the clock starts, and
//! what it returns is dropped after the clock stops; `lc/build` and `lc/boolean` start from zero and drop what they made,
//! because that is what a circuit pays for every constraint.

use std::collections::BTreeMap;
use std::hint::black_box;

use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::num::Num;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, Variable};
use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use cuzk_kernels::values::{rng, shuffled};
use cuzk_kernels::{Values, bench, settings};
use ff::Field;

type Lc = LinearCombination<Fr>;
type Term = (Fr, Variable);
/// What a combination has to be: a coefficient for each variable; the key of an input is odd.
type Expected = BTreeMap<usize, Fr>;

const LENGTHS: [usize; 4] = [1, 2, 32, 256];
const ONE: Variable = Variable(Index::Input(0));

fn aux(index: usize) -> Variable {
    Variable::new_unchecked(Index::Aux(index))
}

fn key(variable: Variable) -> usize {
    match variable.get_unchecked() {
        Index::Aux(index) => 2 * index,
        Index::Input(index) => 2 * index + 1,
    }
}

/// Terms with these variables, and coefficients that fill the field.
fn terms(stream: u64, variables: impl ExactSizeIterator<Item = usize>) -> Vec<Term> {
    let coefficients = Values::Dense.draw(&mut rng(stream), variables.len());
    coefficients.into_iter().zip(variables.map(aux)).collect()
}

fn build(terms: &[Term]) -> Lc {
    terms.iter().fold(Lc::zero(), |lc, &term| lc + term)
}

/// Adds `factor` times these terms to what is expected.
fn expect(mut expected: Expected, factor: Fr, terms: &[Term]) -> Expected {
    for &(coefficient, variable) in terms {
        *expected.entry(key(variable)).or_insert(Fr::ZERO) += factor * coefficient;
    }
    expected
}

/// Holds a combination to what is expected, zero coefficients included: they are terms as well.
fn check(lc: &Lc, expected: &Expected) {
    let found: Expected = lc.iter().map(|(v, c)| (key(v), *c)).collect();
    assert_eq!(&found, expected, "the combination has other terms");
    assert_eq!(lc.len(), expected.len(), "a variable occurs twice");
}

fn building(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lc/build");
    for len in LENGTHS {
        let mut add = |shape: &str, variables: Vec<usize>| {
            bench(
                &mut group,
                BenchmarkId::new(shape, len),
                || {
                    let terms = terms(1, variables.into_iter());
                    check(&build(&terms), &expect(Expected::new(), Fr::ONE, &terms));
                    terms
                },
                |b, terms| b.iter(|| build(black_box(terms))),
            );
        };
        add("consecutive", (0..len).collect());
        if len > 1 {
            add("shuffled", shuffled(&mut rng(2), len));
        }
    }
    group.finish();
}

/// Which variables the second combination of a sum has, beside the even ones of the first.
#[derive(Clone, Copy)]
enum Other {
    /// The same.
    Same,
    /// Between those of the first.
    Between,
    /// All behind those of the first, as when a gadget has just allocated them.
    Behind,
}

impl Other {
    const ALL: [Other; 3] = [Other::Same, Other::Between, Other::Behind];

    fn name(self) -> &'static str {
        match self {
            Other::Same => "same",
            Other::Between => "between",
            Other::Behind => "behind",
        }
    }

    fn variables(self, first: usize, len: usize) -> impl ExactSizeIterator<Item = usize> {
        let start = match self {
            Other::Same => 0,
            Other::Between => 1,
            Other::Behind => 2 * first,
        };
        (0..len).map(move |i| start + 2 * i)
    }
}

/// Two combinations, and the terms that they were built from.
struct Pair {
    left: Lc,
    right: Lc,
    terms: (Vec<Term>, Vec<Term>),
}

impl Pair {
    fn new(other: Other, left: usize, right: usize) -> Self {
        let terms = (
            terms(3, (0..left).map(|i| 2 * i)),
            terms(4, other.variables(left, right)),
        );
        Pair {
            left: build(&terms.0),
            right: build(&terms.1),
            terms,
        }
    }

    /// The pair, once `lc` is found to be the left one plus `factor` times the right one.
    fn checked(self, factor: Fr, operation: impl Fn(Lc, &Lc) -> Lc) -> Self {
        let expected = expect(Expected::new(), Fr::ONE, &self.terms.0);
        let expected = expect(expected, factor, &self.terms.1);
        check(&operation(self.left.clone(), &self.right), &expected);
        self
    }
}

/// Sums and differences by one operation: of combinations of one length, and of a long one with a short one.
fn pairs(
    criterion: &mut Criterion,
    name: &str,
    factor: Fr,
    others: &[Other],
    operation: impl Fn(Lc, &Lc) -> Lc,
) {
    let mut group = criterion.benchmark_group(name);
    for &other in others {
        let equal = LENGTHS.map(|len| (len, len, len.to_string()));
        let uneven = (256, 2, "256+2".to_owned());
        for (left, right, size) in equal.into_iter().chain([uneven]) {
            bench(
                &mut group,
                BenchmarkId::new(other.name(), size),
                || Pair::new(other, left, right).checked(factor, &operation),
                |b, pair| {
                    b.iter_batched(
                        || pair.left.clone(),
                        |left| operation(left, black_box(&pair.right)),
                        BatchSize::SmallInput,
                    );
                },
            );
        }
    }
    group.finish();
}

fn sums(criterion: &mut Criterion) {
    let dense = Values::Dense.draw(&mut rng(5), 1)[0];
    pairs(criterion, "lc/add", Fr::ONE, &Other::ALL, |l, r| l + r);
    let two = [Other::Same, Other::Between];
    pairs(criterion, "lc/sub", -Fr::ONE, &two, |l, r| l - r);
    // A coefficient of one is the most frequent.
    for (name, factor) in [("one", Fr::ONE), ("dense", dense)] {
        let name = format!("lc/add_multiple_{name}");
        pairs(criterion, &name, factor, &[Other::Between], |l, r| {
            l + (black_box(factor), r)
        });
    }
}

/// A combination in place times a scalar, with its value: `Num::scale`.
fn scaling(criterion: &mut Criterion) {
    let factor = Values::Dense.draw(&mut rng(6), 1)[0];
    let mut group = criterion.benchmark_group("lc/scale");
    for len in LENGTHS {
        bench(
            &mut group,
            BenchmarkId::new("dense", len),
            || {
                let booleans = Booleans::new(len, Forms::Allocated);
                let num = booleans.num();
                check(
                    &num.clone().scale(factor).lc(Fr::ONE),
                    &booleans.expected(factor),
                );
                num
            },
            |b, num| {
                b.iter_batched(
                    || num.clone(),
                    |num| num.scale(black_box(factor)),
                    BatchSize::SmallInput,
                );
            },
        );
    }
    group.finish();
}

/// Forms of booleans.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    /// Allocated bits.
    Allocated,
    /// Allocated and negated bits, with a constant now and then.
    Mixed,
}

/// Booleans with coefficients.
struct Booleans {
    bits: Vec<(Boolean, Fr)>,
}

impl Booleans {
    fn new(len: usize, forms: Forms) -> Self {
        let mut cs = ProvingAssignment::<Fr>::new();
        let one = cs.alloc_input(|| "one", || Ok(Fr::ONE));
        assert_eq!(one.ok(), Some(ONE), "the first input is the constant one");
        let bit = |(i, coefficient)| {
            let value = Some(i % 3 == 0);
            let bit = AllocatedBit::alloc(cs.namespace(|| "bit"), value).map(Boolean::from);
            let bit = bit.expect("a bit with a value can be allocated");
            let bit = match i % 16 {
                7 if forms == Forms::Mixed => Boolean::constant(true),
                3 | 6 | 9 | 12 if forms == Forms::Mixed => bit.not(),
                _ => bit,
            };
            (bit, coefficient)
        };
        let coefficients = Values::Dense.draw(&mut rng(7), len);
        Booleans {
            bits: coefficients.into_iter().enumerate().map(bit).collect(),
        }
    }

    /// By way of one combination for each boolean.
    fn sum(&self) -> Lc {
        self.bits.iter().fold(Lc::zero(), |lc, (bit, coefficient)| {
            lc + &bit.lc(ONE, *coefficient)
        })
    }

    /// By the call that gadgets make.
    fn num(&self) -> Num<Fr> {
        self.bits
            .iter()
            .fold(Num::zero(), |num, (bit, coefficient)| {
                num.add_bool_with_coeff(ONE, bit, *coefficient)
            })
    }

    /// `factor` times the sum.
    fn expected(&self, factor: Fr) -> Expected {
        let terms = self.bits.iter().flat_map(|(bit, coefficient)| match bit {
            Boolean::Constant(false) => vec![],
            Boolean::Constant(true) => vec![(*coefficient, ONE)],
            Boolean::Is(bit) => vec![(*coefficient, bit.get_variable())],
            Boolean::Not(bit) => vec![(*coefficient, ONE), (-*coefficient, bit.get_variable())],
        });
        expect(Expected::new(), factor, &terms.collect::<Vec<_>>())
    }
}

fn booleans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lc/boolean");
    for len in LENGTHS {
        let make = || {
            let booleans = Booleans::new(len, Forms::Mixed);
            let expected = booleans.expected(Fr::ONE);
            check(&booleans.sum(), &expected);
            check(&booleans.num().lc(Fr::ONE), &expected);
            booleans
        };
        bench(&mut group, BenchmarkId::new("lc", len), make, |b, bits| {
            b.iter(|| black_box(bits).sum());
        });
        bench(&mut group, BenchmarkId::new("num", len), make, |b, bits| {
            b.iter(|| black_box(bits).num());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = settings();
    targets = building, sums, scaling, booleans
}
criterion_main!(benches);
