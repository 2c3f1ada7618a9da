//! What backs an optimisation, and what does not.

use serde_json::json;

use super::*;
use crate::bench::testing::{arm, empty_patch, empty_result, optimisation, release};

/// A row of a result: arms, workload, family, verdict.
type Said<'a> = ([&'a str; 2], &'a str, Family, Verdict);

const HEAD: Family = Family::Headline;

/// one and two, which are on for speed; door, which is not judged; trial, which is off.
fn manifest() -> Manifest {
    Manifest {
        releases: Vec::new(),
        optimisations: vec![
            optimisation("door", Kind::Instrument, true),
            optimisation("one", Kind::Perf, true),
            optimisation("two", Kind::Fix, true),
            optimisation("trial", Kind::Perf, false),
        ],
    }
}

/// A result with these rows, whose stacks are of today, and whose compiler is `rustc`.
fn kept(minute: usize, rustc: &str, rows: &[Said]) -> Kept {
    let mut result = empty_result(&["synth/sha256", "params/sha256"], 6);
    result.time = format!("2026-11-29T10:{minute:02}:00Z");
    result.plan.rules.alpha = 0.01;
    let names: BTreeSet<&str> = rows.iter().flat_map(|(arms, ..)| *arms).collect();
    result.arms = names.into_iter().map(arm).collect();
    for arm in &mut result.arms {
        let stack = arm.name.split(':').next().unwrap_or_default();
        arm.inputs = json!({ "stack": format!("{stack} of today"), "rustc": rustc });
    }
    result.comparisons = rows
        .iter()
        .map(|(arms, workload, family, verdict)| Comparison {
            workload: (*workload).to_owned(),
            metric: match family {
                Family::Memory => "peak_bytes",
                Family::Instructions => "instructions",
                _ => "wall_s.warm",
            }
            .to_owned(),
            unit: "s".to_owned(),
            family: *family,
            arms: arms.map(str::to_owned),
            stamps: arms.map(str::to_owned),
            median: [1.0, 0.8],
            ratio: 0.8,
            ci95: [0.7, 0.9],
            p: Some(0.001),
            p_adjusted: Some(0.001),
            pairs: 6,
            disturbed_pairs: 0,
            margin: 0.02,
            detectable: None,
            verdict: *verdict,
            answers_equal: true,
            reason: None,
        })
        .collect();
    Kept {
        path: format!("results/test/{minute:02}.json"),
        result,
    }
}

/// The same where `one` changes only what the feature `cuda` compiles.
fn on_gpu() -> Manifest {
    let mut manifest = manifest();
    manifest.releases = vec![release("gpu", Some("cuda"))];
    manifest.optimisations[1].patches = [("gpu".to_owned(), empty_patch("gpu"))].into();
    manifest
}

/// Faults and notes, for results that are given newest first and whose compiler is still `now`.
fn said(results: &[Kept]) -> (Vec<String>, Vec<String>) {
    said_of(&manifest(), results)
}

fn said_of(manifest: &Manifest, results: &[Kept]) -> (Vec<String>, Vec<String>) {
    let stamp = |selection: &Selection, _: &[String]| Ok(format!("{selection} of today"));
    let backing = Backing::read(manifest, results, stamp);
    let today: Today = backing
        .arms()
        .into_iter()
        .map(|name| {
            let stack = name.split(':').next().unwrap_or_default();
            let inputs = json!({ "stack": format!("{stack} of today"), "rustc": "now" });
            (name.to_owned(), Ok(inputs))
        })
        .collect();
    let (faults, notes) = backing.judge(manifest, &today);
    (
        faults.iter().map(Fault::to_string).collect(),
        notes.into_iter().map(|note| note.text).collect(),
    )
}

const STEP: [&str; 2] = ["pristine", "prefix-one"];
const SYNTH: &str = "synth/sha256";
const PARAMS: &str = "params/sha256";

