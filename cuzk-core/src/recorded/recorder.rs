//! Running a circuit without a witness, to keep its matrices.

use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar as Fr;
use ff::Field;

use super::coefficients::Coder;
use super::density::{Density, PackedDensity};
use super::encoder::{Encoder, Entry};
use super::error::{Fault, RecordedError};
use super::format::{CHUNK_ROWS, INPUT, rename};
use super::limbs::limbs;
use super::packed::{Packed, Words};
use super::recording::{Parts, Recording};

/// A constraint system that keeps the rows of A, B and C and asks for no value.
///
/// The one value that it looks at is that of the first input: a part that is appended ([`extend`](ConstraintSystem::extend))
/// begins with a temporary constant one, as with bellperson's `ProvingAssignment`.
///
/// # Memory
///
/// Rows are written down as they come, and packed when a chunk is complete. Besides the recording itself, up to twice of it
/// while a vector grows, there are a bit or two of each variable, the words of one chunk, twice while they are packed, the
/// groups of rows that are still open, at most a dozen a matrix, and three linear combinations.
#[derive(Debug, Default)]
pub struct Recorder {
    inputs: usize,
    aux: usize,
    rows: u64,
    /// Rows of the chunk that is being written.
    chunk_rows: u32,
    packed: Packed,
    matrices: [Encoder; 3],
    coder: Coder,
    a_aux: Density,
    b_input: Density,
    b_aux: Density,
    /// Whether the first input is the constant one.
    begins_with_one: bool,
    fault: Option<Fault>,
    entries: Vec<Entry>,
}

impl Recorder {
    /// Records `circuit` as bellperson's prover synthesises it: the constant one before it, a constraint for each input
    /// after it.
    ///
    /// # Errors
    ///
    /// [`RecordedError::Circuit`] where the circuit reports an error, [`RecordedError::NotExtensible`] where it appends a
    /// part that does not begin with the constant one, [`RecordedError::TooLarge`]. [`RecordedError::Damaged`] would mean that
    /// what was packed does not come back: it is looked at before it is relied on.
    pub fn record<C: Circuit<Fr>>(circuit: C) -> Result<Recording, RecordedError> {
        let mut recorder = Self::new();
        recorder
            .alloc_input(|| "", || Ok(Fr::ONE))
            .and_then(|_| circuit.synthesize(&mut recorder))
            .map_err(RecordedError::Circuit)?;
        for i in 0..recorder.inputs {
            let input = |lc| lc + Variable(Index::Input(i));
            recorder.enforce(|| "", input, |lc| lc, |lc| lc);
        }
        recorder.finish()
    }

    fn finish(mut self) -> Result<Recording, RecordedError> {
        self.end_chunk();
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        self.packed.shrink();
        Recording::checked(Parts {
            inputs: self.inputs,
            aux: self.aux,
            rows: self.rows,
            nonzeros: self.matrices.each_ref().map(Encoder::nonzeros),
            packed: self.packed,
            coefficients: self.coder.finish(),
            a_aux: PackedDensity::of(&self.a_aux),
            b_input: PackedDensity::of(&self.b_input),
            b_aux: PackedDensity::of(&self.b_aux),
        })
    }

    /// The chunk ends here, and another one begins.
    fn end_chunk(&mut self) {
        if self.chunk_rows == 0 {
            return;
        }
        self.matrices.iter_mut().for_each(Encoder::close);
        let words = self.matrices.each_ref().map(Encoder::words);
        let pushed = self.packed.push(self.chunk_rows, words);
        self.matrices.iter_mut().for_each(Encoder::next_chunk);
        self.chunk_rows = 0;
        self.count_chunk(pushed);
    }

    fn count_chunk(&mut self, pushed: Option<()>) {
        if pushed.is_none() {
            self.refuse(Fault::TooLarge("terms in a chunk of constraints"));
        }
    }

