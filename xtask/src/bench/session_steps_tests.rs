//! Steps beside the trials: parameters, matrices, and counting instructions.

use super::*;
use crate::bench::counters::Tools;

#[test]
fn parameters_are_made_by_the_arm_that_is_likely_to_be_fast() {
    for (names, expected) in [
        (vec!["patched", "pristine"], "patched"),
        (vec!["patched:circuits=2", "pristine"], "patched:circuits=2"),
        (vec!["released", "patched", "patched-a"], "patched"),
        (vec!["pristine", "patched-a"], "patched-a"),
        (vec!["released", "pristine"], "pristine"),
    ] {
        let arms: Vec<Arm> = names.iter().map(|name| arm(name, &[])).collect();
        let folder = Path::new(".");
        let session = Session {
            arms: &arms,
            folders: Folders {
                cache: folder,
                kept: folder,
            },
            interrupt: &Interrupt::default(),
            counters: None,
        };
        let preparer = session.preparer("prove/sha256");
        assert_eq!(preparer.map(|arm| &*arm.name), Some(expected), "{names:?}");
        assert!(session.preparer(W).is_none(), "it reads no parameters");
    }
}

#[test]
fn steps_of_counting_that_fall_away_leave_no_gap() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let probe = Probe::Callgrind {
        tools: Tools {
            valgrind: "/nowhere/valgrind".into(),
            ..Tools::default()
        },
        missing: "cycles are absent".to_owned(),
    };
    let count = |arms: &[Arm]| run_with(folder.path(), W, 2, arms, Some(&probe));
    // The workload takes no such option, so only one arm could be counted.
    let alone = count(&[arm("pristine", &[]), arm("patched", &[("thin", "yes")])]);
    assert_eq!(alone.error, None);
    assert!(alone.full && alone.result.counts.is_empty());
    let wrong = [arm("pristine", &[]), arm("wrong", &[("wrong", "a")])];
    let unequal = count(&wrong);
    assert_eq!(unequal.error, None);
    assert!(unequal.full && unequal.result.counts.is_empty());
    let notes = unequal.result.notes.join("\n");
    assert!(notes.contains("nothing was counted"), "{notes}");
}

#[test]
fn released_shows_its_matrices_where_it_has_them() {
    let arms = [arm("pristine", &[]), arm("released", &[])];
    let outcome = run(W, 2, &arms);
    assert_eq!(outcome.result.matrices.len(), 2);
    assert!(outcome.full);
}

#[test]
fn matrices_are_asked_for_once_and_again_when_they_disagree() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arms = [arm("pristine", &[]), arm("patched", &[])];
    assert_eq!(run_in(folder.path(), W, 2, &arms).error, None);
    let kept = folder
        .path()
        .join("matrices/patched-stamp-synth-sha256-default.json");
    // A kept digest that is wrong is not believed.
    std::fs::write(&kept, r#"{"matrix_a":"9"}"#).expect("written");
    let outcome = run_in(folder.path(), W, 2, &arms);
    assert_eq!(outcome.result.matrices[1].digests["matrix_b"], "2");
    // One that agrees is, even if the binary would now say something else.
    let other = [
        arm("pristine", &[("matrix", "x")]),
        arm("patched", &[("matrix", "x")]),
    ];
    assert_eq!(
        run_in(folder.path(), W, 2, &other).result.matrices[0].digests["matrix_b"],
        "2"
    );
}