#[track_caller]
fn backed(results: &[Kept], notes: &[&str]) {
    let (faults, found) = said(results);
    assert_eq!(faults, [""; 0]);
    assert_eq!(found.len(), notes.len(), "{found:?}");
    for (found, words) in found.iter().zip(notes) {
        assert!(found.contains(words), "{words:?} is not in {found:?}");
    }
}

#[track_caller]
fn not_backed(results: &[Kept], words: &[&str]) {
    let (faults, _) = said(results);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].starts_with("extern/stack.toml: `one` is on, and "),
        "{faults:?}"
    );
    for words in words {
        assert!(faults[0].contains(words), "{words:?} is not in {faults:?}");
    }
}

#[test]
fn an_improvement_between_stacks_of_today_backs() {
    use Verdict::{Improved, Regressed};
    backed(&[kept(1, "now", &[(STEP, SYNTH, HEAD, Improved)])], &[]);
    // The other way round.
    let arms = ["patched", "patched-one"];
    backed(&[kept(1, "now", &[(arms, SYNTH, HEAD, Regressed)])], &[]);
    // Of several arms, those that differ in it alone.
    let others = [
        (["pristine", "patched"], SYNTH, HEAD, Regressed),
        (STEP, SYNTH, HEAD, Improved),
    ];
    backed(&[kept(1, "now", &others)], &[]);
}

#[test]
fn what_was_not_measured_alone_or_not_of_today_does_not_back() {
    use Verdict::Improved;
    let measure = "measure it: `cargo xtask bench --arms pristine,prefix-one --keep`";
    not_backed(
        &[],
        &[
            "no kept result compares stacks of today's trees that differ in it alone",
            measure,
        ],
    );
    for arms in [
        ["pristine", "patched"],
        ["pristine", "prefix-two"],
        ["pristine", "pristine+trial"],
    ] {
        not_backed(
            &[kept(1, "now", &[(arms, SYNTH, HEAD, Improved)])],
            &[measure],
        );
    }
    for moved in 0..2 {
        let mut result = kept(1, "now", &[(STEP, PARAMS, HEAD, Improved)]);
        result.result.arms[moved].inputs["stack"] = "of yesterday".into();
        not_backed(
            &[result],
            &[
                "the newest was of other trees: improved 0.800 [0.700, 0.900], params/sha256 wall_s.warm (results/test/01.json)",
                "`cargo xtask bench params/sha256 --arms pristine,prefix-one --keep`",
            ],
        );
    }
    let mut cut_short = kept(1, "now", &[(STEP, SYNTH, HEAD, Improved)]);
    cut_short.result.complete = false;
    not_backed(&[cut_short], &[measure]);
    // A part of a time, or of the controls, is no claim.
    for family in [Family::Detail, Family::Control, Family::Negative] {
        not_backed(
            &[kept(1, "now", &[(STEP, SYNTH, family, Improved)])],
            &[measure],
        );
    }
}

#[test]
fn what_a_feature_compiles_is_backed_by_arms_that_have_it() {
    use Verdict::Improved;
    let gpu = |stack: &str| format!("{stack}:features=cuda:backend=gpu");
    let arms = [gpu("pristine"), gpu("prefix-one")];
    let good = kept(
        1,
        "now",
        &[(arms.each_ref().map(String::as_str), SYNTH, HEAD, Improved)],
    );
    assert_eq!(said_of(&on_gpu(), &[good]), Default::default());
    // Without the feature both arms are one binary.
    let (faults, _) = said_of(
        &on_gpu(),
        &[kept(1, "now", &[(STEP, SYNTH, HEAD, Improved)])],
    );
    let measure = format!(
        "measure it: `cargo xtask bench --arms {} --keep`",
        arms.join(",")
    );
    assert!(faults[0].contains(&measure), "{faults:?}");
}

