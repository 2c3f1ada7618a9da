//! How much pairs spread on this kind of machine, learnt from earlier results: it tells before a run what the run can show.

use std::path::Path;

use super::stats::{power, standard_deviation};
use super::{metrics, plan};
use crate::results::{ResultFile, Rules, WorkloadPlan, store};

/// Earlier results that are looked at, newest first.
const LOOK_BACK: usize = 20;

/// What a planned run is expected to show, a line for each workload.
pub fn forecast(
    folders: [&Path; 2],
    class: &str,
    workloads: &[WorkloadPlan],
    contrasts: usize,
    rules: &Rules,
) -> Vec<String> {
    let earlier = earlier(folders, class);
    let rows = plan::rows(workloads, contrasts);
    workloads
        .iter()
        .map(|workload| {
            let spread = earlier.iter().find_map(|result| spread(result, workload));
            let effect = spread
                .map(|s| power::detectable(s, workload.pairs, rules.alpha, rows, rules.power));
            let words = match effect {
                Some(Some(log)) => format!("can show ±{:.1} %", (log.exp() - 1.0) * 100.0),
                Some(None) => "too few pairs to show anything".to_owned(),
                None => "no earlier run here tells what it can show; the table will".to_owned(),
            };
            format!("{}: {} pairs, {words}", workload.name, workload.pairs)
        })
        .collect()
}

/// Results of this class of host, newest first. One that can't be read says nothing about noise.
fn earlier(folders: [&Path; 2], class: &str) -> Vec<ResultFile> {
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| store::results_in(folder).unwrap_or_default())
        .collect();
    // Names begin with the time.
    paths.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    let results = paths
        .into_iter()
        .take(LOOK_BACK)
        .filter_map(|path| store::read(&path).ok());
    results
        .filter(|result| result.host.class == class)
        .collect()
}

/// The standard deviation of the log ratios of the headline's noisiest time, where the result ran the workload the same
/// way.
fn spread(result: &ResultFile, workload: &WorkloadPlan) -> Option<f64> {
    let same = |w: &&WorkloadPlan| {
        w.name == workload.name && w.size == workload.size && w.threads == workload.threads
    };
    result.plan.workloads.iter().find(same)?;
    let [first, second] = result.plan.contrasts.first()?;
    let value = |round: usize, arm: &str, metric: &str| {
        let trial = result.trials.iter().find(|t| {
            t.trial.workload == workload.name && t.round == round && t.arm == arm && !t.control
        })?;
        trial.trial.metrics.get(metric).copied()
    };
    let of_metric = |metric: &str| {
        let logs: Vec<f64> = (0..workload.pairs.max(100))
            .map_while(|round| {
                Some((value(round, second, metric)? / value(round, first, metric)?).ln())
            })
            .filter(|log| log.is_finite())
            .collect();
        (logs.len() >= 4).then(|| standard_deviation(&logs))?
    };
    metrics::times(&workload.headline)
        .filter_map(of_metric)
        .reduce(f64::max)
}
