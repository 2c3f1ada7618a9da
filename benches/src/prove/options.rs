//! Options of the `prove/*` workloads.
//!
//! What is left out, or `auto`, is left to the prover. An option that the stack of a binary does not have ends the trial,
//! unless it says what that stack does anyhow, and so does one that the prover in force would not look at: a number must
//! not stand for something that was not done.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use cuzk_core::backend::Backend;
use cuzk_harness::Request;
use cuzk_harness::registry::OptionSpec;

use crate::reserve;

/// Which prover.
pub const BACKEND: OptionSpec = option(
    "backend",
    &["cpu", "gpu"],
    "which prover; cpu when left out",
);

/// How much of its memory.
pub const GPU_MEMORY: OptionSpec = option(
    "gpu-memory",
    &["8", "12", "16", "24", "32", "48", "64", "80", "96", "128"],
    "GiB of each GPU's memory that the pipeline may use",
);

/// Which prover of a GPU.
pub const GPU_PIPELINE: OptionSpec = option(
    PIPELINE,
    &["on", "off"],
    "the prover of this project, or upstream's",
);

/// What the workloads of a storage proof's shape take.
pub const OPTIONS: &[OptionSpec] = &[
    BACKEND,
    option(
        "circuits",
        &["1", "2", "3", "10", "16", "32"],
        "circuits of one batch; 1 when left out",
    ),
    option(
        "calls",
        &["1", "2", "3", "4", "5", "6", "8", "11"],
        "proofs of the same batch in one process, the first of them cold; when left out 1 on the CPU, on a GPU 4 of 1 \
         circuit and 2 of more",
    ),
    option(
        "between",
        &["copy", "synthesis"],
        "what later calls prove: copies of the batch, or the circuits synthesised once more; copy when left out",
    ),
    reserve::CAPACITY,
    reserve::PAGES,
    GPU_MEMORY,
    GPU_PIPELINE,
    option(
        "bases",
        &["auto", "stream"],
        "whether bases may stay on the GPU",
    ),
    option(
        "abc",
        &["auto", "raw"],
        "whether rows of A, B and C may be sent in a compact form",
    ),
    option(
        "b-g2",
        &["auto", "cpu", "gpu"],
        "who computes the tail MSM of B in G2; with pipeline=off",
    ),
    option(
        "multiples",
        &["auto", "1", "2", "3", "4", "6", "8", "12"],
        "multiples of each base of H that are kept",
    ),
    option(
        "window",
        &[
            "auto", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22",
        ],
        "bits of a window of the MSM of H",
    ),
];

const fn option(
    key: &'static str,
    values: &'static [&'static str],
    help: &'static str,
) -> OptionSpec {
    OptionSpec { key, values, help }
}

/// The options of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProveOptions {
    /// Which prover.
    pub backend: Backend,
    /// Circuits of the batch.
    pub circuits: usize,
    /// How often the batch is proven.
    pub calls: usize,
    /// Whether each call synthesises anew.
    pub synthesise: bool,
    /// What is asked of the GPU's prover: by its own name and number.
    pub switches: BTreeMap<String, Switch>,
}

/// A setting of the GPU's prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The number that stands for it.
    pub value: u64,
    /// Whether a prover without this option does the same.
    pub dispensable: bool,
}

impl ProveOptions {
    /// Those of a request.
    pub fn of(request: &Request) -> Result<Self> {
        let given = |key| request.options.get(key).copied();
        let number = |key: &str, default: usize| match request.options.get(key) {
            Some(value) => value.parse().with_context(|| format!("option {key}")),
            None => Ok(default),
        };
        let backend: Backend = given("backend").unwrap_or("cpu").parse()?;
        let circuits = number("circuits", 1)?;
        let calls = match (backend, circuits) {
            (Backend::Cpu, _) => 1,
            (Backend::Gpu, 1) => 4,
            (Backend::Gpu, _) => 2,
        };
        let mut switches = BTreeMap::new();
        for (key, value) in &request.options {
            if let Some(switch) = switch(key, value)? {
                switches.insert((*key).to_owned(), switch);
            }
        }
        if let (Backend::Cpu, Some(key)) = (backend, switches.keys().next()) {
            bail!("option {key} is the GPU prover's: add backend=gpu");
        }
        without_contradiction(&switches, switches.get(PIPELINE).map(|on| on.value != 0))?;
        Ok(Self {
            backend,
            circuits,
            calls: number("calls", calls)?,
            synthesise: given("between") == Some("synthesis"),
            switches,
        })
    }
}

/// Options that say nothing to the GPU's prover.
const NOT_THE_PROVERS: [&str; 7] = [
    "backend", "circuits", "calls", "between", "capacity", "pages", "engine",
];

/// The option that decides between two provers, and those that only one of them looks at.
const PIPELINE: &str = "pipeline";
const OF_PIPELINE: [&str; 5] = ["gpu-memory", "bases", "abc", "multiples", "window"];
const OF_UPSTREAM: [&str; 1] = ["b-g2"];

