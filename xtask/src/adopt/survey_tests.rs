//! A small foreign graph in which nothing is patched yet, and one difference at a time in it.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn package(name: &str, version: &str, source: Option<&str>, folder: &str) -> Value {
    json!({ "id": format!("{name}@{version}"), "name": name, "version": version, "source": source,
        "manifest_path": format!("{folder}/Cargo.toml") })
}

/// app -> lower and upper, upper -> lower, other; all from crates.io.
fn graph() -> Value {
    let mut app = package("app", "0.1.0", None, "/w/app");
    app["dependencies"] = json!([{ "name": "lower", "req": "^1", "features": ["std"] }, { "name": "upper", "req": "^3" }]);
    let mut upper = package("upper", "3.0.0", Some(REGISTRY), "/r/upper-3.0.0");
    upper["dependencies"] =
        json!([{ "name": "lower", "req": "^1.0" }, { "name": "other", "req": "*" }]);
    json!({
        "workspace_members": ["app@0.1.0"],
        "packages": [app, upper, package("lower", "1.0.0", Some(REGISTRY), "/r/lower-1.0.0"),
            package("other", "2.0.0", Some(REGISTRY), "/r/other-2.0.0")],
        "resolve": { "nodes": [
            { "id": "app@0.1.0", "deps": [{ "pkg": "lower@1.0.0" }, { "pkg": "upper@3.0.0" }] },
            { "id": "upper@3.0.0", "deps": [{ "pkg": "lower@1.0.0" }, { "pkg": "other@2.0.0" }] },
            { "id": "lower@1.0.0" }, { "id": "other@2.0.0" },
        ] },
    })
}

fn lower() -> Copy {
    let manifest =
        "[package]\nname = \"lower\"\nversion = \"1.0.0\"\nlinks = \"low\"\n[features]\nstd = []\n";
    resolve::copy(Path::new("/s/lower"), manifest).unwrap()
}

fn entry(path: Option<&str>) -> Entry {
    Entry {
        name: "lower".into(),
        file: "/w/Cargo.toml".into(),
        path: path.map(PathBuf::from),
        text: "lower = …".into(),
    }
}

fn row(graph: Value, entries: &Entries) -> Row {
    let metadata: Metadata = serde_json::from_value(graph).unwrap();
    let subject = Subject {
        metadata: &metadata,
        lock: &Lock::default(),
        entries,
        root: Path::new("/w/Cargo.toml"),
        copies: &[lower()],
    };
    rows(&subject).remove(0)
}

fn patch(path: Option<&str>) -> Entries {
    Entries {
        patches: vec![entry(path)],
        ..Entries::default()
    }
}

/// State and reasons in words.
fn judged(graph: Value, entries: &Entries) -> (State, Vec<String>) {
    let row = row(graph, entries);
    (
        row.state,
        row.reasons.iter().map(ToString::to_string).collect(),
    )
}

fn none() -> Entries {
    Entries::default()
}

#[test]
fn what_fits_would_be_patched_and_is_with_its_line() {
    assert_eq!(judged(graph(), &none()), (State::WouldBe, vec![]));
    let mut patched = graph();
    patched["packages"][2] = package("lower", "1.0.0", None, "/s/lower");
    assert_eq!(
        judged(patched, &patch(Some("/s/lower"))),
        (State::Patched, vec![])
    );
}

#[test]
fn what_nobody_depends_on_is_not_used() {
    let mut without = graph();
    without["packages"].as_array_mut().unwrap().remove(2);
    assert_eq!(judged(without.clone(), &none()), (State::NotUsed, vec![]));
    let (state, reasons) = judged(without, &patch(Some("/s/lower")));
    assert_eq!(
        (state, reasons),
        (
            State::NotUsed,
            vec!["its line in [patch] does nothing".to_owned()]
        )
    );
}

fn with_version(version: &str) -> Value {
    let mut other = graph();
    other["packages"][2] = package("lower", version, Some(REGISTRY), "/r/lower");
    other["packages"][2]["id"] = json!("lower@1.0.0");
    other
}

#[test]
fn a_version_that_a_requirement_excludes_names_both() {
    let mut newer = with_version("1.2.0");
    newer["packages"][1]["dependencies"][0]["req"] = json!("^1.1");
    let expected =
        "upper 3.0.0 asks for `^1.1` and has 1.2.0: the stack's version is not among those";
    assert_eq!(
        judged(newer, &none()),
        (State::Not, vec![expected.to_owned()])
    );
}

