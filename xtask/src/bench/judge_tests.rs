use super::*;
use crate::bench::testing::{add, add_pairs, empty_result};
use crate::results::MatricesRecord;

#[path = "judge_family_tests.rs"]
mod family;

const W: &str = "synth/sha256";

fn judged(result: &ResultFile) -> Judgement {
    judge(result).expect("numbers that can be judged")
}

fn headline(result: &ResultFile) -> Comparison {
    let judgement = judged(result);
    let found = judgement
        .comparisons
        .iter()
        .find(|c| c.family == Family::Headline);
    found.cloned().expect("a headline row")
}

fn of_ratios(ratios: &[f64]) -> Comparison {
    let mut result = empty_result(&[W], ratios.len());
    add_pairs(&mut result, W, ratios);
    headline(&result)
}

#[test]
fn a_clear_gain_is_improved_and_a_clear_loss_regressed() {
    let row = of_ratios(&[0.80, 0.81, 0.79, 0.82, 0.80, 0.78]);
    assert_eq!(row.verdict, Verdict::Improved);
    assert!((row.ratio - 0.80).abs() < 1e-12, "{}", row.ratio);
    assert_eq!(row.p, Some(0.03125));
    assert!(row.ci95[0] >= 0.78 && row.ci95[1] <= 0.82 && row.ci95[0] < row.ci95[1]);
    assert_eq!(
        (row.metric.as_str(), row.unit.as_str(), row.pairs),
        ("wall_s.warm", "s", 6)
    );
    assert_eq!(row.stamps, ["pristine-stamp", "patched-stamp"]);
    assert_eq!(
        of_ratios(&[1.05, 1.04, 1.06, 1.05, 1.03, 1.07]).verdict,
        Verdict::Regressed
    );
}

#[test]
fn an_interval_that_straddles_one_is_no_regression() {
    let row = of_ratios(&[1.10, 0.95, 1.12, 0.97, 1.15, 1.08, 0.94]);
    assert!(row.ci95[0] < 1.0 && row.ci95[1] > 1.0);
    assert_eq!(row.verdict, Verdict::Inconclusive);
    let reason = row.reason.expect("what would decide it");
    assert!(reason.contains("pairs"), "{reason}");
}

#[test]
fn five_pairs_claim_nothing_however_large_the_effect() {
    let row = of_ratios(&[0.5, 0.51, 0.49, 0.5, 0.52]);
    assert_eq!(row.verdict, Verdict::Inconclusive);
    assert_eq!(row.detectable, None);
    assert_eq!(
        row.reason.as_deref(),
        Some("about 6 pairs of this spread would decide it: --pairs 6")
    );
}

#[test]
fn a_difference_within_the_margin_is_equivalent_however_certain() {
    let row = of_ratios(&[0.990, 0.991, 0.989, 0.990, 0.992, 0.988, 0.990, 0.991]);
    assert!(row.p.is_some_and(|p| p < 0.01));
    assert_eq!((row.verdict, row.margin), (Verdict::Equivalent, 0.02));
    assert!(row.reason.is_none());
}

#[test]
fn the_rules_of_a_verdict() {
    for (interval, p, expected) in [
        ([0.97, 0.99], 0.01, Verdict::Improved),
        ([0.97, 0.99], 0.06, Verdict::Inconclusive),
        ([1.01, 1.03], 0.05, Verdict::Regressed),
        ([1.01, 1.03], 0.051, Verdict::Inconclusive),
        ([0.97, 1.01], 0.001, Verdict::Inconclusive),
        ([0.99, 1.03], 0.001, Verdict::Inconclusive),
        ([1.0, 1.05], 0.001, Verdict::Inconclusive),
        ([0.981, 1.02], 0.9, Verdict::Equivalent),
        ([1.0, 1.0], 1.0, Verdict::Equivalent),
    ] {
        assert_eq!(
            verdict(interval, p, 0.02, 0.05),
            expected,
            "{interval:?}, {p}"
        );
    }
}

#[test]
fn numbers_that_are_none_are_refused_by_name() {
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let mut result = empty_result(&[W], 6);
        add_pairs(&mut result, W, &[1.0; 6]);
        result.trials[5]
            .trial
            .metrics
            .insert("wall_s.warm".to_owned(), bad);
        let error = judge(&result)
            .expect_err("not a number to average")
            .to_string();
        assert!(
            error.contains("synth/sha256: metric wall_s.warm"),
            "{error}"
        );
    }
}

