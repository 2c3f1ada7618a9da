//! `cargo xtask dist` as a process, and what it writes in the hands of others: by path, from git, by registry. The lines
//! that the tests use are those that the dist's own pages have.

mod support;
#[path = "../world/mod.rs"]
mod world;
mod writing;

use std::fs;
use std::path::Path;

use support::{after_others, answers, as_stamped, configure, core, dist, lines, project, stack};
use world::{UPPER, git, held, message};

#[test]
fn by_path() {
    let world = stack();
    let made = dist(&world, "dist", &[]);
    as_stamped(&made, &[]);
    let folder = world.path("../project");
    fs::create_dir_all(&folder).expect("made");
    held(
        &world
            .command("cp".as_ref(), &folder)
            .arg("-r")
            .arg(&made)
            .arg("cuzk")
            .output()
            .expect("copied"),
        0,
        &[],
    );
    project(
        &folder,
        &core(&made, "By path", 2),
        &lines(&made, "By path", 1),
    );
    held(
        &world
            .command("sh".as_ref(), &folder)
            .args(["-c", &lines(&made, "By path", 0)])
            .output()
            .expect("run"),
        0,
        &[],
    );
    answers(&world.cargo(&folder, &["run"]));
    let tree = world.cargo_ok(&folder, &["tree", "--invert", "upper"]);
    assert!(tree.contains("project/cuzk/crates/upper"), "{tree}");
    let workspace = world.cargo_ok(&folder, &["metadata", "--format-version", "1", "--no-deps"]);
    assert!(
        !workspace.contains("\"name\":\"cuzk-core\",\"version\""),
        "no member: {workspace}"
    );
    as_stamped(&folder.join("cuzk"), &[]);
}

#[test]
fn from_git_under_a_hostile_configuration() {
    let world = stack();
    let made = dist(&world, "dist", &[]);
    let commit = |folder: &Path, path: &str| {
        world.hostile_git(folder, &["init", "-q", "--object-format=sha1"]);
        world.hostile_git(folder, &["add", path]);
        // Its own hooks and keys would do their work; these can do none.
        let works = [
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "commit.gpgSign=false",
        ];
        world.hostile_git(
            folder,
            &[&works[..], &["commit", "-q", "-m", "stack"]].concat(),
        );
        git(folder, &["rev-parse", "HEAD"]).trim().to_owned()
    };
    let id = commit(&made, ".");
    let clone = world.path("../clone");
    let url = format!("file://{}", made.display());
    world.hostile_git(
        &world.path(".."),
        &["clone", "-q", &url, clone.to_str().expect("UTF-8")],
    );
    as_stamped(&clone, &[".git"]);
    // A dist with a repository at its top is one still, and the repository lives on in the next.
    world.expect(
        &["dist", made.to_str().expect("UTF-8")],
        0,
        &["as it must be"],
    );
    world.write("LICENSE-MIT", "Another made-up text.\n");
    world.expect(&["dist", made.to_str().expect("UTF-8")], 0, &["wrote"]);
    assert_eq!(git(&made, &["rev-parse", "HEAD"]).trim(), id);

    // Below the top of a repository that ignores much.
    let other = world.path("../other");
    fs::create_dir(&other).expect("made");
    fs::write(other.join(".gitignore"), "*.rs\n*.crate\nindex\n").expect("written");
    fs::rename(&clone, other.join("stack")).expect("moved");
    fs::remove_dir_all(other.join("stack/.git")).expect("removed");
    let id = commit(&other, "stack");
    let folder = world.path("../project");
    let url = format!("file://{}", other.display());
    let filled = |text: &str| text.replace("URL", &url).replace("COMMIT", &id);
    let table = fs::read_to_string(made.join("patch-git.toml")).expect("read");
    project(
        &folder,
        &filled(&core(&made, "From git", 0)),
        &filled(&table.replace("the URL of", "where")),
    );
    let run = |arguments: &[&str]| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = world.command(&cargo, &folder);
        // A repository on disk counts as network.
        command.env("CARGO_NET_OFFLINE", "false").args(arguments);
        command.output().expect("cargo starts")
    };
    answers(&run(&["run"]));
    let tree = held(&run(&["tree", "--invert", "upper"]), 0, &[]);
    assert!(
        tree.contains(&format!("upper v1.0.0 (file://{}", other.display())),
        "{tree}"
    );
    let checkouts = world.path("../cargo-home/git/checkouts");
    let stamp = walkdir::WalkDir::new(checkouts)
        .into_iter()
        .flatten()
        .find(|e| e.file_name() == "stamp.json");
    as_stamped(
        stamp
            .expect("checked out")
            .path()
            .parent()
            .expect("a folder"),
        &[],
    );
}

