//! Synthesis in compact form: what waits for a prover takes a thirtieth of the memory.

use std::time::{Duration, Instant};

use bellperson::Circuit;
use blstrs::Scalar as Fr;

use super::synthesize::Run;
use super::{Assignment, Compact, Pool, RecordedError, RecordedTimes, Recording};
use crate::Error;
use crate::synthesis::Synthesis;

/// A batch of synthesised circuits: variables as bits and the dense rest, a, b and c as codes and the other scalars.
pub struct CompactSynthesis {
    parts: Vec<(Assignment, [Compact; 3])>,
    /// Wall time of the synthesis.
    pub wall: Duration,
    /// Where it went. Nothing was expanded.
    pub times: RecordedTimes,
}

/// Synthesises `circuits` from the recording of their constraints, as [`synthesize_recorded`](super::synthesize_recorded)
/// does, and leaves the result in compact form.
///
/// # Errors
///
/// [`RecordedError::Plain`] of an empty batch, [`RecordedError::Circuit`], [`RecordedError::WrongCircuit`],
/// [`RecordedError::NotExtensible`].
pub fn synthesize_compact<C>(
    circuits: Vec<C>,
    recording: &Recording,
    pool: &Pool,
) -> Result<CompactSynthesis, RecordedError>
where
    C: Circuit<Fr> + Send,
{
    if circuits.is_empty() {
        return Err(Error::NoCircuits.into());
    }
    let begun = Instant::now();
    let assignments = Run { recording, pool }.assign_all(circuits)?;
    let witness = begun.elapsed();

    let start = Instant::now();
    let references: Vec<_> = assignments.iter().collect();
    let mut products = vec![<[Compact; 3]>::default(); assignments.len()];
    recording.compact_products(&references, &mut products)?;
    Ok(CompactSynthesis {
        parts: assignments.into_iter().zip(products).collect(),
        wall: begun.elapsed(),
        times: RecordedTimes {
            witness,
            products: start.elapsed(),
            expansion: Duration::ZERO,
        },
    })
}

impl CompactSynthesis {
    /// Each circuit's assignment, and its a, b and c.
    pub fn parts(&self) -> &[(Assignment, [Compact; 3])] {
        &self.parts
    }

    /// Bytes of memory that it holds.
    pub fn bytes(&self) -> usize {
        let of = |(assignment, products): &(Assignment, [Compact; 3])| {
            assignment.bytes() + products.iter().map(Compact::bytes).sum::<usize>()
        };
        self.parts.iter().map(of).sum()
    }

    /// The prover's form, with memory of `pool`; the wall time stays that of the synthesis. `recording` is the one that it
    /// was synthesised from.
    ///
    /// # Errors
    ///
    /// [`RecordedError::WrongCircuit`] where another recording is given, as far as the counts tell.
    pub fn expand(self, recording: &Recording, pool: &Pool) -> Result<Synthesis, RecordedError> {
        let run = Run { recording, pool };
        let expand = |(assignment, products): (Assignment, [Compact; 3])| {
            recording.fits(&assignment)?;
            let values = products.map(|compact| {
                let (mut values, pages) = pool.vector(compact.codes.len());
                compact.append_to(&mut values, pages);
                values
            });
            Ok(run.expand(assignment, values))
        };
        let assignments = self.parts.into_iter().map(expand);
        Ok(Synthesis {
            assignments: assignments.collect::<Result<_, RecordedError>>()?,
            wall: self.wall,
        })
    }
}
