//! Work of circuits that are there already.

use std::sync::Arc;

use bellperson::Circuit;
use blstrs::Scalar as Fr;

use super::work::{Prepared, RecordingSource, Request, Tools, Work, WorkError};
use crate::budget::Sizes;
use crate::recorded::{OnMismatch, Pool, RecordedOptions, synthesize_recorded};
use crate::srs::Srs;
use crate::synthesis::{Synthesis, SynthesisOptions, synthesize};

/// Any circuit's work: a function that makes the circuit of a partition, as often as it is asked.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use cuzk_core::{budget::Sizes, job::CircuitWork, srs::Srs};
/// # fn example<C: bellperson::Circuit<blstrs::Scalar> + Send + 'static>(circuit: C, srs: Arc<dyn Srs>, sizes: Sizes)
/// # where C: Clone + Sync {
/// let request = CircuitWork::new("my-circuit", 1, move |_| Ok(circuit.clone()), srs, sizes);
/// # }
/// ```
pub struct CircuitWork<F> {
    name: String,
    partitions: usize,
    circuit: F,
    srs: Arc<dyn Srs>,
    sizes: Sizes,
    recording: Option<RecordingSource>,
}

impl<F, C> CircuitWork<F>
where
    F: Fn(usize) -> Result<C, WorkError> + Send + Sync + 'static,
    C: Circuit<Fr> + Send + 'static,
{
    /// Work of so many partitions, with their parameters and the counts of one.
    pub fn new(
        name: impl Into<String>,
        partitions: usize,
        circuit: F,
        srs: Arc<dyn Srs>,
        sizes: Sizes,
    ) -> Self {
        Self {
            name: name.into(),
            partitions,
            circuit,
            srs,
            sizes,
            recording: None,
        }
    }

    /// The same, synthesised from a recording.
    pub fn recorded(mut self, recording: RecordingSource) -> Self {
        self.recording = Some(recording);
        self
    }
}

impl<F, C> Request for CircuitWork<F>
where
    F: Fn(usize) -> Result<C, WorkError> + Send + Sync + 'static,
    C: Circuit<Fr> + Send + 'static,
{
    fn circuit(&self) -> String {
        self.name.clone()
    }

    fn prepare(self: Box<Self>) -> Result<Prepared, WorkError> {
        let (srs, sizes) = (Arc::clone(&self.srs), self.sizes);
        let recording = self.recording.clone();
        Ok(Prepared {
            work: Arc::new(*self),
            srs,
            sizes,
            recording,
        })
    }
}

impl<F, C> Work for CircuitWork<F>
where
    F: Fn(usize) -> Result<C, WorkError> + Send + Sync + 'static,
    C: Circuit<Fr> + Send + 'static,
{
    fn partitions(&self) -> usize {
        self.partitions
    }

    fn synthesize(&self, partition: usize, tools: &Tools<'_>) -> Result<Synthesis, WorkError> {
        synthesize_one(|| (self.circuit)(partition), tools)
    }
}

/// Synthesises one circuit, from its recording where there is one. A circuit that the recording is not of is synthesised
/// plainly.
pub(crate) fn synthesize_one<C: Circuit<Fr> + Send>(
    circuit: impl Fn() -> Result<C, WorkError>,
    tools: &Tools<'_>,
) -> Result<Synthesis, WorkError> {
    let Some(recording) = tools.recording else {
        return Ok(synthesize(vec![circuit()?], &SynthesisOptions::default())?);
    };
    let options = RecordedOptions {
        on_mismatch: OnMismatch::Refuse,
        ..RecordedOptions::default()
    };
    let recorded = synthesize_recorded(
        vec![circuit()?],
        Vec::new,
        recording,
        &options,
        &Pool::new(),
    );
    match recorded {
        Ok(recorded) => Ok(recorded.synthesis),
        Err(error) if error.is_mismatch() => {
            tracing::warn!(%error, "the recording is of another circuit; synthesis is plain");
            Ok(synthesize(vec![circuit()?], &SynthesisOptions::default())?)
        }
        Err(error) => Err(error.into()),
    }
}
