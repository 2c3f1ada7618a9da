//! What is refused, and what dies in the middle.

use pretty_assertions::assert_eq;

use crate::case::{begin, files, go, world};

#[test]
fn what_cannot_be_done_is_refused_with_everything_as_it_was() {
    let world = world("clean");
    let before = files(&world.root());
    let refused = |name: &str, version: &str, says: &str| {
        world.expect(&["patch", "rebase", name, version], 2, &[says]);
        world.expect(&["patch", "rebase", name, version, "--survey"], 2, &[says]);
    };
    refused(
        "toys",
        "2.0.0",
        "extern/stack.toml has no crate `toys`, only lower, upper, toy",
    );
    refused("toy", "1.0.0", "extern/stack.toml has toy 1.0.0 already");
    refused("toy", "^2", "`^2` is not an exact version");
    refused("toy", "9.9.9", "toy 9.9.9");
    refused("toy", "2", "`2` is not an exact version");
    for arguments in [
        &["patch", "rebase"][..],
        &["patch", "rebase", "toy"],
        &["patch", "rebase", "toy", "2.0.0", "--continue"],
        &["patch", "rebase", "--survey"],
        &["patch", "rebase", "--continue", "--abort"],
    ] {
        world.expect(arguments, 2, &["Usage"]);
    }
    assert_eq!(files(&world.root()), before);
}

#[test]
fn sources_that_changed_meanwhile_are_named() {
    let world = world("conflict");
    begin(&world, 1, &[]);
    let stack = world.read("extern/stack.toml");
    world.write("extern/stack.toml", &format!("{stack}# more\n"));
    go(
        &world,
        "--continue",
        2,
        &["extern/stack.toml is not what the rebase was begun from"],
    );
    go(
        &world,
        "--skip",
        2,
        &["extern/stack.toml is not what the rebase was begun from"],
    );
    world.write("extern/stack.toml", &stack);
    go(&world, "--skip", 0, &["apples: left out"]);
}

#[test]
fn work_that_was_not_exported_is_not_left_behind() {
    let world = world("clean");
    world.expect(&["patch", "edit", "toy"], 0, &[]);
    world.write("target/edit/toy/src/lib.rs", "//! Mine.\n");
    let before = files(&world.root());
    let says = [
        "target/edit/toy has work for toy 1.0.0 that was not exported",
        "src/lib.rs",
    ];
    begin(&world, 2, &says);
    assert_eq!(files(&world.root()), before);
    assert!(!world.path("target/rebase").exists());
    world.expect(&["patch", "edit", "toy", "--discard"], 0, &[]);
    begin(&world, 0, &[]);
}

/// The kernel kills a process that writes a file beyond its limit: here in the middle of the last step, at the one patch
/// that is larger than all else that is written then.
#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_killed_in_its_last_step_has_lost_nothing() {
    let manifest = "[workspace]\n\n[dependencies]\ntoy = \"=1.0.0\"\n";
    for then in ["--abort", "--continue"] {
        let world = world("moved");
        world.write("benches/released/Cargo.toml", manifest);
        let before = files(&world.root());
        begin(&world, 1, &[]);
        let large: String = (0..4000)
            .map(|n| format!("// line {n} of many\n"))
            .collect();
        world.write("target/rebase/toy/src/many.rs", &large);
        world.hostile_git(
            &world.path("target/rebase/toy"),
            &["add", "-f", "src/many.rs"],
        );
        go(&world, "--continue", 1, &["`late-hours` needs a person"]);
        assert_eq!(files(&world.root()), before);
        let mut command = world.command("sh".as_ref(), &world.root());
        let line = "ulimit -f 64; exec \"$0\" patch rebase --skip";
        command.args(["-c", line, env!("CARGO_BIN_EXE_xtask")]);
        let output = command.output().expect("sh starts");
        assert_eq!(output.status.code(), None, "killed: {output:?}");
        // In the middle: one file is new, another is half written.
        assert!(world.read("benches/released/Cargo.toml").contains("=2.0.0"));
        assert!(
            files(&world.root())
                .keys()
                .any(|path| path.ends_with(".journal-part"))
        );
        begin(&world, 2, &["is under way"]);
        if then == "--abort" {
            go(&world, then, 0, &["its last step was interrupted"]);
            assert_eq!(files(&world.root()), before);
        } else {
            go(
                &world,
                then,
                0,
                &["Restored", "toy is at 2.0.0 now", "late-hours: left out"],
            );
            assert!(
                world
                    .read("extern/patches/toy/cheap-pears.patch")
                    .contains("line 3999")
            );
            world.expect(&["vendor"], 0, &[]);
        }
        assert!(!world.path("target/rebase").exists());
    }
}
