//! Made-up results and a stub workload, for tests of this crate.

use std::collections::BTreeMap;

use serde_json::json;

use crate::patch::Patch;
use crate::patch::message::Message;
use crate::results::host::Host;
use crate::results::{
    ArmRecord, PlanRecord, ResultFile, Rules, SCHEMA, Trial, TrialRecord, Window, WorkloadPlan,
};
use crate::stack::manifest::{Kind, Optimisation, Release};

/// An optimisation without patches that needs no other.
pub fn optimisation(slug: &str, kind: Kind, default: bool) -> Optimisation {
    Optimisation {
        slug: slug.to_owned(),
        kind,
        default,
        depends: Vec::new(),
        steps: Default::default(),
        because: None,
        patches: Default::default(),
    }
}

/// A result of `pristine` against `patched` with no trial yet.
pub fn empty_result(workloads: &[&str], pairs: usize) -> ResultFile {
    let names = ["pristine", "patched"];
    ResultFile {
        schema: SCHEMA,
        time: "2026-11-29T14:25:30Z".to_owned(),
        complete: true,
        host: Host {
            class: "test-2c-24g".to_owned(),
            cpu: "test".to_owned(),
            cpu_id: None,
            cores: 2,
            memory_bytes: 24 << 30,
            os: "test".to_owned(),
            kernel: "6".to_owned(),
            arch: "x86_64".to_owned(),
        },
        plan: PlanRecord {
            seed: 7,
            stopping: "after the planned number of pairs".to_owned(),
            // Few pairs are enough to try the rules of judging with.
            rules: Rules {
                alpha: 0.05,
                ..Rules::default()
            },
            workloads: workloads
                .iter()
                .map(|name| WorkloadPlan {
                    name: (*name).to_owned(),
                    size: None,
                    threads: Some(1),
                    headline: ["wall_s.warm", "wall_s.total", "peak_bytes"]
                        .map(str::to_owned)
                        .to_vec(),
                    pairs,
                    control: false,
                })
                .collect(),
            contrasts: vec![names.map(str::to_owned)],
            untouched: Vec::new(),
            ablation: Vec::new(),
        },
        arms: names.map(arm).to_vec(),
        comparisons: Vec::new(),
        interactions: Vec::new(),
        notes: Vec::new(),
        matrices: Vec::new(),
        counts: Vec::new(),
        trials: Vec::new(),
    }
}

/// An arm whose stamp follows from its name.
pub fn arm(name: &str) -> ArmRecord {
    ArmRecord {
        name: name.to_owned(),
        stamp: format!("{name}-stamp"),
        inputs: json!({ "profile": "release" }),
    }
}

/// Adds a trial of one arm in one round.
pub fn add(
    result: &mut ResultFile,
    workload: &str,
    round: usize,
    arm: &str,
    metrics: &[(&str, f64)],
) -> usize {
    let order = result.trials.len();
    result.trials.push(TrialRecord {
        order,
        round,
        arm: arm.to_owned(),
        control: false,
        started: result.time.clone(),
        window: Window {
            wall_s: 1.0,
            foreign_cpu_s: None,
            steal_s: None,
            mhz: None,
            disturbed: false,
        },
        trial: Trial {
            schema: 1,
            workload: workload.to_owned(),
            seed: round as u64,
            size: None,
            threads: Some(1),
            ok: true,
            check: Some("fine".to_owned()),
            options: BTreeMap::new(),
            metrics: metrics
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            answers: BTreeMap::from([("a".to_owned(), format!("{workload}-{round}"))]),
            process: BTreeMap::new(),
        },
    });
    order
}

/// Adds a pair for each ratio: about a second, times the ratio on the second arm.
pub fn add_pairs(result: &mut ResultFile, workload: &str, ratios: &[f64]) {
    for (round, ratio) in ratios.iter().enumerate() {
        let base = 1.0 + 0.01 * (round % 3) as f64;
        add(
            result,
            workload,
            round,
            "pristine",
            &[("wall_s.warm", base), ("peak_bytes", 1000.0)],
        );
        add(
            result,
            workload,
            round,
            "patched",
            &[("wall_s.warm", base * ratio), ("peak_bytes", 1000.0)],
        );
    }
}

/// A release, of a crate that is compiled only with a feature where there is one.
pub fn release(name: &str, feature: Option<&str>) -> Release {
    Release {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        checksum: "a".repeat(64),
        tree: "b".repeat(40),
        feature: feature.map(str::to_owned),
    }
}

/// A patch on a crate, of which only that it is there matters.
pub fn empty_patch(name: &str) -> Patch {
    Patch {
        name: format!("{name}/x.patch"),
        sha256: String::new(),
        message: Message {
            author: String::new(),
            date: String::new(),
            subject: String::new(),
            body: String::new(),
        },
        files: Vec::new(),
    }
}