#[test]
fn an_answer_that_differs_makes_every_row_of_the_contrast_invalid() {
    let mut result = empty_result(&[W, "prove/sha256"], 6);
    add_pairs(&mut result, W, &[0.8; 6]);
    add_pairs(
        &mut result,
        "prove/sha256",
        &[0.8, 0.81, 0.79, 0.8, 0.82, 0.8],
    );
    result.trials[3]
        .trial
        .answers
        .insert("a".to_owned(), "other".to_owned());
    let judgement = judged(&result);
    let (bad, good): (Vec<_>, Vec<_>) = judgement.comparisons.iter().partition(|c| c.workload == W);
    assert!(
        bad.iter()
            .all(|c| c.verdict == Verdict::Invalid && !c.answers_equal)
    );
    let reason = bad[0].reason.as_deref().unwrap_or_default();
    assert_eq!(
        reason,
        "a is the first vector that differs between pristine and patched (seed 1)"
    );
    // Only one valid row is left in the family, so it is not corrected for the invalid one.
    assert!(
        good.iter()
            .any(|c| c.verdict == Verdict::Improved && c.p_adjusted == Some(0.03125))
    );
}

#[test]
fn a_failed_check_and_other_matrices_are_invalid_too() {
    let mut result = empty_result(&[W], 6);
    add_pairs(&mut result, W, &[0.8; 6]);
    let mut failed = result.clone();
    failed.trials[1].trial.ok = false;
    failed.trials[1].trial.check = Some("a∘b ≠ c at 17".to_owned());
    let row = headline(&failed);
    assert_eq!(row.verdict, Verdict::Invalid);
    assert!(
        row.reason
            .is_some_and(|r| r.contains("patched failed") && r.contains("a∘b ≠ c at 17"))
    );

    for (arm, digest) in [("pristine", "1"), ("patched", "2")] {
        result.matrices.push(MatricesRecord {
            workload: W.to_owned(),
            arm: arm.to_owned(),
            digests: [("matrix_b".to_owned(), digest.to_owned())].into(),
        });
    }
    let row = headline(&result);
    assert_eq!(row.verdict, Verdict::Invalid);
    assert!(
        row.reason
            .is_some_and(|r| r.starts_with("matrix_b is the first vector that differs"))
    );
}

#[test]
fn a_pair_on_a_busy_machine_is_counted_and_judged_all_the_same() {
    let mut result = empty_result(&[W], 6);
    add_pairs(&mut result, W, &[0.8, 0.8, 0.8, 0.8, 0.8, 0.79]);
    result.trials[2].window.disturbed = true;
    let row = headline(&result);
    assert_eq!((row.pairs, row.disturbed_pairs), (6, 1));
}

#[test]
fn the_same_result_is_judged_the_same() {
    let mut result = empty_result(&[W], 7);
    add_pairs(&mut result, W, &[0.90, 0.97, 0.94, 0.99, 0.93, 0.95, 0.91]);
    assert_eq!(judged(&result), judged(&result));
    let mut other = result.clone();
    other.plan.seed += 1;
    assert_eq!(headline(&result).p, headline(&other).p);
}

/// Made-up noise: an approximately normal number, the sum of twelve uniform ones less six.
fn noise(rng: &mut impl rand_chacha::rand_core::RngCore) -> f64 {
    (0..12)
        .map(|_| f64::from(rng.next_u32()) / f64::from(u32::MAX))
        .sum::<f64>()
        - 6.0
}

/// How many of 300 comparisons claim a difference when the true ratio is `ratio` and pairs spread by one per cent.
fn claims(ratio: f64, pairs: usize) -> usize {
    let mut rng = bootstrap::generator(1, "made-up noise");
    let claimed = |_: &usize| {
        let ratios: Vec<f64> = (0..pairs)
            .map(|_| ratio * (0.01 * noise(&mut rng)).exp())
            .collect();
        let mut result = empty_result(&[W], pairs);
        result.plan.rules.resamples = 500;
        add_pairs(&mut result, W, &ratios);
        matches!(
            headline(&result).verdict,
            Verdict::Improved | Verdict::Regressed
        )
    };
    (0..300).filter(claimed).count()
}

#[test]
fn equal_arms_are_rarely_told_apart_and_a_real_difference_is_found() {
    assert!(claims(1.0, 8) <= 3, "one per cent of 300");
    assert!(claims(1.03, 8) >= 285, "ninety-five per cent of 300");
}

#[test]
fn too_few_pairs_are_not_even_equivalent() {
    for (pairs, decided) in [(1, false), (2, false), (5, false), (6, true)] {
        let row = of_ratios(&vec![1.001; pairs]);
        let expected = if decided {
            Verdict::Equivalent
        } else {
            Verdict::Inconclusive
        };
        assert_eq!(row.verdict, expected, "{pairs} pairs");
    }
}
