//! What a workload is called and takes, and a checked request for one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use crate::metric::{Metric, Timed};

/// What is known about a workload without running it. `list --json` prints these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// Its name: a kind of work, a slash, an instance.
    pub name: &'static str,
    /// What it does and what it checks.
    pub summary: &'static str,
    /// Its sizes; `None` where there is only one.
    pub size: Option<Size>,
    /// The metrics that comparisons are about.
    pub headline: &'static [Metric],
    /// Which steps its times are of. A time that is not listed may be of any.
    pub timed: &'static [Timed],
    /// Whether a trial may run it twice in a process.
    pub repeats: bool,
    /// The vectors whose digests a trial reports and that `dump` writes.
    pub vectors: &'static [&'static str],
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Whether it reads files that `prepare` makes.
    pub needs_parameters: bool,
    /// Whether it has constraint matrices.
    pub has_matrices: bool,
}

/// The sizes that a workload takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// The size of a request that names none.
    pub default: u64,
    /// The largest size that is taken.
    pub max: u64,
    /// What it counts.
    pub unit: &'static str,
}

/// An option of a workload: a key with a closed set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OptionSpec {
    /// Its key.
    pub key: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
}

/// A request that can't be met, whatever runs it.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RequestError {
    /// No workload has this name.
    #[error("no workload is called {name:?}; known are: {known}")]
    UnknownWorkload {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// A size for a workload that has only one.
    #[error("{workload} has one size only: leave --size out")]
    Sizeless {
        /// The workload.
        workload: &'static str,
    },
    /// A size of nothing, or of more than is sensible.
    #[error("{workload} takes a --size from 1 to {max} ({unit}), not {size}")]
    Size {
        /// The workload.
        workload: &'static str,
        /// The size.
        size: u64,
        /// The largest.
        max: u64,
        /// What sizes count.
        unit: &'static str,
    },
    /// An option that is not `KEY=VALUE`.
    #[error("option {option:?} is not of the form KEY=VALUE")]
    OptionForm {
        /// The option.
        option: String,
    },
    /// An option that the workload does not have, or a value that the option does not take.
    #[error("{workload} has no option {option:?}; {known}")]
    UnknownOption {
        /// The workload.
        workload: &'static str,
        /// The option.
        option: String,
        /// What there is.
        known: String,
    },
    /// The same option twice.
    #[error("option {key} is given twice")]
    OptionTwice {
        /// Its key.
        key: &'static str,
    },
    /// A vector that the workload does not have.
    #[error("{workload} has no vector {vector:?}; it has {known}")]
    UnknownVector {
        /// The workload.
        workload: &'static str,
        /// The vector.
        vector: String,
        /// What there is.
        known: String,
    },
    /// Matrices of a workload that has no circuit.
    #[error("{workload} has no circuit, so no matrices")]
    NoMatrices {
        /// The workload.
        workload: &'static str,
    },
}

