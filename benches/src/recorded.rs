//! How a circuit is synthesised: plainly, or from a recording of its constraints.
//!
//! The recording is made, stored and forgotten before the clock starts. The first synthesis reads it.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_core::recorded::{
    Pool, RecordedOptions, Recorder, Recording, Wanted, synthesize_recorded,
};
use cuzk_core::synthesis::{Synthesis, SynthesisOptions, synthesize};
use cuzk_harness::registry::OptionSpec;
use cuzk_harness::{Region, Request, Trial, metric};
use tempfile::TempDir;

/// Which of the two.
pub const SYNTHESIS: OptionSpec = OptionSpec {
    key: "synthesis",
    values: &["recorded"],
    help: "record the circuit's constraints before the clock starts, and synthesise from the recording",
};

/// A way to synthesise.
pub enum Way {
    Plain(SynthesisOptions),
    Recorded(Box<Stored>),
}

/// A recording in a file, read when it is first needed.
pub struct Stored {
    folder: TempDir,
    recording: OnceCell<Recording>,
    pool: Pool,
}

const WANTED: Wanted<'static> = Wanted {
    circuit_id: "workload",
    shape: None,
};

impl Stored {
    fn path(&self) -> PathBuf {
        self.folder.path().join("circuit.recording")
    }
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
        if !request.options.contains_key("synthesis") {
            return Ok(Self::Plain(options));
        }
        let circuit = circuit.clone();
        let region = Region::start();
        let recording = Recorder::record(circuit)?;
        let (wall, cost) = region.stop();
        trial.phase("record", wall);
        trial.maybe_measured(metric::PEAK_RECORD, cost.peak_bytes);
        let nonzeros: u64 = recording.shape().nonzeros.iter().sum();
        trial.measured(metric::NONZEROS, nonzeros);
        trial.measured(metric::RECORDING, recording.bytes());
        let stored = Stored {
            folder: tempfile::tempdir().context("making a folder for the recording")?,
            recording: OnceCell::new(),
            pool: Pool::new(),
        };
        let start = Instant::now();
        recording.store(&stored.path(), WANTED.circuit_id)?;
        trial.phase("store", start.elapsed());
        Ok(Self::Recorded(Box::new(stored)))
    }

    /// Synthesises.
    pub fn synthesize<C: Circuit<Fr> + Send>(&self, circuits: Vec<C>) -> Result<Synthesised> {
        let stored = match self {
            Self::Plain(options) => {
                return Ok(Synthesised {
                    synthesis: synthesize(circuits, options)?,
                    phases: Vec::new(),
                });
            }
            Self::Recorded(stored) => stored,
        };
        let start = Instant::now();
        let recording = match stored.recording.get() {
            Some(recording) => recording,
            None => {
                let recording = Recording::load(&stored.path(), &WANTED)?;
                stored.recording.get_or_init(|| recording)
            }
        };
        let load = start.elapsed();
        let options = RecordedOptions::default();
        let recorded = synthesize_recorded(circuits, Vec::new, recording, &options, &stored.pool)?;
        let phases = recorded.times.map(|times| {
            vec![
                ("load", load),
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
        if let Self::Recorded(stored) = self {
            synthesis
                .assignments
                .into_iter()
                .for_each(|assignment| stored.pool.give(assignment));
        }
    }
}
