//! Values that are nearly all bits: a bit map, a map of those that are not bits, and these in full.

use std::mem::MaybeUninit;

use blstrs::Scalar as Fr;

use super::limbs::{self, ONE, limbs};
use super::stores::{Stores, stream};

/// Words behind the last one, so that a window of bits may be read at any position.
pub(super) const PADDING: usize = 3;

/// A growing vector of scalars of which zeros and ones take two bits.
#[derive(Clone, Debug, Default)]
pub(super) struct BitVector {
    /// Bit `i % 64` of word `i / 64` says that value `i` is one.
    bits: Vec<u64>,
    /// The same of being neither zero nor one; its bit in `bits` is zero then.
    wide: Vec<u64>,
    /// Number of such values before each word.
    before: Vec<u32>,
    /// Those values, in order.
    dense: Vec<Fr>,
    /// The word that is being filled.
    last_bits: u64,
    last_wide: u64,
    /// Number of bits in it, below 64.
    filled: u32,
    /// Values in `dense` that belong to complete words.
    complete: u32,
}

impl BitVector {
    pub(super) fn len(&self) -> usize {
        self.bits.len() * 64 + self.filled as usize
    }

    /// Empties it and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.bits.clear();
        self.wide.clear();
        self.before.clear();
        self.dense.clear();
        (self.last_bits, self.last_wide, self.filled, self.complete) = (0, 0, 0, 0);
    }

    /// Makes room for `len` values in all, but those that are dense, and for what [`seal`](Self::seal) adds.
    pub(super) fn reserve(&mut self, len: usize) {
        let words = len / 64 + 1 + PADDING;
        for map in [&mut self.bits, &mut self.wide] {
            map.reserve_exact(words.saturating_sub(map.len()));
        }
        self.before
            .reserve_exact(words.saturating_sub(self.before.len()));
    }

    /// Empties it, and gives the memory of its two bit maps away.
    pub(super) fn take_maps(&mut self) -> [Vec<u64>; 2] {
        self.clear();
        [&mut self.bits, &mut self.wide].map(std::mem::take)
    }

    /// Bytes that its vectors hold.
    fn bytes(&self) -> usize {
        (self.bits.capacity() + self.wide.capacity()) * 8
            + self.before.capacity() * 4
            + self.dense.capacity() * size_of::<Fr>()
    }

    #[inline]
    pub(super) fn push(&mut self, value: &Fr) {
        let value_limbs = limbs(value);
        if *value_limbs == [0; 4] {
            self.append(0, 0, 1);
        } else if *value_limbs == ONE {
            self.append(1, 0, 1);
        } else {
            self.dense.push(*value);
            self.append(0, 1, 1);
        }
    }

    /// Appends `count` bits, at most 64; those of `bits` past them are ignored.
    #[inline]
    pub(super) fn push_bits(&mut self, bits: u64, count: u32) {
        debug_assert!(count <= 64);
        match count {
            0 => {}
            64.. => self.append(bits, 0, 64),
            _ => self.append(bits & ((1 << count) - 1), 0, count),
        }
    }

    /// Appends `count` positions, 1 to 64. The dense values of `wide` are in `dense` already.
    #[inline]
    fn append(&mut self, bits: u64, wide: u64, count: u32) {
        self.last_bits |= bits << self.filled;
        self.last_wide |= wide << self.filled;
        let end = self.filled + count;
        if end < 64 {
            self.filled = end;
            return;
        }
        self.bits.push(self.last_bits);
        self.wide.push(self.last_wide);
        self.before.push(self.complete);
        self.complete += self.last_wide.count_ones();
        let taken = 64 - self.filled;
        (self.last_bits, self.last_wide) = match taken {
            64 => (0, 0),
            _ => (bits >> taken, wide >> taken),
        };
        self.filled = end - 64;
    }

    /// Appends all of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        self.dense.extend_from_slice(&other.dense);
        for (bits, wide) in other.bits.iter().zip(&other.wide) {
            self.append(*bits, *wide, 64);
        }
        if other.filled > 0 {
            self.append(other.last_bits, other.last_wide, other.filled);
        }
    }

    /// Completes the last word and puts padding behind it.
    pub(super) fn seal(mut self) -> SealedBits {
        let len = self.len();
        self.bits.push(self.last_bits);
        self.wide.push(self.last_wide);
        self.before.push(self.complete);
        let padded = self.bits.len() + PADDING;
        self.bits.resize(padded, 0);
        self.wide.resize(padded, 0);
        self.before.resize(padded, self.dense.len() as u32);
        SealedBits { vector: self, len }
    }

    /// Value `index`.
    pub(super) fn get(&self, index: usize) -> Option<Fr> {
        let (word, bit) = (index / 64, index % 64);
        let (bits, wide, before) = match self.bits.get(word) {
            Some(bits) => (*bits, self.wide[word], self.before[word]),
            None if word == self.bits.len() && bit < self.filled as usize => {
                (self.last_bits, self.last_wide, self.complete)
            }
            None => return None,
        };
        Some(match wide >> bit & 1 {
            0 if bits >> bit & 1 == 0 => limbs::scalar([0; 4]),
            0 => limbs::scalar(ONE),
            _ => self.dense[before as usize + (wide & ((1 << bit) - 1)).count_ones() as usize],
        })
    }
}

/// A [`BitVector`] that is complete and can be read anywhere.
#[derive(Clone, Debug)]
pub(super) struct SealedBits {
    vector: BitVector,
    len: usize,
}

