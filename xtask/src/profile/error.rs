//! Why there is no profile.

use std::path::PathBuf;

use thiserror::Error;

use crate::bench::process::ProcessError;
use crate::bench::trial::TrialError;

/// Why there is no profile.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// perf does not start.
    #[error(
        "`{program}` cannot be run. Install it (Debian: `apt install linux-perf`; Ubuntu: `apt install \
         linux-tools-generic`; Fedora: `dnf install perf`), or count instructions with --method callgrind"
    )]
    NoPerf {
        /// What was tried.
        program: PathBuf,
    },
    /// perf started and took nothing.
    #[error("perf cannot sample {event}: {said}\n{advice}")]
    PerfFailed {
        /// What it was to sample.
        event: String,
        /// The end of what it said.
        said: String,
        /// What to do.
        advice: String,
    },
    /// perf recorded, and there is nothing in it.
    #[error(
        "{path} holds no sample: the workload ran too short to be seen. Take a larger --size where it has one, or count its \
         instructions with --method callgrind"
    )]
    NoSamples {
        /// The recording.
        path: PathBuf,
    },
    /// Samples, and none of the work that is timed.
    #[error(
        "none of {samples} samples lies in the timed work of {workload}: it ran too short, or its functions have other \
         names than xtask/src/profile/timed.rs knows"
    )]
    NothingTimed {
        /// The workload.
        workload: String,
        /// All samples.
        samples: u64,
    },
    /// callgrind does not start.
    #[error(
        "`{program}` cannot be run. Install valgrind with its callgrind tool (Debian, Ubuntu: `apt install valgrind`; \
         Fedora: `dnf install valgrind`)"
    )]
    NoCallgrind {
        /// What was tried.
        program: PathBuf,
    },
    /// callgrind sees a process, and only work that can be done twice can be told from the rest of it.
    #[error(
        "{workload} does its work once in a process, so callgrind cannot tell it from setting up and checking: sample \
         it with --method perf, or profile a synth/* workload"
    )]
    Once {
        /// The workload.
        workload: String,
    },
    /// Neither of the two samplers can be had.
    #[error("{perf}\nNor can callgrind take its place: {callgrind}")]
    Neither {
        /// Why not perf.
        perf: Box<ProfileError>,
        /// Why not callgrind.
        callgrind: Box<ProfileError>,
    },
    /// A tool printed what this code does not understand.
    #[error("{tool} printed a line that is not understood: `{line}`")]
    Unreadable {
        /// The tool.
        tool: &'static str,
        /// The line.
        line: String,
    },
    /// A tool's file is not there or cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The workload's own check failed: what it did is not what it should have done.
    #[error("{workload} failed its own check: {check}")]
    WrongAnswer {
        /// The workload.
        workload: String,
        /// What it says of it.
        check: String,
    },
    /// Inlined functions cannot be named, or the picture not be drawn.
    #[error("`frames {verb}` failed: {said}")]
    Frames {
        /// What it was asked for.
        verb: &'static str,
        /// What it said.
        said: String,
    },
    /// A process gave nothing to work with.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The workload printed no trial.
    #[error(transparent)]
    Trial(#[from] TrialError),
}

impl ProfileError {
    /// True when another sampler may still do it.
    pub fn is_of_perf(&self) -> bool {
        matches!(self, Self::NoPerf { .. } | Self::PerfFailed { .. })
    }

    /// True when callgrind cannot do it here, whatever the workload's answer.
    pub fn is_of_callgrind(&self) -> bool {
        matches!(self, Self::NoCallgrind { .. } | Self::Once { .. })
    }
}
