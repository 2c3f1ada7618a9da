//! Digests of long vectors, equal for equal values whatever the number of threads that computed them.
//!
//! A scalar vector is cut into chunks of [`CHUNK`] scalars; each chunk is hashed over the scalars' canonical
//! little-endian bytes, and the digest is the hash of the vector's length and the chunks' hashes in order. The cut
//! is fixed, so threads only decide who hashes which chunk.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use blake2b_simd::{Hash, Params, State};
use ff::PrimeField;

/// Scalars in one independently hashed piece of a vector: 2 MiB for a 32-byte scalar.
pub const CHUNK: usize = 1 << 16;

/// A running BLAKE2b-256 hash.
pub fn hasher() -> State {
    Params::new().hash_length(32).to_state()
}

/// The hex BLAKE2b-256 digest of plain bytes.
pub fn bytes(data: &[u8]) -> String {
    hex(Params::new().hash_length(32).hash(data))
}

/// A finished hash in hex.
pub fn hex(hash: Hash) -> String {
    hash.to_hex().to_string()
}

/// The hex digest of a vector of scalars, on all processors.
pub fn scalars<F: PrimeField>(values: &[F]) -> String {
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    scalars_on(values, threads)
}

/// As [`scalars`], on a given number of threads.
pub fn scalars_on<F: PrimeField>(values: &[F], threads: usize) -> String {
    let chunks: Vec<&[F]> = values.chunks(CHUNK).collect();
    let hashes = ordered_map(&chunks, threads, |chunk| hash_chunk(chunk));
    let mut state = hasher();
    state.update(&(values.len() as u64).to_le_bytes());
    for hash in &hashes {
        state.update(hash.as_bytes());
    }
    hex(state.finalize())
}

fn hash_chunk<F: PrimeField>(chunk: &[F]) -> Hash {
    // A scalar at a time is too small a piece for the hash; a page or so is not.
    const BATCH: usize = 128;
    let mut state = hasher();
    let mut buffer = Vec::with_capacity(BATCH * 32);
    for batch in chunk.chunks(BATCH) {
        buffer.clear();
        for value in batch {
            buffer.extend_from_slice(value.to_repr().as_ref());
        }
        state.update(&buffer);
    }
    state.finalize()
}

/// Maps in parallel, results in the order of `items`. Threads take the next index from a shared counter.
fn ordered_map<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            // Relaxed: the counter only hands out indices, results travel through join.
            let index = next.fetch_add(1, Ordering::Relaxed);
            match items.get(index) {
                Some(item) => done.push((index, f(item))),
                None => return done,
            }
        }
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(items.len()).max(1))
            .map(|_| scope.spawn(work))
            .collect();
        let mut results = work();
        for helper in helpers {
            match helper.join() {
                Ok(part) => results.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The hex digest of a density bitmap: its length in bits, the number of ones, then the words that hold the bits.
///
/// Bits past the length are left out, since they may hold anything.
pub fn density(words: &[usize], len: usize, total: usize) -> String {
    let mut state = hasher();
    state.update(&(len as u64).to_le_bytes());
    state.update(&(total as u64).to_le_bytes());
    for word in density_words(words, len) {
        state.update(&word.to_le_bytes());
    }
    hex(state.finalize())
}

/// The words of a density bitmap with the bits past its length cleared, as they are hashed and dumped.
pub fn density_words(words: &[usize], len: usize) -> impl Iterator<Item = u64> + '_ {
    let bits = usize::BITS as usize;
    let used = len.div_ceil(bits);
    words.iter().take(used).enumerate().map(move |(i, &word)| {
        let left = len - i * bits;
        let mask = if left >= bits {
            usize::MAX
        } else {
            (1 << left) - 1
        };
        (word & mask) as u64
    })
}

/// Writes scalars as 32-byte canonical little-endian values, one after another.
pub fn write_scalars<F: PrimeField>(values: &[F], out: &mut impl Write) -> io::Result<()> {
    for value in values {
        out.write_all(value.to_repr().as_ref())?;
    }
    Ok(())
}

/// Writes the words of a density bitmap as little-endian 64-bit values.
pub fn write_density(words: &[usize], len: usize, out: &mut impl Write) -> io::Result<()> {
    for word in density_words(words, len) {
        out.write_all(&word.to_le_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use blstrs::Scalar;
    use ff::Field;

    fn vector(len: usize) -> Vec<Scalar> {
        let step = Scalar::from(0x1234_5678_9abc_def1);
        std::iter::successors(Some(step), |x| Some(x.square() + step))
            .take(len)
            .collect()
    }

    #[test]
    fn the_digest_does_not_depend_on_threads() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            let values = vector(len);
            let one = scalars_on(&values, 1);
            for threads in [2, 3, 16] {
                assert_eq!(one, scalars_on(&values, threads), "{len} scalars");
            }
        }
    }

    #[test]
    fn every_position_and_the_length_count() {
        let values = vector(CHUNK + 3);
        let digest = scalars(&values);
        for index in [0, CHUNK - 1, CHUNK, CHUNK + 2] {
            let mut changed = values.clone();
            changed[index] += Scalar::ONE;
            assert_ne!(digest, scalars(&changed), "index {index}");
        }
        let mut longer = values.clone();
        longer.push(Scalar::ZERO);
        assert_ne!(digest, scalars(&longer));
        let mut swapped = values;
        swapped.swap(0, CHUNK);
        assert_ne!(digest, scalars(&swapped));
    }

    #[test]
    fn density_ignores_what_lies_past_its_end() {
        let clean = density(&[0b101, 0], 3, 2);
        assert_eq!(clean, density(&[0b1101, 9], 3, 2));
        assert_ne!(clean, density(&[0b111, 0], 3, 2));
        assert_ne!(clean, density(&[0b101, 0], 4, 2));
        assert_ne!(clean, density(&[0b101, 0], 3, 3));
        let whole: Vec<u64> = density_words(&[usize::MAX, 1], 65).collect();
        assert_eq!(whole, [u64::MAX, 1]);
    }

    #[test]
    fn a_dump_is_canonical_little_endian() {
        let mut out = Vec::new();
        write_scalars(&[Scalar::from(258)], &mut out).expect("memory");
        assert_eq!(out.len(), 32);
        assert_eq!(out[..3], [2, 1, 0]);
    }
}
