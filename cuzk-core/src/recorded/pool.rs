//! Memory that one synthesis leaves to the next.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;

use super::{Pages, Witness};

/// Memory of earlier syntheses, with its pages: fresh ones cost more than what is written into them.
///
/// The bit maps of a witness are not among it: they become the densities of its synthesis.
///
/// It holds what it is given until it is dropped or [emptied](Self::clear), which is as much as the largest batch needs. It may
/// be shared: each of its two locks is held while one vector is put in or taken out.
#[derive(Debug, Default)]
pub struct Pool {
    witnesses: Mutex<Vec<Witness>>,
    vectors: Mutex<Vec<Vec<Fr>>>,
}

/// What is behind a lock is good at any time, so a panic of somebody else who held it does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the vectors of an assignment that is not needed any more.
    pub fn give(&self, assignment: ProvingAssignment<Fr>) {
        let parts = assignment.into_parts();
        [parts.a, parts.b, parts.c, parts.aux_assignment]
            .into_iter()
            .for_each(|vector| self.give_vector(vector));
    }

    /// Frees all that it holds.
    pub fn clear(&self) {
        lock(&self.witnesses).clear();
        lock(&self.vectors).clear();
    }

    /// Bytes of the vectors that it holds.
    pub fn bytes(&self) -> usize {
        let vectors = lock(&self.vectors);
        vectors
            .iter()
            .map(|vector| vector.capacity() * size_of::<Fr>())
            .sum()
    }

    pub(super) fn witness(&self) -> Witness {
        lock(&self.witnesses).pop().unwrap_or_default()
    }

    pub(super) fn give_witness(&self, witness: Witness) {
        lock(&self.witnesses).push(witness);
    }

    /// An empty vector with room for `len` values: the smallest that has it.
    pub(super) fn vector(&self, len: usize) -> (Vec<Fr>, Pages) {
        let mut vectors = lock(&self.vectors);
        let fits = vectors
            .iter()
            .enumerate()
            .filter(|(_, vector)| vector.capacity() >= len);
        match fits
            .min_by_key(|(_, vector)| vector.capacity())
            .map(|(i, _)| i)
        {
            Some(i) => (vectors.swap_remove(i), Pages::Touched),
            None => (Vec::with_capacity(len), Pages::Fresh),
        }
    }

    pub(super) fn give_vector(&self, mut vector: Vec<Fr>) {
        vector.clear();
        if vector.capacity() > 0 {
            lock(&self.vectors).push(vector);
        }
    }
}
