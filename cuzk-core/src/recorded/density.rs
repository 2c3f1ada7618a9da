//! Which variables occur in a matrix.

use super::packed::{fill, may_hold};

/// A growing bit map of the variables that occur in a matrix, with the number of them: what bellperson's prover calls a
/// density tracker, with the same rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Density {
    words: Vec<u64>,
    len: usize,
    total: usize,
}

impl Density {
    /// The map of `len` variables with these words; bits past the end must be zero.
    pub(super) fn from_words(words: Vec<u64>, len: usize) -> Option<Self> {
        let past = len % 64;
        let clean = past == 0 || words.last().is_none_or(|word| word >> past == 0);
        let total = words.iter().map(|word| word.count_ones() as usize).sum();
        (words.len() == len.div_ceil(64) && clean).then_some(Self { words, len, total })
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn into_words(self) -> Vec<u64> {
        self.words
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// One variable more, which has not occurred.
    #[inline]
    pub(super) fn grow(&mut self) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
    }

    /// Variable `index` occurs.
    #[inline]
    pub(super) fn mark(&mut self, index: usize) {
        debug_assert!(index < self.len);
        let bit = 1 << (index % 64);
        if let Some(word) = self.words.get_mut(index / 64) {
            self.total += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Appends the variables of `other`, without its first `skipped`.
    pub(super) fn append(&mut self, other: &Self, skipped: usize) {
        for index in skipped..other.len {
            self.grow();
            if other.words[index / 64] >> (index % 64) & 1 == 1 {
                self.mark(self.len - 1);
            }
        }
    }
}

/// A [`Density`] that is complete, packed: nearly every variable occurs, or one in so many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackedDensity {
    /// Number of variables.
    pub(super) len: usize,
    /// Its words as a block of LZ4.
    pub(super) block: Vec<u8>,
}

impl PackedDensity {
    pub(super) fn of(density: &Density) -> Self {
        let bytes: Vec<u8> = density.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Self {
            len: density.len,
            block: lz4_flex::block::compress(&bytes),
        }
    }

    /// The density, in `memory` where that is large enough. More is taken for at most 255 times the bytes that there are.
    pub(super) fn unpack(&self, memory: Vec<u64>) -> Result<Density, &'static str> {
        let count = self.len.div_ceil(64);
        if !may_hold(&self.block, count as u64 * 8) {
            return Err("a density has more variables than its bytes can hold");
        }
        let mut words = memory;
        words.clear();
        words.reserve_exact(count);
        words.resize(count, 0);
        if !fill(&mut words, &self.block, &[]) {
            return Err("a density cannot be unpacked");
        }
        words
            .iter_mut()
            .for_each(|word| *word = u64::from_le(*word));
        Density::from_words(words, self.len).ok_or("a density has variables past its end")
    }

    /// As [`unpack`](Self::unpack), where that has been done before.
    ///
    /// # Panics
    ///
    /// Where it failed. It does not in a recording, of which each density is unpacked when it is made.
    pub(super) fn density(&self, memory: Vec<u64>) -> Density {
        match self.unpack(memory) {
            Ok(density) => density,
            Err(what) => unreachable!("{what}, which has been looked at"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_once() {
        let mut density = Density::default();
        (0..130).for_each(|_| density.grow());
        for index in [0, 64, 129, 64] {
            density.mark(index);
        }
        assert_eq!((density.len(), density.total()), (130, 3));
        assert_eq!(density.words(), [1, 1, 2]);

        let mut twice = density.clone();
        twice.append(&density, 1);
        assert_eq!((twice.len(), twice.total()), (259, 5));
        let copy = Density::from_words(twice.words().to_vec(), 259);
        assert_eq!(copy, Some(twice));
        assert_eq!(Density::from_words(vec![4], 2), None);
        assert_eq!(Density::from_words(vec![1, 0], 2), None);
    }

    #[test]
    fn packed_ones_come_back() {
        for len in [0, 1, 64, 5000] {
            let mut density = Density::default();
            for i in 0..len {
                density.grow();
                if i % 7 != 3 || i % 1000 == 4 {
                    density.mark(i);
                }
            }
            let packed = PackedDensity::of(&density);
            assert_eq!(packed.unpack(vec![9; 20]), Ok(density));
            let wrong = |len, block: &[u8]| {
                let block = block.to_vec();
                PackedDensity { len, block }.unpack(Vec::new())
            };
            assert!(wrong(len + 64, &packed.block).is_err());
            assert!(wrong(1 << 30, &packed.block).is_err());
            assert!(wrong(len, &[]).is_err() || len == 0);
        }
        let past = lz4_flex::block::compress(&[255; 8]);
        let past = PackedDensity {
            len: 63,
            block: past,
        };
        assert!(past.unpack(Vec::new()).is_err());
    }
}
