//! Made-up results and profiles.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;
use serde_json::json;

use crate::bench::testing::{add_pairs, arm, empty_result, optimisation};
use crate::report::{Kept, Today};
use crate::results::profile::ProfileFile;
use crate::results::{Comparison, Family, ResultFile, Verdict, clock};
use crate::stack::manifest::{Kind, Manifest};

/// The workload of all of them.
pub const WORKLOAD: &str = "synth/sha256";

/// A series of one instrument patch and two optimisations.
pub fn manifest() -> Manifest {
    let entry = |slug, kind| optimisation(slug, kind, true);
    Manifest {
        releases: Vec::new(),
        optimisations: vec![
            entry("door", Kind::Instrument),
            entry("one", Kind::Perf),
            entry("two", Kind::Perf),
        ],
    }
}

/// Arms that are what they were.
pub fn today(names: &[&str]) -> Today {
    names
        .iter()
        .map(|name| ((*name).to_owned(), Ok(json!({ "profile": "release" }))))
        .collect()
}

/// One row of a result.
pub fn row(arms: [&str; 2], metric: &str, family: Family, ratio: f64) -> Comparison {
    Comparison {
        workload: WORKLOAD.to_owned(),
        metric: metric.to_owned(),
        unit: if family == Family::Memory {
            "bytes"
        } else {
            "s"
        }
        .to_owned(),
        family,
        arms: arms.map(str::to_owned),
        stamps: arms.map(|name| format!("{name}-stamp")),
        median: [0.1, 0.1 * ratio],
        ratio,
        ci95: [ratio * 0.99, ratio * 1.01],
        p: Some(1e-6),
        p_adjusted: Some(2e-6),
        pairs: 30,
        disturbed_pairs: 1,
        margin: 0.02,
        detectable: Some(0.013),
        verdict: match ratio {
            _ if ratio < 0.98 => Verdict::Improved,
            _ if ratio > 1.02 => Verdict::Regressed,
            _ => Verdict::Equivalent,
        },
        answers_equal: true,
        reason: None,
    }
}

/// A kept result of these arms with one headline row for each.
pub fn kept(time: &str, contrasts: &[([&str; 2], f64)]) -> Kept {
    let mut result = empty_result(&[WORKLOAD], 4);
    add_pairs(&mut result, WORKLOAD, &[0.8; 4]);
    result.time = time.to_owned();
    result.arms.clear();
    for name in contrasts.iter().flat_map(|(arms, _)| arms) {
        if !result.arms.iter().any(|known| known.name == *name) {
            result.arms.push(arm(name));
        }
    }
    result.plan.contrasts = contrasts
        .iter()
        .map(|(arms, _)| arms.map(str::to_owned))
        .collect();
    result.comparisons = contrasts
        .iter()
        .map(|(arms, ratio)| row(*arms, "wall_s.warm", Family::Headline, *ratio))
        .collect();
    Kept {
        path: format!("results/{}/{time}.json", result.host.class),
        result,
    }
}

/// What a profile of synthesis looks like.
pub fn profile(name: &str, values: [u64; 5]) -> ProfileFile {
    let names = [
        "linear combinations",
        "field arithmetic",
        "allocation",
        "memory copies",
        "other",
    ];
    let categories: Vec<_> = names
        .iter()
        .zip(values)
        .map(|(name, value)| {
            json!({ "name": name, "value": value, "functions": [
                { "name": "<bellpepper_core::LinearCombination<F> as Add>::add", "value": value / 2 },
            ] })
        })
        .collect();
    let profile = json!({
        "schema": 1, "time": "2026-11-29T10:00:00Z", "host": empty_result(&[], 0).host, "arm": arm(name),
        "workload": WORKLOAD, "size": 8, "threads": 1, "method": "callgrind", "unit": "instructions",
        "total": values.iter().sum::<u64>(), "constraints": 232_316, "categories": categories,
    });
    serde_json::from_value(profile).expect("a profile")
}

/// One of many results: three rows, 60 to 180 trials, times that scatter by some per cent.
pub fn synthetic(i: usize, random: &mut ChaCha8Rng) -> ResultFile {
    let mut share = || f64::from(random.next_u32()) / f64::from(u32::MAX);
    let pairs = 30 + 30 * (i % 3);
    let mut result = empty_result(&[WORKLOAD], pairs);
    let ratios: Vec<f64> = (0..pairs).map(|_| 0.5 + 0.04 * share()).collect();
    add_pairs(&mut result, WORKLOAD, &ratios);
    for trial in &mut result.trials {
        trial.window.disturbed = share() < 0.03;
        let noise = 1.0 + 0.05 * share();
        if let Some(time) = trial.trial.metrics.get_mut("wall_s.warm") {
            *time *= noise;
        }
        let digest = "15761252a1a3f8c82f0b5ed70ff4f8d6315e27424c8665db22d5ae2f6007312b";
        trial.trial.answers = ["a", "a_aux_density", "aux_assignment", "b", "c"]
            .map(|name| (name.to_owned(), digest.to_owned()))
            .into();
    }
    let arms = ["pristine", "patched"];
    result.comparisons = vec![
        row(arms, "wall_s.cold", Family::Headline, 0.52 + 0.02 * share()),
        row(arms, "wall_s.warm", Family::Headline, 0.5 + 0.02 * share()),
        row(arms, "peak_bytes", Family::Memory, 0.99 + 0.01 * share()),
    ];
    result.time = clock::format(1_790_000_000 + i as u64 * 7_919);
    result
}
