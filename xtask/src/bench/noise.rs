//! How much pairs spread on this kind of machine, learnt from earlier results: it tells before a run what the run can show.

use std::path::Path;
use std::time::Duration;

use super::progress::duration;
use super::stats::{power, standard_deviation};
use super::{metrics, plan};
use crate::results::{ResultFile, Rules, WorkloadPlan, store};

/// Earlier results that are looked at, newest first.
const LOOK_BACK: usize = 20;

/// A planned run, as far as a forecast needs it.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// The workloads.
    pub workloads: &'a [WorkloadPlan],
    /// The arms by name.
    pub arms: &'a [&'a str],
    /// How many pairs of arms are compared.
    pub contrasts: usize,
    /// The rules of judging.
    pub rules: &'a Rules,
}

/// What a planned run is expected to show and to take, a line for each workload. `size` is the size that a workload
/// will really have.
pub fn forecast(
    folders: [&Path; 2],
    class: &str,
    planned: Planned,
    size: impl Fn(&WorkloadPlan) -> Option<u64>,
) -> Vec<String> {
    let earlier = earlier(folders, class);
    let rows = plan::rows(planned.workloads, planned.contrasts);
    let rules = planned.rules;
    let line = |workload: &WorkloadPlan| {
        let alike = || {
            let size = size(workload);
            earlier
                .iter()
                .filter(move |result| ran(result, workload, size))
        };
        let spread = alike().find_map(|result| spread(result, workload));
        let shown =
            spread.map(|s| power::detectable(s, workload.pairs, rules.alpha, rows, rules.power));
        let shown = match shown {
            Some(Some(log)) => format!("can show ±{:.1} %", (log.exp() - 1.0) * 100.0),
            Some(None) => "too few pairs to show anything".to_owned(),
            None => "no earlier run here tells what it can show; the table will".to_owned(),
        };
        let time = alike().find_map(|result| trial_time(result, workload, planned.arms));
        let time = time.map_or_else(String::new, |seconds| {
            let slots = planned.arms.len() + usize::from(workload.control);
            let all = seconds * (workload.pairs * slots) as f64;
            format!(", about {}", duration(Duration::from_secs_f64(all)))
        });
        format!(
            "{}: {} pairs for an effect of ±{:.0} %, {shown}{time}",
            workload.name,
            workload.pairs,
            rules.margin_time * 100.0
        )
    };
    planned.workloads.iter().map(line).collect()
}

/// True when the result ran the workload in the same way.
fn ran(result: &ResultFile, workload: &WorkloadPlan, size: Option<u64>) -> bool {
    let ran = result.ran(&workload.name);
    let trial = result
        .trials
        .iter()
        .any(|t| t.trial.workload == workload.name);
    trial && ran.size == size && (workload.threads.is_none() || ran.threads == workload.threads)
}

/// Seconds of a trial: the mean over the arms of the plan that the result has, or over all of its arms.
fn trial_time(result: &ResultFile, workload: &WorkloadPlan, arms: &[&str]) -> Option<f64> {
    let mean = |of: &dyn Fn(&str) -> bool| {
        let trials = result.trials.iter();
        let times: Vec<f64> = trials
            .filter(|t| t.trial.workload == workload.name && of(&t.arm))
            .map(|t| t.window.wall_s)
            .collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let named: Vec<f64> = arms.iter().filter_map(|arm| mean(&|a| a == *arm)).collect();
    match named.len() == arms.len() {
        true => Some(named.iter().sum::<f64>() / named.len() as f64),
        false => mean(&|_| true),
    }
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

/// The standard deviation of the log ratios of the headline's noisiest time.
fn spread(result: &ResultFile, workload: &WorkloadPlan) -> Option<f64> {
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
