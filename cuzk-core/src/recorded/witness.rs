//! The private and public variables of a circuit, without its constraints.

use std::cell::OnceCell;

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use ff::Field;

use super::bits::{BitVector, BitView, SealedBits};
use super::error::{Fault, RecordedError};

/// A witness generator: a constraint system that computes variables and ignores constraints.
///
/// Private variables are a bit map, with those in full that are neither zero nor one. [`ConstraintSystem::new`] gives an
/// empty one, as with bellperson's `ProvingAssignment`, so that circuits which synthesise parts of themselves side by side
/// and append them ([`extend`](ConstraintSystem::extend)) come out the same.
///
/// Gadgets may ask for variables as slices. What was handed out to be written is taken in at the next call; what is handed
/// out to be read is expanded at the first request and kept until something is added.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    inputs: Vec<Fr>,
    aux: BitVector,
    /// Private variables that were handed out to be written and are not in `aux` yet.
    handed_out: Vec<Fr>,
    expanded: OnceCell<Vec<Fr>>,
    fault: Option<Fault>,
}

impl Witness {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.aux.clear();
        self.handed_out.clear();
        self.expanded.take();
        self.fault = None;
    }

    /// Makes room for `aux` private variables in all, as far as they are bits, and for no more.
    pub(super) fn reserve(&mut self, aux: usize) {
        self.aux.reserve(aux);
    }

    /// Completes the assignment.
    ///
    /// # Errors
    ///
    /// [`RecordedError::NotExtensible`] where a part was appended that does not begin with the constant one.
    pub fn finish(mut self) -> Result<Assignment, RecordedError> {
        self.take_in();
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        Ok(Assignment {
            inputs: self.inputs,
            aux: self.aux.seal(),
        })
    }

    /// Takes in what was handed out to be written. Everything that adds a variable begins with it.
    #[inline]
    fn take_in(&mut self) {
        if !self.handed_out.is_empty() || self.expanded.get().is_some() {
            self.take_in_all();
        }
    }

    #[cold]
    fn take_in_all(&mut self) {
        self.expanded.take();
        for value in &self.handed_out {
            self.aux.push(value);
        }
        self.handed_out.clear();
    }

    fn aux_len(&self) -> usize {
        self.aux.len() + self.handed_out.len()
    }

    /// Appends `count` private variables, at most 64, that are bits; bit `i` of `bits` is the value of the `i`-th.
    ///
    /// # Panics
    ///
    /// Where `count` is above 64.
    #[inline]
    pub fn push_bits(&mut self, bits: u64, count: u32) {
        assert!(count <= 64, "{count} bits of 64");
        self.take_in();
        self.aux.push_bits(bits, count);
    }
}

impl ConstraintSystem<Fr> for Witness {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    #[inline]
    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = f()?;
        self.take_in();
        self.aux.push(&value);
        Ok(Variable(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(f()?);
        Ok(Variable(Index::Input(self.inputs.len() - 1)))
    }

    #[inline]
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

    fn extend(&mut self, other: &Self) {
        self.take_in();
        // The first input of a part is a temporary one: its constraints mean the constant of the whole.
        match other.inputs.split_first() {
            Some((one, inputs)) if *one == Fr::ONE => self.inputs.extend(inputs),
            _ => {
                let why = "a part was appended whose first input is not the constant one";
                self.fault = Some(Fault::NotExtensible(why));
            }
        }
        self.fault = self.fault.or(other.fault);
        self.aux.extend(&other.aux);
        for value in &other.handed_out {
            self.aux.push(value);
        }
    }

    fn is_witness_generator(&self) -> bool {
        true
    }

    fn extend_inputs(&mut self, new_inputs: &[Fr]) {
        self.inputs.extend_from_slice(new_inputs);
    }

    fn extend_aux(&mut self, new_aux: &[Fr]) {
        self.take_in();
        for value in new_aux {
            self.aux.push(value);
        }
    }

    #[inline]
    fn extend_aux_bits(&mut self, bits: u64, count: u32) {
        self.push_bits(bits, count);
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Fr], &mut [Fr]) {
        self.take_in();
        self.handed_out.resize(aux_n, Fr::ZERO);
        let first = self.inputs.len();
        self.inputs.resize(first + inputs_n, Fr::ZERO);
        (&mut self.handed_out, &mut self.inputs[first..])
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Fr] {
        let first = self.inputs.len();
        self.inputs.resize(first + n, Fr::ZERO);
        &mut self.inputs[first..]
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Fr] {
        self.take_in();
        self.handed_out.resize(n, Fr::ZERO);
        &mut self.handed_out
    }

    fn inputs_slice(&self) -> &[Fr] {
        &self.inputs
    }

