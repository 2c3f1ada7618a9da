//! Manifests that are not accepted, each with the reason.

use std::fs;

use super::*;
use crate::patch::git_tests::patch_text;
use crate::stack::tree::tests::tree;

fn release(name: &str) -> String {
    format!(
        "[[crate]]\nname = \"{name}\"\nversion = \"1.0.0\"\nchecksum = \"{}\"\ntree = \"{}\"\n",
        "a".repeat(64),
        "b".repeat(40)
    )
}

fn optimisation(slug: &str, kind: &str, default: bool) -> String {
    format!(
        "[[optimisation]]\nslug = \"{slug}\"\nkind = \"{kind}\"\ndefault = {default}\ncrates = [\"c\"]\n"
    )
}

/// Parses a manifest whose patches are there, each with the trailers given.
fn parse(text: &str, patches: &[(&str, &str)]) -> Result<Manifest, String> {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("c")).unwrap();
    for (slug, trailers) in patches {
        let message = format!("change\n\nWhy.\n\nDescription: it\n{trailers}");
        let bytes = patch_text(&tree(&[("a", "1\n")]), &tree(&[("a", "2\n")]), &message);
        fs::write(temp.path().join(format!("c/{slug}.patch")), bytes).unwrap();
    }
    Manifest::parse(text, temp.path()).map_err(|error| error.to_string())
}

fn refused(text: &str, patches: &[(&str, &str)], reason: &str) {
    let found = parse(text, patches).unwrap_err();
    assert!(found.contains(reason), "{reason} in {found}");
}

#[test]
fn an_empty_series_is_a_series() {
    let manifest = parse(&format!("schema = 1\n{}", release("c")), &[]).unwrap();
    assert!(manifest.optimisations.is_empty());
    assert_eq!(manifest.slugs(), "none yet");
}

#[test]
fn a_crate_may_need_a_feature() {
    let text = |feature: &str| format!("schema = 1\n{}feature = \"{feature}\"\n", release("c"));
    let manifest = parse(&text("cuda"), &[]).unwrap();
    assert_eq!(manifest.releases[0].feature.as_deref(), Some("cuda"));
    for feature in ["", "c/cuda", "cuda-supraseal"] {
        refused(&text(feature), &[], "feature is one word");
    }
}

#[test]
fn dependencies_are_read_from_the_patches() {
    let text = format!(
        "schema = 1\n{}{}{}",
        release("c"),
        optimisation("one", "perf", true),
        optimisation("two", "perf", true)
    );
    let manifest = parse(&text, &[("one", ""), ("two", "Depends: one\n")]).unwrap();
    assert_eq!(manifest.optimisation("two").unwrap().depends, ["one"]);
    refused(
        &text,
        &[("one", "Depends: two\n"), ("two", "")],
        "depends on `two`, which extern/stack.toml does not have before `one`",
    );
    let off = text.replacen("default = true", "default = false", 1);
    refused(
        &off,
        &[("one", ""), ("two", "Depends: one\n")],
        "off by default",
    );
    let door = text.replace(
        "slug = \"two\"\nkind = \"perf\"",
        "slug = \"two\"\nkind = \"build\"",
    );
    refused(
        &door,
        &[("one", ""), ("two", "Depends: one\n")],
        "belongs to every stack",
    );
}

#[test]
fn files_that_a_patch_may_not_change_are_named() {
    let parse = |kind: &str, file: &str| {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("c")).unwrap();
        let message = "change\n\nWhy.\n\nDescription: it\n";
        let bytes = patch_text(&tree(&[(file, "1\n")]), &tree(&[(file, "2\n")]), message);
        fs::write(temp.path().join("c/one.patch"), bytes).unwrap();
        let text = format!(
            "schema = 1\n{}{}",
            release("c"),
            optimisation("one", kind, true)
        );
        Manifest::parse(&text, temp.path())
    };
    for (kind, file) in [
        ("build", "Cargo.toml"),
        ("build", "build.rs"),
        ("perf", "src/build.rs"),
        ("perf", "Cargo.toml.orig"),
    ] {
        assert!(parse(kind, file).is_ok(), "{kind} {file}");
    }
    for (kind, file) in [
        ("build", "Cargo.lock"),
        ("perf", "sub/Cargo.lock"),
        ("perf", "Cargo.toml"),
        ("fix", "sub/Cargo.toml"),
        ("instrument", "build.rs"),
    ] {
        let error = parse(kind, file).unwrap_err();
        assert!(matches!(error, ManifestError::Forbidden { .. }), "{error}");
        let said = error.to_string();
        let expected = format!("extern/patches/c/one.patch: changes `{file}`, ");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn patches_that_are_missing_or_stray_are_named() {
    let text = format!(
        "schema = 1\n{}{}",
        release("c"),
        optimisation("one", "perf", true)
    );
    refused(&text, &[], "c/one.patch: extern/stack.toml names it");
    refused(
        &text,
        &[("one", ""), ("other", "")],
        "c/other.patch: no optimisation",
    );
}

#[test]
fn values_that_make_no_sense_are_refused() {
    let base = format!(
        "schema = 1\n{}{}",
        release("c"),
        optimisation("one", "perf", true)
    );
    for (from, to, reason) in [
        ("schema = 1", "schema = 2", "schema 2"),
        ("schema = 1", "schema = 1\nmore = 1", "unknown field"),
        (
            "default = true",
            "default = true\norder = 1",
            "unknown field",
        ),
        ("kind = \"perf\"", "kind = \"fast\"", "unknown variant"),
        (
            "kind = \"perf\"\ndefault = true",
            "kind = \"build\"\ndefault = false",
            "set default = true",
        ),
        (
            "kind = \"perf\"",
            "kind = \"experiment\"",
            "set default = false",
        ),
        ("slug = \"one\"", "slug = \"One\"", "slug `One`"),
        (
            "crates = [\"c\"]",
            "crates = [\"d\"]",
            "no crate `d`, only c",
        ),
        ("crates = [\"c\"]", "crates = [\"c\", \"c\"]", "twice"),
        ("crates = [\"c\"]", "crates = []", "touches no crate"),
        ("name = \"c\"", "name = \"../c\"", "not the name of a crate"),
        (
            "version = \"1.0.0\"",
            "version = \"^1\"",
            "not an exact version",
        ),
        ("checksum = \"aa", "checksum = \"Aa", "checksum"),
        ("tree = \"bb", "tree = \"b", "tree"),
    ] {
        refused(&base.replace(from, to), &[("one", "")], reason);
    }
    refused(
        &format!("{base}{}", optimisation("one", "perf", true)),
        &[("one", "")],
        "`one` is there twice",
    );
    refused(
        &format!("schema = 1\n{0}{0}", release("c")),
        &[],
        "`c` is there twice",
    );
}

#[test]
fn the_workspace_must_use_every_crate_and_no_other() {
    let manifest = parse(&format!("schema = 1\n{}", release("c")), &[]).unwrap();
    let good = "[patch.crates-io]\nc = { path = \"extern/c\" }\n";
    assert!(check::workspace(&manifest.releases, good).is_ok());
    for (text, reason) in [
        ("", "must have `c = "),
        (
            "[patch.crates-io]\nc = { path = \"elsewhere/c\" }\n",
            "must have `c = ",
        ),
        (
            "[patch.crates-io]\nc = { path = \"extern/c\" }\nd = { path = \"extern/d\" }\n",
            "has `d`",
        ),
    ] {
        let found = check::workspace(&manifest.releases, text)
            .unwrap_err()
            .to_string();
        assert!(found.contains(reason), "{found}");
    }
}
