//! A rebase that waits for a person, and how it goes on.

use std::fs;

use pretty_assertions::assert_eq;

use crate::case::{begin, ends_as, files, folder, go, world};
use crate::world::{UPPER, World, message};

#[test]
fn a_conflict_waits_for_a_person_and_takes_what_they_make_of_it() {
    let world = world("conflict");
    let before = files(&world.root());
    let place = "target/rebase/toy/src/lib.rs";
    begin(
        &world,
        1,
        &[
            "`apples` needs a person (1 of 2)",
            "src/lib.rs, hunk 1 (@@ -5,11 +5,7 @@)",
            "marked in target/rebase/toy/src/lib.rs: 1",
            "--continue",
        ],
    );
    let marked = world.read(place);
    for part in [
        "<<<<<<< toy 2.0.0\n",
        "||||||| toy 1.0.0\n",
        "=======\n",
        ">>>>>>> apples.patch\n",
    ] {
        assert!(marked.contains(part), "{part} in {marked}");
    }
    begin(&world, 2, &["the rebase of toy to 2.0.0 is under way"]);
    go(
        &world,
        "--continue",
        2,
        &["conflicts are still marked in `src/lib.rs`"],
    );
    // Nothing of it at all.
    let new = folder("conflict").join("new/src/lib.rs");
    fs::copy(&new, world.path(place)).expect("copied");
    go(&world, "--continue", 2, &["nothing of `apples` is in"]);
    assert_eq!(files(&world.root()), before);
    // What a patch of this kind may not change.
    world.write("target/rebase/toy/build.rs", "fn main() {}\n");
    world.hostile_git(&world.path("target/rebase/toy"), &["add", "-f", "build.rs"]);
    go(
        &world,
        "--continue",
        2,
        &["build.rs", "which only kind build may"],
    );
    fs::remove_file(world.path("target/rebase/toy/build.rs")).expect("removed");
    // Compiled there, and committed there, or not: only the files count.
    fs::create_dir_all(world.path("target/rebase/toy/target/debug")).expect("made");
    fs::write(world.path("target/rebase/toy/Cargo.lock"), "version = 4\n").expect("written");
    let resolved = folder("conflict").join("resolved/src/lib.rs");
    fs::copy(&resolved, world.path(place)).expect("copied");
    world.hostile_git(&world.path("target/rebase/toy"), &["add", "-A"]);
    go(
        &world,
        "--continue",
        0,
        &["apples: resolved", "pears: clean"],
    );
    ends_as(&world, "conflict");
    go(&world, "--continue", 2, &["no rebase is under way"]);
}

#[test]
fn a_file_that_nobody_added_is_no_part_of_a_patch() {
    let world = world("conflict");
    begin(&world, 1, &["`git add` what is new"]);
    let folder = world.path("target/rebase/toy");
    let resolved = crate::case::folder("conflict").join("resolved/src/lib.rs");
    let marked = world.read("target/rebase/toy/src/lib.rs");
    fs::copy(&resolved, folder.join("src/lib.rs")).expect("copied");
    // What editors and merge tools leave, one that is ignored, and one that belongs to it.
    world.write("target/rebase/toy/src/lib.rs.orig", &marked);
    world.write("target/rebase/toy/src/lib.rs~", "//! Mine.\n");
    world.write("target/rebase/toy/.gitignore", "*.log\n");
    world.write("target/rebase/toy/a.log", "said\n");
    world.write("target/rebase/toy/notes.md", "# Notes\n");
    world.write("target/rebase/toy/Cargo.lock", "version = 4\n");
    world.write("target/rebase/toy/target/debug/x", "built\n");
    let said = go(
        &world,
        "--continue",
        2,
        &[
            "toy has new files: `.gitignore`, `a.log`, `notes.md`, `src/lib.rs.orig`, `src/lib.rs~`. `git add`",
            "`git add` there what belongs to `apples`",
        ],
    );
    assert!(!said.contains("still marked"), "{said}");
    for stray in ["src/lib.rs.orig", "src/lib.rs~", ".gitignore"] {
        fs::remove_file(folder.join(stray)).expect("removed");
    }
    world.hostile_git(&folder, &["add", "-f", "notes.md"]);
    go(
        &world,
        "--continue",
        2,
        &["toy has new files: `a.log`. `git add`"],
    );
    fs::remove_file(folder.join("a.log")).expect("removed");
    go(&world, "--continue", 0, &["apples: resolved"]);
    let patch = world.read("extern/patches/toy/apples.patch");
    assert!(patch.contains("+# Notes\n"), "{patch}");
    assert!(!patch.contains("Cargo.lock"), "{patch}");
}

#[test]
fn what_an_interrupted_stop_left_is_not_in_the_way() {
    let world = world("moved");
    begin(&world, 1, &[]);
    // It died after it had moved what cargo built, and cargo has built anew since.
    world.write("target/rebase/toy.built/debug/old", "stale\n");
    world.write("target/rebase/toy/target/debug/new", "built\n");
    go(&world, "--continue", 1, &["`late-hours` needs a person"]);
    assert!(!world.path("target/rebase/toy.built").exists());
    assert_eq!(world.read("target/rebase/toy/target/debug/new"), "built\n");
}

