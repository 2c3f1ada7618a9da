//! Where patches of a made-up series apply.

use std::path::Path;

use super::super::testing::{FILE, message};
use super::*;
use crate::patch::{diff, parse, print};
use crate::stack::manifest::Release;
use crate::stack::tree::tests::tree;

/// The file with each of these lines in capitals.
fn with(lines: &[&str]) -> Tree {
    let text = lines.iter().fold(FILE.to_owned(), |text, line| {
        text.replace(line, &line.to_uppercase())
    });
    tree(&[("src/lib.rs", &text)])
}

fn optimisation(slug: &str, default: bool, depends: &[&str], trees: [&Tree; 2]) -> Optimisation {
    let files = diff::between(trees[0], trees[1]).unwrap();
    let bytes = print::print(&message(), &files).unwrap();
    let patch = parse::parse(&format!("c/{slug}.patch"), &bytes).unwrap();
    Optimisation {
        slug: slug.to_owned(),
        kind: Kind::Perf,
        default,
        depends: depends.iter().map(|slug| (*slug).to_owned()).collect(),
        steps: Default::default(),
        because: None,
        patches: [("c".to_owned(), patch)].into(),
    }
}

fn manifest(optimisations: Vec<Optimisation>) -> Manifest {
    Manifest {
        releases: vec![Release {
            name: "c".to_owned(),
            version: "1.0.0".to_owned(),
            checksum: "a".repeat(64),
            tree: "b".repeat(40),
            feature: None,
        }],
        optimisations,
    }
}

/// Where the patch of a slug applies: the lines that its tree has in capitals, or why not.
fn places_of(optimisations: Vec<Optimisation>) -> BTreeMap<String, String> {
    let manifest = manifest(optimisations);
    let releases = Trees::from([("c".to_owned(), with(&[]))]);
    let said = |place: Place| match place {
        Place::Found { before, .. } => {
            let text = String::from_utf8_lossy(&before.files["src/lib.rs"].bytes).into_owned();
            let capitals = text.lines().filter(|line| *line == line.to_uppercase());
            format!("on {}", capitals.collect::<Vec<_>>().join(" "))
        }
        Place::Misfit(why) => format!("misfit: {why}"),
        Place::Unknown => "unknown".to_owned(),
    };
    let found = places(&manifest, &releases).into_iter();
    found
        .map(|((_, slug), place)| (slug.to_owned(), said(place)))
        .collect()
}

#[test]
fn every_patch_has_its_place_along_the_series() {
    let (two, six) = (with(&["two"]), with(&["two", "six"]));
    let trial = with(&["two", "nine"]);
    let found = places_of(vec![
        optimisation("one", true, &[], [&with(&[]), &two]),
        // Made for the middle of the series, and on top of that.
        optimisation("trial", false, &[], [&two, &trial]),
        optimisation(
            "more",
            false,
            &["trial"],
            [&trial, &with(&["two", "nine", "ten"])],
        ),
        optimisation("two", true, &[], [&two, &six]),
        optimisation("top", false, &[], [&six, &with(&["two", "six", "ten"])]),
        optimisation(
            "lost",
            false,
            &[],
            [&with(&["one"]), &with(&["one", "ten"])],
        ),
    ]);
    assert_eq!(found["one"], "on ");
    assert_eq!(found["trial"], "on TWO();");
    assert_eq!(found["more"], "on TWO(); NINE();");
    assert_eq!(found["two"], "on TWO();");
    assert_eq!(found["top"], "on TWO(); SIX();");
    let lost = &found["lost"];
    assert!(
        lost.starts_with("misfit: `src/lib.rs` is not the file that it was made for"),
        "{lost}"
    );
}

#[test]
fn a_patch_that_does_not_apply_is_named_and_those_behind_it_are_not() {
    let found = places_of(vec![
        optimisation("one", true, &[], [&with(&["ten"]), &with(&["two", "ten"])]),
        optimisation("two", true, &[], [&with(&["two"]), &with(&["two", "six"])]),
        optimisation("early", false, &[], [&with(&[]), &with(&["nine"])]),
        optimisation(
            "late",
            false,
            &[],
            [&with(&["two"]), &with(&["two", "nine"])],
        ),
    ]);
    assert!(found["one"].starts_with("misfit"), "{found:?}");
    assert_eq!(found["two"], "unknown");
    assert_eq!(found["early"], "on ");
    assert_eq!(found["late"], "unknown");
}

#[test]
fn what_earlier_patches_delete_is_known() {
    let both = tree(&[("src/lib.rs", FILE), ("old", "old\n")]);
    let manifest = manifest(vec![
        optimisation("one", true, &[], [&both, &with(&[])]),
        optimisation("off", false, &[], [&both, &with(&[])]),
        optimisation("two", true, &[], [&with(&[]), &with(&["two"])]),
        optimisation("needs", true, &["off"], [&with(&[]), &with(&["two"])]),
    ]);
    let of = |at: usize, krate: &str| -> Vec<String> {
        let gone = gone(&manifest, &manifest.optimisations[at], krate);
        gone.into_iter()
            .map(|gone| format!("{} {}", gone.slug, gone.path))
            .collect()
    };
    assert!(of(0, "c").is_empty() && of(2, "other").is_empty());
    assert_eq!(of(2, "c"), ["one old"]);
    assert_eq!(of(3, "c"), ["one old", "off old"]);
}

#[test]
fn the_first_crate_of_an_optimisation_speaks_for_it() {
    let temp = tempfile::tempdir().unwrap();
    let layout = Layout::new(temp.path());
    let mut one = optimisation("one", true, &[], [&with(&[]), &with(&["two"])]);
    let mut other = one.patches["c"].clone();
    other.name = "d/one.patch".to_owned();
    one.patches.insert("d".to_owned(), other);
    for name in ["c/one.patch", "d/one.patch"] {
        let path = layout.patches.join(Path::new(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    let subjects = gather(&layout, &manifest(vec![one]), None).unwrap();
    let first = |at: usize| subjects[at].first.as_ref().map(|(krate, _)| krate.as_str());
    assert_eq!((first(0), first(1)), (None, Some("c")));
    assert_eq!(subjects[1].bytes, b"d/one.patch");
    assert!(matches!(subjects[1].place, Place::Unknown));
}
