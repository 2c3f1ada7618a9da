use pretty_assertions::assert_eq;
use serde_json::{Value as Json, json};

use super::*;
use crate::stack::release::CRATES_IO;

fn printed(manifest: &str, from: Option<&str>) -> Json {
    let line = line(manifest, "00", from).expect("a line");
    let text = line.print();
    assert!(text.ends_with("}\n") && text.matches('\n').count() == 1);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_line_says_what_the_manifest_says() {
    let manifest = r#"
        [package]
        name = "made"
        version = "1.2.3"
        links = "made-native"
        rust-version = "1.70"
        [features]
        default = ["std"]
        std = []
        fast = ["dep:fast", "other?/fast"]
        [dependencies]
        plain = "1.0"
        renamed = { package = "other", version = ">=1, <2", optional = true, default-features = false, features = ["x"] }
        fast = { version = "=2.0.0", optional = true }
        [build-dependencies]
        tool = "0.*"
        [dev_dependencies]
        check = "~1.4"
        [target.'cfg(unix)'.dependencies.sys]
        version = "0.2"
        default_features = false
    "#;
    let dependency = |name: &str, req: &str, kind: &str| json!({ "name": name, "req": req, "features": [], "optional": false, "default_features": true, "target": null, "kind": kind });
    let mut renamed = dependency("renamed", ">=1, <2", "normal");
    renamed["features"] = json!(["x"]);
    renamed["optional"] = json!(true);
    renamed["default_features"] = json!(false);
    renamed["package"] = json!("other");
    let mut fast = dependency("fast", "=2.0.0", "normal");
    fast["optional"] = json!(true);
    let mut sys = dependency("sys", "^0.2", "normal");
    sys["default_features"] = json!(false);
    sys["target"] = json!("cfg(unix)");
    let expected = json!({
        "name": "made", "vers": "1.2.3", "cksum": "00", "yanked": false, "links": "made-native", "rust_version": "1.70", "v": 2,
        "deps": [dependency("check", "~1.4", "dev"), fast, dependency("plain", "^1.0", "normal"), renamed, sys, dependency("tool", "0.*", "build")],
        "features": { "default": ["std"], "std": [] }, "features2": { "fast": ["dep:fast", "other?/fast"] },
    });
    assert_eq!(printed(manifest, None), expected);
}

#[test]
fn another_registry_is_named_for_each_dependency() {
    let manifest = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n[dependencies]\nb = \"1\"\n";
    let line = printed(manifest, Some(CRATES_IO));
    assert_eq!(line["deps"][0]["registry"], CRATES_IO);
    assert!(line.get("features2").is_none() && line.get("v").is_none());
}

#[test]
fn what_no_registry_can_hold_is_refused() {
    let error = |text: &str| line(text, "", None).expect_err("refused").to_string();
    let package = "[package]\nname = \"a\"\nversion = \"1.0.0\"\n";
    assert!(error("[package]\nname = \"a\"\n").contains("package.version"));
    assert!(
        error(&format!(
            "{package}[dependencies]\nb = {{ path = \"../b\" }}\n"
        ))
        .contains("`b` has no version")
    );
    assert!(error(&format!("{package}[features]\nx = 1\n")).contains("features.x"));
    assert!(error("[package").contains("not understood"));
}

#[test]
fn the_place_in_the_index_goes_by_length() {
    let places = ["a", "ab", "abc", "Abcd-E"].map(path);
    assert_eq!(places, ["1/a", "2/ab", "3/a/abc", "ab/cd/abcd-e"]);
}