#[test]
fn a_rebase_that_is_given_up_leaves_nothing() {
    let world = world("conflict");
    let before = files(&world.root());
    begin(&world, 1, &[]);
    go(
        &world,
        "--abort",
        0,
        &["nothing of the repository had changed"],
    );
    assert_eq!(files(&world.root()), before);
    assert!(!world.path("target/rebase").exists());
    go(&world, "--abort", 2, &["no rebase is under way"]);
    // Also where the state cannot be read.
    begin(&world, 1, &[]);
    world.write("target/rebase/.state/state.json", "{");
    go(
        &world,
        "--continue",
        2,
        &["is not understood", "--abort` puts everything back"],
    );
    go(&world, "--abort", 0, &[]);
    assert_eq!(files(&world.root()), before);
}

#[test]
fn what_is_skipped_goes_with_what_needs_it() {
    let world = world("blocked");
    begin(&world, 1, &["`apples` needs a person"]);
    let said = go(&world, "--skip", 0, &["apples: left out, as you asked"]);
    for slug in ["no-overflow", "card"] {
        let words = format!("{slug}: left out with apples, which it needs");
        assert!(said.contains(&words), "{words} in {said}");
    }
    assert!(
        said.contains("left extern/stack.toml: apples, no-overflow, card"),
        "{said}"
    );
    ends_as(&world, "blocked");
}

#[test]
fn what_another_crate_needs_is_not_skipped() {
    let world = world("blocked");
    let lib = |text: &str| UPPER.replace("//! Made up", text);
    let (before, after) = (lib("//! Made up"), lib("//! Needs apples, made up"));
    world.patch(
        "upper",
        "pie",
        &[("src/lib.rs", &before)],
        &[("src/lib.rs", &after)],
        &message("pie", &["no-overflow"]),
    );
    world.optimisation("pie", "perf", true, &["upper"]);
    let before = files(&world.root());
    begin(&world, 1, &[]);
    go(
        &world,
        "--skip",
        2,
        &["`apples` cannot be left out: `pie` of upper needs `no-overflow`"],
    );
    // It still waits.
    go(&world, "--continue", 2, &["conflicts are still marked"]);
    go(&world, "--abort", 0, &[]);
    assert_eq!(files(&world.root()), before);
}

/// Upstream has changed what `apples` and `pears` change; `card` needs pears, and `pie`, of another crate, needs card.
#[test]
fn what_waits_for_a_later_decision_is_not_left_out_by_an_earlier_one() {
    let world = World::new();
    let lib = ("src/lib.rs", "//! Made up.\n");
    let old = [
        lib,
        ("apples", "forty\n"),
        ("card", "ten\n"),
        ("pears", "fifty\n"),
    ];
    let new = [
        lib,
        ("apples", "ninety\n"),
        ("card", "ten\n"),
        ("pears", "ninety\n"),
    ];
    world.publish("toy", "1.0.0", &old, &[]);
    world.publish("toy", "2.0.0", &new, &[]);
    world.join("toy", "1.0.0");
    let patches: [(&str, &str, &str, &[&str]); 3] = [
        ("apples", "forty\n", "thirty\n", &[]),
        ("pears", "fifty\n", "twenty\n", &[]),
        ("card", "ten\n", "nine\n", &["pears"]),
    ];
    for (slug, before, after, depends) in patches {
        let message = message(slug, depends);
        world.patch("toy", slug, &[(slug, before)], &[(slug, after)], &message);
        world.optimisation(slug, "perf", true, &["toy"]);
    }
    let after = UPPER.replace("//! Made up", "//! Needs a card, made up");
    let (before, after) = ([("src/lib.rs", UPPER)], [("src/lib.rs", &*after)]);
    let message = message("pie", &["card"]);
    world.patch("upper", "pie", &before, &after, &message);
    world.optimisation("pie", "perf", true, &["upper"]);
    begin(&world, 1, &["`apples` needs a person (1 of 3)"]);
    go(&world, "--skip", 1, &["`pears` needs a person (2 of 3)"]);
    go(
        &world,
        "--skip",
        2,
        &["`pears` cannot be left out: `pie` of upper needs `card`"],
    );
    world.write("target/rebase/toy/pears", "twenty\n");
    go(
        &world,
        "--continue",
        0,
        &["apples: left out, as you asked", "pears: resolved"],
    );
    world.expect(&["vendor"], 0, &[]);
}

#[test]
fn a_file_that_moved_is_merged_where_it_is_and_one_that_is_gone_is_rejected() {
    let world = world("moved");
    begin(
        &world,
        1,
        &[
            "prices.md: upstream has renamed it to docs/prices.md",
            "merged into target/rebase/toy/docs/prices.md",
        ],
    );
    go(
        &world,
        "--continue",
        1,
        &[
            "`late-hours` needs a person (2 of 2)",
            "hours.md: upstream has removed it",
            "target/rebase/toy/hours.md.rej",
        ],
    );
    let reject = world.read("target/rebase/toy/hours.md.rej");
    assert!(
        reject.contains("-Open from eight to six.\n+Open from eight to eight.\n"),
        "{reject}"
    );
    go(&world, "--continue", 2, &["still has `hours.md.rej`"]);
    fs::remove_file(world.path("target/rebase/toy/hours.md.rej")).expect("removed");
    go(&world, "--continue", 2, &["nothing of `late-hours` is in"]);
    go(
        &world,
        "--skip",
        0,
        &["late-hours: left out", "cheap-pears: resolved"],
    );
    ends_as(&world, "moved");
}
