//! Orders that are allowed, and those that are not.

use std::fs;

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::git_tests::patch_text;
use crate::stack::tree::tests::tree;

/// A manifest of crates `a` and `b`; each optimisation is on and changes one file in each crate that is named.
fn manifest(entries: &[(&str, &[(&str, &str)])]) -> Manifest {
    let temp = tempfile::tempdir().unwrap();
    let mut text = "schema = 1\n".to_owned();
    for name in ["a", "b"] {
        fs::create_dir(temp.path().join(name)).unwrap();
        text += &format!(
            "[[crate]]\nname = \"{name}\"\nversion = \"1.0.0\"\nchecksum = \"{}\"\ntree = \"{}\"\n",
            "a".repeat(64),
            "b".repeat(40)
        );
    }
    for (slug, crates) in entries {
        let names: Vec<String> = crates
            .iter()
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        let names = names.join(", ");
        text += &format!(
            "[[optimisation]]\nslug = \"{slug}\"\nkind = \"perf\"\ndefault = true\ncrates = [{names}]\n"
        );
        for (name, file) in *crates {
            let bytes = patch_text(&tree(&[(file, "1\n")]), &tree(&[(file, "2\n")]), "x: y");
            fs::write(temp.path().join(format!("{name}/{slug}.patch")), bytes).unwrap();
        }
    }
    Manifest::parse(&text, temp.path()).unwrap()
}

fn arranged(
    manifest: &Manifest,
    series: &[&str],
    depends: &[(&str, &str)],
) -> Result<String, Refusal> {
    let slugs: Vec<String> = manifest
        .optimisations
        .iter()
        .map(|o| o.slug.clone())
        .collect();
    let owned = |(first, second): &(&str, &str)| ((*first).to_owned(), (*second).to_owned());
    let depends: Vec<(String, String)> = depends.iter().map(owned).collect();
    arrange(&slugs, series, &depends, "a", manifest).map(|order| order.join(" "))
}

#[test]
fn what_no_other_crate_ties_together_may_change_places() {
    let manifest = manifest(&[
        ("one", &[("a", "f"), ("b", "f")]),
        ("two", &[("a", "g"), ("b", "g")]),
        ("three", &[("b", "f")]),
        ("four", &[("a", "h")]),
    ]);
    assert_eq!(
        arranged(&manifest, &["one", "two", "four"], &[]).unwrap(),
        "one two three four"
    );
    assert_eq!(
        arranged(&manifest, &["two", "one", "four"], &[]).unwrap(),
        "two one three four"
    );
    assert_eq!(
        arranged(&manifest, &["four", "one", "two"], &[]).unwrap(),
        "four one two three"
    );
}

#[test]
fn the_crate_that_does_not_allow_it_is_named() {
    let manifest = manifest(&[
        ("one", &[("a", "f"), ("b", "f")]),
        ("between", &[("b", "f")]),
        ("two", &[("a", "g"), ("b", "f")]),
    ]);
    let refused = arranged(&manifest, &["two", "one"], &[]).unwrap_err();
    let Refusal::OtherOrder {
        other,
        first,
        second,
        file,
        ..
    } = &refused
    else {
        panic!("{refused}");
    };
    let found = [other, first, second, file].map(String::as_str);
    assert_eq!(found, ["b", "one", "two", "f"]);
}

#[test]
fn what_depends_stays_behind_what_it_needs() {
    let manifest = manifest(&[
        ("one", &[("a", "f")]),
        ("two", &[("a", "g")]),
        ("three", &[("b", "f")]),
    ]);
    let refused = arranged(&manifest, &["two", "one"], &[("one", "two")]).unwrap_err();
    assert!(
        matches!(&refused, Refusal::DependsOrder { first, second } if first == "one" && second == "two"),
        "{refused}"
    );
    let order = arranged(&manifest, &["two", "one"], &[("three", "two")]).unwrap();
    assert_eq!(order, "three two one");
}
