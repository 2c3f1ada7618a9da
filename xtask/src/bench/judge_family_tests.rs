//! Which rows there are, of which family, and what the control does to them.

use super::*;

#[test]
fn rows_of_a_family_are_corrected_together() {
    let workloads = ["synth/sha256", "synth/porep-2k", "prove/sha256"];
    let clear = [0.80, 0.81, 0.79, 0.82, 0.80, 0.78];
    let mut result = empty_result(&workloads, 6);
    for workload in workloads {
        add_pairs(&mut result, workload, &clear);
    }
    let judgement = judged(&result);
    let rows: Vec<&Comparison> = judgement
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Headline)
        .collect();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        // Six pairs reach 0.031 alone, and three such rows together 0.094.
        assert_eq!((row.p, row.p_adjusted), (Some(0.03125), Some(0.09375)));
        assert_eq!(row.verdict, Verdict::Inconclusive);
    }
    // Memory is a question of its own, and does not make the times harder to decide.
    let memory = judgement
        .comparisons
        .iter()
        .filter(|c| c.family == Family::Memory);
    assert!(
        memory.clone().count() == 3 && memory.clone().all(|c| c.verdict == Verdict::Equivalent)
    );
}

#[test]
fn a_run_in_which_an_arm_differs_from_itself_is_disturbed() {
    let mut result = empty_result(&[W], 6);
    result.plan.workloads[0].control = true;
    add_pairs(&mut result, W, &[0.80, 0.81, 0.79, 0.82, 0.80, 0.78]);
    for round in 0..6 {
        let trial = add(
            &mut result,
            W,
            round,
            "pristine",
            &[("wall_s.warm", 1.2 + 0.01 * round as f64)],
        );
        result.trials[trial].control = true;
    }
    let judgement = judged(&result);
    let control: Vec<&Comparison> = judgement
        .comparisons
        .iter()
        .filter(|c| c.is_control())
        .collect();
    assert_eq!(control.len(), 1);
    assert_eq!(control[0].verdict, Verdict::Regressed);
    let others = judgement.comparisons.iter().filter(|c| !c.is_control());
    for row in others {
        assert_eq!(row.verdict, Verdict::Invalid);
        assert!(
            row.reason
                .as_deref()
                .is_some_and(|r| r.contains("pristine against itself"))
        );
        assert!(row.answers_equal);
    }
}

#[test]
fn the_control_that_is_named_is_the_first_arm_of_the_run() {
    let mut result = empty_result(&[W], 6);
    result.plan.workloads[0].control = true;
    let last = result.arms[1].clone();
    result.arms.push(crate::results::ArmRecord {
        name: "prefix-two".to_owned(),
        ..last
    });
    let step = ["patched", "prefix-two"].map(str::to_owned);
    result.plan.contrasts.push(step);
    add_pairs(&mut result, W, &[0.80, 0.81, 0.79, 0.82, 0.80, 0.78]);
    for round in 0..6 {
        let time = [("wall_s.warm", 1.2 + 0.01 * round as f64)];
        add(&mut result, W, round, "prefix-two", &time);
        let trial = add(&mut result, W, round, "pristine", &time);
        result.trials[trial].control = true;
    }
    let judgement = judged(&result);
    let row = judgement
        .comparisons
        .iter()
        .find(|c| c.arms == ["patched", "prefix-two"]);
    let reason = row
        .and_then(|row| row.reason.as_deref())
        .unwrap_or_default();
    assert!(
        reason.starts_with("the run was disturbed: pristine against itself shows +2"),
        "{reason}"
    );
    assert!(
        reason.contains("% of wall_s.warm; run it again"),
        "{reason}"
    );
}

#[test]
fn every_metric_of_the_headline_is_a_row_of_its_family() {
    let mut result = empty_result(&["teardown"], 6);
    let listed = ["wall_s.caller", "wall_s.caller-burst", "peak_bytes.burst"];
    result.plan.workloads[0].headline = listed.map(str::to_owned).to_vec();
    for round in 0..6 {
        for arm in ["pristine", "patched"] {
            let metrics = [
                ("wall_s.caller", 1.0),
                ("wall_s.caller-burst", 2.0),
                ("wall_s.wait", 3.0),
                ("peak_bytes", 1000.0),
                ("peak_bytes.burst", 2000.0),
            ];
            add(&mut result, "teardown", round, arm, &metrics);
        }
    }
    let rows = judged(&result).comparisons;
    let rows: Vec<(&str, Family)> = rows.iter().map(|c| (c.metric.as_str(), c.family)).collect();
    assert_eq!(
        rows,
        [
            ("wall_s.caller", Family::Headline),
            ("wall_s.caller-burst", Family::Headline),
            ("peak_bytes", Family::Memory),
            ("peak_bytes.burst", Family::Memory),
            ("wall_s.wait", Family::Detail),
        ]
    );
}

