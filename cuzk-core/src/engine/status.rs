//! What an engine says of itself.

use serde::Serialize;

use super::state::State;
use crate::pipeline::machine::Stage;

/// An engine at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Jobs that have not ended, those that go first at the front.
    pub jobs: Vec<JobStatus>,
    /// What is loaded or being loaded.
    pub residents: Vec<ResidentStatus>,
    /// Bytes that are reserved.
    pub reserved: u64,
    /// Bytes that may be.
    pub capacity: u64,
}

/// A job at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobStatus {
    /// The caller's id.
    pub id: String,
    /// The circuit.
    pub circuit: String,
    /// The priority, by name.
    pub priority: &'static str,
    /// Seconds since it was submitted.
    pub age_s: f64,
    /// Whether anything of it is running, or holds memory.
    pub running: bool,
    /// What each partition is at: "waiting", "admitted", "synthesis", "ready", "proving", "freeing" or "done"; none before the request
    /// has been looked at.
    pub partitions: Vec<&'static str>,
    /// How many have been proven.
    pub proven: usize,
}

/// Parameters or a recording at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResidentStatus {
    /// Its id.
    pub id: String,
    /// "parameters" or "recording".
    pub kind: &'static str,
    /// Bytes that are reserved for it.
    pub bytes: u64,
    /// Whether it can be used.
    pub ready: bool,
    /// How many partitions use it.
    pub users: usize,
}

pub(super) fn of(state: &State, capacity: u64) -> Status {
    let mut jobs: Vec<_> = state.jobs.iter().filter(|(_, job)| !job.ended).collect();
    jobs.sort_by_key(|(ticket, job)| (std::cmp::Reverse(job.priority), **ticket));
    let jobs = jobs.into_iter().map(|(ticket, job)| {
        let stages: Vec<&'static str> = state.machine.stages(*ticket).map(Stage::name).collect();
        JobStatus {
            id: job.shared.id().to_string(),
            circuit: job.circuit.clone(),
            priority: job.priority.name(),
            age_s: job.submitted.elapsed().as_secs_f64(),
            running: state.machine.is_running(*ticket),
            proven: job.parts.iter().filter(|part| part.proof.is_some()).count(),
            partitions: stages,
        }
    });
    let residents = state
        .machine
        .residents()
        .filter_map(|(key, bytes, ready, users)| {
            let (id, parameters) = state.holdings.name(key)?;
            let kind = if parameters {
                "parameters"
            } else {
                "recording"
            };
            Some(ResidentStatus {
                id,
                kind,
                bytes,
                ready,
                users,
            })
        });
    Status {
        jobs: jobs.collect(),
        residents: residents.collect(),
        reserved: state.machine.used(),
        capacity,
    }
}
