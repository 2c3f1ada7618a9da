//! Reading the line that a workload prints, and taking numbers out of it that can be judged.

use serde_json::Value;
use thiserror::Error;

use crate::results::Trial;

/// The schema of the trial line.
const SCHEMA: u64 = 1;

/// Why a trial can't be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TrialError {
    /// The line isn't JSON.
    #[error("the workload printed no JSON trial, but `{start}`: {problem}")]
    NotJson {
        /// How it begins.
        start: String,
        /// What the parser said.
        problem: String,
    },
    /// The line has another schema.
    #[error("the workload printed a trial of schema {found}, and this code reads schema 1")]
    Schema {
        /// What it says.
        found: String,
    },
    /// The line lacks something.
    #[error("the workload printed a trial that is not one: {problem}")]
    Shape {
        /// What is missing or odd.
        problem: String,
    },
    /// A metric is NaN, infinite, or no number at all.
    #[error("{workload}: metric {metric} is {found}, which is not a finite number")]
    NotFinite {
        /// The workload.
        workload: String,
        /// The metric.
        metric: String,
        /// What stands there.
        found: String,
    },
    /// A metric is below zero.
    #[error("{workload}: metric {metric} is {found}, and no amount is negative")]
    Negative {
        /// The workload.
        workload: String,
        /// The metric.
        metric: String,
        /// What stands there.
        found: f64,
    },
    /// A metric that is compared by its ratio is zero or negative.
    #[error("{workload}: metric {metric} is {found}, and only a number above zero has a ratio")]
    NotPositive {
        /// The workload.
        workload: String,
        /// The metric.
        metric: String,
        /// What stands there.
        found: f64,
    },
}

/// Reads a trial line. JSON has no NaN: writers put null there, so null is refused by the metric's name.
pub fn parse(line: &str) -> Result<Trial, TrialError> {
    let value: Value = serde_json::from_str(line.trim()).map_err(|e| TrialError::NotJson {
        start: line.trim().chars().take(60).collect(),
        problem: e.to_string(),
    })?;
    if value["schema"].as_u64() != Some(SCHEMA) {
        let found = value
            .get("schema")
            .map_or_else(|| "missing".to_owned(), Value::to_string);
        return Err(TrialError::Schema { found });
    }
    if let Some(metrics) = value["metrics"].as_object() {
        let bad = metrics
            .iter()
            .find(|(_, v)| !v.as_f64().is_some_and(f64::is_finite));
        if let Some((metric, found)) = bad {
            return Err(TrialError::NotFinite {
                workload: value["workload"]
                    .as_str()
                    .unwrap_or("unknown workload")
                    .to_owned(),
                metric: metric.clone(),
                found: if found.is_null() {
                    "null (NaN or infinite)".to_owned()
                } else {
                    found.to_string()
                },
            });
        }
    }
    let trial: Trial = serde_json::from_value(value).map_err(|e| TrialError::Shape {
        problem: e.to_string(),
    })?;
    match trial.metrics.iter().find(|(_, value)| **value < 0.0) {
        Some((metric, found)) => Err(TrialError::Negative {
            workload: trial.workload.clone(),
            metric: metric.clone(),
            found: *found,
        }),
        None => Ok(trial),
    }
}

/// A metric whose ratio is to be judged; `None` when the trial lacks it.
pub fn positive(trial: &Trial, metric: &str) -> Result<Option<f64>, TrialError> {
    let Some(value) = trial.metrics.get(metric).copied() else {
        return Ok(None);
    };
    let workload = trial.workload.clone();
    let metric = metric.to_owned();
    if !value.is_finite() {
        return Err(TrialError::NotFinite {
            workload,
            metric,
            found: value.to_string(),
        });
    }
    if value <= 0.0 {
        return Err(TrialError::NotPositive {
            workload,
            metric,
            found: value,
        });
    }
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(metrics: &str) -> String {
        format!(
            r#"{{"schema":1,"workload":"synth/sha256","seed":7,"size":8,"threads":1,"ok":true,"check":"fine",
            "metrics":{metrics},"answers":{{"a":"00"}},"process":{{"load1":0.5}}}}"#
        )
    }

    #[test]
    fn counts_and_seconds_are_numbers() {
        let trial = parse(&line(r#"{"constraints":26,"wall_s.warm":0.5}"#)).expect("a trial");
        assert_eq!(trial.metrics["constraints"], 26.0);
        assert_eq!(positive(&trial, "wall_s.warm"), Ok(Some(0.5)));
        assert_eq!(positive(&trial, "wall_s.total"), Ok(None));
        assert_eq!(trial.answers["a"], "00");
    }

    #[test]
    fn what_is_not_a_number_is_refused_by_name() {
        for metrics in [r#"{"wall_s.warm":null}"#, r#"{"wall_s.warm":"NaN"}"#] {
            let error = parse(&line(metrics)).expect_err("not a number");
            assert!(
                matches!(&error, TrialError::NotFinite { metric, .. } if metric == "wall_s.warm")
            );
            assert!(
                error
                    .to_string()
                    .contains("synth/sha256: metric wall_s.warm"),
                "{error}"
            );
        }
        let mut trial = parse(&line("{}")).expect("a trial");
        for bad in [f64::NAN, f64::INFINITY] {
            trial.metrics.insert("peak_bytes".to_owned(), bad);
            assert!(matches!(
                positive(&trial, "peak_bytes"),
                Err(TrialError::NotFinite { .. })
            ));
        }
        for bad in [0.0, -1.0] {
            trial.metrics.insert("peak_bytes".to_owned(), bad);
            assert!(matches!(
                positive(&trial, "peak_bytes"),
                Err(TrialError::NotPositive { .. })
            ));
        }
    }

    #[test]
    fn a_negative_time_is_refused_by_name() {
        let error = parse(&line(r#"{"wall_s.warm":-0.5}"#)).expect_err("no amount");
        assert!(matches!(error, TrialError::Negative { .. }));
        let says = "synth/sha256: metric wall_s.warm is -0.5";
        assert!(error.to_string().contains(says), "{error}");
        let truncated = &line(r#"{"wall_s.warm":0.5}"#)[..60];
        for bad in [truncated, &line(r#"{"wall_s.warm":1e999}"#), "{}{}"] {
            let error = parse(bad).expect_err("no line");
            assert!(matches!(error, TrialError::NotJson { .. }), "{error}");
        }
    }

    #[test]
    fn other_lines_say_what_is_wrong() {
        assert!(matches!(
            parse("thread 'main' panicked"),
            Err(TrialError::NotJson { .. })
        ));
        assert!(matches!(parse(""), Err(TrialError::NotJson { .. })));
        assert!(matches!(
            parse(r#"{"schema":2}"#),
            Err(TrialError::Schema { .. })
        ));
        assert!(matches!(
            parse(r#"{"schema":1,"workload":"x"}"#),
            Err(TrialError::Shape { .. })
        ));
    }
}
