//! `cargo xtask dist` as a process, and what it writes in the hands of others: by path, from git, by registry. The lines
//! that the tests use are those that the dist's own pages have.

mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use sha2::{Digest, Sha256};

use world::{LOWER, UPPER, World, git, held, message};

/// Uses what only the patched crates have; prints 132.
const MAIN: &str = "fn main() {\n    assert!(lower::PATCHED && upper::PATCHED);\n    assert_eq!(third::DATA.len(), 10);\n    println!(\"answer {}\", cuzk_core::answer());\n}\n";

/// A stack of three with a patch on two of them. `third` comes with all that a repository keeps for itself, and uses
/// `plain`, which is not of the stack.
fn stack() -> World {
    let world = World::new();
    world.publish(
        "plain",
        "1.0.0",
        &[("src/lib.rs", "pub const ONE: u64 = 1;\n")],
        &[],
    );
    let third = "pub use plain::ONE;\npub const DATA: &str = include_str!(\"data.txt\");\n";
    world.publish(
        "third",
        "1.0.0",
        &[
            (".gitignore", "src\n*.txt\n"),
            (".gitattributes", "* text eol=lf\n"),
            ("rust-toolchain", "no-such-toolchain\n"),
            ("Cargo.toml.orig", "# before cargo\n"),
            ("LICENSE-MIT", "Made up.\n"),
            ("src/data.txt", "one\r\ntwo\r\n"),
            ("src/lib.rs", third),
        ],
        &[("plain", "1")],
    );
    world.join("third", "1.0.0");
    for (name, text) in [("lower", LOWER), ("upper", UPPER)] {
        let after = format!("{text}\npub const PATCHED: bool = true;");
        let (before, after) = ([("src/lib.rs", text)], [("src/lib.rs", after.as_str())]);
        world.patch(name, "mark", &before, &after, &message("mark", &[]));
    }
    world.optimisation("mark", "perf", true, &["lower", "upper"]);
    let core = world.read("cuzk-core/Cargo.toml");
    let core = core.replace(
        "[lints]",
        "third = \"1.0\"\n\n[dev-dependencies]\napp = { path = \"../app\" }\n\n[lints]",
    );
    world.write("cuzk-core/Cargo.toml", &core);
    world.write(
        "cuzk-core/tests/with_app.rs",
        "#[test]\nfn same() {\n    assert_eq!(app::answer(), cuzk_core::answer());\n}\n",
    );
    world.vendor();
    world
}

/// A dist beside the repository.
fn dist(world: &World, name: &str, flags: &[&str]) -> PathBuf {
    let place = world.path(&format!("../{name}"));
    let arguments = [&["dist", place.to_str().expect("UTF-8")], flags].concat();
    world.expect(&arguments, 0, &["wrote", " s; README.md"]);
    place
}

/// A project of somebody else's that uses the stack; `core` says where cuzk-core comes from, `more` ends its manifest.
fn project(folder: &Path, core: &str, more: &str) {
    let manifest = format!(
        "[package]\nname = \"project\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\nlower = \"1\"\nthird = \"1\"\nupper = \"1\"\ncuzk-core = {core}\n\n{more}"
    );
    fs::create_dir_all(folder.join("src")).expect("made");
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::write(folder.join("src/main.rs"), MAIN).expect("written");
}

/// The lines of code number `index` in a section of the dist's README.
fn lines(dist: &Path, section: &str, index: usize) -> String {
    let readme = fs::read_to_string(dist.join("README.md")).expect("read");
    let start = readme.find(&format!("## {section}\n")).expect(section);
    let section = &readme[start + 3..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        match line.strip_prefix("    ") {
            Some(code) if inside => blocks
                .last_mut()
                .expect("begun")
                .push_str(&format!("{code}\n")),
            Some(code) => blocks.push(format!("{code}\n")),
            // A block goes on behind an empty line; any other ends it.
            None if line.is_empty() => continue,
            None => {}
        }
        inside = line.starts_with("    ");
    }
    blocks.swap_remove(index)
}

/// What the README's lines on cuzk-core ask for.
fn core(dist: &Path, section: &str, index: usize) -> String {
    let lines = lines(dist, section, index);
    let line = lines
        .lines()
        .find_map(|line| line.strip_prefix("cuzk-core = "));
    line.expect("a line").to_owned()
}

/// Writes a project's .cargo/config.toml from the README's lines.
fn configure(folder: &Path, dist: &Path, section: &str) {
    let place = dist.to_str().expect("UTF-8");
    let text = lines(dist, section, 0).replace("/path/to/this/folder", place);
    fs::create_dir_all(folder.join(".cargo")).expect("made");
    fs::write(folder.join(".cargo/config.toml"), text).expect("written");
}