#[test]
fn by_a_registry_beside_crates_io() {
    let world = stack();
    let made = dist(&world, "dist", &[]);
    let folder = world.path("../project");
    let section = "By a registry beside crates.io";
    let table = fs::read_to_string(made.join("patch-registry.toml")).expect("read");
    project(&folder, &core(&made, section, 1), &table);
    configure(&folder, &made, section);
    answers(&world.cargo(&folder, &["run"]));
    let tree = world.cargo_ok(&folder, &["tree", "--invert", "upper"]);
    assert!(tree.contains("upper v1.0.0 (registry `cuzk`)"), "{tree}");
    let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("read");
    assert_eq!(lock.matches("name = \"upper\"").count(), 1, "{lock}");
    world.cargo_ok(&folder, &["check", "--locked"]);

    // The next dist has other patches on the same versions.
    let after = UPPER.replace("    lower::twice", "    3 * lower::twice")
        + "\npub const PATCHED: bool = true;";
    let (before, after) = ([("src/lib.rs", UPPER)], [("src/lib.rs", after.as_str())]);
    world.patch("upper", "mark", &before, &after, &message("mark", &[]));
    dist(&world, "dist", &[]);
    held(&world.cargo(&folder, &["run"]), 101, &["checksum for"]);
    after_others(&world, &made, &folder);
    held(&world.cargo(&folder, &["run"]), 0, &["answer 396"]);
}

#[test]
fn in_place_of_crates_io_with_nothing_else_there() {
    let world = stack();
    let made = dist(&world, "dist", &["--closure"]);
    as_stamped(&made, &[]);
    // Elsewhere, so that no configuration of the made-up world is above it.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let folder = elsewhere.path().join("project");
    project(&folder, &core(&made, "In place of crates.io", 1), "");
    configure(&folder, &made, "In place of crates.io");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = |arguments: &[&str]| {
        let mut command = world.command(&cargo, &folder);
        command
            .env("CARGO_HOME", elsewhere.path().join("home"))
            .args(arguments);
        command.output().expect("cargo starts")
    };
    answers(&run(&["run"]));
    held(&run(&["check", "--locked"]), 0, &[]);
    let stamp = fs::read_to_string(made.join("stamp.json")).expect("read");
    assert!(stamp.contains("registry/plain-1.0.0.crate"), "{stamp}");
    let notice = fs::read_to_string(made.join("NOTICE")).expect("read");
    assert!(
        notice.contains("  plain 1.0.0: MIT OR Apache-2.0\n"),
        "{notice}"
    );
}

#[test]
fn archives_join_a_local_registry_and_a_lock_file_from_before() {
    let world = stack();
    world.publish(
        "upper",
        "1.1.0",
        &[("src/lib.rs", UPPER)],
        &[("lower", "1.0")],
    );
    let made = dist(&world, "dist", &[]);
    let folder = world.path("../project");
    // Before: a lock file with the published crates, here 1.0.0 of upper as a person had chosen it.
    project(&folder, "\"=0.1.0\"", "");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    let before = manifest
        .lines()
        .filter(|line| !line.starts_with("cuzk-core"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(folder.join("Cargo.toml"), before).expect("written");
    world.cargo_ok(&folder, &["generate-lockfile"]);
    world.cargo_ok(&folder, &["update", "-p", "upper", "--precise", "1.0.0"]);
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    // The dist's lines, where the registry is the made-up one.
    let section = "In place of crates.io";
    let registry = world.path("../registry");
    let script = lines(&made, section, 0).replace("REGISTRY", registry.to_str().expect("UTF-8"));
    held(
        &world
            .command("sh".as_ref(), &made)
            .args(["-e", "-c", &script])
            .output()
            .expect("run"),
        0,
        &[],
    );
    let index = fs::read_to_string(registry.join("index/up/pe/upper")).expect("read");
    assert!(
        index.lines().count() == 2 && index.contains("1.1.0"),
        "{index}"
    );
    held(&world.cargo(&folder, &["check"]), 101, &["checksum for"]);
    after_others(&world, &made, &folder);
    world.cargo_ok(&folder, &["tree"]);
    world.cargo_ok(&folder, &["update", "-p", "upper", "--precise", "1.0.0"]);
    answers(&world.cargo(&folder, &["run"]));
}
