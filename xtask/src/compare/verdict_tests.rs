use super::*;
use crate::bench::stats::bootstrap::generator;
use crate::compare::rows;
use crate::compare::testing::{W, around, compared, run, simple, warm};

fn said(change: Change, pairs: [usize; 2]) -> (Verdict, String) {
    let (verdict, reason) = verdict(&change, Some(pairs), &Rules::default());
    (verdict, reason.unwrap_or_default())
}

/// A change that is a regression in every respect.
const LOST: Change = Change {
    factor: 1.09,
    ci95: [1.05, 1.13],
    p: Some(0.0001),
    p_adjusted: Some(0.001),
    margin: 0.02,
    fence: Some(1.03),
};

#[test]
fn the_rules_of_a_verdict() {
    let cases = [
        (LOST, Verdict::Regressed, ""),
        (
            Change {
                fence: None,
                ..LOST
            },
            Verdict::Regressed,
            "",
        ),
        (
            Change {
                factor: 0.9,
                ci95: [0.88, 0.92],
                ..LOST
            },
            Verdict::Improved,
            "",
        ),
        (
            Change {
                ci95: [0.99, 1.2],
                ..LOST
            },
            Verdict::Inconclusive,
            "holds both no change and more than the margin",
        ),
        (
            Change {
                ci95: [1.0, 1.2],
                ..LOST
            },
            Verdict::Inconclusive,
            "holds both",
        ),
        (
            Change {
                p_adjusted: Some(0.02),
                ..LOST
            },
            Verdict::Inconclusive,
            "p is above 0.01",
        ),
        (
            Change {
                factor: 1.015,
                ci95: [1.005, 1.03],
                ..LOST
            },
            Verdict::Inconclusive,
            "perhaps smaller than the 2.0 % that matter",
        ),
        (
            Change {
                factor: 1.01,
                ci95: [1.005, 1.015],
                ..LOST
            },
            Verdict::Equivalent,
            "",
        ),
        (
            Change {
                fence: Some(1.10),
                ..LOST
            },
            Verdict::Inconclusive,
            "within the 10.0 % by which earlier runs of it differ",
        ),
    ];
    for (change, expected, says) in cases {
        let (found, reason) = said(change, [9, 9]);
        assert_eq!(found, expected, "{change:?}");
        assert!(reason.contains(says), "{reason:?} does not say {says:?}");
        assert_eq!(reason.is_empty(), expected != Verdict::Inconclusive);
    }
    let (found, reason) = said(LOST, [9, 5]);
    assert_eq!(found, Verdict::Inconclusive);
    assert_eq!(reason, "5 pairs are too few for an interval");
}

#[test]
fn from_five_runs_on_history_has_a_say() {
    assert_eq!(fence(&[0.5, 0.51, 0.5, 0.51]), None);
    // Steps of 2, 2, 2 and 2 per cent: the quartiles are the same.
    let even = fence(&[0.50, 0.51, 0.50, 0.51, 0.50]).expect("five runs");
    assert!((even - (0.51f64 / 0.50).ln()).abs() < 1e-12, "{even}");
    // A gain of long ago, one step of many, does not make room for a loss of today.
    let gained = [0.9, 0.5, 0.505, 0.5, 0.505, 0.5, 0.505, 0.5, 0.505];
    let found = fence(&gained).expect("nine runs");
    assert!(found < 0.02, "{found}");
}

#[test]
fn a_loss_within_what_history_does_anyway_is_not_one() {
    let restless = [0.50, 0.56, 0.51, 0.57, 0.50, 0.55];
    let runs: Vec<_> = restless
        .iter()
        .enumerate()
        .map(|(i, centre)| simple(i, *centre, 12))
        .collect();
    let row = |new, runs: &[_]| warm(&compared(&simple(50, new, 12), runs), W).clone();
    let calm = row(0.60, &runs[5..]);
    assert_eq!(
        calm.verdict,
        Verdict::Regressed,
        "one earlier run knows nothing"
    );
    let within = row(0.60, &runs);
    assert_eq!((within.verdict, within.runs), (Verdict::Inconclusive, 6));
    let reason = within.reason.unwrap_or_default();
    assert!(
        reason.contains("by which earlier runs of it differ"),
        "{reason}"
    );
    assert_eq!(row(0.80, &runs).verdict, Verdict::Regressed);
}

#[test]
fn counts_have_no_spread() {
    let exact = |factor: f64| Change {
        factor,
        ci95: [factor, factor],
        p: None,
        p_adjusted: None,
        margin: 0.001,
        fence: None,
    };
    for (factor, expected) in [
        (1.002, Verdict::Regressed),
        (0.998, Verdict::Improved),
        (1.0005, Verdict::Equivalent),
    ] {
        let found = verdict(&exact(factor), None, &Rules::default());
        assert_eq!(found, (expected, None));
    }
}

#[test]
fn all_rows_are_corrected_together_and_counts_not_at_all() {
    let mut changes = [LOST; 4];
    changes[3].p = None;
    changes[3].p_adjusted = None;
    correct(changes.iter_mut());
    let adjusted: Vec<_> = changes.iter().map(|c| c.p_adjusted).collect();
    let three = 3.0 * 0.0001;
    assert_eq!(adjusted, [Some(three), Some(three), Some(three), None]);
}

/// Made-up noise: an approximately normal number, the sum of twelve uniform ones less six.
fn noise(rng: &mut impl rand_chacha::rand_core::RngCore) -> f64 {
    let uniform = |_| f64::from(rng.next_u32()) / f64::from(u32::MAX);
    (0..12).map(uniform).sum::<f64>() - 6.0
}

/// How many of 200 comparisons of two runs claim a difference, when the ratio moved by `factor` and pairs spread by so much.
fn claims(factor: f64, spread: f64, pairs: usize) -> usize {
    let mut rng = generator(5, "noise of two runs");
    let rules = Rules {
        resamples: 300,
        ..Rules::default()
    };
    let mut draw = |minute: usize, centre: f64| {
        let ratios: Vec<f64> = (0..pairs)
            .map(|_| centre * (spread * noise(&mut rng)).exp())
            .collect();
        let mut result = run(minute, &[(W, &around(1.0, 2, 0))]).result;
        result.trials.clear();
        result.plan.rules.resamples = 10;
        crate::bench::testing::add_pairs(&mut result, W, &ratios);
        rows::of("made up", &result)
            .expect("numbers")
            .rows
            .remove(0)
    };
    (0..200)
        .filter(|_| {
            let (old, new) = (draw(1, 0.5), draw(2, 0.5 * factor));
            let mut change = change(&old, &new, &[], [1, 2], &rules).expect("pairs");
            change.p_adjusted = change.p;
            let (found, _) = verdict(&change, Some([pairs, pairs]), &rules);
            matches!(found, Verdict::Regressed | Verdict::Improved)
        })
        .count()
}

#[test]
fn equal_series_are_rarely_told_apart_and_a_loss_is_found() {
    assert!(claims(1.0, 0.02, 12) <= 4, "two per cent of 200");
    assert!(claims(1.09, 0.02, 12) >= 195, "0.55 to 0.60 is found");
}
