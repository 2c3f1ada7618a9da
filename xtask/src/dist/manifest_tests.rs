use pretty_assertions::assert_eq;

use super::*;

const ROOT: &str = r#"
[workspace]
members = ["core", "tools"]
[workspace.package]
version = "0.3.0"
edition = "2021"
publish = false
readme = "README.md"
[workspace.dependencies]
plain = "1.2"
upper = { version = "=1.0.0", default-features = false, features = ["a"] }
core = { path = "core" }
tools = { path = "tools" }
"#;

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    pairs.iter().map(owned).collect()
}

fn resolved(member: &str, sources: &[(&str, &str)]) -> Result<Resolved, StandError> {
    resolve(
        member,
        ROOT,
        &map(&[("core", "0.3.0"), ("upper", "1.0.0")]),
        &map(sources),
    )
}

fn parsed(text: &str) -> Table {
    toml::from_str(text).expect("a manifest")
}

#[test]
fn what_is_inherited_is_written_out() {
    let member = r#"
        [package]
        name = "core"
        version.workspace = true
        edition = { workspace = true }
        publish.workspace = true
        [lib]
        bench = false
        [dependencies]
        plain.workspace = true
        upper = { workspace = true, optional = true, features = ["b", "a"] }
        other = "3"
        [target.'cfg(unix)'.dependencies]
        plain = { workspace = true, features = ["unix"] }
        [features]
        up = ["dep:upper"]
        [lints]
        workspace = true
    "#;
    let expected = r#"
        [package]
        name = "core"
        version = "0.3.0"
        edition = "2021"
        publish = false
        [lib]
        bench = false
        [dependencies]
        plain = { version = "1.2" }
        upper = { version = "=1.0.0", default-features = false, optional = true, features = ["a", "b"] }
        other = "3"
        [target.'cfg(unix)'.dependencies]
        plain = { version = "1.2", features = ["unix"] }
        [features]
        up = ["dep:upper"]
    "#;
    let found = resolved(member, &[]).expect("resolved");
    assert!(!found.text.contains("workspace"), "{}", found.text);
    assert_eq!(parsed(&found.text), parsed(expected));
    assert!(found.dropped.is_empty());
}

#[test]
fn a_crate_that_is_handed_out_too_is_asked_for_by_version() {
    let member = "[package]\nname = \"x\"\n[dependencies]\nkernel = { path = \"../core\", package = \"core\", features = [\"f\"] }\n";
    let expected = "[package]\nname = \"x\"\n[dependencies]\nkernel = { version = \"=0.3.0\", package = \"core\", features = [\"f\"] }\n";
    let found = resolved(member, &[]).expect("resolved");
    assert_eq!(parsed(&found.text), parsed(expected));
}

#[test]
fn tests_of_other_members_are_dropped_with_what_names_them() {
    let member = r#"
        [package]
        name = "core"
        [dev-dependencies]
        tools.workspace = true
        [[test]]
        name = "one"
        [[test]]
        name = "two"
        path = "tests/two/run.rs"
        [[bench]]
        name = "kept"
        harness = false
    "#;
    let sources = [
        ("src/lib.rs", "// tools"),
        ("tests/one.rs", "use tools::x;"),
        ("tests/two/run.rs", "mod inner;"),
        ("tests/two/inner.rs", "fn f() { tools::y() }"),
        ("tests/three.rs", "my_tools::x();"),
        ("benches/kept.rs", ""),
    ];
    let found = resolved(member, &sources).expect("resolved");
    let dropped: Vec<&str> = found.dropped.iter().map(String::as_str).collect();
    assert_eq!(dropped, ["tests/one.rs", "tests/two"]);
    let expected = "[package]\nname = \"core\"\n[[bench]]\nname = \"kept\"\nharness = false\n";
    assert_eq!(parsed(&found.text), parsed(expected));
}

#[test]
fn what_cannot_stand_alone_is_named() {
    let error = |member: &str| resolved(member, &[]).expect_err("refused").to_string();
    let built = "[package]\nname = \"core\"\n[dependencies]\ntools = { path = \"../tools\" }\n";
    assert!(error(built).contains("`tools` is a member"));
    assert!(error("[package]\nlicense.workspace = true\n").contains("`package.license`"));
    assert!(error("[package]\nreadme.workspace = true\n").contains("`package.readme`"));
    assert!(error("[dependencies]\nx.workspace = true\n").contains("`dependencies.x`"));
    assert!(error("[package").contains("the crate's manifest"));
}