/// The workload of this name.
pub fn find(workloads: &'static [Workload], name: &str) -> Result<&'static Workload, RequestError> {
    workloads
        .iter()
        .find(|workload| workload.name == name)
        .ok_or_else(|| RequestError::UnknownWorkload {
            name: name.to_owned(),
            known: join(workloads.iter().map(|workload| workload.name)),
        })
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

/// A workload with checked inputs.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to run.
    pub workload: &'static Workload,
    /// Where its inputs come from.
    pub seed: u64,
    /// Its size; `None` exactly where the workload has only one.
    pub size: Option<u64>,
    /// Threads of every pool.
    pub threads: usize,
    /// Runs in this process, 1 or 2.
    pub repeat: u8,
    /// Checked options.
    pub options: BTreeMap<&'static str, &'static str>,
    /// Where prepared files lie.
    pub cache: PathBuf,
}

impl Workload {
    /// The size to use where this one was asked for.
    pub fn checked_size(&self, asked: Option<u64>) -> Result<Option<u64>, RequestError> {
        let workload = self.name;
        match (self.size, asked) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(RequestError::Sizeless { workload }),
            (Some(size), None) => Ok(Some(size.default)),
            (Some(Size { max, .. }), Some(size)) if (1..=max).contains(&size) => Ok(Some(size)),
            (Some(Size { max, unit, .. }), Some(size)) => Err(RequestError::Size {
                workload,
                size,
                max,
                unit,
            }),
        }
    }

    /// Parses and checks options of the form `KEY=VALUE`.
    pub fn checked_options(
        &self,
        options: &[String],
    ) -> Result<BTreeMap<&'static str, &'static str>, RequestError> {
        let mut checked = BTreeMap::new();
        for option in options {
            let (key, value) = option
                .split_once('=')
                .ok_or_else(|| RequestError::OptionForm {
                    option: option.clone(),
                })?;
            let unknown = || RequestError::UnknownOption {
                workload: self.name,
                option: option.clone(),
                known: self.known_options(),
            };
            let spec = self
                .options
                .iter()
                .find(|spec| spec.key == key)
                .ok_or_else(unknown)?;
            let value = spec
                .values
                .iter()
                .find(|known| **known == value)
                .ok_or_else(unknown)?;
            if checked.insert(spec.key, *value).is_some() {
                return Err(RequestError::OptionTwice { key: spec.key });
            }
        }
        Ok(checked)
    }

    fn known_options(&self) -> String {
        if self.options.is_empty() {
            return "it takes none".to_owned();
        }
        let specs: Vec<String> = self
            .options
            .iter()
            .map(|spec| format!("{}={}", spec.key, spec.values.join("|")))
            .collect();
        format!("it takes {}", specs.join(", "))
    }

    /// The vector of this name.
    pub fn checked_vector(&self, vector: &str) -> Result<&'static str, RequestError> {
        self.vectors
            .iter()
            .copied()
            .find(|known| *known == vector)
            .ok_or_else(|| RequestError::UnknownVector {
                workload: self.name,
                vector: vector.to_owned(),
                known: join(self.vectors.iter().copied()),
            })
    }

    /// An error where there are no matrices.
    pub fn check_matrices(&self) -> Result<(), RequestError> {
        match self.has_matrices {
            true => Ok(()),
            false => Err(RequestError::NoMatrices {
                workload: self.name,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WORKLOADS: &[Workload] = &[
        Workload {
            name: "synth/one",
            summary: "",
            size: Some(Size {
                default: 8,
                max: 64,
                unit: "blocks",
            }),
            headline: &[],
            timed: &[],
            repeats: true,
            vectors: &["a", "b"],
            options: &[OptionSpec {
                key: "capacity",
                values: &["exact", "over"],
                help: "",
            }],
            needs_parameters: false,
            has_matrices: true,
        },
        Workload {
            name: "fixed",
            summary: "",
            size: None,
            headline: &[],
            timed: &[],
            repeats: false,
            vectors: &[],
            options: &[],
            needs_parameters: false,
            has_matrices: false,
        },
    ];

    #[test]
    fn unknown_names_list_the_known_ones() {
        assert_eq!(find(WORKLOADS, "fixed"), Ok(&WORKLOADS[1]));
        let error = find(WORKLOADS, "synth").expect_err("unknown").to_string();
        assert!(error.contains("synth/one, fixed"), "{error}");
    }

    #[test]
    fn sizes() {
        let (one, fixed) = (&WORKLOADS[0], &WORKLOADS[1]);
        assert_eq!(one.checked_size(None), Ok(Some(8)));
        assert_eq!(one.checked_size(Some(64)), Ok(Some(64)));
        for size in [0, 65, u64::MAX] {
            let error = one.checked_size(Some(size)).expect_err("refused");
            assert!(error.to_string().contains("blocks"), "{error}");
        }
        assert_eq!(fixed.checked_size(None), Ok(None));
        assert!(fixed.checked_size(Some(1)).is_err());
    }

    #[test]
    fn options() {
        let parse = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(ToString::to_string).collect();
            WORKLOADS[0].checked_options(&options)
        };
        let checked = parse(&["capacity=exact"]).expect("known");
        assert_eq!(checked["capacity"], "exact");
        for bad in ["capacity=huge", "pages=warm"] {
            let error = parse(&[bad]).expect_err("unknown").to_string();
            assert!(error.contains("capacity=exact|over"), "{error}");
        }
        assert!(matches!(
            parse(&["capacity"]),
            Err(RequestError::OptionForm { .. })
        ));
        assert!(parse(&["capacity=exact", "capacity=over"]).is_err());
        let error = WORKLOADS[1]
            .checked_options(&["x=y".to_owned()])
            .expect_err("has none");
        assert!(error.to_string().contains("it takes none"), "{error}");
    }

    #[test]
    fn vectors_and_matrices() {
        assert_eq!(WORKLOADS[0].checked_vector("b"), Ok("b"));
        let error = WORKLOADS[0].checked_vector("d").expect_err("unknown");
        assert!(error.to_string().contains("a, b"), "{error}");
        assert!(WORKLOADS[0].check_matrices().is_ok());
        assert!(WORKLOADS[1].check_matrices().is_err());
    }
}
