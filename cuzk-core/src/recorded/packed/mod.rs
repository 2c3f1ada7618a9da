//! The words of [`format`](super::format), packed: how they lie in memory and in files.
//!
//! Gadgets repeat themselves, and what is like in their rows is not the variables but the distances between them. So in each
//! block, the words of one chunk in one matrix, a row is written as its distance from the row of the group before, and a
//! private variable as its distance from the one before, whichever group that is in. What repeats then is written once: the
//! words, as bytes in little-endian order, are a block of LZ4. It may refer to the dictionary of its matrix, the bytes of early
//! blocks that had much that was new, as far as that was there when it was packed. A block needs nothing else, so a thread can
//! start in any.
//!
//! [`Words`] is where a thread unpacks a block right before its rows are evaluated: it stays in the core's caches, and is as
//! large as the largest block that it was used for, which is 8 bytes a group and 8 a term or run.

mod distances;
mod lz4;

use self::distances::{absolute, absolute_plainly, relative};
use self::lz4::fill_plainly;

pub(super) use self::lz4::{fill, may_hold};

/// Most bytes of a dictionary: LZ4 refers to what is at most 64 KiB back, and a dictionary stays in the caches.
const DICTIONARY: usize = 1 << 15;
/// A block joins the dictionary where it cannot be packed to an eighth,
const NEW: usize = 8;
/// and packed has more bytes than these.
const LITTLE: usize = 200;

const _: () = assert!(DICTIONARY <= u16::MAX as usize);

/// A chunk of rows, with the number of its words in each matrix, the bytes of the dictionary that they refer to, and where
/// their bytes end. They begin where those of the chunk before end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) rows: u32,
    pub(super) words: [u32; 3],
    pub(super) known: [u16; 3],
    pub(super) ends: [u64; 3],
}

/// The rows of A, B and C, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) chunks: Vec<Chunk>,
    pub(super) dictionaries: [Vec<u8>; 3],
    /// The blocks of each matrix, one after the other.
    pub(super) blocks: [Vec<u8>; 3],
}

/// Memory for the words of a block.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<u32>);

impl Packed {
    /// Appends a chunk; `None` where it has more words than can be counted.
    pub(super) fn push(&mut self, rows: u32, words: [&[u32]; 3]) -> Option<()> {
        let mut chunk = Chunk {
            rows,
            words: [0; 3],
            known: [0; 3],
            ends: [0; 3],
        };
        for (matrix, words) in words.into_iter().enumerate() {
            chunk.words[matrix] = u32::try_from(words.len()).ok()?;
            let dictionary = &mut self.dictionaries[matrix];
            chunk.known[matrix] = dictionary.len() as u16;
            let bytes = relative(words);
            let block = lz4_flex::block::compress_with_dict(&bytes, dictionary);
            let is_new = block.len() > LITTLE && block.len() > bytes.len() / NEW;
            if is_new && dictionary.len() + bytes.len() <= DICTIONARY {
                dictionary.extend(bytes);
            }
            self.blocks[matrix].extend(block);
            chunk.ends[matrix] = self.blocks[matrix].len() as u64;
        }
        self.chunks.push(chunk);
        Some(())
    }

    /// Gives back memory that was taken for more chunks.
    pub(super) fn shrink(&mut self) {
        let known = self.chunks.last().map_or([0; 3], |chunk| chunk.known);
        for (dictionary, known) in self.dictionaries.iter_mut().zip(known) {
            dictionary.truncate(known.into());
            dictionary.shrink_to_fit();
        }
        self.chunks.shrink_to_fit();
        self.blocks.iter_mut().for_each(Vec::shrink_to_fit);
    }

    /// Bytes of all of it.
    pub(super) fn bytes(&self) -> usize {
        let bytes = self.blocks.iter().chain(&self.dictionaries);
        bytes.map(Vec::len).sum::<usize>() + self.chunks.len() * size_of::<Chunk>()
    }

