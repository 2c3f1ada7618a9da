//! `cargo xtask adopt` on a project that fits: a look, the lines, and both again; with the real cargo.

mod foreign;
mod world;

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::Value;

use foreign::{BOTH, adopt, asks, bare, contents, prepare, project, snapshot};
use world::{LOWER, World, message};

/// `lower` with a faster `twice`, as a patch of the default series.
fn patched() -> World {
    let world = World::new();
    let quick = LOWER.replace("let sum = value + value;\n    sum", "2 * value");
    let (before, after) = ([("src/lib.rs", LOWER)], [("src/lib.rs", quick.as_str())]);
    world.patch("lower", "double", &before, &after, &message("double", &[]));
    world.optimisation("double", "perf", true, &["lower"]);
    prepare(&world);
    world
}

#[test]
fn a_project_is_looked_at_then_changed_then_good() {
    let world = patched();
    let folder = project(&world, BOTH);
    let before = snapshot(&folder);
    let lines = "[patch.crates-io]\nlower = { path = \"../repo/extern/lower\" }\nupper = { path = \"../repo/extern/upper\" }\n";
    let json = world.path("../look.json");
    let json = ["--json", json.to_str().expect("UTF-8")];
    adopt(
        &world,
        &json,
        1,
        &[
            "lower 1.0.0  would be patched\n",
            "upper 1.0.0  would be patched\n",
            lines,
        ],
    );
    assert_eq!(snapshot(&folder), before, "a look changes nothing");
    let found: Value = serde_json::from_str(&world.read("../look.json")).expect("JSON");
    assert_eq!(
        (&found["schema"], &found["good"]),
        (&Value::from(1), &Value::from(false))
    );
    assert_eq!(found["crates"][0]["state"], "would-be-patched");
    assert_eq!(found["lines"][1]["path"], "../repo/extern/upper");

    adopt(
        &world,
        &["--write"],
        0,
        &[
            "lower 1.0.0  patched",
            "Written: ",
            "Cargo.toml and ",
            "Cargo.lock.",
        ],
    );
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    assert_eq!(manifest, format!("{BOTH}\n{lines}"));
    let tree = world.cargo_ok(&folder, &["tree", "--locked"]);
    assert_eq!(tree.matches("repo/extern/lower)").count(), 2, "{tree}");
    world.cargo_ok(&folder, &["check", "--locked", "--target-dir", "../built"]);

    let after = snapshot(&folder);
    adopt(&world, &json, 0, &["upper 1.0.0  patched\n"]);
    let found: Value = serde_json::from_str(&world.read("../look.json")).expect("JSON");
    assert_eq!(
        (&found["good"], &found["lines"]),
        (&Value::from(true), &Value::Array(Vec::new()))
    );
    adopt(
        &world,
        &["--write"],
        0,
        &["Nothing is missing, and nothing was written."],
    );
    assert_eq!(snapshot(&folder), after, "the second time changes nothing");
}

#[test]
fn a_lock_file_that_is_missing_or_old_is_said_to_be_and_write_makes_it() {
    let world = patched();
    let folder = bare(&world, BOTH);
    let before = snapshot(&folder);
    adopt(
        &world,
        &[],
        2,
        &["has no Cargo.lock", "cargo generate-lockfile"],
    );
    assert_eq!(snapshot(&folder), before);
    adopt(&world, &["--write"], 0, &["Written: "]);
    fs::write(
        folder.join("Cargo.toml"),
        &before[&folder.join("Cargo.toml")].0,
    )
    .expect("written");
    adopt(
        &world,
        &[],
        2,
        &["Cargo.lock is older than a manifest", "cargo metadata"],
    );
    adopt(&world, &["--write"], 0, &["Written: "]);
    // Pasted by hand, with the lock file as it was without them.
    let lines = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    let folder = project(&world, BOTH);
    fs::write(folder.join("Cargo.toml"), lines).expect("written");
    adopt(&world, &[], 2, &["Cargo.lock is older than a manifest"]);
    adopt(&world, &["--write"], 0, &["Written: ", "Cargo.lock."]);
    adopt(&world, &[], 0, &[]);
}

#[test]
fn only_what_is_used_gets_a_line_and_windows_line_ends_stay() {
    let world = patched();
    world.publish("top", "1.0.0", &[("src/lib.rs", "")], &[]);
    let manifest =
        asks("low = { package = \"lower\", version = \"1\" }\ntop = \"1\"\n").replace('\n', "\r\n");
    let folder = project(&world, &manifest);
    adopt(
        &world,
        &["--write"],
        0,
        &["lower 1.0.0  patched\n", "upper 1.0.0  not used\n"],
    );
    let written = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    let lines = "\r\n[patch.crates-io]\r\nlower = { path = \"../repo/extern/lower\" }\r\n";
    assert_eq!(written, format!("{manifest}{lines}"));
}

#[test]
fn what_tests_or_another_platform_need_counts() {
    let world = patched();
    let manifest = asks(
        "[dev-dependencies]\nlower = \"1\"\n\n[target.'cfg(windows)'.dependencies]\nupper = \"1\"\n",
    );
    project(&world, &manifest);
    adopt(
        &world,
        &[],
        1,
        &[
            "lower 1.0.0  would be patched\n",
            "upper 1.0.0  would be patched\n",
        ],
    );
    adopt(
        &world,
        &["--write"],
        0,
        &["lower 1.0.0  patched\n", "upper 1.0.0  patched\n"],
    );
    adopt(&world, &[], 0, &[]);
}

