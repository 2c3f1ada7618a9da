//! What loading the series does not look at.

use super::*;

const RELEASE: &str = "schema = 1\n[[crate]]\nname = \"c\"\nversion = \"1.0.0\"\nchecksum = \"CHECK\"\ntree = \"TREE\"\n";

/// A checkout with one crate and no patch.
fn checkout() -> (tempfile::TempDir, Layout, Manifest) {
    let temp = tempfile::tempdir().unwrap();
    let layout = Layout::new(temp.path());
    let text = RELEASE
        .replace("CHECK", &"a".repeat(64))
        .replace("TREE", &"b".repeat(40));
    let manifest = Manifest::parse(&text, &layout.patches).unwrap();
    (temp, layout, manifest)
}

/// What is said of these texts of Cargo.toml and .cargo/config.toml.
fn said(root: &str, config: &str) -> Vec<String> {
    let (temp, layout, manifest) = checkout();
    fs::write(temp.path().join("Cargo.toml"), root).unwrap();
    fs::create_dir(temp.path().join(".cargo")).unwrap();
    fs::write(temp.path().join(".cargo/config.toml"), config).unwrap();
    let faults = tables(&layout, &manifest).unwrap();
    faults.iter().map(Fault::to_string).collect()
}

const GOOD: &str = "[patch.crates-io]\nc = { path = \"extern/c\" }\n";

#[test]
fn a_patch_table_of_another_form_is_named() {
    assert_eq!(said(GOOD, "[profile.release]\ndebug = false\n"), [""; 0]);
    for (root, config, words) in [
        (
            "[patch.crates-io]\nc = { path = \"extern/c\", version = \"1\", package = \"d\" }\n",
            "",
            "Cargo.toml: [patch.crates-io] `c` has `package`, `version` beside its path: write `c = { path = \"extern/c\" }`",
        ),
        (
            &format!("{GOOD}[patch.\"https://example.org/c\"]\nc = {{ path = \"x\" }}\n"),
            "",
            "has [patch.\"https://example.org/c\"]",
        ),
        (
            &format!("{GOOD}[replace]\n\"c:1.0.0\" = {{ path = \"x\" }}\n"),
            "",
            "has [replace]",
        ),
        (
            &format!("{GOOD}[workspace.dependencies]\nc = \"=1.0.1\"\n"),
            "",
            "`c` is pinned to 1.0.1, and extern/stack.toml has 1.0.0",
        ),
        (
            &format!(
                "{GOOD}[workspace.dependencies]\nother = {{ package = \"c\", version = \"= 1.1.0\" }}\n"
            ),
            "",
            "`other` is pinned to 1.1.0",
        ),
        (
            GOOD,
            "[patch.crates-io]\nc = { path = \"x\" }\n",
            ".cargo/config.toml: has `patch`",
        ),
        (GOOD, "paths = [\"x\"]\n", ".cargo/config.toml: has `paths`"),
    ] {
        let found = said(root, config);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(words), "{words} is not in {found:?}");
    }
    let pinned = format!("{GOOD}[workspace.dependencies]\nc = \"=1.0.0\"\nx = \"=9.9.9\"\n");
    assert_eq!(said(&pinned, ""), [""; 0]);
}

#[test]
fn stray_folders_and_links_are_named() {
    let (_temp, layout, manifest) = checkout();
    assert_eq!(folders(&layout, &manifest).unwrap(), []);
    for folder in ["c/more", "d"] {
        fs::create_dir_all(layout.patches.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink("x", layout.patches.join("c/link.patch")).unwrap();
    let found: Vec<String> = folders(&layout, &manifest)
        .unwrap()
        .iter()
        .map(Fault::to_string)
        .collect();
    assert_eq!(
        found,
        [
            "extern/patches/c: has no patch of the series: remove it",
            "extern/patches/c/link.patch: is a link: put the patch itself in its place: a checkout elsewhere would not \
             have it",
            "extern/patches/c/more: is a folder in the folder of a crate: remove it: patches lie directly in the folder \
             of their crate",
            "extern/patches/d: is the folder of no crate of extern/stack.toml: remove it, or let the crate join: `cargo \
             xtask join CRATE VERSION`",
        ]
    );
}

#[test]
fn a_tree_that_is_left_over_is_noted() {
    let (_temp, layout, manifest) = checkout();
    for folder in ["c", "gone", "patches", ".c.new"] {
        fs::create_dir_all(layout.extern_dir.join(folder)).unwrap();
    }
    fs::write(&layout.stack_toml, "").unwrap();
    let notes = left_trees(&layout, &manifest);
    let about: Vec<&str> = notes.iter().map(|note| note.about.as_str()).collect();
    assert_eq!(about, ["gone"]);
}
