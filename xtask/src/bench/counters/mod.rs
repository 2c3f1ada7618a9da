//! Counting instructions and what else a processor can count, in runs of their own: counts and times never come from the
//! same run.
//!
//! A process that synthesises twice minus one that synthesises once leaves one synthesis: setting up, sealing and
//! checking drop out. [`perf`] counts where the kernel gives counters, [`callgrind`] where it does not. A counter that
//! neither has is absent, never zero, and what would enable it is said.

pub mod callgrind;
pub mod compare;
pub mod perf;
pub mod probe;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};

use super::process::Interrupt;
use super::runner::{Arm, Call};
use super::trial;
use crate::results::CountRecord;

#[cfg(test)]
pub use compare::per_constraint;
pub use probe::{Probe, Tools};

/// Something that can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// Instructions in user mode.
    Instructions,
    /// Branches in user mode.
    Branches,
    /// Branches that were foreseen wrongly.
    BranchMisses,
    /// Core cycles in user mode.
    Cycles,
    /// Accesses that reached the last level of the cache.
    CacheReferences,
    /// Those of them that had to go to memory.
    CacheMisses,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Instructions,
        Self::Branches,
        Self::BranchMisses,
        Self::Cycles,
        Self::CacheReferences,
        Self::CacheMisses,
    ];

    /// Its name, which is perf's too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Branches => "branches",
            Self::BranchMisses => "branch-misses",
            Self::Cycles => "cycles",
            Self::CacheReferences => "cache-references",
            Self::CacheMisses => "cache-misses",
        }
    }
}

/// What a process counted, and the constraints of its circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// By event; one that was not counted is not there.
    pub events: BTreeMap<Event, u64>,
    /// Constraints of the circuit.
    pub constraints: u64,
}

/// Counts one workload on every arm with what the machine has. `done` hears of each process.
pub fn count(
    probe: &Probe,
    arms: &[Arm],
    call: &Call,
    cache: &Path,
    interrupt: &Interrupt,
    mut done: impl FnMut(&str),
) -> Result<Vec<CountRecord>> {
    let (counter, counted) = match probe {
        Probe::Perf { tools, events, .. } => {
            let counted = perf::count(tools, events, arms, call, cache, interrupt, &mut done)?;
            (perf::NAME, counted)
        }
        Probe::Callgrind { tools, .. } => {
            let counted = callgrind::count(tools, arms, call, cache, interrupt, &mut done)?;
            (callgrind::NAME, counted)
        }
        Probe::Nothing { .. } => return Ok(Vec::new()),
    };
    let mut records = Vec::new();
    for (arm, [once, twice]) in arms.iter().zip(counted) {
        for (event, twice_value) in &twice.events {
            let Some(once_value) = once.events.get(event) else {
                continue;
            };
            if twice_value <= once_value {
                // Instructions must grow. Of what depends on the machine's state there may be no more than noise.
                if *event == Event::Instructions {
                    bail!(
                        "{}: {} counted {once_value} instructions once and {twice_value} twice",
                        arm.name,
                        call.workload
                    );
                }
                continue;
            }
            records.push(CountRecord {
                workload: call.workload.to_owned(),
                arm: arm.name.clone(),
                counter: counter.to_owned(),
                event: event.name().to_owned(),
                once: *once_value,
                twice: *twice_value,
                constraints: once.constraints,
            });
        }
    }
    Ok(records)
}

/// The constraints that a trial line reports, if its answer is right.
fn constraints(stdout: &str, good: bool, stderr: &str) -> Result<u64> {
    let trial = trial::parse(stdout).map_err(|e| anyhow::anyhow!("{e}\n{stderr}"))?;
    if !(good && trial.ok) {
        bail!(
            "the workload failed its own check: {}",
            trial.check.unwrap_or_default()
        );
    }
    match trial.metrics.get("constraints") {
        Some(count) if *count >= 1.0 => Ok(*count as u64),
        _ => bail!("the workload reports no constraints to divide by"),
    }
}

#[cfg(all(test, unix))]
#[path = "counters_tests.rs"]
mod tests;