    fn add_row(&mut self, matrix: usize, row: &LinearCombination<Fr>) {
        let Self {
            coder,
            entries,
            fault,
            ..
        } = self;
        entries.clear();
        let (density_input, density_aux) = match matrix {
            0 => (None, Some(&mut self.a_aux)),
            1 => (Some(&mut self.b_input), Some(&mut self.b_aux)),
            _ => (None, None),
        };
        let mut add =
            |index: &usize, flag: u32, coefficient: &Fr, density: &mut Option<&mut Density>| {
                if *limbs(coefficient) == [0; 4] {
                    return;
                }
                let Some(code) = coder.code(limbs(coefficient)) else {
                    fault.get_or_insert(Fault::TooLarge("different coefficients"));
                    return;
                };
                if let Some(density) = density {
                    density.mark(*index);
                }
                // Indices are those of variables of this constraint system, of which there are less than `INPUT`.
                let variable = *index as u32 | flag;
                entries.push(Entry { variable, code });
            };
        let (mut density_input, mut density_aux) = (density_input, density_aux);
        row.iter_inputs()
            .for_each(|(index, coefficient)| add(index, INPUT, coefficient, &mut density_input));
        row.iter_aux()
            .for_each(|(index, coefficient)| add(index, 0, coefficient, &mut density_aux));
        self.matrices[matrix].push(self.chunk_rows, entries, coder);
    }

    fn refuse(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }
}

impl ConstraintSystem<Fr> for Recorder {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        self.a_aux.grow();
        self.b_aux.grow();
        if self.aux >= INPUT as usize {
            self.refuse(Fault::TooLarge("private variables"));
        }
        Ok(Variable(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.inputs == 0 {
            self.begins_with_one = f().is_ok_and(|value| value == Fr::ONE);
        }
        self.inputs += 1;
        self.b_input.grow();
        if self.inputs >= INPUT as usize {
            self.refuse(Fault::TooLarge("inputs"));
        }
        Ok(Variable(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
        let zero = LinearCombination::zero;
        let rows = [a(zero()), b(zero()), c(zero())];
        if self.fault.is_none() {
            for (matrix, row) in rows.iter().enumerate() {
                self.add_row(matrix, row);
            }
            self.rows += 1;
            self.chunk_rows += 1;
            if self.chunk_rows == CHUNK_ROWS {
                self.end_chunk();
            }
        }
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
        if let Some(fault) = other.fault {
            self.refuse(fault);
        }
        if !other.begins_with_one || self.inputs == 0 {
            let why = "a part was appended whose first input is not the constant one, or to something without inputs";
            self.refuse(Fault::NotExtensible(why));
        }
        let (aux, inputs) = (self.aux, self.inputs);
        if aux + other.aux >= INPUT as usize || inputs + other.inputs >= INPUT as usize {
            self.refuse(Fault::TooLarge("variables"));
        }
        if self.fault.is_some() {
            return;
        }
        self.end_chunk();
        self.a_aux.append(&other.a_aux, 0);
        self.b_aux.append(&other.b_aux, 0);
        self.b_input.append(&other.b_input, 1);
        if other
            .b_input
            .words()
            .first()
            .is_some_and(|word| word & 1 == 1)
        {
            self.b_input.mark(0);
        }
        self.inputs += other.inputs - 1;
        self.aux += other.aux;
        self.append_rows(other, aux as u32, inputs as u32);
    }
}

impl Recorder {
    /// Appends the rows of `other`, whose private variables begin at `aux` here, and whose inputs but the constant one at
    /// `inputs`.
    fn append_rows(&mut self, other: &Self, aux: u32, inputs: u32) {
        let mut codes = Vec::new();
        for coefficient in other.coder.coefficients().scalars() {
            match self.coder.code(coefficient) {
                Some(code) => codes.push(code),
                None => return self.refuse(Fault::TooLarge("different coefficients")),
            }
        }
        let variable = |variable: u32| match variable {
            INPUT => INPUT,
            0..INPUT => variable + aux,
            _ => variable + inputs - 1,
        };
        let mut append = |rows, mut words: [Vec<u32>; 3]| {
            for words in &mut words {
                rename(words, variable, |code| codes[code as usize]);
            }
            self.packed.push(rows, words.each_ref().map(Vec::as_slice))
        };
        let mut memory = Words::default();
        let mut pushed = Some(());
        for (i, chunk) in other.packed.chunks.iter().enumerate() {
            let words = |matrix| other.packed.words(matrix, i, &mut memory).to_vec();
            pushed = pushed.and(append(chunk.rows, [0, 1, 2].map(words)));
        }
        if other.chunk_rows > 0 {
            let words = other.matrices.each_ref().map(Encoder::closed_words);
            pushed = pushed.and(append(other.chunk_rows, words));
        }
        self.count_chunk(pushed);
        for (matrix, from) in self.matrices.iter_mut().zip(&other.matrices) {
            matrix.add_nonzeros(from.nonzeros());
        }
        self.rows += other.rows;
    }
}
