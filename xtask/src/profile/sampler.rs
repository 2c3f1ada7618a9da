//! Which sampler is taken, and why.

use std::path::Path;

use super::error::ProfileError;
use super::{Taken, Tools, callgrind, perf};
use crate::bench::process::Interrupt;
use crate::bench::runner::{Arm, Call};
use crate::flags::profile::Wanted;
use crate::progress::Progress;

/// One workload on one arm, and where its files go.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The arm, built for profiling.
    pub arm: &'a Arm,
    /// The workload.
    pub call: &'a Call<'a>,
    /// The folder of prepared files.
    pub cache: &'a Path,
    /// A folder for what the samplers write.
    pub scratch: &'a Path,
}

/// Takes a profile as wanted: perf where it can be had, otherwise callgrind.
pub fn take(
    tools: &Tools,
    job: &Job,
    wanted: Wanted,
    interrupt: &Interrupt,
    progress: Progress,
) -> Result<Taken, ProfileError> {
    match wanted {
        Wanted::Perf => perf::take(tools, job, interrupt),
        Wanted::Callgrind => callgrind::take(tools, job, "asked for".to_owned(), interrupt),
        Wanted::Auto => match perf::take(tools, job, interrupt) {
            Err(perf) if perf.is_of_perf() => {
                progress.step(
                    "Counting",
                    "instructions with callgrind, some 50 times slower",
                );
                match callgrind::take(tools, job, format!("because {perf}"), interrupt) {
                    Err(callgrind) if callgrind.is_of_callgrind() => Err(ProfileError::Neither {
                        perf: Box::new(perf),
                        callgrind: Box::new(callgrind),
                    }),
                    taken => taken,
                }
            }
            taken => taken,
        },
    }
}