#[test]
fn a_crate_that_only_the_copies_use_gets_its_line_too() {
    let world = World::empty();
    world.publish("third", "1.0.0", &[("src/lib.rs", "")], &[]);
    world.publish("lower", "1.0.0", &[("src/lib.rs", LOWER)], &[]);
    world.join("lower", "1.0.0");
    world.join("third", "1.0.0");
    world.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let manifest = "[package]\nname = \"lower\"\nversion = \"1.0.0\"\nedition = \"2021\"\nlicense = \"MIT OR Apache-2.0\"\n\n[dependencies]\n";
    let more = format!("{manifest}third = \"1\"\n");
    let (before, after) = ([("Cargo.toml", manifest)], [("Cargo.toml", more.as_str())]);
    world.patch(
        "lower",
        "third-dependency",
        &before,
        &after,
        &message("third-dependency", &[]),
    );
    world.optimisation("third-dependency", "build", true, &["lower"]);
    prepare(&world);
    let folder = project(&world, &asks("lower = \"1\"\n"));
    adopt(
        &world,
        &["--write"],
        0,
        &["lower 1.0.0  patched", "third 1.0.0  patched"],
    );
    let written = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    assert!(
        written.contains("third = { path = \"../repo/extern/third\" }\n"),
        "{written}"
    );
}

#[test]
fn a_dist_is_taken_in_place_of_the_checkout_and_the_engine_is_spoken_of() {
    let world = patched();
    world.vendor();
    let dist = world.path("../dist");
    let dist = dist.to_str().expect("UTF-8");
    world.expect(&["dist", dist], 0, &[]);
    let folder = project(
        &world,
        &asks("cuzk-core = { path = \"../dist/crates/cuzk-core\" }\n"),
    );
    let from = ["--from", dist];
    adopt(
        &world,
        &from,
        1,
        &[
            "dist/crates/cuzk-core; upper beside it is not the stack's, and it does not compile without.",
        ],
    );
    let says = [
        "lower 1.0.0  patched",
        "what it needs of the stack is the stack's.",
    ];
    adopt(&world, &[&from[..], &["--write"]].concat(), 0, &says);
    let written = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    assert!(
        written.contains("upper = { path = \"../dist/crates/upper\" }\n"),
        "{written}"
    );
    // The checkout is another place.
    let says = ["which leads elsewhere", "which is not the one offered here"];
    adopt(&world, &[], 1, &says);
    let nowhere = ["--from", "results"];
    adopt(
        &world,
        &nowhere,
        2,
        &["is not what `cargo xtask dist` writes"],
    );
    // Nor is it a dist any more once a hand was in it.
    world.write("../dist/crates/lower/src/lib.rs", LOWER);
    let says = [
        "was changed since `cargo xtask dist` wrote it",
        "changed crates/lower/src/lib.rs",
    ];
    adopt(&world, &from, 2, &says);
}

#[test]
fn both_files_come_back_when_cargo_cannot_resolve() {
    let world = World::empty();
    world.publish("lower", "1.0.0", &[("src/lib.rs", LOWER)], &[]);
    world.join("lower", "1.0.0");
    world.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let manifest = "[package]\nname = \"lower\"\nversion = \"1.0.0\"\nedition = \"2021\"\nlicense = \"MIT OR Apache-2.0\"\n\n[dependencies]\n";
    let more = format!("{manifest}nowhere = \"1\"\n");
    let (before, after) = ([("Cargo.toml", manifest)], [("Cargo.toml", more.as_str())]);
    world.patch("lower", "more", &before, &after, &message("more", &[]));
    world.optimisation("more", "build", true, &["lower"]);
    prepare(&world);
    let folder = project(&world, &asks("lower = \"1\"\n"));
    let before = snapshot(&folder);
    adopt(&world, &["--write"], 2, &["nothing was written", "nowhere"]);
    assert_eq!(contents(&snapshot(&folder)), contents(&before));
}

/// A cargo that is the real one, but waits before it changes a lock file, until somebody ends it.
const SLOW: &str = "#!/bin/sh\ncase \"$*\" in\n*--locked*|*--no-deps*|-*) exec \"$REAL\" \"$@\";;\n*) touch \"$SEEN\"; exec sleep 5;;\nesac\n";

#[test]
fn an_interrupt_brings_the_files_back() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    let world = patched();
    let folder = project(&world, BOTH);
    let before = snapshot(&folder);
    let slow = world.write("../slow/cargo", SLOW);
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).expect("set");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", world.path("../slow").display());
    let seen = world.path("../seen");
    let mut command = world.command(env!("CARGO_BIN_EXE_xtask").as_ref(), &world.root());
    // A group of its own, as a terminal has it: an interrupt reaches all of its processes.
    command
        .env("PATH", path)
        .env("SEEN", &seen)
        .process_group(0);
    command.env("REAL", std::env::var_os("CARGO").expect("cargo runs tests"));
    command.arg("adopt").arg(&folder).arg("--write");
    let child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    while !seen.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_ne!(
        contents(&snapshot(&folder)),
        contents(&before),
        "in the middle of it"
    );
    let group = format!("-{}", child.id());
    let killed = Command::new("kill")
        .args(["-INT", "--", &group])
        .status()
        .expect("kill starts");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    world::held(&output, 2, &["nothing was written", "interrupted"]);
    assert_eq!(contents(&snapshot(&folder)), contents(&before));
}