#[test]
fn a_metric_that_one_arm_lacks_is_left_out_with_a_note() {
    let mut result = empty_result(&["prove/sha256"], 6);
    result.arms[1].name = "released".to_owned();
    result.plan.contrasts = vec![["pristine".to_owned(), "released".to_owned()]];
    for round in 0..6 {
        let full = [
            ("wall_s.total", 1.0),
            ("wall_s.prove", 0.5),
            ("peak_bytes", 1000.0),
            ("user_s", 1.0),
        ];
        let trial = add(&mut result, "prove/sha256", round, "pristine", &full);
        result.trials[trial]
            .trial
            .answers
            .insert("shape".to_owned(), "only here".to_owned());
        add(
            &mut result,
            "prove/sha256",
            round,
            "released",
            &[("wall_s.total", 1.001)],
        );
    }
    let judgement = judged(&result);
    let metrics: Vec<&str> = judgement
        .comparisons
        .iter()
        .map(|c| c.metric.as_str())
        .collect();
    assert_eq!(metrics, ["wall_s.total"]);
    assert_eq!(judgement.comparisons[0].verdict, Verdict::Equivalent);
    assert!(judgement.comparisons[0].answers_equal);
    assert_eq!(
        judgement.notes,
        [
            "prove/sha256: left out, as pristine and released do not both have it: peak_bytes, wall_s.prove"
        ]
    );
}

#[test]
fn a_phase_of_no_time_is_left_out_and_nothing_else() {
    let mut result = empty_result(&[W], 6);
    add_pairs(&mut result, W, &[0.8; 6]);
    for trial in &mut result.trials {
        trial.trial.metrics.insert("wall_s.convert".to_owned(), 0.0);
    }
    let judgement = judged(&result);
    assert_eq!(judgement.comparisons.len(), 2);
    assert_eq!(
        judgement.notes,
        ["synth/sha256: wall_s.convert is left out, a trial has zero there"]
    );
}

#[test]
fn the_memory_of_another_program_is_left_out_with_a_note() {
    for (first, memory) in [("pristine", 1), ("released", 0)] {
        let mut result = empty_result(&[W], 6);
        result.arms[0] = crate::bench::testing::arm(first);
        result.plan.contrasts = vec![[first.to_owned(), "patched".to_owned()]];
        for round in 0..6 {
            let values = [("wall_s.warm", 1.0), ("peak_bytes", 100.0)];
            add(&mut result, W, round, first, &values);
            add(&mut result, W, round, "patched", &values);
        }
        let judgement = judged(&result);
        let rows = judgement
            .comparisons
            .iter()
            .filter(|row| row.family == Family::Memory);
        assert_eq!(rows.count(), memory, "{first}");
        let noted = judgement
            .notes
            .iter()
            .any(|note| note.contains("another program"));
        assert_eq!(noted, memory == 0, "{first}");
    }
}

#[test]
fn what_two_contrasts_have_to_note_is_noted_once() {
    let mut result = empty_result(&[W], 6);
    let arms = ["released", "pristine", "patched"];
    result.arms = arms.map(crate::bench::testing::arm).to_vec();
    result.plan.contrasts = ["pristine", "patched"]
        .map(|other| ["released".to_owned(), other.to_owned()])
        .to_vec();
    for round in 0..6 {
        for arm in arms {
            let values = [("wall_s.warm", 1.0), ("peak_bytes", 100.0)];
            add(&mut result, W, round, arm, &values);
        }
    }
    let notes = judged(&result).notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
}

/// A run of twelve pairs in which the time of proving must not move, and takes `proving` times as long on the contender.
fn with_negative_control(proving: f64) -> Judgement {
    let mut result = empty_result(&[W], 12);
    result.plan.untouched = vec![crate::results::Untouched {
        workload: W.to_owned(),
        arms: ["pristine", "patched"].map(str::to_owned),
        metrics: vec!["wall_s.reference".to_owned(), "wall_s.prove".to_owned()],
    }];
    for round in 0..12 {
        let pace = 1.0 + 0.002 * (round % 5) as f64;
        for (arm, warm, prove) in [("pristine", 1.0, 2.0), ("patched", 0.8, 2.0 * proving)] {
            let metrics = [
                ("wall_s.warm", warm * (2.0 - pace)),
                (
                    "wall_s.prove",
                    prove * if arm == "patched" { pace } else { 1.0 },
                ),
                ("wall_s.reference", 0.02),
            ];
            add(&mut result, W, round, arm, &metrics);
        }
    }
    judged(&result)
}

#[test]
fn a_time_that_nothing_can_touch_must_not_move() {
    let quiet = with_negative_control(1.0);
    let of = |judgement: &Judgement, metric: &str| {
        let row = judgement.comparisons.iter().find(|c| c.metric == metric);
        row.cloned().expect("a row")
    };
    let prove = of(&quiet, "wall_s.prove");
    assert_eq!(
        (prove.family, prove.verdict),
        (Family::Negative, Verdict::Equivalent)
    );
    assert_eq!(of(&quiet, "wall_s.reference").verdict, Verdict::Equivalent);
    assert_eq!(of(&quiet, "wall_s.warm").verdict, Verdict::Improved);

    let moved = with_negative_control(1.1);
    assert_eq!(of(&moved, "wall_s.prove").verdict, Verdict::Regressed);
    let warm = of(&moved, "wall_s.warm");
    assert_eq!((warm.verdict, warm.answers_equal), (Verdict::Invalid, true));
    let reason = warm.reason.expect("a reason");
    assert!(reason.starts_with("wall_s.prove moved by +10."), "{reason}");
}
