//! Whether what was said of a rejected experiment holds on this machine.
//!
//! An experiment is kept because another processor may answer differently. So a run that measures one says what earlier
//! results said, on which machine, and whether this run says the same. Verdicts are put side by side; numbers of two
//! machines are never compared.

use std::collections::BTreeSet;

use super::{metrics, table};
use crate::layout::Layout;
use crate::report::{self, Kept, contrast};
use crate::results::{Comparison, Family, ResultFile, Verdict};
use crate::stack::manifest::{Kind, Manifest};

/// A line for each time of an experiment that the run measured. Kept results are read only where there is one; a result
/// that can't be read is no reason to lose this one, and `report` names it.
pub fn notes(layout: &Layout, result: &ResultFile, manifest: &Manifest) -> Vec<String> {
    if experiments(result, manifest).next().is_none() {
        return Vec::new();
    }
    let kept = report::kept(layout).unwrap_or_default();
    verdicts(result, manifest, &kept)
}

fn verdicts(result: &ResultFile, manifest: &Manifest, kept: &[Kept]) -> Vec<String> {
    experiments(result, manifest)
        .map(|(row, slug)| line(result, row, &slug, kept))
        .collect()
}

/// The times of experiments, each with its experiment.
fn experiments<'r>(
    result: &'r ResultFile,
    manifest: &'r Manifest,
) -> impl Iterator<Item = (&'r Comparison, String)> {
    let headline = result
        .comparisons
        .iter()
        .filter(|row| row.family == Family::Headline);
    headline.filter_map(|row| {
        let arms = row.arms.each_ref().map(String::as_str);
        let (slug, _) = contrast::optimisation(arms, manifest)?;
        let experiment = manifest.optimisation(&slug)?.kind == Kind::Experiment;
        experiment.then_some((row, slug))
    })
}

fn line(result: &ResultFile, row: &Comparison, slug: &str, kept: &[Kept]) -> String {
    let subject = format!("{slug}, {} {}", row.workload, metrics::phase(&row.metric));
    let here = row.verdict.word();
    let ran = result.ran(&row.workload);
    // Of the same size where there is one; a verdict on another size is still one on the idea, and its size is told.
    let mut earlier = decided_rows(result, row, kept, |kept| {
        kept.result.ran(&row.workload) == ran
    });
    if earlier.is_empty() {
        earlier = decided_rows(result, row, kept, |_| true);
    }
    if earlier.is_empty() {
        return format!(
            "{subject}: {here} here; off by default, and no earlier verdict on this work is kept"
        );
    }
    let said: Vec<String> = earlier
        .iter()
        .map(|(kept, old)| {
            let host = &kept.result.host.class;
            let place = match *host == result.host.class {
                true => "this kind of machine".to_owned(),
                false => host.clone(),
            };
            let size = kept.result.ran(&row.workload).size;
            let size = match size.filter(|size| Some(*size) != ran.size) {
                Some(size) => format!(", size {size}"),
                None => String::new(),
            };
            format!(
                "{} {} on {place}, {}{size}: {}",
                old.verdict.word(),
                table::interval(old.ratio, old.ci95),
                kept.result.time.get(..10).unwrap_or(&kept.result.time),
                holds(old.verdict, row.verdict)
            )
        })
        .collect();
    format!("{subject}: {here} here. Earlier: {}", said.join("; "))
}

/// What earlier results say of the row: of each machine the newest that decided something. Results come newest first.
fn decided_rows<'k>(
    result: &ResultFile,
    row: &Comparison,
    kept: &'k [Kept],
    wanted: impl Fn(&Kept) -> bool,
) -> Vec<(&'k Kept, &'k Comparison)> {
    let mut machines = BTreeSet::new();
    kept.iter()
        .filter(|kept| kept.result.complete && kept.result.time != result.time && wanted(kept))
        .filter_map(|kept| {
            let mut rows = kept.result.comparisons.iter();
            let found = rows.find(|c| {
                decided(c.verdict)
                    && c.arms == row.arms
                    && c.workload == row.workload
                    && c.metric == row.metric
            })?;
            machines
                .insert(&kept.result.host.class)
                .then_some((kept, found))
        })
        .collect()
}

