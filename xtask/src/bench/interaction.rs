//! Whether an optimisation does the same alone as on top of all others.
//!
//! In each round of an ablation every arm runs once, so each round gives one value: the log ratio of the optimisation last
//! of all, less its log ratio alone. These are judged as the log ratios of pairs are, and corrected together.

use super::judge::{covers, label};
use super::stats::{bootstrap, holm, median, signed_rank};
use super::trial::{TrialError, positive};
use super::{metrics, pairs};
use crate::results::ablation::{AblationPlan, Interaction, Mixing};
use crate::results::{Comparison, ResultFile, Verdict, WorkloadPlan};

/// The interactions of an ablation. `comparisons` are its rows: where one of them is invalid, there is nothing to say.
pub fn judge(
    result: &ResultFile,
    comparisons: &[Comparison],
) -> Result<Vec<Interaction>, TrialError> {
    let mut found = Vec::new();
    for workload in &result.plan.workloads {
        for part in &result.plan.ablation {
            for metric in metrics::times(&workload.headline) {
                found.extend(estimate(result, comparisons, workload, part, metric)?);
            }
        }
    }
    let p_values: Vec<f64> = found.iter().map(|found| found.p).collect();
    for (interaction, adjusted) in found.iter_mut().zip(holm::holm(&p_values)) {
        let rules = &result.plan.rules;
        interaction.p_adjusted = adjusted;
        interaction.verdict = match covers(interaction.pairs, rules.confidence) {
            true => verdict(
                interaction.ci95,
                adjusted,
                metrics::margin(&interaction.metric, rules),
                rules.alpha,
            ),
            false => Mixing::Undecided,
        };
    }
    Ok(found)
}

fn estimate(
    result: &ResultFile,
    comparisons: &[Comparison],
    workload: &WorkloadPlan,
    part: &AblationPlan,
    metric: &str,
) -> Result<Option<Interaction>, TrialError> {
    let (Some(alone), Some(last)) = (&part.alone, &part.last) else {
        return Ok(None);
    };
    let usable = |arms: &[String; 2]| {
        let mut rows = comparisons
            .iter()
            .filter(|c| c.workload == workload.name && c.metric == metric && c.arms == *arms);
        rows.next()
            .is_some_and(|row| row.verdict != Verdict::Invalid && !row.is_check())
    };
    if alone == last || !usable(alone) || !usable(last) {
        return Ok(None);
    }
    let logs = |arms: &[String; 2]| -> Result<Vec<(usize, f64)>, TrialError> {
        let names = arms.each_ref().map(String::as_str);
        let mut logs = Vec::new();
        for [a, b] in pairs::of(result, &workload.name, names, false) {
            if let (Some(x), Some(y)) = (positive(&a.trial, metric)?, positive(&b.trial, metric)?) {
                logs.push((a.round, (y / x).ln()));
            }
        }
        Ok(logs)
    };
    let by_round = logs(alone)?;
    let differences: Vec<f64> = logs(last)?
        .into_iter()
        .filter_map(|(round, last)| {
            let (_, alone) = by_round.iter().find(|(other, _)| *other == round)?;
            Some(last - alone)
        })
        .collect();
    let rules = &result.plan.rules;
    let name = label(&workload.name, metric, "interaction", &part.slug);
    let mut rng = bootstrap::generator(result.plan.seed, &name);
    let interval =
        bootstrap::median_interval(&differences, rules.confidence, rules.resamples, &mut rng);
    let (Some(centre), Some(interval)) = (median(&differences), interval) else {
        return Ok(None);
    };
    Ok(Some(Interaction {
        workload: workload.name.clone(),
        metric: metric.to_owned(),
        slug: part.slug.clone(),
        ratio: centre.exp(),
        ci95: interval.map(f64::exp),
        p: signed_rank::signed_rank(&differences).p,
        p_adjusted: 1.0,
        pairs: differences.len(),
        verdict: Mixing::Undecided,
    }))
}

/// The rules of [`super::judge::verdict`], in words for mixing.
fn verdict(interval: [f64; 2], p_adjusted: f64, margin: f64, alpha: f64) -> Mixing {
    match super::judge::verdict(interval, p_adjusted, margin, alpha) {
        Verdict::Equivalent => Mixing::Independent,
        Verdict::Regressed => Mixing::Overlaps,
        Verdict::Improved => Mixing::Reinforces,
        Verdict::Inconclusive | Verdict::Invalid => Mixing::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::judge;
    use crate::bench::testing::{add, arm, empty_result};

    const W: &str = "synth/sha256";

    /// An ablation of `x`: alone it takes `alone`, last of all `last` of the time.
    fn ablation(alone: f64, last: f64) -> ResultFile {
        of_rounds(12, alone, last)
    }

    fn of_rounds(rounds: usize, alone: f64, last: f64) -> ResultFile {
        let mut result = empty_result(&[W], rounds);
        let names = ["pristine", "pristine+x", "patched-x", "patched"];
        result.arms = names.map(arm).to_vec();
        let contrast = |a: usize, b: usize| [names[a].to_owned(), names[b].to_owned()];
        result.plan.contrasts = vec![contrast(0, 1), contrast(2, 3)];
        result.plan.ablation = vec![AblationPlan {
            slug: "x".to_owned(),
            alone: Some(contrast(0, 1)),
            last: Some(contrast(2, 3)),
            ..AblationPlan::default()
        }];
        for round in 0..rounds {
            // The machine's pace differs from round to round, and is the same for all arms of one.
            let pace = 1.0 + 0.1 * (round % 4) as f64;
            for (place, time) in [1.0, alone, 0.5, 0.5 * last].into_iter().enumerate() {
                let noise = 1.0 + 0.001 * ((round * 7 + place * 3) % 5) as f64;
                let metrics = [("wall_s.warm", pace * time * noise)];
                add(&mut result, W, round, names[place], &metrics);
            }
        }
        result
    }

    fn found(result: &ResultFile) -> Vec<Interaction> {
        judge::judge(result).expect("numbers").interactions
    }

    #[test]
    fn alone_and_last_are_told_apart() {
        for (alone, last, expected) in [
            (0.8, 0.8, Mixing::Independent),
            (0.8, 0.9, Mixing::Overlaps),
            (0.9, 0.8, Mixing::Reinforces),
        ] {
            let interactions = found(&ablation(alone, last));
            assert_eq!(interactions.len(), 1);
            let one = &interactions[0];
            assert_eq!(one.verdict, expected, "{one:?}");
            assert!((one.ratio - last / alone).abs() < 0.01, "{one:?}");
            assert_eq!((one.pairs, one.slug.as_str()), (12, "x"));
        }
    }

    #[test]
    fn a_few_rounds_decide_nothing() {
        let interactions = found(&of_rounds(4, 0.8, 0.8));
        assert_eq!(interactions[0].verdict, Mixing::Undecided);
    }

    #[test]
    fn nothing_is_said_of_arms_that_did_different_work() {
        let mut result = ablation(0.8, 0.8);
        result.trials[2]
            .trial
            .answers
            .insert("a".to_owned(), "other".to_owned());
        assert!(found(&result).is_empty());
    }
}
