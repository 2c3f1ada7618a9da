//! The witnesses that gadgets compute natively, on random circuits, against those of gadgets that enforce.
//!
//! A circuit is a short program over a pool of booleans. Witness generators get the native paths; [`Plain`] and the
//! prover's own constraint system do not. Failures shrink to the operations that matter.

use bellperson::gadgets::blake2s::blake2s;
use bellperson::gadgets::boolean::{AllocatedBit, Boolean, u64_into_boolean_vec_le};
use bellperson::gadgets::multieq::MultiEq;
use bellperson::gadgets::multipack::{pack_bits, pack_into_inputs};
use bellperson::gadgets::num::AllocatedNum;
use bellperson::gadgets::sha256::{sha256, sha256_block_no_padding, sha256_compression_function};
use bellperson::gadgets::uint32::UInt32;
use bellperson::util_cs::test_cs::TestConstraintSystem;
use bellperson::util_cs::witness_cs::WitnessCS;
use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use ff::Field;
use proptest::collection::vec;
use proptest::prelude::*;

/// One operation. Booleans are taken from the pool from a place on, and around its end; what comes out joins it.
#[derive(Clone, Debug)]
enum Op {
    /// Of these kinds: constants, views of variables and negated ones, each with both values.
    Booleans(Vec<u8>),
    /// Negates `count` booleans.
    Negate(usize, usize),
    /// XOR of some with those at another place.
    Xor(usize, usize, usize),
    Word(u64),
    Unpack([u64; 4]),
    UnpackStrict([u64; 4]),
    Pack(usize, usize),
    PackIntoInputs(usize, usize),
    /// Of so many bytes.
    Sha256(usize, usize),
    Block(usize),
    /// The block, and the current hash value.
    Compress(usize, usize),
    /// Of so many bytes.
    Blake2s(usize, usize),
    /// All operations on this word and so many from a place on.
    Words(u32, usize, usize),
}

fn op() -> impl Strategy<Value = Op> {
    let place = || 0..4096usize;
    prop_oneof![
        1 => vec(0..2u8, 1..80).prop_map(Op::Booleans),
        2 => vec(2..4u8, 1..300).prop_map(Op::Booleans),
        3 => vec(0..6u8, 1..600).prop_map(Op::Booleans),
        2 => (place(), 1..200usize).prop_map(|(at, count)| Op::Negate(at, count)),
        1 => (place(), place(), 1..64usize).prop_map(|(a, b, count)| Op::Xor(a, b, count)),
        1 => any::<u64>().prop_map(Op::Word),
        1 => any::<[u64; 4]>().prop_map(Op::Unpack),
        1 => any::<[u64; 4]>().prop_map(Op::UnpackStrict),
        1 => (place(), 0..300usize).prop_map(|(at, count)| Op::Pack(at, count)),
        1 => (place(), 0..600usize).prop_map(|(at, count)| Op::PackIntoInputs(at, count)),
        2 => (place(), 0..130usize).prop_map(|(at, bytes)| Op::Sha256(at, bytes)),
        1 => place().prop_map(Op::Block),
        3 => (place(), place()).prop_map(|(block, current)| Op::Compress(block, current)),
        1 => (place(), 0..70usize).prop_map(|(at, bytes)| Op::Blake2s(at, bytes)),
        2 => (any::<u32>(), place(), 2..9usize).prop_map(|(word, at, n)| Op::Words(word, at, n)),
    ]
}

fn programs() -> impl Strategy<Value = Program> {
    vec(op(), 1..12).prop_map(Program)
}

#[derive(Clone, Debug)]
struct Program(Vec<Op>);

/// What a boolean is, with its value.
fn kind(boolean: &Boolean) -> (u8, Option<bool>) {
    let kind = match boolean {
        Boolean::Constant(_) => 0,
        Boolean::Is(_) => 1,
        Boolean::Not(_) => 2,
    };
    (kind, boolean.get_value())
}

impl Program {
    /// Runs it; the pool in the end.
    fn run<CS: ConstraintSystem<Fr>>(&self, cs: &mut CS) -> Result<Vec<Boolean>, SynthesisError> {
        let mut pool = vec![Boolean::constant(true)];
        for (i, op) in self.0.iter().enumerate() {
            let cs = &mut cs.namespace(|| format!("operation {i}"));
            let take = |at: usize, count: usize| -> Vec<Boolean> {
                let around = pool.iter().cycle().skip(at % pool.len());
                around.take(count).cloned().collect()
            };
            let new = match op {
                Op::Booleans(kinds) => booleans(cs, kinds)?,
                Op::Negate(at, count) => take(*at, *count).iter().map(Boolean::not).collect(),
                Op::Xor(a, b, count) => {
                    let (a, b) = (take(*a, *count), take(*b, *count));
                    let xor = |(i, (a, b))| Boolean::xor(cs.namespace(|| format!("{i}")), a, b);
                    let pairs = a.iter().zip(&b).enumerate();
                    pairs.map(xor).collect::<Result<_, _>>()?
                }
                Op::Word(word) => u64_into_boolean_vec_le(&mut *cs, Some(*word))?,
                Op::Unpack(limbs) => number(cs, limbs)?.to_bits_le(&mut *cs)?,
                Op::UnpackStrict(limbs) => number(cs, limbs)?.to_bits_le_strict(&mut *cs)?,
                Op::Pack(at, count) => {
                    let packed = pack_bits(cs.namespace(|| "pack"), &take(*at, *count))?;
                    packed.square(cs.namespace(|| "use it"))?;
                    vec![]
                }
                Op::PackIntoInputs(at, count) => {
                    pack_into_inputs(&mut *cs, &take(*at, *count))?;
                    vec![]
                }
                Op::Sha256(at, bytes) => sha256(&mut *cs, &take(*at, 8 * bytes))?,
                Op::Block(at) => sha256_block_no_padding(&mut *cs, &take(*at, 512))?,
                Op::Compress(block, current) => {
                    let current = take(*current, 256);
                    let current: Vec<_> = current.chunks(32).map(UInt32::from_bits_be).collect();
                    let words = sha256_compression_function(&mut *cs, &take(*block, 512), &current);
                    words?.into_iter().flat_map(UInt32::into_bits).collect()
                }
                Op::Blake2s(at, bytes) => blake2s(&mut *cs, &take(*at, 8 * bytes), b"personal")?,
                Op::Words(word, at, count) => words(cs, *word, &take(*at, 32 * count))?,
            };
            // What is new is taken first.
            pool.splice(0..0, new);
        }
        Ok(pool)
    }
}

