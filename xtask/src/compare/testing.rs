//! Made-up runs, for tests of comparisons.

use super::history::{self, Source};
use super::outcome::{Judged, Outcome, compare};
use crate::bench::judge::judge;
use crate::bench::testing::{add_pairs, empty_result};
use crate::results::ResultFile;

/// The workload of most tests.
pub const W: &str = "synth/sha256";

/// So many ratios around `centre`, a per cent to each side, different for each `shake`.
pub fn around(centre: f64, pairs: usize, shake: usize) -> Vec<f64> {
    let offset = |i: usize| ((i * 7 + shake * 3) % 11) as f64 / 11.0 - 0.5;
    (0..pairs)
        .map(|i| centre * (1.0 + 0.02 * offset(i)))
        .collect()
}

/// A run of one minute, with the ratios of each workload.
pub fn run(minute: usize, workloads: &[(&str, &[f64])]) -> Source {
    let names: Vec<&str> = workloads.iter().map(|(name, _)| *name).collect();
    let mut result = empty_result(&names, workloads.first().map_or(0, |(_, r)| r.len()));
    result.time = format!("2026-11-29T{:02}:{:02}:00Z", 10 + minute / 60, minute % 60);
    result.plan.seed = minute as u64;
    result.plan.rules.resamples = 500;
    for (workload, ratios) in workloads {
        add_pairs(&mut result, workload, ratios);
    }
    for record in &mut result.trials {
        // Inputs follow from the seed of the run.
        record.trial.seed += 1000 * minute as u64;
        let answer = format!("{minute} {:?}", record.trial.answers["a"]);
        record.trial.answers.insert("a".to_owned(), answer);
    }
    source(result)
}

/// A result that lies in a file named after its time, judged.
pub fn source(mut result: ResultFile) -> Source {
    result.comparisons = judge(&result).expect("numbers").comparisons;
    Source {
        path: format!("results/{}.json", result.time),
        result,
    }
}

/// A run of the usual workload around one ratio.
pub fn simple(minute: usize, centre: f64, pairs: usize) -> Source {
    run(minute, &[(W, &around(centre, pairs, minute))])
}

/// The comparison of a run with everything that was found.
pub fn compared(new: &Source, found: &[Source]) -> Outcome {
    let history = history::of(new, found.to_vec());
    compare(new, history, |_| None).expect("numbers")
}

/// The row of a workload's warm time.
pub fn warm<'a>(outcome: &'a Outcome, workload: &str) -> &'a Judged {
    let mut rows = outcome.rows.iter();
    rows.find(|row| row.key.workload.name == workload && row.key.metric == "wall_s.warm")
        .expect("a row of the warm time")
}
