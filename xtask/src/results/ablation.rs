//! What an ablation asks of a run, and what comes of it.

use serde::{Deserialize, Serialize};

/// One optimisation of an ablation: the contrasts that measure it, baseline first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AblationPlan {
    /// The optimisation.
    pub slug: String,
    /// What needs it and so comes and goes with it in `alone` and `last`.
    pub together: Vec<String>,
    /// The series before it, and up to it.
    pub step: Option<[String; 2]>,
    /// Pristine with what it needs, and the same with it; null where that can't be constructed.
    pub alone: Option<[String; 2]>,
    /// The whole series without it, and the whole series; null where that can't be constructed.
    pub last: Option<[String; 2]>,
}

/// Whether an optimisation does the same alone as it does on top of all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// The workload.
    pub workload: String,
    /// The metric.
    pub metric: String,
    /// The optimisation, as in the plan.
    pub slug: String,
    /// Its ratio last of all, divided by its ratio alone: the median over rounds.
    pub ratio: f64,
    /// The interval of `ratio`.
    pub ci95: [f64; 2],
    /// The signed-rank test's p.
    pub p: f64,
    /// The same after Holm's correction over all interactions of the run.
    pub p_adjusted: f64,
    /// Rounds.
    pub pairs: usize,
    /// What it means.
    pub verdict: Mixing,
}

/// How an optimisation mixes with the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mixing {
    /// It does the same alone and last, within the margin.
    Independent,
    /// It saves less, or costs more, beside the others: they save some of the same work.
    Overlaps,
    /// It saves more, or costs less, beside the others.
    Reinforces,
    /// This run can't say.
    Undecided,
}

impl Mixing {
    /// The word in tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Overlaps => "overlaps",
            Self::Reinforces => "reinforces",
            Self::Undecided => "undecided",
        }
    }
}
