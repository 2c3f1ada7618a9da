//! A workload as it really ran.

use super::ResultFile;

/// A workload with what makes it another one: its size and its threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Its size, as the trials tell; null where it has one size only.
    pub size: Option<u64>,
    /// Its threads, as the trials tell.
    pub threads: Option<u64>,
}

impl ResultFile {
    /// The workload with the size and the threads of its trials; the plan's where there are none. A null size in a plan
    /// means the default of its time.
    pub fn ran(&self, name: &str) -> Ran {
        let trial = self.trials.iter().find(|t| t.trial.workload == name);
        let (size, threads) = match trial {
            Some(record) => (record.trial.size, record.trial.threads),
            None => {
                let plan = self.plan.workloads.iter().find(|w| w.name == name);
                plan.map_or((None, None), |w| (w.size, w.threads))
            }
        };
        Ran {
            name: name.to_owned(),
            size,
            threads,
        }
    }
}
