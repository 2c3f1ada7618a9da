//! Synthesis from a recording.

use std::time::{Duration, Instant};

use bellperson::groth16::{AssignmentParts, ProvingAssignment};
use bellperson::{Circuit, ConstraintSystem};
use blstrs::Scalar as Fr;
use ff::Field;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::check::differs;
use super::density::Density;
use super::stores::Stores;
use super::{Assignment, Outputs, Pages, Pool, RecordedError, Recording};
use crate::synthesis::{Synthesis, SynthesisOptions, synthesize};

/// What becomes of a circuit that the recording is not of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMismatch {
    /// An error.
    #[default]
    Refuse,
    /// Plain synthesis of the whole batch.
    Plain,
}

/// How to synthesise from a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedOptions {
    /// Whether the recording is used: otherwise synthesis is plain.
    pub enabled: bool,
    /// What becomes of another circuit.
    pub on_mismatch: OnMismatch,
    /// Synthesises plainly as well, and fails where anything differs.
    pub self_check: bool,
}

impl Default for RecordedOptions {
    fn default() -> Self {
        Self {
            enabled: true,
            on_mismatch: OnMismatch::default(),
            self_check: false,
        }
    }
}

/// Where the time of a synthesis from a recording went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedTimes {
    /// Running the circuits for their variables.
    pub witness: Duration,
    /// a, b and c.
    pub products: Duration,
    /// Private variables as scalars, and the densities.
    pub expansion: Duration,
}

/// A batch that was synthesised from a recording.
pub struct RecordedSynthesis {
    /// The same as from plain synthesis.
    pub synthesis: Synthesis,
    /// Where the time went; `None` where synthesis was plain.
    pub times: Option<RecordedTimes>,
    /// Why synthesis was plain, where it was not asked to be.
    pub fell_back: Option<RecordedError>,
}

/// Synthesises `circuits` from the recording of their constraints. Each runs on one thread of the current rayon pool to
/// compute its variables; all threads share the rest. Memory comes from `pool`; [`Pool::give`] puts it back.
///
/// The result is that of [`synthesize`], as long as the recording is of these circuits. Another number of variables is
/// noticed; a circuit with the same number and other constraints is not, unless by [`RecordedOptions::self_check`], and its
/// proof does not verify.
///
/// `again` gives the same circuits once more, for a self-check or plain synthesis; it is asked for nothing else.
///
/// # Errors
///
/// [`RecordedError::Circuit`], [`RecordedError::WrongCircuit`], [`RecordedError::NotExtensible`],
/// [`RecordedError::Differs`], [`RecordedError::NotAgain`] where `again` gives another number of circuits;
/// [`RecordedError::Plain`] with what plain synthesis says, an empty batch included.
pub fn synthesize_recorded<C>(
    circuits: Vec<C>,
    again: impl FnOnce() -> Vec<C>,
    recording: &Recording,
    options: &RecordedOptions,
    pool: &Pool,
) -> Result<RecordedSynthesis, RecordedError>
where
    C: Circuit<Fr> + Send,
{
    if !options.enabled || circuits.is_empty() {
        return plain(circuits, None);
    }
    let count = circuits.len();
    let again = || {
        let circuits = again();
        match circuits.len() {
            same if same == count => Ok(circuits),
            again => Err(RecordedError::NotAgain { count, again }),
        }
    };
    let start = Instant::now();
    let recorded = Run { recording, pool }.synthesize(circuits);
    let wall = start.elapsed();

    match recorded {
        Ok((assignments, times)) => {
            if options.self_check {
                let plain = synthesize(again()?, &SynthesisOptions::default())?;
                differs(&assignments, &plain.assignments)?;
            }
            Ok(RecordedSynthesis {
                synthesis: Synthesis { assignments, wall },
                times: Some(times),
                fell_back: None,
            })
        }
        Err(error) if options.on_mismatch == OnMismatch::Plain && error.is_mismatch() => {
            plain(again()?, Some(error))
        }
        Err(error) => Err(error),
    }
}

fn plain<C>(
    circuits: Vec<C>,
    fell_back: Option<RecordedError>,
) -> Result<RecordedSynthesis, RecordedError>
where
    C: Circuit<Fr> + Send,
{
    Ok(RecordedSynthesis {
        synthesis: synthesize(circuits, &SynthesisOptions::default())?,
        times: None,
        fell_back,
    })
}

/// Synthesis from a recording, with memory of a pool.
pub(super) struct Run<'a> {
    pub(super) recording: &'a Recording,
    pub(super) pool: &'a Pool,
}