impl SealedBits {
    pub(super) fn view(&self) -> BitView<'_> {
        BitView {
            bits: &self.vector.bits,
            wide: &self.vector.wide,
            before: &self.vector.before,
            dense: &self.vector.dense,
            len: self.len,
        }
    }

    /// Bytes of memory that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.vector.bytes()
    }

    /// An empty vector with the memory of this one.
    pub(super) fn reuse(self) -> BitVector {
        let mut vector = self.vector;
        vector.clear();
        vector
    }
}

/// All values of [`SealedBits`]: `bits`, `wide` and `before` have [`PADDING`] words and more behind the last value.
#[derive(Clone, Copy)]
pub(super) struct BitView<'a> {
    pub(super) bits: &'a [u64],
    pub(super) wide: &'a [u64],
    pub(super) before: &'a [u32],
    pub(super) dense: &'a [Fr],
    pub(super) len: usize,
}

impl<'a> BitView<'a> {
    /// The dense value at `index`, or whether the bit there is set.
    ///
    /// # Safety
    ///
    /// `index` is below `len`.
    #[inline(always)]
    pub(super) unsafe fn get(&self, index: usize) -> Result<bool, &'a Fr> {
        let (word, bit) = (index / 64, index % 64);
        // SAFETY: the words reach to the last value and further, the caller vouches for `index`.
        let (bits, wide) = unsafe {
            (
                *self.bits.get_unchecked(word),
                *self.wide.get_unchecked(word),
            )
        };
        if wide >> bit & 1 == 0 {
            return Ok(bits >> bit & 1 == 1);
        }
        let rank = (wide & ((1 << bit) - 1)).count_ones() as usize;
        // SAFETY: `before` counts the dense values of the words before, `rank` those before this one in its word: there is
        // one dense value for each bit of `wide`.
        Err(unsafe {
            self.dense
                .get_unchecked(*self.before.get_unchecked(word) as usize + rank)
        })
    }

    /// Writes values `start..start + out.len()` as scalars.
    ///
    /// # Panics
    ///
    /// Where `start` is no multiple of 64, or there are not as many values.
    pub(super) fn expand(&self, start: usize, out: &mut [MaybeUninit<Fr>], stores: Stores) {
        assert!(start.is_multiple_of(64) && start + out.len() <= self.len);
        let constants = [limbs::scalar([0; 4]), limbs::scalar(ONE)];
        let streamed = stores == Stores::Streamed && stream::is_aligned(out);
        for (word, out) in (start / 64..).zip(out.chunks_mut(64)) {
            let (bits, mut wide) = (self.bits[word], self.wide[word]);
            if wide == 0 && streamed {
                for (i, out) in out.iter_mut().enumerate() {
                    // SAFETY: `out` is aligned, as scalars of an aligned slice are, and `finish` follows.
                    unsafe { stream::write(out, &constants[(bits >> i & 1) as usize]) };
                }
                continue;
            }
            for (i, out) in out.iter_mut().enumerate() {
                out.write(constants[(bits >> i & 1) as usize]);
            }
            let mut next = self.before[word] as usize;
            while wide != 0 {
                if let Some(out) = out.get_mut(wide.trailing_zeros() as usize) {
                    out.write(self.dense[next]);
                }
                next += 1;
                wide &= wide - 1;
            }
        }
        stream::finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    fn filled(rng: &mut ChaCha8Rng, steps: usize) -> (BitVector, Vec<Fr>) {
        let (mut vector, mut plain) = (BitVector::default(), Vec::new());
        for _ in 0..steps {
            match rng.next_u32() % 4 {
                0 => {
                    let (bits, count) = (rng.next_u64(), rng.next_u32() % 65);
                    vector.push_bits(bits, count);
                    plain.extend((0..count).map(|i| Fr::from(bits >> i & 1)));
                }
                1 => {
                    let value = Fr::random(&mut *rng);
                    vector.push(&value);
                    plain.push(value);
                }
                _ => {
                    let value = Fr::from(u64::from(rng.next_u32() % 2));
                    vector.push(&value);
                    plain.push(value);
                }
            }
        }
        (vector, plain)
    }

    fn same(vector: &BitVector, plain: &[Fr]) {
        assert_eq!(vector.len(), plain.len());
        for (i, value) in plain.iter().enumerate() {
            assert_eq!(vector.get(i), Some(*value));
        }
        assert_eq!(vector.get(plain.len()), None);
        let sealed = vector.clone().seal();
        let view = sealed.view();
        assert_eq!(view.len, plain.len());
        for (i, value) in plain.iter().enumerate() {
            // SAFETY: `i` is below the length.
            let got = match unsafe { view.get(i) } {
                Ok(bit) => Fr::from(u64::from(bit)),
                Err(dense) => *dense,
            };
            assert_eq!(got, *value);
        }
        for stores in [Stores::Cached, Stores::Streamed] {
            let mut expanded = Vec::with_capacity(plain.len());
            view.expand(0, &mut expanded.spare_capacity_mut()[..plain.len()], stores);
            // SAFETY: `expand` has written all of them.
            unsafe { expanded.set_len(plain.len()) };
            assert_eq!(expanded, plain);
        }
    }

    #[test]
    fn holds_what_was_put_in() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for steps in [0, 1, 2, 7, 60, 300] {
            let (mut vector, mut plain) = filled(&mut rng, steps);
            same(&vector, &plain);
            for more in [0, 1, 30] {
                let (other, values) = filled(&mut rng, more);
                vector.extend(&other);
                plain.extend(values);
                same(&vector, &plain);
            }
            let reused = vector.seal().reuse();
            same(&reused, &[]);
        }
    }
}
