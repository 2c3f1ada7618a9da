//! A recorded circuit.

use std::fmt;

use bellperson::groth16::DensityView;

use super::coefficients::{Coefficients, SMALL_COUNT};
use super::density::{Density, PackedDensity};
use super::error::RecordedError;
use super::format::{CHUNK_ROWS, INPUT, check_chunk};
use super::packed::{Packed, Words};

/// What a recording is made of.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) inputs: usize,
    pub(super) aux: usize,
    pub(super) rows: u64,
    pub(super) nonzeros: [u64; 3],
    pub(super) packed: Packed,
    pub(super) coefficients: Coefficients,
    pub(super) a_aux: PackedDensity,
    pub(super) b_input: PackedDensity,
    pub(super) b_aux: PackedDensity,
}

/// The matrices A, B and C of a circuit, compressed, and the densities of its queries.
///
/// Every index in it has been looked at, and every block of it unpacked: products rely on that. Nothing changes after it.
#[derive(Clone, Debug)]
pub struct Recording {
    parts: Parts,
}

/// The size of a recorded circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedShape {
    /// Number of constraints, one of each input included.
    pub constraints: usize,
    /// Number of inputs, the constant one included.
    pub inputs: usize,
    /// Number of private variables.
    pub aux: usize,
    /// Non-zero coefficients of A, B and C.
    pub nonzeros: [u64; 3],
}

impl fmt::Display for RecordedShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            constraints,
            inputs,
            aux,
            nonzeros: [a, b, c],
        } = self;
        write!(
            f,
            "{constraints} constraints, {inputs} inputs, {aux} private variables, {a} + {b} + {c} non-zeros"
        )
    }
}