fn booleans<CS>(cs: &mut CS, kinds: &[u8]) -> Result<Vec<Boolean>, SynthesisError>
where
    CS: ConstraintSystem<Fr>,
{
    let boolean = |(i, kind): (usize, &u8)| {
        let value = kind % 2 == 1;
        let mut allocate = |value| {
            let cs = cs.namespace(|| format!("bit {i}"));
            AllocatedBit::alloc(cs, Some(value)).map(Boolean::from)
        };
        match kind / 2 {
            0 => Ok(Boolean::constant(value)),
            1 => allocate(value),
            _ => allocate(!value).map(|bit| bit.not()),
        }
    };
    kinds.iter().enumerate().map(boolean).collect()
}

fn words<CS>(cs: &mut CS, word: u32, bits: &[Boolean]) -> Result<Vec<Boolean>, SynthesisError>
where
    CS: ConstraintSystem<Fr>,
{
    let mut all = vec![UInt32::alloc(cs.namespace(|| "word"), Some(word))?];
    all.extend(bits.chunks(32).map(UInt32::from_bits));
    let (a, b, c) = (&all[1], &all[2], &all[0]);
    let mut cs = MultiEq::new(cs);
    let results = [
        a.rotr(5).xor(cs.namespace(|| "xor"), &b.shr(3))?,
        UInt32::sha256_ch(cs.namespace(|| "ch"), a, b, c)?,
        UInt32::sha256_maj(cs.namespace(|| "maj"), a, b, c)?,
        UInt32::addmany(cs.namespace(|| "sum"), &all)?,
    ];
    Ok(results.into_iter().flat_map(UInt32::into_bits).collect())
}

/// A number from four limbs, the lowest first, modulo the order of the field.
fn number<CS>(cs: &mut CS, limbs: &[u64; 4]) -> Result<AllocatedNum<Fr>, SynthesisError>
where
    CS: ConstraintSystem<Fr>,
{
    let above = Fr::from(1 << 63).double();
    let add = |sum: Fr, limb: &u64| sum * above + Fr::from(*limb);
    let value = limbs.iter().rev().fold(Fr::ZERO, add);
    AllocatedNum::alloc(cs.namespace(|| "number"), || Ok(value))
}

impl Circuit<Fr> for Program {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.run(cs)?;
        // A prover wants a constraint at least.
        cs.enforce(|| "something", |lc| lc, |lc| lc, |lc| lc);
        Ok(())
    }
}

/// Keeps values as a witness generator does, and does not say that it is one.
struct Plain(WitnessCS<Fr>);

impl ConstraintSystem<Fr> for Plain {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.alloc(annotation, f)
    }

    fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.alloc_input(annotation, f)
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

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

fn kinds(pool: &[Boolean]) -> Vec<(u8, Option<bool>)> {
    pool.iter().map(kind).collect()
}

/// Runs a program on a witness generator, directly and through a namespace and a reference.
fn native(program: &Program) -> (WitnessCS<Fr>, Vec<(u8, Option<bool>)>) {
    let mut native = WitnessCS::new();
    let pool = program.run(&mut native).unwrap();
    let mut nested = WitnessCS::new();
    program
        .run(&mut &mut nested.namespace(|| "a").namespace(|| "b"))
        .unwrap();
    assert!(nested == native, "through namespaces");
    (native, kinds(&pool))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn witnesses_are_those_of_the_gadgets(program in programs()) {
        let mut plain = Plain(WitnessCS::new());
        let pool = kinds(&program.run(&mut plain).unwrap());
        let (native, native_pool) = native(&program);
        prop_assert_eq!(native_pool, pool);
        prop_assert!(native == plain.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn witnesses_are_those_of_a_prover(program in programs()) {
        let synthesis = synthesize(vec![program.clone()], &SynthesisOptions::default()).unwrap();
        let (native, _) = native(&program);
        prop_assert!(native.aux_slice() == synthesis.assignments[0].aux_assignment());
        prop_assert!(native.inputs_slice() == synthesis.assignments[0].input_assignment());
    }

    #[test]
    fn constraints_hold(program in programs()) {
        let mut checked = TestConstraintSystem::<Fr>::new();
        program.run(&mut checked).unwrap();
        prop_assert_eq!(checked.which_is_unsatisfied(), None);
        let (native, _) = native(&program);
        prop_assert!(native.aux_slice() == checked.scalar_aux());
        prop_assert!(native.inputs_slice() == checked.scalar_inputs());
    }
}
