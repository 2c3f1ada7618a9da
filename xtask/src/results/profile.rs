//! What `cargo xtask profile` leaves behind: where the time of one arm on one workload goes, by category.
//!
//! Kept profiles lie in `results/<host class>/profiles/`, one JSON file each, and are only ever added.

use serde::{Deserialize, Serialize};

use super::ArmRecord;
use super::host::Host;

/// The schema that this code writes, and the only one that it reads.
pub const SCHEMA: u32 = 1;

/// One profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileFile {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// When it was taken, UTC.
    pub time: String,
    /// The machine.
    pub host: Host,
    /// What was run, built for profiling.
    pub arm: ArmRecord,
    /// The workload.
    pub workload: String,
    /// Its size; the workload's own default where null.
    pub size: Option<u64>,
    /// Threads.
    pub threads: u64,
    /// How it was sampled.
    pub method: Method,
    /// Why so, and what would allow better.
    #[serde(default)]
    pub reason: String,
    /// What is counted: `samples` or `instructions`.
    pub unit: String,
    /// What a sample stands for: nanoseconds of a processor by the kernel's clock, cycles by the hardware's; null for
    /// instructions, which are all counted.
    #[serde(default)]
    pub stands_for: Option<u64>,
    /// All of it: what ran inside the workload's own clock.
    pub total: u64,
    /// What ran outside of it (setting up, checking, digests), and is in nothing else here.
    #[serde(default)]
    pub outside: u64,
    /// The part of `total` that no category knows; the category `other` holds it.
    #[serde(default)]
    pub unmatched: u64,
    /// How often the work was done in `total`.
    #[serde(default = "once")]
    pub runs: u64,
    /// Constraints of the circuit, where the workload reports them.
    pub constraints: Option<u64>,
    /// Self time by category, largest first; they add up to `total`.
    pub categories: Vec<Category>,
}

impl ProfileFile {
    /// A part of it for each constraint of one run, in [`Method::per_constraint_unit`].
    pub fn per_constraint(&self, value: u64) -> Option<f64> {
        let constraints = self.constraints.filter(|count| *count > 0)? as f64 * self.runs as f64;
        Some(value as f64 * self.stands_for.unwrap_or(1) as f64 / constraints)
    }
}

fn once() -> u64 {
    1
}

/// How a profile was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// perf, by a hardware counter of cycles.
    PerfCycles,
    /// perf, by the kernel's clock.
    PerfClock,
    /// callgrind, which counts instructions and samples nothing.
    Callgrind,
}

impl Method {
    /// What a part of a profile is for each constraint.
    pub fn per_constraint_unit(self) -> &'static str {
        match self {
            Self::PerfCycles => "cycles/constraint",
            Self::PerfClock => "ns/constraint",
            Self::Callgrind => "instr./constraint",
        }
    }
}

/// Where a part of the time goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Category {
    /// Its name, as in the table: `field arithmetic`.
    pub name: String,
    /// Its part of `total`.
    pub value: u64,
    /// The functions in it that take most, largest first.
    pub functions: Vec<Function>,
}

/// One function's self time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name without hashes.
    pub name: String,
    /// Its part of `total`.
    pub value: u64,
}