    /// Unpacks the words of `chunk` in a matrix: 0 for A, 1 for B, 2 for C. Whatever the bytes are, memory is taken for at
    /// most 255 times as many.
    pub(super) fn unpack<'a>(
        &self,
        matrix: usize,
        chunk: usize,
        words: &'a mut Words,
    ) -> Result<&'a [u32], &'static str> {
        let (block, dictionary) = self
            .block(matrix, chunk)
            .ok_or("a chunk lies outside of its matrix")?;
        let count = self.chunks[chunk].words[matrix];
        if !may_hold(block, u64::from(count) * 4) {
            return Err("a chunk has more words than its bytes can hold");
        }
        let words = words.room(count as usize);
        if !fill(words, block, dictionary) {
            return Err("the words of a chunk cannot be unpacked");
        }
        absolute(words);
        Ok(words)
    }

    /// As [`unpack`](Self::unpack), where that has been done before.
    ///
    /// # Panics
    ///
    /// Where it failed. It does not for what [`push`](Self::push) has packed, nor in a recording, of which each block is
    /// unpacked when it is made: bytes do not change after that.
    pub(super) fn words<'a>(&self, matrix: usize, chunk: usize, words: &'a mut Words) -> &'a [u32] {
        match self.unpack(matrix, chunk, words) {
            Ok(words) => words,
            Err(what) => unreachable!("{what}, which has been looked at"),
        }
    }

    /// As [`unpack`](Self::unpack), one byte and one group after the other: what that is held to. Slow.
    pub(super) fn unpack_plainly(&self, matrix: usize, chunk: usize) -> Option<Vec<u32>> {
        let (block, dictionary) = self.block(matrix, chunk)?;
        let bytes = fill_plainly(block, dictionary)?;
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return None;
        };
        let mut words: Vec<_> = numbers
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect();
        absolute_plainly(&mut words)?;
        Some(words)
    }

    /// A block, and what it knows of the dictionary.
    fn block(&self, matrix: usize, chunk: usize) -> Option<(&[u8], &[u8])> {
        let end = |chunk: usize| self.chunks[chunk].ends[matrix] as usize;
        let start = chunk.checked_sub(1).map_or(0, end);
        let known = self.chunks[chunk].known[matrix];
        let dictionary = self.dictionaries[matrix].get(..known.into())?;
        Some((self.blocks[matrix].get(start..end(chunk))?, dictionary))
    }
}

