//! What all storage proofs have in common.

use bellperson::Circuit;
use bellperson::groth16::ProvingAssignment;
use blstrs::Scalar as Fr;

use super::{CircuitId, FilecoinError};
use crate::job::{Tools, WorkError, synthesize_one};
use crate::synthesis::{Synthesis, SynthesisOptions, synthesize};

/// The circuits of a proof, one a partition, and what the verifier will hold against each.
pub struct Partitions<C> {
    /// One a partition, in their order.
    pub circuits: Vec<C>,
    /// The public inputs of each partition, the constant one left out; the same number for each.
    pub inputs: Vec<Vec<Fr>>,
}

/// A synthesised proof and what the verifier will hold against each of its partitions.
pub struct SynthesizedProof {
    /// One assignment a partition, in their order.
    pub synthesis: Synthesis,
    /// The public inputs of each partition, the constant one left out.
    pub inputs: Vec<Vec<Fr>>,
}

/// A storage proof to be made, with all that its prover and its verifier need to know but the parameters.
pub trait StorageProof: Send + Sync {
    /// The circuit, which decides on the parameters.
    fn circuit(&self) -> CircuitId;

    /// The number of partitions: so many Groth16 proofs it is made of.
    fn partitions(&self) -> usize;

    /// The public inputs of each partition, the constant one left out.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`].
    fn public_inputs(&self) -> Result<Vec<Vec<Fr>>, FilecoinError>;

    /// Synthesises all partitions in one batch.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::Proofs`], [`FilecoinError::Core`], and [`FilecoinError::PublicInputs`] where the witness and
    /// the verifier disagree about the statement.
    fn synthesize(&self, options: &SynthesisOptions) -> Result<SynthesizedProof, FilecoinError>;

    /// Synthesises one partition alone, from the recording of the circuit where there is one, and compares its public
    /// inputs. No other partition's circuit is built. The vanilla proofs are taken to hold: whoever made this has looked.
    ///
    /// # Errors
    ///
    /// A [`FilecoinError`], as of [`synthesize`](StorageProof::synthesize), or what the synthesis reports.
    fn synthesize_partition(
        &self,
        partition: usize,
        tools: &Tools<'_>,
    ) -> Result<Synthesis, WorkError>;

    /// The name of the function of filecoin-proofs that [`verify`](StorageProof::verify) asks; `None` where it cannot
    /// be asked.
    fn verifier(&self) -> Option<&'static str>;

    /// Has filecoin-proofs verify these bytes. It reads the verifying key from the folder that
    /// `FIL_PROOFS_PARAMETER_CACHE` named when it was first asked anything.
    ///
    /// # Errors
    ///
    /// [`FilecoinError::UnknownOwner`] without a [`verifier`](StorageProof::verifier), [`FilecoinError::Proofs`] where
    /// it could not verify. A proof that does not hold is no error.
    fn verify(&self, proof: &[u8]) -> Result<bool, FilecoinError>;
}

impl<C: Circuit<Fr> + Send> Partitions<C> {
    /// Synthesises them in one batch, and compares the public inputs.
    pub(super) fn synthesize(
        self,
        circuit: CircuitId,
        options: &SynthesisOptions,
    ) -> Result<SynthesizedProof, FilecoinError> {
        let synthesis = synthesize(self.circuits, options)?;
        let assignments = synthesis.assignments.iter().zip(&self.inputs);
        for (partition, (assignment, expected)) in assignments.enumerate() {
            compare(circuit, partition, assignment, expected)?;
        }
        Ok(SynthesizedProof {
            synthesis,
            inputs: self.inputs,
        })
    }
}

/// Synthesises the circuit of one partition, and compares its public inputs with those that the verifier expects.
pub(super) fn synthesize_partition<C: Circuit<Fr> + Send>(
    circuit: CircuitId,
    partition: usize,
    expected: &[Fr],
    build: impl Fn() -> Result<C, FilecoinError>,
    tools: &Tools<'_>,
) -> Result<Synthesis, WorkError> {
    let synthesis = synthesize_one(|| Ok(build()?), tools)?;
    for assignment in &synthesis.assignments {
        compare(circuit, partition, assignment, expected)?;
    }
    Ok(synthesis)
}

fn compare(
    circuit: CircuitId,
    partition: usize,
    assignment: &ProvingAssignment<Fr>,
    expected: &[Fr],
) -> Result<(), FilecoinError> {
    let computed = assignment.input_assignment().get(1..).unwrap_or_default();
    match first_difference(computed, expected) {
        None => Ok(()),
        Some(input) => Err(FilecoinError::PublicInputs {
            circuit,
            partition,
            input,
        }),
    }
}

fn first_difference(a: &[Fr], b: &[Fr]) -> Option<usize> {
    let shorter = a.len().min(b.len());
    (0..shorter)
        .find(|&i| a[i] != b[i])
        .or((a.len() != b.len()).then_some(shorter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let [a, b] = [Fr::from(1), Fr::from(2)];
        assert_eq!(first_difference(&[a, b], &[a, b]), None);
        assert_eq!(first_difference(&[a, b], &[a, a]), Some(1));
        assert_eq!(first_difference(&[a], &[a, b]), Some(1));
        assert_eq!(first_difference(&[], &[]), None);
    }
}