    fn aux_slice(&self) -> &[Fr] {
        self.expanded.get_or_init(|| {
            let mut all = Vec::with_capacity(self.aux_len());
            all.extend((0..self.aux.len()).filter_map(|i| self.aux.get(i)));
            all.extend_from_slice(&self.handed_out);
            all
        })
    }
}

/// The complete assignment of a circuit's variables, private ones as a bit map with the dense rest.
#[derive(Clone, Debug)]
pub struct Assignment {
    inputs: Vec<Fr>,
    aux: SealedBits,
}

impl Assignment {
    /// The public inputs, the constant one first.
    pub fn inputs(&self) -> &[Fr] {
        &self.inputs
    }

    /// Number of private variables.
    pub fn aux_len(&self) -> usize {
        self.aux.view().len
    }

    /// Private variables that are one: bit `i % 64` of word `i / 64` is that of variable `i`. There are words of padding
    /// behind the last variable.
    pub fn bits(&self) -> &[u64] {
        self.aux.view().bits
    }

    /// The same of private variables that are neither zero nor one.
    pub fn wide(&self) -> &[u64] {
        self.aux.view().wide
    }

    /// The values of those, in order.
    pub fn dense(&self) -> &[Fr] {
        self.aux.view().dense
    }

    /// Bytes of memory that it holds.
    pub fn bytes(&self) -> usize {
        self.inputs.capacity() * size_of::<Fr>() + self.aux.bytes()
    }

    /// An empty witness generator with the memory of this assignment.
    pub fn reuse(self) -> Witness {
        let mut inputs = self.inputs;
        inputs.clear();
        Witness {
            inputs,
            aux: self.aux.reuse(),
            ..Witness::default()
        }
    }

    /// The memory of the two bit maps, and an empty witness generator with all other memory of this assignment.
    pub(super) fn into_maps(self) -> ([Vec<u64>; 2], Witness) {
        let mut witness = self.reuse();
        (witness.aux.take_maps(), witness)
    }

    pub(super) fn view(&self) -> BitView<'_> {
        self.aux.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aux(witness: &Witness) -> Vec<u64> {
        let all = witness.aux_slice();
        let small = |value: &Fr| (0..100).find(|i| Fr::from(*i) == *value);
        all.iter()
            .map(|value| small(value).expect("small"))
            .collect()
    }

    /// A slice that was aliased by an earlier `aux_slice` must not be seen again.
    #[test]
    fn slices_are_taken_in() {
        let mut witness = Witness::new();
        witness.extend_aux(&[Fr::from(7), Fr::ONE]);
        witness.allocate_empty_aux(3)[1] = Fr::from(9);
        assert_eq!(aux(&witness), [7, 1, 0, 9, 0]);
        witness.extend_aux_bits(0b101, 3);
        assert_eq!(aux(&witness), [7, 1, 0, 9, 0, 1, 0, 1]);
        let (private, inputs) = witness.allocate_empty(1, 2);
        private[0] = Fr::from(5);
        inputs[1] = Fr::from(4);
        let variable = witness
            .alloc(|| "", || Ok(Fr::from(6)))
            .expect("has a value");
        assert_eq!(variable, Variable(Index::Aux(9)));
        assert_eq!(aux(&witness), [7, 1, 0, 9, 0, 1, 0, 1, 5, 6]);
        witness.allocate_empty_aux(1)[0] = Fr::from(2);
        assert_eq!(witness.inputs_slice(), [Fr::ZERO, Fr::from(4)]);
        witness.allocate_empty_inputs(1)[0] = Fr::ONE;

        let assignment = witness.finish().expect("no part was appended");
        assert_eq!(assignment.aux_len(), 11);
        assert_eq!(assignment.inputs().len(), 3);
        assert_eq!(assignment.dense().len(), 5);
        let again = assignment.reuse();
        assert!(again.aux_slice().is_empty() && again.inputs_slice().is_empty());
    }

    #[test]
    fn parts_begin_with_one() {
        let mut whole = Witness::new();
        whole.extend_inputs(&[Fr::ONE]);
        let mut part = Witness::new();
        part.extend_inputs(&[Fr::ONE, Fr::from(3)]);
        part.allocate_empty_aux(1)[0] = Fr::from(8);
        whole.extend(&part);
        whole.extend(&part);
        assert_eq!(whole.inputs_slice(), [Fr::ONE, Fr::from(3), Fr::from(3)]);
        assert_eq!(aux(&whole), [8, 8]);
        assert!(whole.clone().finish().is_ok());

        whole.extend(&Witness::new());
        assert!(matches!(
            whole.finish(),
            Err(RecordedError::NotExtensible { .. })
        ));
    }
}