impl Recording {
    /// A recording from parts of any origin.
    ///
    /// # Errors
    ///
    /// [`RecordedError::Damaged`] where they do not fit each other.
    pub(super) fn checked(parts: Parts) -> Result<Self, RecordedError> {
        match check(&parts) {
            Ok(()) => Ok(Self { parts }),
            Err(what) => Err(RecordedError::Damaged {
                what: what.to_owned(),
            }),
        }
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Its size.
    pub fn shape(&self) -> RecordedShape {
        RecordedShape {
            constraints: self.parts.rows as usize,
            inputs: self.parts.inputs,
            aux: self.parts.aux,
            nonzeros: self.parts.nonzeros,
        }
    }

    /// Number of different coefficients that are not small integers.
    pub fn coefficients(&self) -> usize {
        self.parts.coefficients.others().len()
    }

    /// Bytes of everything in it, as it lies in memory: packed rows, index, dictionaries and densities.
    pub fn bytes(&self) -> usize {
        let parts = &self.parts;
        let densities = [&parts.a_aux, &parts.b_input, &parts.b_aux];
        let maps: usize = densities.iter().map(|density| density.block.len()).sum();
        parts.packed.bytes() + maps + parts.coefficients.others().len() * 32
    }

    /// Which private variables occur in A.
    pub fn a_aux_density(&self) -> RecordedDensity {
        RecordedDensity(self.parts.a_aux.density(Vec::new()))
    }

    /// Which inputs occur in B.
    pub fn b_input_density(&self) -> RecordedDensity {
        RecordedDensity(self.parts.b_input.density(Vec::new()))
    }

    /// Which private variables occur in B.
    pub fn b_aux_density(&self) -> RecordedDensity {
        RecordedDensity(self.parts.b_aux.density(Vec::new()))
    }
}

/// The density of a query, as [`DensityView`] in words of 64 bits on every target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDensity(Density);

impl RecordedDensity {
    /// The bits, the least significant of word 0 first; those past the last variable are zero.
    pub fn words(&self) -> &[u64] {
        self.0.words()
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Number of variables that occur.
    pub fn total(&self) -> usize {
        self.0.total()
    }
}

impl PartialEq<DensityView<'_>> for RecordedDensity {
    fn eq(&self, other: &DensityView<'_>) -> bool {
        self.len() == other.len
            && self.total() == other.total
            && self
                .words()
                .iter()
                .copied()
                .eq(other.words.iter().map(|word| *word as u64))
    }
}

/// Whether the parts fit each other.
fn check(parts: &Parts) -> Result<(), &'static str> {
    if parts.aux >= INPUT as usize || parts.inputs >= INPUT as usize || parts.inputs == 0 {
        return Err("there are too many variables, or no input");
    }
    let lengths = [parts.a_aux.len, parts.b_input.len, parts.b_aux.len];
    if lengths != [parts.aux, parts.inputs, parts.aux] {
        return Err("the densities are not of all variables");
    }
    let mut memory = Vec::new();
    for density in [&parts.a_aux, &parts.b_input, &parts.b_aux] {
        memory = density.unpack(memory)?.into_words();
    }
    drop(memory);
    let codes = SMALL_COUNT + parts.coefficients.others().len() as u32;
    let (mut rows, mut ends, mut nonzeros) = (0, [0; 3], [0; 3]);
    let mut seen = [0; CHUNK_ROWS as usize / 64];
    let mut memory = Words::default();
    for (i, chunk) in parts.packed.chunks.iter().enumerate() {
        if chunk.rows == 0 || chunk.rows > CHUNK_ROWS {
            return Err("a chunk is too large or empty");
        }
        rows += u64::from(chunk.rows);
        for (matrix, nonzeros) in nonzeros.iter_mut().enumerate() {
            let words = parts.packed.unpack(matrix, i, &mut memory)?;
            let (aux, inputs) = (parts.aux as u64, parts.inputs as u64);
            *nonzeros += check_chunk(words, chunk.rows, aux, inputs, codes, &mut seen)?;
        }
        ends = chunk.ends;
    }
    let lengths = parts.packed.blocks.each_ref();
    let lengths = lengths.map(|blocks| blocks.len() as u64);
    match rows == parts.rows && ends == lengths && nonzeros == parts.nonzeros {
        true => Ok(()),
        false => Err("the counts are not those of the rows"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Outputs, Recorder, Witness};
    use super::*;
    use bellperson::ConstraintSystem;
    use blstrs::Scalar as Fr;
    use cuzk_circuits::MultipackCircuit;
    use ff::Field;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    /// Content that is damaged, with a digest of what it is: it is looked at, not believed.
    #[test]
    fn nonsense_is_refused_or_harmless() {
        let good = Recorder::record(MultipackCircuit::from_seed(1, 2)).expect("records");
        let shape = good.shape();
        let mut witness = Witness::new();
        witness.extend_inputs(&vec![Fr::ONE; shape.inputs]);
        for i in 0..shape.aux as u64 {
            witness.extend_aux(&[Fr::from(i % 3)]);
        }
        let assignment = witness.finish().expect("has no parts");
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let packed = &good.parts().packed;
        let mut memory = Words::default();
        let words = [0, 1, 2].map(|matrix| packed.words(matrix, 0, &mut memory).to_vec());
        assert_eq!(packed.chunks.len(), 1);
        // Of damaged words, and of damaged bytes of packed ones.
        let (mut refused, mut harmless) = ([0; 2], [0; 2]);
        for i in 0..20_000 {
            let mut parts = good.parts().clone();
            let matrix = rng.next_u32() as usize % 3;
            if i % 2 == 0 {
                let mut words = words.clone();
                damage_words(&mut words[matrix], &mut parts, &mut rng);
                let rows = parts.packed.chunks[0].rows;
                parts.packed = Packed::default();
                let words = words.each_ref().map(Vec::as_slice);
                parts.packed.push(rows, words).expect("few words");
            } else {
                damage_bytes(matrix, &mut parts, &mut rng);
            }
            // Counts that fit again hide nothing else.
            let Ok(nonsense) = Recording::checked(parts) else {
                refused[i % 2] += 1;
                continue;
            };
            harmless[i % 2] += 1;
            let rows = nonsense.shape().constraints;
            let mut values = [(); 3].map(|()| vec![Fr::ZERO; rows]);
            let [a, b, c] = &mut values;
            nonsense
                .products(&assignment, Outputs::over(a, b, c))
                .expect("fits");
            let aux: Vec<_> = (0..shape.aux as u64).map(|i| Fr::from(i % 3)).collect();
            if i % 16 < 2 {
                let plain = nonsense.plain_products(assignment.inputs(), &aux);
                assert_eq!(values, plain);
            }
        }
        assert!(
            refused.iter().all(|refused| *refused > 5_000),
            "{refused:?} and {harmless:?}"
        );
        assert!(
            harmless.iter().all(|harmless| *harmless > 200),
            "{refused:?} and {harmless:?}"
        );
    }

    fn damage_words(words: &mut Vec<u32>, parts: &mut Parts, rng: &mut ChaCha8Rng) {
        let at = rng.next_u32() as usize % words.len();
        match rng.next_u32() % 8 {
            0 => words[at] = rng.next_u32(),
            1 => words.truncate(at),
            2 => words.swap(at, 0),
            3 => parts.packed.chunks[0].rows = rng.next_u32() % 5000,
            4 => parts.aux = rng.next_u32() as usize % (2 * parts.aux),
            _ => words[at] ^= 1 << (rng.next_u32() % 32),
        }
    }

    fn damage_bytes(matrix: usize, parts: &mut Parts, rng: &mut ChaCha8Rng) {
        if rng.next_u32().is_multiple_of(8) {
            let block = &mut [&mut parts.a_aux, &mut parts.b_aux, &mut parts.b_input][matrix].block;
            let at = rng.next_u32() as usize % block.len();
            block[at] ^= 1 << (rng.next_u32() % 8);
            return;
        }
        let packed = &mut parts.packed;
        let (blocks, chunk) = (&mut packed.blocks[matrix], &mut packed.chunks[0]);
        let at = rng.next_u32() as usize % blocks.len();
        match rng.next_u32() % 8 {
            0 => blocks[at] = rng.next_u32() as u8,
            1 => {
                blocks.truncate(at);
                chunk.ends[matrix] = at as u64;
            }
            2 => chunk.ends[matrix] = u64::from(rng.next_u32() % 5000),
            3 => chunk.words[matrix] = rng.next_u32() >> (rng.next_u32() % 32),
            4 => blocks.insert(at, rng.next_u32() as u8),
            _ => blocks[at] ^= 1 << (rng.next_u32() % 8),
        }
    }
}
