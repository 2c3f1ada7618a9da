//! What a comparison leaves behind: one JSON file, described field by field in docs/results.md.
//!
//! A result holds every trial in the order in which it ran, so that it can be judged again; the comparisons in it are
//! what was concluded when it was made.

pub mod ablation;
pub mod clock;
pub mod host;
pub mod profile;
pub mod ran;
mod read;
pub mod sound;
pub mod stale;
pub mod store;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use ablation::{AblationPlan, Interaction};
use host::Host;

/// The schema that this code writes, and the only one that it reads.
pub const SCHEMA: u32 = 1;

/// One run of `cargo xtask bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFile {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// When the run began, UTC.
    pub time: String,
    /// False when it was cut short: the trials are good, the comparisons were never judged.
    pub complete: bool,
    /// The machine.
    pub host: Host,
    /// What was fixed before the first trial.
    pub plan: PlanRecord,
    /// What was run.
    pub arms: Vec<ArmRecord>,
    /// What was concluded.
    pub comparisons: Vec<Comparison>,
    /// How the optimisations of an ablation mix.
    #[serde(default)]
    pub interactions: Vec<Interaction>,
    /// What the person who ran it was told beside the table.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Digests of the constraint matrices, one entry an arm and workload.
    #[serde(default)]
    pub matrices: Vec<MatricesRecord>,
    /// Instruction counts, which come from runs of their own.
    #[serde(default)]
    pub counts: Vec<CountRecord>,
    /// Every trial, in run order.
    pub trials: Vec<TrialRecord>,
}

impl ResultFile {
    /// The stamp of an arm; empty where the result has no such arm.
    pub fn stamp(&self, arm: &str) -> String {
        let found = self.arms.iter().find(|record| record.name == arm);
        found.map_or_else(String::new, |record| record.stamp.clone())
    }
}

/// The decisions that were made before the first trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Decides the order of the trials, the inputs and the bootstrap.
    pub seed: u64,
    /// When the run stops: always after a fixed number of pairs.
    pub stopping: String,
    /// The rules of judging.
    pub rules: Rules,
    /// The workloads.
    pub workloads: Vec<WorkloadPlan>,
    /// The pairs of arms that are compared, baseline first.
    pub contrasts: Vec<[String; 2]>,
    /// Times that no difference between two arms can touch.
    #[serde(default)]
    pub untouched: Vec<Untouched>,
    /// What each optimisation is measured by, where the run is an ablation.
    #[serde(default)]
    pub ablation: Vec<AblationPlan>,
}

/// The negative controls of one contrast on one workload: times that nothing can change by which its arms differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untouched {
    /// The workload.
    pub workload: String,
    /// Baseline and contender.
    pub arms: [String; 2],
    /// The metrics that must not move.
    pub metrics: Vec<String>,
}

/// How verdicts are reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The chance of a false claim that a family of rows may have at most.
    pub alpha: f64,
    /// The confidence of an interval.
    pub confidence: f64,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// The chance with which the smallest detectable effect would be found.
    pub power: f64,
    /// Times closer than this are equivalent (0.02: two per cent). It is the effect size that a run is planned for.
    pub margin_time: f64,
    /// The same for peak memory.
    pub margin_memory: f64,
    /// The same for instruction counts.
    pub margin_instructions: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            alpha: 0.01,
            confidence: 0.95,
            resamples: 10_000,
            power: 0.9,
            margin_time: 0.02,
            margin_memory: 0.02,
            margin_instructions: 0.001,
        }
    }
}

/// How one workload is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadPlan {
    /// Its name.
    pub name: String,
    /// Its size; the workload's own default where null.
    pub size: Option<u64>,
    /// Threads; all cores where null.
    pub threads: Option<u64>,
    /// The metrics that its binary lists as its headline.
    #[serde(default)]
    pub headline: Vec<String>,
    /// Rounds: in each, every arm runs once.
    pub pairs: usize,
    /// True when the first arm also runs against itself.
    #[serde(default)]
    pub control: bool,
}

/// One arm of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmRecord {
    /// What the person called it.
    pub name: String,
    /// What decides its binary, as a hash.
    pub stamp: String,
    /// What went into that hash.
    pub inputs: Value,
}

