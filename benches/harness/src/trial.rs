//! The record of one trial: one process that ran one workload once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metric::{self, Metric};
use crate::process::{Process, RegionCost};

/// Version of the record's form; it changes when a reader of the old form would misread the new one.
pub const SCHEMA: u32 = 1;

/// One measured number: counts stay integers in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Bytes, faults, constraints.
    Count(u64),
    /// Seconds.
    Real(f64),
}

impl Value {
    /// The number for arithmetic; a count above 2^53 loses its last bits.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Count(count) => count as f64,
            Value::Real(real) => real,
        }
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Value::Count(count)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Value::Count(count as u64)
    }
}

impl From<std::time::Duration> for Value {
    fn from(duration: std::time::Duration) -> Self {
        Value::Real(duration.as_secs_f64())
    }
}

/// What a workload process prints, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The workload's name.
    pub workload: String,
    /// The seed from which all its inputs come.
    pub seed: u64,
    /// Its size, in the workload's own unit; `null` for a workload that has only one.
    pub size: Option<u64>,
    /// Threads of every pool in the process.
    pub threads: usize,
    /// Whether the workload's own check of its answer held.
    pub ok: bool,
    /// What was checked, or what did not hold.
    pub check: String,
    /// Options that differed from the default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// What was measured; a reading that this system does not give is absent, never zero.
    pub metrics: BTreeMap<String, Value>,
    /// Digests that must be equal on every arm.
    pub answers: BTreeMap<String, String>,
    /// Readings of the whole process, taken last.
    pub process: Process,
}

impl Trial {
    /// A record with nothing measured yet; its check has not held until [`Trial::passed`].
    pub fn new(workload: &str, seed: u64, size: Option<u64>, threads: usize) -> Self {
        Trial {
            schema: SCHEMA,
            workload: workload.to_owned(),
            seed,
            size,
            threads,
            ok: false,
            check: "not checked".to_owned(),
            options: BTreeMap::new(),
            metrics: BTreeMap::new(),
            answers: BTreeMap::new(),
            process: Process::default(),
        }
    }

    /// Records a measured number.
    pub fn measured(&mut self, metric: Metric, value: impl Into<Value>) {
        self.metrics.insert(metric.name.to_owned(), value.into());
    }

    /// Records a number that this system may not give.
    pub fn maybe_measured(&mut self, metric: Metric, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.measured(metric, value);
        }
    }

    /// Records the wall time of a phase that has no [`Metric`] of its own.
    pub fn phase(&mut self, phase: &str, wall: std::time::Duration) {
        self.metrics.insert(format!("wall_s.{phase}"), wall.into());
    }

    /// Records what a region cost besides its wall time.
    pub fn cost(&mut self, cost: &RegionCost) {
        self.maybe_measured(metric::USER, cost.user_s.map(Value::Real));
        self.maybe_measured(metric::SYSTEM, cost.system_s.map(Value::Real));
        self.maybe_measured(metric::PEAK, cost.peak_bytes);
    }

    /// Records an answer, usually a digest.
    pub fn answer(&mut self, vector: &str, digest: impl Into<String>) {
        self.answers.insert(vector.to_owned(), digest.into());
    }

    /// The check held.
    pub fn passed(&mut self, check: impl Into<String>) {
        self.ok = true;
        self.check = check.into();
    }

    /// The check did not hold.
    pub fn failed(&mut self, check: impl Into<String>) {
        self.ok = false;
        self.check = check.into();
    }

    /// The record as the one line that goes to stdout, with the process readings of this moment.
    pub fn into_line(mut self) -> Result<String, serde_json::Error> {
        self.process = Process::now();
        serde_json::to_string(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_survives_its_own_json() {
        let mut trial = Trial::new("synth/sha256", 7, Some(8), 1);
        trial.measured(metric::WALL_COLD, std::time::Duration::from_millis(1500));
        trial.measured(metric::CONSTRAINTS, 12usize);
        trial.answer("a", "00ff");
        trial.passed("a∘b = c over 12 constraints");
        let line = trial.clone().into_line().expect("serialises");
        assert!(!line.contains('\n'));
        assert!(line.contains(r#""constraints":12"#), "{line}");
        assert!(line.contains(r#""wall_s.cold":1.5"#), "{line}");
        let back: Trial = serde_json::from_str(&line).expect("parses");
        assert_eq!(back.metrics, trial.metrics);
        assert_eq!(back.answers, trial.answers);
        assert!(back.ok);
    }

    #[test]
    fn a_size_that_does_not_apply_is_null_and_a_missing_reading_is_absent() {
        let mut trial = Trial::new("synth/porep-2k", 7, None, 1);
        trial.maybe_measured(metric::PEAK, None::<u64>);
        let json = serde_json::to_value(&trial).expect("serialises");
        assert!(json["size"].is_null());
        assert!(json["metrics"].get("peak_bytes").is_none());
        assert!(json["process"].get("load1").is_none());
    }
}