impl Run<'_> {
    fn synthesize<C: Circuit<Fr> + Send>(
        &self,
        circuits: Vec<C>,
    ) -> Result<(Vec<ProvingAssignment<Fr>>, RecordedTimes), RecordedError> {
        let mut times = RecordedTimes::default();
        let start = Instant::now();
        let assignments = self.assign_all(circuits)?;
        times.witness = start.elapsed();

        let start = Instant::now();
        let products = self.products(&assignments)?;
        times.products = start.elapsed();

        let start = Instant::now();
        let proving = assignments.into_iter().zip(products);
        let proving = proving.map(|(assignment, products)| self.expand(assignment, products));
        let proving = proving.collect();
        times.expansion = start.elapsed();
        Ok((proving, times))
    }

    /// The variables of each circuit.
    pub(super) fn assign_all<C: Circuit<Fr> + Send>(
        &self,
        circuits: Vec<C>,
    ) -> Result<Vec<Assignment>, RecordedError> {
        let circuits = circuits.into_par_iter();
        circuits.map(|circuit| self.assign(circuit)).collect()
    }

    fn assign<C: Circuit<Fr>>(&self, circuit: C) -> Result<Assignment, RecordedError> {
        let mut witness = self.pool.witness();
        witness.reserve(self.recording.shape().aux);
        witness
            .alloc_input(|| "", || Ok(Fr::ONE))
            .and_then(|_| circuit.synthesize(&mut witness))
            .map_err(RecordedError::Circuit)?;
        let assignment = witness.finish()?;
        self.recording.fits(&assignment)?;
        Ok(assignment)
    }

    fn products(&self, assignments: &[Assignment]) -> Result<Vec<[Vec<Fr>; 3]>, RecordedError> {
        let rows = self.recording.shape().constraints;
        let mut all: Vec<[(Vec<Fr>, Pages); 3]> = assignments
            .iter()
            .map(|_| [(); 3].map(|()| self.pool.vector(rows)))
            .collect();
        let outputs = all.iter_mut().map(|vectors| {
            let fresh = vectors.iter().any(|(_, pages)| *pages == Pages::Fresh);
            let pages = if fresh { Pages::Fresh } else { Pages::Touched };
            let memory = vectors.each_mut();
            let memory = memory.map(|(vector, _)| &mut vector.spare_capacity_mut()[..rows]);
            Outputs::into(memory, pages)
        });
        let references: Vec<_> = assignments.iter().collect();
        self.recording
            .products_of_all(&references, outputs.collect())?;
        let written = |(mut vector, _): (Vec<Fr>, Pages)| {
            // SAFETY: the products have been written, one a constraint.
            unsafe { vector.set_len(rows) };
            vector
        };
        Ok(all
            .into_iter()
            .map(|vectors| vectors.map(written))
            .collect())
    }

    /// The prover's form of an assignment and its products.
    pub(super) fn expand(
        &self,
        assignment: Assignment,
        [a, b, c]: [Vec<Fr>; 3],
    ) -> ProvingAssignment<Fr> {
        let aux = assignment.aux_len();
        let (mut aux_assignment, pages) = self.pool.vector(aux);
        let (view, stores) = (assignment.view(), Stores::of(aux, pages));
        aux_assignment.spare_capacity_mut()[..aux]
            .par_chunks_mut(EXPANDED)
            .enumerate()
            .for_each(|(i, out)| view.expand(i * EXPANDED, out, stores));
        // SAFETY: each of them has been written.
        unsafe { aux_assignment.set_len(aux) };

        let input_assignment = assignment.inputs().to_vec();
        // The bit maps are not needed any more, and are as large as the densities.
        let ([bits, wide], witness) = assignment.into_maps();
        self.pool.give_witness(witness);
        let parts = self.recording.parts();
        ProvingAssignment::from_parts(AssignmentParts {
            a,
            b,
            c,
            input_assignment,
            aux_assignment,
            a_aux_density: words(parts.a_aux.density(bits)),
            b_input_density: words(parts.b_input.density(Vec::new())),
            b_aux_density: words(parts.b_aux.density(wide)),
        })
    }
}

/// Private variables that one task expands; a multiple of 64.
const EXPANDED: usize = 1 << 14;

/// A density in words of the target.
fn words(density: Density) -> Vec<usize> {
    let len = density.len();
    let words = density.into_words().into_iter();
    if usize::BITS == 64 {
        // In the same memory.
        return words.map(|word| word as usize).collect();
    }
    let halves = words.flat_map(|word| [word as usize, (word >> 32) as usize]);
    halves.take(len.div_ceil(usize::BITS as usize)).collect()
}
