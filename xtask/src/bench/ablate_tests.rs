use super::*;
use crate::bench::testing::{empty_patch, optimisation, release};
use crate::stack::manifest::Kind;

/// door (instrument), one, two, trial (off), three -> two.
fn manifest() -> Manifest {
    let entry = |slug: &str, kind: Kind, default: bool, depends: &[&str]| Optimisation {
        depends: depends.iter().map(|d| (*d).to_owned()).collect(),
        ..optimisation(slug, kind, default)
    };
    Manifest {
        releases: Vec::new(),
        optimisations: vec![
            entry("door", Kind::Instrument, true, &[]),
            entry("one", Kind::Perf, true, &[]),
            entry("two", Kind::Perf, true, &[]),
            entry("trial", Kind::Experiment, false, &[]),
            entry("three", Kind::Perf, true, &["two"]),
        ],
    }
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

fn pair(names: [&str; 2]) -> Option<[String; 2]> {
    Some(names.map(str::to_owned))
}

#[test]
fn what_only_a_feature_compiles_has_no_part() {
    let mut manifest = manifest();
    manifest.releases = vec![release("gpu", Some("cuda"))];
    // `three` is then as good as the last of the series, and `two` is on the GPU alone.
    manifest.optimisations[2].patches = [("gpu".to_owned(), empty_patch("gpu"))].into();
    let found = plan(&manifest, &[], |_| Ok(true)).expect("a plan");
    let slugs: Vec<&str> = found.parts.iter().map(|part| part.slug.as_str()).collect();
    assert_eq!(slugs, ["one", "three"]);
    assert_eq!(
        found.arms,
        named(&["pristine", "patched", "prefix-one", "patched-one"])
    );
    let error = plan(&manifest, &named(&["two"]), |_| Ok(true)).unwrap_err();
    let words = "measure it with --arms prefix-one:features=cuda:backend=gpu,prefix-two:features=cuda:backend=gpu";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn every_optimisation_is_measured_as_a_step_alone_and_last() {
    let found = plan(&manifest(), &[], |_| Ok(true)).expect("a plan");
    // pristine+one is prefix-one, patched-two is prefix-one, patched-three is prefix-two: one arm each.
    assert_eq!(
        found.arms,
        named(&[
            "pristine",
            "patched",
            "prefix-one",
            "patched-one",
            "prefix-two",
            "pristine+two",
        ])
    );
    let [one, two, three] = &found.parts[..] else {
        panic!("{:?}", found.parts);
    };
    assert_eq!(one.step, pair(["pristine", "prefix-one"]));
    assert_eq!(one.alone, pair(["pristine", "prefix-one"]));
    assert_eq!(one.last, pair(["patched-one", "patched"]));
    assert!(one.together.is_empty());
    // What needs `two` comes and goes with it; without `one`, the series is both of them.
    assert_eq!(two.together, ["three"]);
    assert_eq!(two.step, pair(["prefix-one", "prefix-two"]));
    assert_eq!(two.alone, pair(["pristine", "patched-one"]));
    assert_eq!(two.last, pair(["prefix-one", "patched"]));
    // What `three` needs is on both sides.
    assert_eq!(three.step, pair(["prefix-two", "patched"]));
    assert_eq!(three.alone, pair(["pristine+two", "patched-one"]));
    assert_eq!(three.last, pair(["prefix-two", "patched"]));
    assert!(
        found
            .contrasts
            .contains(&["pristine".to_owned(), "patched".to_owned()])
    );
    let mut once = found.contrasts.clone();
    once.dedup();
    assert_eq!(once, found.contrasts);
}

#[test]
fn only_what_is_wanted_is_measured() {
    let found = plan(&manifest(), &named(&["three"]), |_| Ok(true)).expect("a plan");
    assert_eq!(found.parts.len(), 1);
    assert_eq!(found.parts[0].step, pair(["prefix-two", "patched"]));
    assert!(!found.arms.contains(&"prefix-one".to_owned()));
    for wrong in ["trial", "door", "four"] {
        let error = plan(&manifest(), &named(&[wrong]), |_| Ok(true)).expect_err(wrong);
        assert!(error.to_string().contains("one, two, three"), "{error}");
    }
}

#[test]
fn a_subset_that_cannot_be_constructed_is_left_out_and_named() {
    let without_one = |s: &Selection| Ok(s.to_string() != "patched-one");
    let found = plan(&manifest(), &[], without_one).expect("a plan");
    assert_eq!(found.parts[0].last, None);
    assert_eq!(found.parts[0].step, pair(["pristine", "prefix-one"]));
    assert_eq!(found.notes.len(), 1);
    assert!(found.notes[0].starts_with("patched-one can't be constructed"));
    assert!(!found.arms.contains(&"patched-one".to_owned()));
}

#[test]
fn arms_are_compared_with_the_first() {
    let contrasts = against_first(&named(&["pristine", "patched", "released"])).expect("three");
    assert_eq!(
        contrasts,
        [["pristine", "patched"], ["pristine", "released"]]
    );
    assert!(against_first(&named(&["pristine"])).is_err());
    assert!(against_first(&[]).is_err());
}