#[test]
fn only_an_improvement_backs() {
    use Verdict::{Equivalent, Improved, Inconclusive, Invalid, Regressed};
    for verdict in [Equivalent, Inconclusive] {
        let words = format!(
            "nothing that was measured of it says improved (1 {0}); the newest: {0} 0.8",
            verdict.word()
        );
        not_backed(
            &[kept(1, "now", &[(STEP, SYNTH, HEAD, verdict)])],
            &[&words, "set default = false"],
        );
    }
    not_backed(
        &[kept(1, "now", &[(STEP, SYNTH, HEAD, Invalid)])],
        &[
            "says improved (1 invalid); the newest: invalid",
            "measure it: `cargo xtask bench synth/sha256 --arms",
        ],
    );
    not_backed(
        &[kept(1, "now", &[(STEP, SYNTH, HEAD, Regressed)])],
        &["was measured as regressed and nowhere as improved: regressed"],
    );
    // Less memory is no speed.
    not_backed(
        &[kept(1, "now", &[(STEP, SYNTH, Family::Memory, Improved)])],
        &[
            "says improved (1 improved); the newest: improved 0.800 [0.700, 0.900], synth/sha256 peak_bytes",
        ],
    );
    // The newer word on the same work counts, unless it is none.
    let older = kept(1, "now", &[(STEP, SYNTH, HEAD, Improved)]);
    let newer = |verdict| kept(2, "now", &[(STEP, SYNTH, HEAD, verdict)]);
    not_backed(
        &[newer(Equivalent), older.clone()],
        &["says improved (1 equivalent); the newest: equivalent"],
    );
    backed(&[newer(Invalid), older.clone()], &[]);
    // On other trees it has none.
    let mut elsewhere = newer(Regressed);
    elsewhere.result.arms[0].inputs["stack"] = "of yesterday".into();
    backed(&[elsewhere, older], &[]);
}

#[test]
fn what_is_backed_and_has_to_be_known_is_noted() {
    use Verdict::{Improved, Regressed};
    let stale = kept(1, "then", &[(STEP, SYNTH, HEAD, Improved)]);
    backed(
        std::slice::from_ref(&stale),
        &[
            "`one` is backed by a stale result: the compiler changed since: improved 0.800 [0.700, 0.900], synth/sha256 \
           wall_s.warm (results/test/01.json); measure again with `cargo xtask bench synth/sha256 --arms pristine,prefix-one --keep`",
        ],
    );
    let mut lenient = kept(1, "now", &[(STEP, SYNTH, HEAD, Improved)]);
    lenient.result.plan.rules.alpha = 0.05;
    backed(
        &[lenient],
        &["`one` is backed by a stale result: judged when a claim took p of 0.05"],
    );
    // One that holds is enough, on whatever work.
    backed(
        &[kept(2, "now", &[(STEP, PARAMS, HEAD, Improved)]), stale],
        &[],
    );
    backed(
        &[kept(
            1,
            "now",
            &[
                (STEP, SYNTH, HEAD, Improved),
                (STEP, PARAMS, HEAD, Regressed),
            ],
        )],
        &["`one` pays, and costs as well: regressed"],
    );
    backed(
        &[kept(
            1,
            "now",
            &[(STEP, SYNTH, Family::Instructions, Improved)],
        )],
        &["`one` is backed by counted instructions alone"],
    );
}

#[test]
fn what_neither_pays_nor_costs_may_be_on_for_a_reason_that_is_named() {
    let mut manifest = manifest();
    manifest.optimisations[1].because = Some("the fallback is written on it".to_owned());

    // A reason is no measurement.
    let (faults, _) = said_of(&manifest, &[]);
    assert_eq!(faults.len(), 1, "{faults:?}");

    let equivalent = [kept(1, "now", &[(STEP, SYNTH, HEAD, Verdict::Equivalent)])];
    let (faults, notes) = said_of(&manifest, &equivalent);
    assert_eq!(faults, [""; 0]);
    assert_eq!(notes.len(), 1, "{notes:?}");
    let words = "on because the fallback is written on it";
    assert!(notes[0].contains(words), "{notes:?}");

    // Nor does it outweigh one that says that it costs.
    let worse = [
        kept(2, "now", &[(STEP, PARAMS, HEAD, Verdict::Regressed)]),
        equivalent.into_iter().next().unwrap(),
    ];
    let (faults, _) = said_of(&manifest, &worse);
    assert_eq!(faults.len(), 1, "{faults:?}");
}