/// One row: two arms on one metric of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The workload.
    pub workload: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Which question the row answers; rows of one family are corrected together.
    pub family: Family,
    /// Baseline and contender.
    pub arms: [String; 2],
    /// Their stamps.
    pub stamps: [String; 2],
    /// The median of each.
    pub median: [f64; 2],
    /// The median over pairs of contender / baseline.
    pub ratio: f64,
    /// The interval of `ratio`.
    pub ci95: [f64; 2],
    /// The signed-rank test's p; null where the metric is a count that needs none.
    pub p: Option<f64>,
    /// The same after Holm's correction.
    pub p_adjusted: Option<f64>,
    /// How many pairs were judged.
    pub pairs: usize,
    /// How many of them ran while the machine was busy with something else. They are judged too.
    #[serde(default)]
    pub disturbed_pairs: usize,
    /// The margin of equivalence that applied.
    pub margin: f64,
    /// The smallest change of the ratio that this many pairs of this spread would have shown, if any.
    pub detectable: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// True when both arms gave the same answers in every pair, and the same matrices.
    pub answers_equal: bool,
    /// Why the row is invalid, or what would decide it.
    #[serde(default)]
    pub reason: Option<String>,
}

impl Comparison {
    /// True for the first arm against itself.
    pub fn is_control(&self) -> bool {
        self.family == Family::Control
    }

    /// True for a row that answers what a run was made for.
    pub fn is_claim(&self) -> bool {
        matches!(
            self.family,
            Family::Headline | Family::Memory | Family::Instructions
        )
    }

    /// True for what must not move: it claims nothing, and takes the others' word away when it does.
    pub fn is_check(&self) -> bool {
        matches!(self.family, Family::Control | Family::Negative)
    }
}

/// Rows that answer one question together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The times that a workload is named for.
    Headline,
    /// Peak memory.
    Memory,
    /// Instruction counts.
    Instructions,
    /// The other times of a workload.
    Detail,
    /// The first arm against itself.
    Control,
    /// Times that the difference between the arms can't touch.
    Negative,
}

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Less of it, beyond doubt and beyond the margin.
    Improved,
    /// More of it, beyond doubt and beyond the margin.
    Regressed,
    /// No difference as large as the margin.
    Equivalent,
    /// This run can't say.
    Inconclusive,
    /// The arms did different work, or the run was disturbed: there is nothing to compare.
    Invalid,
}

impl Verdict {
    /// The word in tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

/// The digests of one arm's matrices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatricesRecord {
    /// The workload.
    pub workload: String,
    /// The arm's name.
    pub arm: String,
    /// Digest by matrix.
    pub digests: BTreeMap<String, String>,
}

fn instructions() -> String {
    "instructions".to_owned()
}

/// Events of one arm on one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountRecord {
    /// The workload.
    pub workload: String,
    /// The arm's name.
    pub arm: String,
    /// What counted: `perf` or `callgrind`.
    pub counter: String,
    /// What was counted: `instructions`, `branches`, `cycles`, …
    #[serde(default = "instructions")]
    pub event: String,
    /// How many of them a process has that does the work once.
    pub once: u64,
    /// How many of them a process has that does it twice.
    pub twice: u64,
    /// Constraints of the circuit.
    pub constraints: u64,
}

/// One process, as it ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Place in the run order, from 0.
    pub order: usize,
    /// Which round of its workload.
    pub round: usize,
    /// The arm's name.
    pub arm: String,
    /// True for the first arm's second trial of a round, which is only compared with its first.
    #[serde(default)]
    pub control: bool,
    /// When it began, UTC.
    pub started: String,
    /// What the machine did meanwhile.
    pub window: Window,
    /// What the workload printed.
    pub trial: Trial,
}

/// What the machine did while a trial ran, as seen from outside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// From start to end of the process.
    pub wall_s: f64,
    /// Processor seconds that others used meanwhile; null where it can't be read.
    pub foreign_cpu_s: Option<f64>,
    /// Processor seconds that the hypervisor gave to other machines; null where it can't be read.
    pub steal_s: Option<f64>,
    /// The fastest core's frequency when it began; null where it can't be read.
    pub mhz: Option<f64>,
    /// True when others left the trial less than it wanted.
    pub disturbed: bool,
}

/// The one line of JSON that a workload prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The trial line's own schema.
    pub schema: u32,
    /// The workload.
    pub workload: String,
    /// The seed of its input.
    pub seed: u64,
    /// Its size, where one was given.
    pub size: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
    /// True when its own answer check passed.
    pub ok: bool,
    /// What was checked.
    #[serde(default)]
    pub check: Option<String>,
    /// Options that differed from the workload's defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Numbers by name.
    pub metrics: BTreeMap<String, f64>,
    /// Digests by name.
    #[serde(default)]
    pub answers: BTreeMap<String, String>,
    /// The process's own readings.
    #[serde(default)]
    pub process: BTreeMap<String, Value>,
}
