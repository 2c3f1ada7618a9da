//! Which variables occur in a matrix.

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
}
