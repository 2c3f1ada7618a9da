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
    /// What is counted: `samples` or `instructions`.
    pub unit: String,
    /// All of it.
    pub total: u64,
    /// Constraints of the circuit, where the workload reports them.
    pub constraints: Option<u64>,
    /// Self time by category, largest first; they add up to `total`.
    pub categories: Vec<Category>,
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
