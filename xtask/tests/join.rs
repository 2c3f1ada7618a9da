//! `cargo xtask join` on a made-up repository, with the real cargo.

mod foreign;
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use pretty_assertions::assert_eq;

use world::World;

/// A repository whose member `app` uses `third` 1.1.0 too, of which there are two releases.
fn using_third() -> World {
    let world = World::new();
    for version in ["1.0.0", "1.1.0"] {
        world.publish(
            "third",
            version,
            &[("src/lib.rs", "//! Made up.\n"), ("README", "words\r\n")],
            &[],
        );
    }
    world.publish("fourth", "1.0.0", &[("src/lib.rs", "")], &[]);
    let app = world.read("app/Cargo.toml").replace(
        "upper.workspace = true\n",
        "upper.workspace = true\nthird = \"1\"\n",
    );
    world.write("app/Cargo.toml", &app);
    let stack = world.read("extern/stack.toml");
    world.write(
        "extern/stack.toml",
        &format!("{stack}\n# The series follows.\n"),
    );
    world.vendor();
    world
}

/// Everything that a join may write.
fn state(world: &World) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = foreign::snapshot(&world.path("extern"));
    files.extend(foreign::snapshot(&world.path("app")));
    let mut files: BTreeMap<PathBuf, Vec<u8>> = files
        .into_iter()
        .map(|(path, (bytes, _))| (path, bytes))
        .collect();
    for name in ["Cargo.toml", "Cargo.lock"] {
        files.insert(world.path(name), fs::read(world.path(name)).expect("read"));
    }
    files
}

fn refused(world: &World, arguments: &[&str], says: &[&str]) {
    let before = state(world);
    world.expect(&[&["join"], arguments].concat(), 2, says);
    assert_eq!(state(world), before);
}

#[test]
fn a_crate_joins() {
    let world = using_third();
    let (stack, root) = (world.read("extern/stack.toml"), world.read("Cargo.toml"));
    world.expect(
        &["join", "third", "1.1.0"],
        0,
        &["third 1.1.0 is in the stack", "its tree is extern/third"],
    );
    let entry = "\n[[crate]]\nname = \"third\"\nversion = \"1.1.0\"\nchecksum = \"";
    let after = world.read("extern/stack.toml");
    let (head, tail) = stack.split_once("\n# The series").expect("there");
    assert!(after.starts_with(&format!("{head}{entry}")), "{after}");
    assert!(after.ends_with(&format!("\n# The series{tail}")), "{after}");
    assert_eq!(
        world.read("Cargo.toml"),
        format!("{root}third = {{ path = \"extern/third\" }}\n")
    );
    assert_eq!(world.read("extern/third/README"), "words\r\n");
    world.cargo_ok(&world.root(), &["check", "--locked"]);
    world.expect(&["vendor"], 0, &["as it must be"]);
    refused(
        &world,
        &["third", "1.1.0"],
        &["third is in the stack already, as 1.1.0"],
    );
}

#[test]
fn what_would_be_used_by_nobody_is_refused() {
    let world = using_third();
    refused(
        &world,
        &["fourth", "1.0.0"],
        &["nothing in Cargo.lock depends on `fourth`"],
    );
    refused(
        &world,
        &["third", "1.0.0"],
        &[
            "Cargo.lock has third 1.1.0, not 1.0.0",
            "cargo update -p third --precise 1.0.0",
        ],
    );
    refused(
        &world,
        &["third", "9.0.0"],
        &["Cargo.lock has third 1.1.0, not 9.0.0"],
    );
    refused(
        &world,
        &["lower", "1.0.0"],
        &["lower is in the stack already, as 1.0.0"],
    );
    refused(&world, &["app", "0.1.0"], &["only published releases join"]);
}

#[test]
fn a_release_that_is_gone_or_was_changed_is_refused() {
    let world = using_third();
    fs::remove_file(world.archive("third", "1.1.0")).expect("removed");
    fs::remove_dir_all(world.path("../cargo-home")).expect("removed");
    refused(&world, &["third", "1.1.0"], &["third"]);
    fs::write(world.archive("third", "1.1.0"), "not it").expect("written");
    refused(&world, &["third", "1.1.0"], &["third"]);
}

#[test]
fn everything_comes_back_when_a_later_step_fails() {
    let world = using_third();
    world.write("extern/third/mine", "a person's own\n");
    refused(
        &world,
        &["third", "1.1.0"],
        &[
            "third 1.1.0 did not join, and everything is as it was",
            "extern/third",
        ],
    );
}