/// Every file is there with the bytes that the stamp promises, and no other.
fn as_stamped(folder: &Path, except: &[&str]) {
    let stamp = fs::read(folder.join("stamp.json")).expect("read");
    let stamp: Value = serde_json::from_slice(&stamp).expect("JSON");
    let files = stamp["files"].as_object().expect("files");
    for (name, hash) in files {
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(hash, &hex::encode(Sha256::digest(bytes)), "{name}");
    }
    let inside =
        |e: &walkdir::DirEntry| e.depth() != 1 || !except.iter().any(|name| e.file_name() == *name);
    let found = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_entry(inside)
        .flatten();
    assert_eq!(
        found.filter(|e| !e.file_type().is_dir()).count(),
        files.len() + 1
    );
}

fn answers(output: &Output) {
    held(output, 0, &["answer 132"]);
}

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
    held(
        &world
            .command("sh".as_ref(), &folder)
            .args(["-e", "-c", &lines(&made, section, 2)])
            .output()
            .expect("run"),
        0,
        &[],
    );
    world.cargo_ok(&folder, &["update", "-p", "upper", "--precise", "1.0.0"]);
    answers(&world.cargo(&folder, &["run"]));
}

#[test]
fn the_same_stack_gives_the_same_folder() {
    let world = stack();
    let one = dist(&world, "one", &[]);
    let script = format!("umask 077; {} dist ../two", env!("CARGO_BIN_EXE_xtask"));
    held(
        &world
            .command("sh".as_ref(), &world.root())
            .args(["-c", &script])
            .output()
            .expect("run"),
        0,
        &[],
    );
    let two = world.path("../two");
    assert_eq!(
        fs::read(one.join("stamp.json")).expect("read"),
        fs::read(two.join("stamp.json")).expect("read")
    );
    for entry in walkdir::WalkDir::new(&two).into_iter().flatten() {
        use std::os::unix::fs::PermissionsExt;
        let mode = entry.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(
            mode,
            if entry.file_type().is_dir() {
                0o755
            } else {
                0o644
            },
            "{}",
            entry.path().display()
        );
    }
    let time = |name: &str| {
        fs::metadata(one.join(name))
            .and_then(|m| m.modified())
            .expect("a time")
    };
    let before = ["stamp.json", "README.md"].map(time);
    world.expect(
        &["dist", one.to_str().expect("UTF-8")],
        0,
        &["as it must be", "nothing was written"],
    );
    assert_eq!(["stamp.json", "README.md"].map(time), before);

    let manifest = fs::read_to_string(one.join("crates/cuzk-core/Cargo.toml")).expect("read");
    assert!(
        !manifest.contains("workspace") && !manifest.contains("app"),
        "{manifest}"
    );
    for gone in [
        "cuzk-core/tests",
        "third/.gitignore",
        "third/rust-toolchain",
        "third/Cargo.toml.orig",
        "lower/.cuzk-stamp",
    ] {
        assert!(!one.join("crates").join(gone).exists(), "{gone}");
    }
    assert_eq!(
        fs::read(one.join("crates/third/LICENSE-MIT")).expect("read"),
        b"Made up.\n"
    );
    let changes = fs::read_to_string(one.join("crates/lower/CUZK-CHANGES.md")).expect("read");
    assert!(changes.contains("- `src/lib.rs`: mark"), "{changes}");
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_is_lost() {
    let world = stack();
    let made = dist(&world, "dist", &[]);
    let place = made.to_str().expect("UTF-8");
    let refused = |arguments: &[&str], says: &[&str]| world.expect(arguments, 2, says);
    world.write("../mine/file", "kept");
    refused(&["dist", "../mine"], &["is no earlier dist"]);
    assert_eq!(world.read("../mine/file"), "kept");
    world.write("../file", "kept");
    refused(&["dist", "../file"], &["is no earlier dist"]);
    refused(&["dist", "."], &["is no earlier dist"]);
    refused(&["dist", "extern/dist"], &["is made from"]);
    refused(&["dist", "../no/such"], &["is not there"]);
    world.write("../dist/crates/lower/src/lib.rs", "edited");
    world.write("../dist/new", "mine");
    refused(
        &["dist", place],
        &["changed crates/lower/src/lib.rs", "added new"],
    );
    assert_eq!(world.read("../dist/crates/lower/src/lib.rs"), "edited");
    fs::remove_dir_all(&made).expect("removed");
    world.write("extern/upper/src/lib.rs", "edited");
    refused(&["dist", place], &["upper"]);
    assert!(!made.exists());
    world.expect(&["vendor", "--discard"], 0, &[]);
    fs::remove_file(world.path("Cargo.lock")).expect("removed");
    refused(&["dist", place, "--closure"], &["cannot read Cargo.lock"]);
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::remove_file(world.path(name)).expect("removed");
    }
    refused(&["dist", place], &["no LICENSE file"]);
    assert!(!made.exists());
}

#[test]
fn an_archive_that_is_not_to_be_had_is_named() {
    let world = stack();
    fs::remove_file(world.archive("plain", "1.0.0")).expect("removed");
    let place = world.path("../dist");
    world.expect(
        &["dist", place.to_str().expect("UTF-8"), "--closure"],
        2,
        &["plain"],
    );
    assert!(!place.exists());
}