impl Words {
    /// Room for `count` words, whatever they are.
    fn room(&mut self, count: usize) -> &mut [u32] {
        if self.0.len() < count {
            // Exactly, since this is memory of each thread.
            self.0.reserve_exact(count - self.0.len());
            self.0.resize(count, 0);
        }
        &mut self.0[..count]
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::{INPUT, Repeated, Run, Term, rename, write_single};
    use super::*;
    use proptest::prelude::*;

    fn repeated() -> impl Strategy<Value = Vec<u32>> {
        let term = (0..INPUT, 0..511u32, 0..9u32);
        let terms = prop::collection::vec(term, 0..9);
        (0..4096u32, 0..16u32, 1..4097u32, terms).prop_map(|(row, row_step, rows, terms)| {
            let terms: Vec<_> = terms
                .into_iter()
                .map(|(variable, code, step)| Term {
                    variable,
                    code,
                    step,
                })
                .collect();
            let (constant, least) = (i64::from(row_step) - 8, i64::from(rows % 200));
            let head = Repeated {
                row,
                row_step,
                rows,
                terms: terms.len(),
                constant,
                least,
            };
            let mut words = Vec::new();
            head.write(&terms, &mut words);
            words
        })
    }

    fn single() -> impl Strategy<Value = Vec<u32>> {
        let run = (
            any::<u32>(),
            0..1u32 << 20,
            0..16u32,
            1..65u32,
            any::<bool>(),
        );
        (0..4096u32, prop::collection::vec(run, 0..40)).prop_map(|(row, runs)| {
            let mut words = Vec::new();
            write_single(row, runs.len(), &mut words);
            for (variable, code, step, count, doubling) in runs {
                words.extend(
                    Run {
                        variable,
                        code,
                        step,
                        count,
                        doubling,
                    }
                    .words(),
                );
            }
            words
        })
    }

    /// Groups, and the same once more with other variables, as gadgets come.
    fn words() -> impl Strategy<Value = Vec<u32>> {
        let group = prop_oneof![repeated(), single()];
        (prop::collection::vec(group, 0..30), 1..5u32, 0..1000u32).prop_map(
            |(groups, times, shift)| {
                let groups = groups.concat();
                let shifted = |i: u32| {
                    let mut words = groups.clone();
                    let shift = |variable: u32| match variable {
                        INPUT.. => variable,
                        _ => (variable + i * shift) % INPUT,
                    };
                    rename(&mut words, shift, |code| code);
                    words
                };
                (0..times).flat_map(shifted).collect()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_come_back(
            chunks in prop::collection::vec([words(), words(), words()], 1..4),
            flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 0..40),
        ) {
            let mut packed = Packed::default();
            for chunk in &chunks {
                let words = chunk.each_ref().map(Vec::as_slice);
                prop_assert_eq!(packed.push(1, words), Some(()));
            }
            packed.shrink();
            let mut memory = Words::default();
            for (i, chunk) in chunks.iter().enumerate() {
                for (matrix, words) in chunk.iter().enumerate() {
                    prop_assert_eq!(packed.unpack(matrix, i, &mut memory), Ok(words.as_slice()));
                    let plain = packed.unpack_plainly(matrix, i);
                    prop_assert_eq!(plain.as_ref(), Some(words));
                }
            }
            // Of damaged bytes, the fast way makes what the plain one makes, or nothing.
            for (at, flip) in flips {
                let Packed { blocks, dictionaries, .. } = &mut packed;
                let all = dictionaries[0].len() + blocks[0].len();
                let mut bytes = dictionaries[0].iter_mut().chain(&mut blocks[0]);
                let byte = bytes.nth(at.index(all)).expect("is below their number");
                *byte ^= flip;
                for i in 0..chunks.len() {
                    let fast = packed.unpack(0, i, &mut memory);
                    if let (Ok(fast), Some(plain)) = (fast, packed.unpack_plainly(0, i)) {
                        prop_assert_eq!(fast, plain);
                    }
                }
            }
        }
    }

    #[test]
    fn chunks_know_early_ones() {
        let words = |first: u32| {
            let mut words = Vec::new();
            for i in 0..60 {
                write_single(i, 1, &mut words);
                let (variable, code) = (first + i * i * i, 256 + i * i);
                let run = Run {
                    variable,
                    code,
                    step: 1,
                    count: 1 + i,
                    doubling: false,
                };
                words.extend(run.words());
            }
            words
        };
        let mut packed = Packed::default();
        for i in 0..40 {
            let words = words(1_000_000 * i);
            assert_eq!(packed.push(60, [&words, &[], &words[4..]]), Some(()));
        }
        packed.shrink();
        let [a, b, c] = packed.dictionaries.each_ref().map(Vec::len);
        assert!(a > 0 && a <= 960 && b == 0 && c > 0, "{a} {b} {c}");
        assert!(
            packed.blocks[0].len() < 2 * 960,
            "{}",
            packed.blocks[0].len()
        );
        let mut memory = Words::default();
        for i in 0..40 {
            let expected = words(1_000_000 * i as u32);
            assert_eq!(packed.words(0, i, &mut memory), expected);
            assert_eq!(packed.words(2, i, &mut memory), &expected[4..]);
            assert_eq!(packed.unpack_plainly(0, i), Some(expected));
        }
    }

    #[test]
    fn what_repeats_takes_no_room() {
        let mut words = Vec::new();
        for i in 0..500 {
            write_single(i, 1, &mut words);
            let run = Run {
                variable: 100 * i,
                code: 256,
                step: 1,
                count: 32,
                doubling: true,
            };
            words.extend(run.words());
        }
        let mut packed = Packed::default();
        assert_eq!(packed.push(500, [&words, &[], &words]), Some(()));
        assert!(packed.blocks[0].len() < 100, "{}", packed.blocks[0].len());
        let mut memory = Words::default();
        assert_eq!(packed.words(0, 0, &mut memory), words);
        assert!(packed.words(1, 0, &mut memory).is_empty());
        assert_eq!(memory.0.len(), words.len());
        // Memory is not taken for what a count says.
        packed.chunks[0].words[0] = u32::MAX;
        assert!(packed.unpack(0, 0, &mut memory).is_err());
        packed.chunks[0].words[0] = words.len() as u32 + 2;
        assert!(packed.unpack(0, 0, &mut memory).is_err());
        packed.chunks[0].words[0] -= 2;
        assert!(packed.unpack(0, 0, &mut memory).is_ok());
        packed.chunks[0].known[0] = 1;
        assert!(packed.unpack(0, 0, &mut memory).is_err());
        packed.chunks[0].known[0] = 0;
        packed.chunks[0].ends[0] += 1;
        assert!(packed.unpack(0, 0, &mut memory).is_err());
    }
}