fn decided(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Inconclusive | Verdict::Invalid)
}

/// What a verdict of today makes of an old one.
fn holds(old: Verdict, new: Verdict) -> &'static str {
    match (old, new) {
        (_, Verdict::Inconclusive | Verdict::Invalid) => {
            "whether it holds here, this run can't tell"
        }
        (old, new) if old == new => "the old verdict holds here",
        _ => "the old verdict does not hold here",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add, arm, empty_result, optimisation};

    const W: &str = "synth/sha256";

    fn manifest() -> Manifest {
        Manifest {
            releases: Vec::new(),
            optimisations: vec![optimisation("trial", Kind::Experiment, false)],
        }
    }

    /// A result of the experiment with this ratio, from a machine of this class.
    fn measured(time: &str, class: &str, ratio: f64) -> ResultFile {
        let mut result = empty_result(&[W], 8);
        let names = ["pristine", "pristine+trial"];
        result.arms = names.map(arm).to_vec();
        result.plan.contrasts = vec![names.map(str::to_owned)];
        result.plan.workloads[0].headline = vec!["wall_s.warm".to_owned()];
        result.time = time.to_owned();
        result.host.class = class.to_owned();
        for round in 0..8 {
            let noise = 1.0 + 0.001 * (round % 3) as f64;
            add(&mut result, W, round, names[0], &[("wall_s.warm", 1.0)]);
            add(
                &mut result,
                W,
                round,
                names[1],
                &[("wall_s.warm", ratio * noise)],
            );
        }
        result.comparisons = judge(&result).expect("numbers").comparisons;
        result
    }

    fn said(old: &[ResultFile], ratio: f64) -> String {
        let kept: Vec<Kept> = old
            .iter()
            .map(|result| Kept {
                path: "results/x.json".to_owned(),
                result: result.clone(),
            })
            .collect();
        let now = measured("2026-12-01T00:00:00Z", "here-2c-24g", ratio);
        let lines = verdicts(&now, &manifest(), &kept);
        assert_eq!(lines.len(), 1);
        lines.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn an_old_verdict_holds_or_does_not() {
        let there = measured("2026-11-01T00:00:00Z", "there-96c-512g", 1.1);
        let same = said(std::slice::from_ref(&there), 1.2);
        assert!(
            same.contains("regressed here. Earlier: regressed 1.1"),
            "{same}"
        );
        assert!(
            same.contains("on there-96c-512g, 2026-11-01: the old verdict holds here"),
            "{same}"
        );
        for ratio in [1.0, 0.9] {
            let other = said(std::slice::from_ref(&there), ratio);
            assert!(
                other.contains("the old verdict does not hold here"),
                "{other}"
            );
        }
        let mut larger = there.clone();
        for trial in &mut larger.trials {
            trial.trial.size = Some(32);
        }
        let other = said(&[larger.clone()], 1.2);
        assert!(
            other.contains("2026-11-01, size 32: the old verdict holds"),
            "{other}"
        );
        let same = said(&[larger, there], 1.2);
        assert!(!same.contains("size"), "{same}");
        let none = said(&[], 1.2);
        assert!(
            none.contains("regressed here; off by default, and no earlier verdict"),
            "{none}"
        );
    }

    #[test]
    fn the_newest_of_each_machine_speaks() {
        let old = [
            measured("2026-11-20T00:00:00Z", "here-2c-24g", 1.1),
            measured("2026-11-10T00:00:00Z", "here-2c-24g", 0.9),
            measured("2026-11-01T00:00:00Z", "there-96c-512g", 1.0),
        ];
        let text = said(&old, 1.1);
        assert!(
            text.contains("on this kind of machine, 2026-11-20: the old verdict holds"),
            "{text}"
        );
        assert!(!text.contains("2026-11-10"), "{text}");
        assert!(text.contains("equivalent 1.00"), "{text}");
    }

    #[test]
    fn what_cannot_be_said_is_not_said() {
        assert!(holds(Verdict::Regressed, Verdict::Inconclusive).contains("can't tell"));
    }
}
