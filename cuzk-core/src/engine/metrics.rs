//! Numbers for those who watch.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::job::Phase;

/// Upper bounds of a histogram's buckets, in seconds: a tenfold in three steps, from a millisecond to a day.
pub const BOUNDS: [f64; 24] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0,
    200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 40_000.0, 86_400.0,
];

/// Durations, counted by size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// How many are at most each of [`BOUNDS`], and above the one before.
    pub buckets: [u64; BOUNDS.len()],
    /// How many there are.
    pub count: u64,
    /// All of them together.
    pub sum: Duration,
}

impl Histogram {
    pub(super) fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at] += 1;
        }
        self.count += 1;
        self.sum = self.sum.saturating_add(duration);
    }
}

/// Everything that is counted, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Jobs that were taken.
    pub submitted: u64,
    /// Submissions that joined a job.
    pub joined: u64,
    /// Submissions that were refused.
    pub refused: u64,
    /// Jobs that were proven.
    pub proven: u64,
    /// Jobs that failed.
    pub failed: u64,
    /// Jobs that were cancelled.
    pub cancelled: u64,
    /// Partitions that were proven.
    pub partitions: u64,
    /// Proofs that did not verify. None was handed out.
    pub wrong_proofs: u64,
    /// Calls of a prover that failed.
    pub prover_errors: u64,
    /// Partitions that were made again.
    pub retries: u64,
    /// Panics that were caught.
    pub panics: u64,
    /// Parameters and recordings that were loaded.
    pub loads: u64,
    /// Parameters and recordings that were evicted.
    pub evictions: u64,
    /// Time of each phase.
    pub phases: BTreeMap<&'static str, Histogram>,
    /// Whole jobs that were proven.
    pub jobs: Histogram,
    /// Jobs in the queue.
    pub queued: u64,
    /// Jobs of which something is running.
    pub running: u64,
    /// Bytes that are reserved.
    pub reserved: u64,
    /// Most bytes that were.
    pub reserved_most: u64,
    /// Bytes that may be.
    pub capacity: u64,
}

impl Metrics {
    pub(super) fn phase(&mut self, phase: Phase, duration: Duration) {
        self.phases.entry(phase.name()).or_default().add(duration);
    }

    /// In the text format of Prometheus.
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        let counters = [
            ("jobs_submitted", "Jobs that were taken.", self.submitted),
            ("jobs_joined", "Submissions that joined a job.", self.joined),
            (
                "jobs_refused",
                "Submissions that were refused.",
                self.refused,
            ),
            ("jobs_proven", "Jobs that were proven.", self.proven),
            ("jobs_failed", "Jobs that failed.", self.failed),
            (
                "jobs_cancelled",
                "Jobs that were cancelled.",
                self.cancelled,
            ),
            (
                "partitions_proven",
                "Partitions that were proven.",
                self.partitions,
            ),
            (
                "wrong_proofs",
                "Proofs that did not verify; none was handed out.",
                self.wrong_proofs,
            ),
            (
                "prover_errors",
                "Calls of a prover that failed.",
                self.prover_errors,
            ),
            ("retries", "Partitions that were made again.", self.retries),
            ("panics", "Panics that were caught.", self.panics),
            (
                "loads",
                "Parameters and recordings that were loaded.",
                self.loads,
            ),
            (
                "evictions",
                "Parameters and recordings that were evicted.",
                self.evictions,
            ),
        ];
        for (name, help, value) in counters {
            line(&mut text, &format!("{name}_total"), help, "counter");
            let _ = writeln!(text, "cuzk_{name}_total {value}");
        }
        let gauges = [
            ("jobs_queued", "Jobs in the queue.", self.queued),
            (
                "jobs_running",
                "Jobs of which something is running.",
                self.running,
            ),
            ("reserved_bytes", "Memory that is reserved.", self.reserved),
            (
                "reserved_most_bytes",
                "Most memory that was reserved.",
                self.reserved_most,
            ),
            (
                "capacity_bytes",
                "Memory that may be reserved.",
                self.capacity,
            ),
        ];
        for (name, help, value) in gauges {
            line(&mut text, name, help, "gauge");
            let _ = writeln!(text, "cuzk_{name} {value}");
        }
        line(&mut text, "phase_seconds", "Time of a phase.", "histogram");
        for (phase, histogram) in &self.phases {
            write_histogram(
                &mut text,
                "phase_seconds",
                &format!("phase=\"{phase}\","),
                histogram,
            );
        }
        line(
            &mut text,
            "job_seconds",
            "Time of a job that was proven.",
            "histogram",
        );
        write_histogram(&mut text, "job_seconds", "", &self.jobs);
        text
    }
}

// Writing to a string does not fail.
fn line(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP cuzk_{name} {help}\n# TYPE cuzk_{name} {kind}");
}

fn write_histogram(text: &mut String, name: &str, labels: &str, histogram: &Histogram) {
    let mut below = 0;
    for (bound, count) in BOUNDS.iter().zip(histogram.buckets) {
        below += count;
        let _ = writeln!(text, "cuzk_{name}_bucket{{{labels}le=\"{bound}\"}} {below}");
    }
    let _ = writeln!(
        text,
        "cuzk_{name}_bucket{{{labels}le=\"+Inf\"}} {}",
        histogram.count
    );
    let only = labels.trim_end_matches(',');
    let only = if only.is_empty() {
        String::new()
    } else {
        format!("{{{only}}}")
    };
    let _ = writeln!(
        text,
        "cuzk_{name}_sum{only} {}",
        histogram.sum.as_secs_f64()
    );
    let _ = writeln!(text, "cuzk_{name}_count{only} {}", histogram.count);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_add_up_and_names_are_there_once() {
        let mut metrics = Metrics {
            submitted: 3,
            ..Metrics::default()
        };
        for millis in [0, 1, 3, 700, 100_000_000_000] {
            metrics.phase(Phase::Synthesis, Duration::from_millis(millis));
        }
        let text = metrics.prometheus();
        for line in [
            "cuzk_jobs_submitted_total 3",
            "cuzk_phase_seconds_bucket{phase=\"synthesis\",le=\"0.001\"} 2",
            "cuzk_phase_seconds_bucket{phase=\"synthesis\",le=\"0.005\"} 3",
            "cuzk_phase_seconds_bucket{phase=\"synthesis\",le=\"86400\"} 4",
            "cuzk_phase_seconds_bucket{phase=\"synthesis\",le=\"+Inf\"} 5",
            "cuzk_phase_seconds_count{phase=\"synthesis\"} 5",
            "cuzk_job_seconds_count 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let mut types: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("# TYPE"))
            .collect();
        let all = types.len();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types.len(), all);
        assert!(BOUNDS.is_sorted());
    }
}
