//! Results put in order for the page: by machine, and by what was compared on it.

use std::collections::BTreeMap;

use crate::report::{Found, Kept, Today, stale_reason};
use crate::results::host::Host;
use crate::results::profile::ProfileFile;
use crate::results::{ArmRecord, Comparison, Family, ResultFile};

/// Everything of one class of host.
#[derive(Debug)]
pub struct Machine<'a> {
    /// Its key.
    pub class: &'a str,
    /// As its newest file describes it.
    pub host: &'a Host,
    /// Its results, newest first, each with its number on the page.
    pub results: Vec<(usize, &'a Kept)>,
    /// What was compared, each with all its results.
    pub series: Vec<Series<'a>>,
    /// Its profiles, newest first, with their paths.
    pub profiles: Vec<(&'a str, &'a ProfileFile)>,
}

/// What makes two rows answers to the same question. A workload of another size, or on other threads, is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject<'a> {
    /// The workload.
    pub workload: &'a str,
    /// Its size, as the trials say.
    pub size: Option<u64>,
    /// Its threads, as the trials say.
    pub threads: Option<u64>,
}

/// One question and its answers over time.
#[derive(Debug)]
pub struct Series<'a> {
    /// What was run.
    pub subject: Subject<'a>,
    /// What was read.
    pub metric: &'a str,
    /// Baseline and contender.
    pub arms: [&'a str; 2],
    /// The answers, newest first; never empty.
    pub points: Vec<Point<'a>>,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Point<'a> {
    /// The result's number on the page.
    pub number: usize,
    /// The result.
    pub kept: &'a Kept,
    /// Its row.
    pub row: &'a Comparison,
    /// Why it doesn't hold any more.
    pub stale: Option<String>,
}

impl Subject<'_> {
    /// What a row says of it.
    pub fn name(&self) -> String {
        let mut name = self.workload.to_owned();
        if let Some(size) = self.size {
            name.push_str(&format!(", size {size}"));
        }
        match self.threads {
            Some(1) => name.push_str(", 1 thread"),
            Some(threads) => name.push_str(&format!(", {threads} threads")),
            None => {}
        }
        name
    }
}

impl Point<'_> {
    /// When it was measured.
    pub fn time(&self) -> &str {
        &self.kept.result.time
    }
}

impl<'a> Series<'a> {
    /// The answer that counts.
    pub fn newest(&self) -> &Point<'a> {
        &self.points[0]
    }
}

/// What a workload of a result was, by its trials; by the plan where it has none.
pub fn subject<'a>(result: &'a ResultFile, workload: &'a str) -> Subject<'a> {
    let ran = result.ran(workload);
    Subject {
        workload,
        size: ran.size,
        threads: ran.threads,
    }
}

/// The machines, by class.
pub fn machines<'a>(found: &'a Found, today: &Today) -> Vec<Machine<'a>> {
    let mut machines: BTreeMap<&str, Machine> = BTreeMap::new();
    let hosts = found.results.iter().map(|kept| &kept.result.host);
    for host in hosts.chain(found.profiles.iter().map(|(_, profile)| &profile.host)) {
        machines.entry(&host.class).or_insert_with(|| Machine {
            class: &host.class,
            host,
            results: Vec::new(),
            series: Vec::new(),
            profiles: Vec::new(),
        });
    }
    for (number, kept) in found.results.iter().enumerate() {
        if let Some(machine) = machines.get_mut(kept.result.host.class.as_str()) {
            machine.results.push((number, kept));
        }
    }
    for (path, profile) in &found.profiles {
        if let Some(machine) = machines.get_mut(profile.host.class.as_str()) {
            machine.profiles.push((path, profile));
        }
    }
    for machine in machines.values_mut() {
        machine.series = series(&machine.results, today);
    }
    machines.into_values().collect()
}

fn series<'a>(results: &[(usize, &'a Kept)], today: &Today) -> Vec<Series<'a>> {
    type Key<'a> = ([&'a str; 2], Subject<'a>, Family, &'a str);
    let mut found: BTreeMap<Key, Series> = BTreeMap::new();
    let mut newest_pairs: Vec<[&str; 2]> = Vec::new();
    for (number, kept) in results.iter().filter(|(_, kept)| kept.result.complete) {
        let result = &kept.result;
        let subjects: BTreeMap<&str, Subject> = result
            .plan
            .workloads
            .iter()
            .map(|w| (w.name.as_str(), subject(result, &w.name)))
            .collect();
        let mut stale: BTreeMap<[&str; 2], Option<String>> = BTreeMap::new();
        for row in result.comparisons.iter().filter(|row| row.is_claim()) {
            let arms = row.arms.each_ref().map(String::as_str);
            let subject = subjects
                .get(row.workload.as_str())
                .copied()
                .unwrap_or_else(|| subject(result, &row.workload));
            let stale = stale.entry(arms).or_insert_with(|| {
                let of_pair: Vec<&ArmRecord> = result
                    .arms
                    .iter()
                    .filter(|arm| arms.contains(&arm.name.as_str()))
                    .collect();
                stale_reason(&of_pair, today)
            });
            if !newest_pairs.contains(&arms) {
                newest_pairs.push(arms);
            }
            let key = (arms, subject, row.family, row.metric.as_str());
            let point = Point {
                number: *number,
                kept,
                row,
                stale: stale.clone(),
            };
            found
                .entry(key)
                .or_insert_with(|| Series {
                    subject,
                    metric: &row.metric,
                    arms,
                    points: Vec::new(),
                })
                .points
                .push(point);
        }
    }
    let mut series: Vec<Series> = found.into_values().collect();
    // What most readers came for, then what was measured last.
    let rank = |arms: &[&str; 2]| match arms {
        ["pristine", "patched"] => 0,
        ["released", "patched"] => 1,
        ["released", "pristine"] => 2,
        other => {
            3 + newest_pairs
                .iter()
                .position(|pair| pair == other)
                .unwrap_or(0)
        }
    };
    series.sort_by_key(|series| rank(&series.arms));
    series
}
