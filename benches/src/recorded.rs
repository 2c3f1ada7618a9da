//! How a circuit is synthesised: plainly, or from a recording of its constraints.
//!
//! The recording is made, stored and forgotten before the clock starts. The first synthesis reads it. In compact form the
//! result is left as it is and expanded after the clock has stopped, to be looked at.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_core::job::RecordingSource;
use cuzk_core::recorded::{
    CompactSynthesis, Pool, RecordedOptions, RecordedShape, RecordedTimes, Recorder, Recording,
    Wanted, synthesize_compact, synthesize_recorded,
};
use cuzk_core::synthesis::{Synthesis, SynthesisOptions, synthesize};
use cuzk_harness::registry::OptionSpec;
use cuzk_harness::{Region, Request, Trial, metric};
use tempfile::TempDir;

/// Which of the two.
pub const SYNTHESIS: OptionSpec = OptionSpec {
    key: "synthesis",
    values: &["recorded", "compact"],
    help: "record the circuit's constraints before the clock starts, and synthesise from the recording; compact: and leave the result in compact form",
};

/// A way to synthesise.
pub enum Way {
    Plain(SynthesisOptions),
    Recorded(Box<Stored>),
    Compact(Box<Stored>),
}

/// A recording in a file, read when it is first needed.
pub struct Stored {
    folder: TempDir,
    shape: RecordedShape,
    bytes: usize,
    recording: OnceCell<Recording>,
    pool: Pool,
}

const WANTED: Wanted<'static> = Wanted {
    circuit_id: "workload",
    shape: None,
};

impl Stored {
    /// Records a circuit and keeps only the file. What that took is in `trial`.
    pub fn record<C: Circuit<Fr>>(circuit: C, trial: &mut Trial) -> Result<Self> {
        let region = Region::start();
        let recording = Recorder::record(circuit)?;
        let (wall, cost) = region.stop();
        trial.phase("record", wall);
        trial.maybe_measured(metric::PEAK_RECORD, cost.peak_bytes);
        let nonzeros: u64 = recording.shape().nonzeros.iter().sum();
        trial.measured(metric::NONZEROS, nonzeros);
        trial.measured(metric::RECORDING, recording.bytes());
        let stored = Self {
            folder: tempfile::tempdir().context("making a folder for the recording")?,
            shape: recording.shape(),
            bytes: recording.bytes(),
            recording: OnceCell::new(),
            pool: Pool::new(),
        };
        let start = Instant::now();
        recording.store(&stored.path(), WANTED.circuit_id)?;
        trial.phase("store", start.elapsed());
        Ok(stored)
    }

    /// The counts of its circuit.
    pub fn shape(&self) -> RecordedShape {
        self.shape
    }

    /// Where an engine finds it. The file is there as long as this is.
    pub fn source(&self) -> RecordingSource {
        let path = self.path();
        RecordingSource {
            id: WANTED.circuit_id.to_owned(),
            bytes: self.bytes as u64,
            load: Arc::new(move || Ok(Recording::load(&path, &WANTED)?)),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("circuit.recording")
    }

    /// Reads it, the first time.
    fn recording(&self) -> Result<&Recording> {
        if let Some(recording) = self.recording.get() {
            return Ok(recording);
        }
        let recording = Recording::load(&self.path(), &WANTED)?;
        Ok(self.recording.get_or_init(|| recording))
    }
}

/// What a way gives.
pub struct Synthesised {
    pub form: Form,
    /// Where the time went, as far as it is known.
    pub phases: Vec<(&'static str, Duration)>,
}

/// The form that it has.
pub enum Form {
    Prover(Synthesis),
    Compact(CompactSynthesis),
}

impl Way {
    /// The way that a request asks for. A recording is made, and what it took is in `trial`.
    pub fn of<C: Circuit<Fr> + Clone>(
        request: &Request,
        circuit: &C,
        options: SynthesisOptions,
        trial: &mut Trial,
    ) -> Result<Self> {
        let way = match request.options.get("synthesis").copied() {
            None => return Ok(Self::Plain(options)),
            Some("compact") => Self::Compact,
            Some(_) => Self::Recorded,
        };
        Ok(way(Box::new(Stored::record(circuit.clone(), trial)?)))
    }

    /// Synthesises.
    pub fn synthesize<C: Circuit<Fr> + Send>(&self, circuits: Vec<C>) -> Result<Synthesised> {
        let stored = match self {
            Self::Plain(options) => {
                return Ok(Synthesised {
                    form: Form::Prover(synthesize(circuits, options)?),
                    phases: Vec::new(),
                });
            }
            Self::Recorded(stored) | Self::Compact(stored) => stored,
        };
        let start = Instant::now();
        let recording = stored.recording()?;
        let load = start.elapsed();
        let (form, times) = match self {
            Self::Compact(_) => {
                let compact = synthesize_compact(circuits, recording, &stored.pool)?;
                let times = compact.times;
                (Form::Compact(compact), Some(times))
            }
            _ => {
                let (options, pool) = (RecordedOptions::default(), &stored.pool);
                let recorded = synthesize_recorded(circuits, Vec::new, recording, &options, pool)?;
                (Form::Prover(recorded.synthesis), recorded.times)
            }
        };
        let phases = |times: RecordedTimes| {
            vec![
                ("load", load),
                ("witness", times.witness),
                ("products", times.products),
                ("expansion", times.expansion),
            ]
        };
        Ok(Synthesised {
            form,
            phases: times.map(phases).unwrap_or_default(),
        })
    }

    /// The prover's form of a synthesis, whatever it has.
    pub fn expand(&self, form: Form) -> Result<Synthesis> {
        match (form, self) {
            (Form::Prover(synthesis), _) => Ok(synthesis),
            (Form::Compact(_), Self::Plain(_)) => bail!("plain synthesis has no compact form"),
            (Form::Compact(compact), Self::Recorded(stored) | Self::Compact(stored)) => {
                Ok(compact.expand(stored.recording()?, &stored.pool)?)
            }
        }
    }

    /// Gives up a synthesis, so that the next one finds its memory.
    pub fn give_up(&self, form: Form) {
        match (form, self) {
            (Form::Prover(synthesis), Self::Recorded(stored)) => {
                let assignments = synthesis.assignments.into_iter();
                assignments.for_each(|assignment| stored.pool.give(assignment));
            }
            (form, _) => drop(form),
        }
    }
}