/// Refuses options that would be ignored. Whether the pipeline is on is `None` where the stack has none, or where that is
/// not known yet: then nothing is refused.
pub fn without_contradiction(
    switches: &BTreeMap<String, Switch>,
    pipeline: Option<bool>,
) -> Result<()> {
    let (idle, other): (&[&str], _) = match pipeline {
        None => return Ok(()),
        Some(true) => (&OF_UPSTREAM, "off"),
        Some(false) => (&OF_PIPELINE, "on"),
    };
    if let Some(key) = idle.iter().find(|key| switches.contains_key(**key)) {
        bail!(
            "option {key} needs {PIPELINE}={other}, and would be ignored here: say so, or leave {key} out"
        );
    }
    Ok(())
}

/// What an option says to the GPU's prover, if anything.
fn switch(key: &str, value: &str) -> Result<Option<Switch>> {
    let is = |value, dispensable| Switch { value, dispensable };
    let switch = match (key, value) {
        (key, _) if NOT_THE_PROVERS.contains(&key) => return Ok(None),
        (_, "auto") => return Ok(None),
        ("pipeline", "on") => is(1, false),
        ("pipeline", "off") => is(0, true),
        ("bases", "stream") => is(1, true),
        ("abc", "raw") => is(1, true),
        ("b-g2", "cpu") => is(1, true),
        ("b-g2", "gpu") => is(2, false),
        ("gpu-memory", gib) => is(number(key, gib)? << 30, false),
        (_, value) => is(number(key, value)?, false),
    };
    Ok(Some(switch))
}

fn number(key: &str, value: &str) -> Result<u64> {
    let number: u64 = value
        .parse()
        .with_context(|| format!("option {key}={value}"))?;
    ensure!(number > 0, "option {key}={value}: must be at least 1");
    Ok(number)
}

#[cfg(test)]
mod tests {
    use cuzk_harness::registry;

    use super::*;
    use crate::workloads::WORKLOADS;

    fn options(given: &[&str]) -> Result<ProveOptions> {
        let workload = registry::find(WORKLOADS, "prove/porep-mix")?;
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        ProveOptions::of(&Request {
            workload,
            seed: 1,
            size: Some(12),
            threads: 1,
            repeat: 1,
            options: workload.checked_options(&given)?,
            cache: "nowhere".into(),
        })
    }

    #[test]
    fn defaults_follow_from_the_backend_and_the_batch() {
        let calls = |given: &[&str]| {
            let options = options(given).expect("good");
            (options.backend, options.circuits, options.calls)
        };
        assert_eq!(calls(&[]), (Backend::Cpu, 1, 1));
        assert_eq!(calls(&["circuits=3"]), (Backend::Cpu, 3, 1));
        assert_eq!(calls(&["backend=gpu"]), (Backend::Gpu, 1, 4));
        assert_eq!(
            calls(&["backend=gpu", "circuits=10"]),
            (Backend::Gpu, 10, 2)
        );
        assert_eq!(calls(&["backend=gpu", "calls=11"]), (Backend::Gpu, 1, 11));
    }

    #[test]
    fn every_value_of_every_option_is_understood() {
        for spec in OPTIONS {
            for value in spec.values {
                let given = format!("{}={value}", spec.key);
                let given = match spec.key {
                    "backend" => vec![given],
                    _ => vec![given, "backend=gpu".to_owned()],
                };
                let given: Vec<&str> = given.iter().map(String::as_str).collect();
                let options = options(&given).expect("good");
                let says = !NOT_THE_PROVERS.contains(&spec.key);
                assert_eq!(
                    options.switches.len(),
                    usize::from(says && *value != "auto")
                );
            }
        }
        let memory = options(&["backend=gpu", "gpu-memory=16"]).expect("good");
        assert_eq!(memory.switches["gpu-memory"].value, 16 << 30);
    }

    #[test]
    fn what_would_be_ignored_is_refused_with_what_to_do() {
        for (given, says) in [
            (["b-g2=cpu", "pipeline=on"], "pipeline=off"),
            (["gpu-memory=16", "pipeline=off"], "pipeline=on"),
            (["bases=stream", "pipeline=off"], "pipeline=on"),
            (["window=12", "pipeline=off"], "pipeline=on"),
        ] {
            let error = options(&["backend=gpu", given[0], given[1]]).expect_err("refused");
            assert!(error.to_string().contains(says), "{given:?}: {error}");
        }
        for good in [["b-g2=cpu", "pipeline=off"], ["abc=raw", "pipeline=on"]] {
            assert!(options(&["backend=gpu", good[0], good[1]]).is_ok());
        }
        // The stack decides: without a pipeline nothing contradicts.
        let given = options(&["backend=gpu", "b-g2=cpu"]).expect("good");
        let at = |pipeline| without_contradiction(&given.switches, pipeline).is_ok();
        assert_eq!([Some(true), Some(false), None].map(at), [false, true, true]);
    }

    #[test]
    fn what_only_the_gpu_understands_is_not_ignored() {
        let error = options(&["b-g2=gpu"]).expect_err("refused").to_string();
        assert!(error.contains("backend=gpu"), "{error}");
    }
}
