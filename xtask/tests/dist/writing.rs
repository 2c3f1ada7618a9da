//! What is written, when it is not, and that nothing is lost.

use std::fs;

use crate::support::{dist, stack};
use crate::world::held;

#[test]
fn the_same_stack_gives_the_same_folder() {
    let world = stack();
    let one = dist(&world, "one", &[]);
    world.write("cuzk-core/src/.lib.rs.swp", "left by an editor");
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