#[test]
fn a_version_that_the_lock_file_happens_to_have_comes_with_the_line_that_changes_it() {
    let expected = "the lock file has 1.2.0, though the stack's version is admitted too: `cargo update -p lower@1.2.0 --precise 1.0.0`";
    for entries in [none(), patch(Some("/s/lower"))] {
        let found = judged(with_version("1.2.0"), &entries);
        assert_eq!(found, (State::WouldBe, vec![expected.to_owned()]));
    }
}

#[test]
fn a_feature_that_is_missing_names_who_asks() {
    let mut asked = graph();
    asked["packages"][0]["dependencies"][0]["features"] = json!(["gpu"]);
    asked["packages"][0]["dependencies"][0]["kind"] = json!("dev");
    let expected =
        "app 0.1.0 asks for feature `gpu`, which the stack's copy does not have; it has std";
    assert_eq!(
        judged(asked, &none()),
        (State::Not, vec![expected.to_owned()])
    );
}

#[test]
fn two_copies_name_both_requirers() {
    let mut two = graph();
    let mut older = package("lower", "0.9.0", Some(REGISTRY), "/r/lower-0.9.0");
    older["id"] = json!("lower@0.9.0");
    two["packages"].as_array_mut().unwrap().push(older);
    two["packages"][1]["dependencies"][0]["req"] = json!("^0.9");
    two["resolve"]["nodes"][1]["deps"][0] = json!({ "pkg": "lower@0.9.0" });
    let expected = "it is there 2 times, and types of one are not those of another: lower 1.0.0 from crates.io, asked for by app \
                    0.1.0 (`^1`); lower 0.9.0 from crates.io, asked for by upper 3.0.0 (`^0.9`)";
    assert_eq!(
        judged(two, &none()),
        (State::Not, vec![expected.to_owned()])
    );
}

#[test]
fn one_native_library_has_one_package() {
    let mut both = graph();
    both["packages"][3]["links"] = json!("low");
    let expected = "native library `low` is claimed by the stack's lower 1.0.0 and by other 2.0.0 from crates.io, asked for by \
                    upper 3.0.0 (`*`); a graph can have one of them";
    assert_eq!(
        judged(both, &none()),
        (State::Not, vec![expected.to_owned()])
    );
}

#[test]
fn lines_that_lead_elsewhere_are_shown() {
    let (state, reasons) = judged(graph(), &patch(Some("/other/lower")));
    let expected = "/w/Cargo.toml has `lower = …` already, which leads elsewhere: take it out first, or, where that is a way to the stack by git \
         or by a registry, ask `cargo tree` (docs/consuming.md)";
    assert_eq!((state, reasons), (State::Not, vec![expected.to_owned()]));
    assert_eq!(judged(graph(), &patch(None)).0, State::Not);
    let replaced = Entries {
        replaced: vec![entry(None)],
        ..Entries::default()
    };
    let (state, reasons) = judged(graph(), &replaced);
    assert!(
        state == State::Not && reasons[0].starts_with("/w/Cargo.toml replaces it"),
        "{reasons:?}"
    );
}

#[test]
fn a_line_of_a_member_does_not_count() {
    let member = Entries {
        ignored: vec![Entry {
            file: "/w/app/Cargo.toml".into(),
            ..entry(Some("/s/lower"))
        }],
        ..Entries::default()
    };
    let expected = "the [patch] entry in /w/app/Cargo.toml does not count, only those in /w/Cargo.toml do: move it there";
    assert_eq!(
        judged(graph(), &member),
        (State::WouldBe, vec![expected.to_owned()])
    );
}

#[test]
fn another_source_is_named() {
    for (source, folder, from) in [
        (
            Some("git+https://example.org/lower#abc"),
            "/g/lower",
            "git+https://example.org/lower#abc",
        ),
        (
            Some("registry+https://example.org/index"),
            "/g/lower",
            "registry+https://example.org/index",
        ),
        (None, "/w/lower", "/w/lower"),
    ] {
        let mut other = graph();
        other["packages"][2] = package("lower", "1.0.0", source, folder);
        let (state, reasons) = judged(other, &none());
        let expected = format!(
            "a [patch] table for crates.io does not reach it: lower 1.0.0 from {from}, asked for by app 0.1.0"
        );
        assert!(
            state == State::Not && reasons[0].starts_with(&expected),
            "{reasons:?}"
        );
    }
}

#[test]
fn a_line_that_cargo_does_not_use_is_no_success() {
    let (state, reasons) = judged(graph(), &patch(Some("/s/lower")));
    assert_eq!(state, State::Not);
    assert!(
        reasons[0]
            .starts_with("its line is there and cargo does not use it: lower 1.0.0 from crates.io")
    );
}
