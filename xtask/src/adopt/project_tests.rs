//! Projects as they lie on a disk.

use pretty_assertions::assert_eq;

use super::*;

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn shown(root: &Path, project: &Project) -> Vec<String> {
    let root = root.canonicalize().unwrap();
    let shown = |m: &Manifest| m.path.strip_prefix(&root).unwrap().display().to_string();
    project.manifests.iter().map(shown).collect()
}

#[test]
fn members_and_what_is_taken_by_path_are_found_once() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    write(
        root,
        &[
            (
                "w/Cargo.toml",
                "[workspace]\nmembers = [\"a\", \"crates/*\"]\n",
            ),
            (
                "w/a/Cargo.toml",
                "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../crates/b\" }\nout = { path = \"../../out\" }\n",
            ),
            ("w/a/src/lib.rs", ""),
            (
                "w/crates/b/Cargo.toml",
                "[package]\nname = \"b\"\n[target.'cfg(unix)'.dev-dependencies]\nlow = { package = \"lower\", version = \"1\" }\n",
            ),
            ("w/crates/none/README", ""),
            ("out/Cargo.toml", "[package]\nname = \"out\"\n"),
        ],
    );
    let project = Project::find(&root.join("w/a/src")).unwrap();
    assert_eq!(
        shown(root, &project),
        [
            "w/Cargo.toml",
            "w/a/Cargo.toml",
            "w/crates/b/Cargo.toml",
            "out/Cargo.toml"
        ]
    );
    assert!(
        project.manifest.ends_with("w/a/Cargo.toml") && project.lock().ends_with("w/Cargo.lock")
    );
    assert_eq!(project.manifests[2].asks_for(), ["lower".to_owned()].into());
}

#[test]
fn a_package_that_a_workspace_above_excludes_is_its_own_root() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    write(
        root,
        &[
            ("Cargo.toml", "[workspace]\nexclude = [\"extern\"]\n"),
            ("extern/p/Cargo.toml", "[package]\nname = \"p\"\n"),
            ("own/Cargo.toml", "[package]\nname = \"own\"\n[workspace]\n"),
        ],
    );
    for (folder, expected) in [
        ("extern/p", "extern/p/Cargo.toml"),
        ("own", "own/Cargo.toml"),
    ] {
        let project = Project::find(&root.join(folder)).unwrap();
        assert_eq!(shown(root, &project), [expected]);
    }
}

#[test]
fn what_is_no_project_is_refused_by_name() {
    let temp = tempfile::tempdir().unwrap();
    let text = |path: &Path| format!("{:#}", Project::find(path).unwrap_err());
    assert!(text(&temp.path().join("none")).contains("none cannot be looked at"));
    assert!(text(temp.path()).contains("there is no Cargo.toml in"));
    write(temp.path(), &[("Cargo.toml", "[package\n")]);
    assert!(text(&temp.path().join("Cargo.toml")).contains("is not a folder"));
    assert!(text(temp.path()).contains("Cargo.toml is not understood"));
}
