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
    assert!(reason.ends_with("% of wall_s.warm"), "{reason}");
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
