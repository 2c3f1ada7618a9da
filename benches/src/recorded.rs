//! How a circuit is synthesised: plainly, or from a recording of its constraints.

use std::time::{Duration, Instant};

use anyhow::Result;
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_core::recorded::{Pool, RecordedOptions, Recorder, Recording, synthesize_recorded};
use cuzk_core::synthesis::{Synthesis, SynthesisOptions, synthesize};
use cuzk_harness::registry::OptionSpec;
use cuzk_harness::{Request, Trial, metric};

/// Which of the two.
pub const SYNTHESIS: OptionSpec = OptionSpec {
    key: "synthesis",
    values: &["recorded"],
    help: "record the circuit's constraints before the clock starts, and synthesise from the recording",
};

/// A way to synthesise.
pub enum Way {
    Plain(SynthesisOptions),
    Recorded(Box<Recording>, Pool),
}

/// What a way gives.
pub struct Synthesised {
    pub synthesis: Synthesis,
    /// Where the time went, as far as it is known.
    pub phases: Vec<(&'static str, Duration)>,
}

impl Way {
    /// The way that a request asks for. A recording is made, and what it took is in `trial`.
    pub fn of<C: Circuit<Fr> + Clone>(
        request: &Request,
        circuit: &C,
        options: SynthesisOptions,
        trial: &mut Trial,
    ) -> Result<Self> {
        if request.options.get("synthesis").is_none() {
            return Ok(Self::Plain(options));
        }
        let circuit = circuit.clone();
        let start = Instant::now();
        let recording = Recorder::record(circuit)?;
        trial.phase("record", start.elapsed());
        let nonzeros: u64 = recording.shape().nonzeros.iter().sum();
        trial.measured(metric::NONZEROS, nonzeros);
        trial.measured(metric::RECORDING, recording.bytes());
        Ok(Self::Recorded(Box::new(recording), Pool::new()))
    }

    /// Synthesises.
    pub fn synthesize<C: Circuit<Fr> + Clone + Send>(
        &self,
        circuits: Vec<C>,
    ) -> Result<Synthesised> {
        let (recording, pool) = match self {
            Self::Plain(options) => {
                return Ok(Synthesised {
                    synthesis: synthesize(circuits, options)?,
                    phases: Vec::new(),
                });
            }
            Self::Recorded(recording, pool) => (recording, pool),
        };
        let recorded = synthesize_recorded(circuits, recording, &RecordedOptions::default(), pool)?;
        let phases = recorded.times.map(|times| {
            vec![
                ("witness", times.witness),
                ("products", times.products),
                ("expansion", times.expansion),
            ]
        });
        Ok(Synthesised {
            synthesis: recorded.synthesis,
            phases: phases.unwrap_or_default(),
        })
    }

    /// Gives up a synthesis, so that the next one finds its memory.
    pub fn give_up(&self, synthesis: Synthesis) {
        if let Self::Recorded(_, pool) = self {
            synthesis
                .assignments
                .into_iter()
                .for_each(|assignment| pool.give(assignment));
        }
    }
}
