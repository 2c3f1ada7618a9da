//! A small graph that is right, and one fault at a time in it.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::super::graph;
use super::*;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn package(name: &str, version: &str, source: Option<&str>, folder: &str) -> Value {
    json!({ "id": format!("{name}@{version}"), "name": name, "version": version, "source": source,
        "manifest_path": format!("{folder}/Cargo.toml") })
}

/// app -> lower and upper, upper -> lower; lower is patched.
fn graph() -> Value {
    let mut app = package("app", "0.1.0", None, "/w/app");
    app["dependencies"] = json!([{ "name": "lower", "features": ["std"] }, { "name": "upper" }]);
    let mut upper = package("upper", "3.0.0", Some(REGISTRY), "/r/upper-3.0.0");
    upper["dependencies"] = json!([{ "name": "lower", "rename": "low" }]);
    upper["features"] = json!({ "fast": ["low/fast"], "odd": ["low?/odd"] });
    json!({
        "packages": [app, upper, package("lower", "1.0.0", None, "/w/extern/lower")],
        "resolve": { "nodes": [
            { "id": "app@0.1.0", "features": [], "deps": [{ "pkg": "lower@1.0.0" }, { "pkg": "upper@3.0.0" }] },
            { "id": "upper@3.0.0", "features": ["fast"], "deps": [{ "pkg": "lower@1.0.0" }] },
            { "id": "lower@1.0.0", "features": ["std", "fast"], "deps": [] },
        ] },
    })
}

fn lower() -> Copy {
    let manifest = "[package]\nname = \"lower\"\nversion = \"1.0.0\"\n[features]\nstd = []\nfast = [\"dep:rayon\"]\n\
                    [dependencies.rayon]\nversion = \"1\"\noptional = true\n\
                    [target.'cfg(unix)'.dependencies.libc]\nversion = \"1\"\noptional = true\n";
    graph::copy(Path::new("/w/extern/lower"), manifest).unwrap()
}

fn faults(graph: Value, lock: &str, messages: &str, features: &[&str]) -> Vec<Fault> {
    let metadata: Metadata = serde_json::from_value(graph).unwrap();
    let lock: Lock = toml::from_str(lock).unwrap();
    let features: Vec<String> = features.iter().map(|f| (*f).to_owned()).collect();
    find(&Subject {
        metadata: &metadata,
        lock: &lock,
        messages,
        copies: &[lower()],
        features: &features,
    })
}

#[test]
fn the_features_of_a_copy_are_read_from_its_manifest() {
    assert_eq!(
        lower().features,
        ["fast", "libc", "std"].map(String::from).into()
    );
}

#[test]
fn a_graph_that_is_right_has_no_fault() {
    assert_eq!(
        faults(graph(), "version = 4\n", "", &["lower/fast", "cuda"]),
        []
    );
}

#[test]
fn a_patch_that_nobody_uses_is_a_fault() {
    let mut other = graph();
    other["packages"][2] = package("lower", "1.0.0", Some(REGISTRY), "/r/lower-1.0.0");
    let lock = "version = 4\n[[patch.unused]]\nname = \"lower\"\nversion = \"1.0.0\"\n";
    let warning =
        "warning: Patch `lower v1.0.0 (/w/extern/lower)` was not used in the crate graph.\n";
    let asked =
        format!("the graph has lower 1.0.0 from {REGISTRY}, asked for by app 0.1.0, upper 3.0.0");
    for (lock, messages) in [(lock, ""), ("version = 4\n", warning)] {
        let unused = Fault::Unused {
            name: "lower".into(),
            version: "1.0.0".into(),
            asked: asked.clone(),
        };
        let found = faults(other.clone(), lock, messages, &[]);
        assert!(found.contains(&unused), "{found:?}");
    }
    let mut none = graph();
    none["packages"].as_array_mut().unwrap().pop();
    let found = faults(none, lock, "", &[]);
    assert!(
        matches!(&found[..], [Fault::Unused { asked, .. }] if asked.contains("nothing")),
        "{found:?}"
    );
}

#[test]
fn a_second_copy_names_both_requirers() {
    let mut two = graph();
    two["packages"].as_array_mut().unwrap().push(package(
        "lower",
        "1.0.1",
        Some(REGISTRY),
        "/r/lower-1.0.1",
    ));
    two["resolve"]["nodes"][1]["deps"] = json!([{ "pkg": "lower@1.0.1" }]);
    let found = vec![
        "lower 1.0.0 from /w/extern/lower, asked for by app 0.1.0".to_owned(),
        format!("lower 1.0.1 from {REGISTRY}, asked for by upper 3.0.0"),
    ];
    assert_eq!(
        faults(two, "version = 4\n", "", &[]),
        [Fault::SecondCopy {
            name: "lower".into(),
            found
        }]
    );
}

#[test]
fn another_path_is_a_fault() {
    let mut moved = graph();
    moved["packages"][2] = package("lower", "1.0.0", None, "/w/target/stacks/pristine/lower");
    let found = faults(moved, "version = 4\n", "", &[]);
    assert!(
        matches!(&found[..], [Fault::Unused { .. }, Fault::Elsewhere { .. }]),
        "{found:?}"
    );
    assert!(found[1].to_string().contains("upper 3.0.0"));
}

#[test]
fn a_feature_that_the_copy_lacks_names_who_asked() {
    let feature = |feature: &str, asked_by: &str| Fault::Feature {
        name: "lower".into(),
        version: "1.0.0".into(),
        feature: feature.into(),
        asked_by: asked_by.into(),
        has: "fast, libc, std".into(),
    };
    let mut plain = graph();
    plain["packages"][0]["dependencies"][0]["features"] = json!(["std", "gpu"]);
    assert_eq!(
        faults(plain, "version = 4\n", "", &[]),
        [feature("gpu", "app 0.1.0")]
    );
    let mut passed = graph();
    passed["resolve"]["nodes"][1]["features"] = json!(["fast", "odd"]);
    assert_eq!(
        faults(passed, "version = 4\n", "", &[]),
        [feature("odd", "upper 3.0.0")]
    );
    assert_eq!(
        faults(graph(), "version = 4\n", "", &["lower/inline-2"]),
        [feature("inline-2", "the arm")]
    );
}

#[test]
fn what_only_tests_or_nobody_asks_for_is_no_fault() {
    let mut dev = graph();
    dev["packages"][0]["dependencies"][0] =
        json!({ "name": "lower", "kind": "dev", "features": ["gpu"] });
    assert_eq!(faults(dev, "version = 4\n", "", &[]), []);
    let mut off = graph();
    off["packages"][0]["dependencies"][0]["features"] = json!(["gpu"]);
    off["resolve"]["nodes"][0]["deps"] = json!([{ "pkg": "upper@3.0.0" }]);
    assert_eq!(faults(off, "version = 4\n", "", &[]), []);
}

#[test]
fn two_claims_on_one_native_library_are_a_fault() {
    let mut both = graph();
    both["packages"][1]["links"] = json!("blst");
    both["packages"][2]["links"] = json!("blst");
    let found = faults(both, "version = 4\n", "", &[]);
    let [Fault::Links { links, claimed_by }] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(links, "blst");
    assert!(claimed_by[0].contains("upper 3.0.0") && claimed_by[1].contains("asked for by app"));
}
