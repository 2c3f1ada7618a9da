//! `patch edit` and `patch export` as a person runs them, in a made-up repository under a hostile git configuration.

mod person;
mod refusals;
mod series;
#[path = "../world/mod.rs"]
mod world;

use person::{DOUBLE, EVEN, Edit, LARGEST, SUM, kept, small, with};
use world::{LOWER, message};

#[test]
fn an_edit_that_nobody_touched_exports_the_same_bytes() {
    let world = small();
    let before = kept(&world);
    let edit = Edit::open(&world);
    let subjects = edit.git(&["log", "--format=%an %ae %s", "--reverse", "series"]);
    let expected = "cuzk cuzk@invalid lower 1.0.0 as published\ncuzk cuzk@invalid double: a made-up change\n\
                    cuzk cuzk@invalid even: a made-up change\n";
    assert_eq!(subjects, expected);
    assert_eq!(
        edit.git(&["rev-parse", "off/sum~1"]),
        edit.git(&["rev-parse", "series~1"])
    );
    assert_eq!(edit.git(&["status", "--porcelain", "--ignored"]), "");
    edit.export(&[], 0, &["3 patches of lower as before"]);
    assert_eq!(kept(&world), before);
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &["open already, and nothing to export"],
    );
    // The same commits for everybody.
    let ids = edit.git(&["rev-parse", "series", "off/sum"]);
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["off/sum: on `double`"],
    );
    assert_eq!(edit.git(&["rev-parse", "series", "off/sum"]), ids);
}

#[test]
fn the_line_that_compiles_the_workspace_with_an_edit_is_right() {
    let world = small();
    world.vendor();
    let edit = Edit::open(&world);
    let said = world.expect(&["patch", "edit", "lower"], 0, &[]);
    let line = said
        .lines()
        .find(|line| line.contains("cargo check"))
        .expect("the line");
    let config = line.split('\'').nth(1).expect("quoted");
    edit.change((
        "pub fn twice(value: u64) -> u64 {",
        "pub fn twice(value: u64) -> u64 { \n    compile_error!(\"edited\");",
    ));
    let output = world.cargo(
        &world.root(),
        &["check", "-p", "cuzk-core", "--config", config],
    );
    let said = world::held(&output, 101, &["edited"]);
    assert!(said.contains("target/edit/lower/src/lib.rs"), "{said}");
}

#[test]
fn a_commit_in_the_middle_is_amended() {
    let world = small();
    let edit = Edit::open(&world);
    let import = edit.git(&["rev-parse", "series~2"]);
    edit.git(&["checkout", "-q", "series~1"]);
    edit.change(LARGEST);
    edit.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    edit.git(&["rebase", "-q", "--onto", "HEAD", "series~1", "series"]);
    // `even` is made for another file now, and so is what `sum` stood on: it is off, and fits nowhere exactly.
    edit.export(
        &[],
        1,
        &[
            "wrote extern/patches/lower/double.patch",
            "wrote extern/patches/lower/even.patch",
            "git rebase --onto series off/sum~1 off/sum",
        ],
    );
    assert!(
        !world
            .read("extern/patches/lower/sum.patch")
            .contains("found: u64")
    );
    edit.git(&["rebase", "-q", "--onto", "series", "off/sum~1", "off/sum"]);
    edit.export(
        &[],
        0,
        &[
            "wrote extern/patches/lower/sum.patch",
            "2 patches of lower as before",
        ],
    );
    let expected = [DOUBLE, LARGEST, EVEN]
        .into_iter()
        .fold(LOWER.to_owned(), |text, change| with(&text, change));
    world.vendor();
    assert_eq!(world.read("extern/lower/src/lib.rs"), expected);
    let after = kept(&world);
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["off/sum: on `even`"],
    );
    assert_eq!(edit.git(&["rev-parse", "series~2"]), import);
    edit.export(&[], 0, &["3 patches of lower as before"]);
    assert_eq!(kept(&world), after);
}

#[test]
fn an_off_patch_that_fits_nowhere_is_merged_onto_the_series() {
    let world = small();
    // Made for a file that no place along the series has.
    let before = format!("{LOWER}// elsewhere\n");
    let after = with(&before, SUM);
    world.patch(
        "lower",
        "sum",
        &[("src/lib.rs", &before)],
        &[("src/lib.rs", &after)],
        &message("sum", &[]),
    );
    let said = world.expect(
        &["patch", "edit", "lower"],
        0,
        &["off/sum: fits nowhere exactly: merged onto the end"],
    );
    assert!(said.contains("export writes it anew"), "{said}");
    let edit = Edit::open(&world);
    edit.export(&[], 0, &["wrote extern/patches/lower/sum.patch"]);
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["off/sum: on `even`"],
    );
    // What it changes is not there at all: it is left out, and its file stays.
    let before = "nothing\nof\nthis\nis\nthere\n";
    world.patch(
        "lower",
        "sum",
        &[("src/lib.rs", before)],
        &[("src/lib.rs", "nothing\nof\nthat\nis\nthere\n")],
        &message("sum", &[]),
    );
    let kept_before = kept(&world);
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &["off/sum: left out, its file stays as it is"],
    );
    edit.export(
        &[],
        1,
        &[
            "2 patches of lower as before",
            "`sum` is off, and fits nowhere",
        ],
    );
    assert_eq!(kept(&world), kept_before);
}

#[test]
fn an_off_patch_stands_on_the_one_that_it_depends_on() {
    let world = small();
    let below = with(&with(LOWER, DOUBLE), SUM);
    let above = with(&below, ("sum += next;", "sum = sum + next;"));
    world.patch(
        "lower",
        "total",
        &[("src/lib.rs", &below)],
        &[("src/lib.rs", &above)],
        &message("total", &["sum"]),
    );
    world.optimisation("total", "experiment", false, &["lower"]);
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &["off/sum: on `double`", "off/total: on `sum`"],
    );
    let edit = Edit::open(&world);
    let ids = edit.git(&["rev-parse", "off/total~1", "off/sum"]);
    let ids: Vec<&str> = ids.lines().collect();
    assert_eq!(ids[0], ids[1]);
    edit.export(&[], 0, &["4 patches of lower as before"]);
    // The lower one is amended; the upper one stands on what it was, until it is moved.
    edit.git(&["checkout", "-q", "off/sum"]);
    edit.change(LARGEST);
    edit.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    edit.refused(&[], &["branch `off/total` has 2 commits of its own"]);
    edit.git(&[
        "rebase",
        "-q",
        "--onto",
        "off/sum",
        "off/total~1",
        "off/total",
    ]);
    edit.export(
        &[],
        0,
        &[
            "wrote extern/patches/lower/sum.patch",
            "wrote extern/patches/lower/total.patch",
        ],
    );
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["off/sum: on `double`", "off/total: on `sum`"],
    );
    edit.export(&[], 0, &["4 patches of lower as before"]);
}

/// The kernel kills a process that writes a file beyond its limit: here in the middle of an export, at the one patch that is
/// large.
#[test]
#[cfg(target_os = "linux")]
fn an_export_that_is_killed_in_the_middle_is_put_back_by_what_comes_next() {
    let world = small();
    let before = kept(&world);
    let edit = Edit::open(&world);
    let large: String = (0..4000)
        .map(|n| format!("// line {n} of many\n"))
        .collect();
    std::fs::write(edit.place.join("src/many.rs"), large).expect("written");
    edit.git(&["add", "-A"]);
    edit.git(&["commit", "-q", "--amend", "--no-edit"]);
    edit.change(LARGEST);
    edit.commit("clamp");
    let ids = edit.git(&["rev-parse", "series", "off/sum"]);
    let new = world.path("extern/patches/lower/clamp.patch");
    let half = world.path("extern/patches/lower/even.patch.journal-part");
    for next in [
        &["edit", "lower"][..],
        &["check"],
        &["list"],
        &["rebase", "lower", "2.0.0"],
        &["rebase", "--abort"],
        &["export", "upper"],
        &["export", "lower"],
    ] {
        let mut command = world.command("sh".as_ref(), &world.root());
        let line = "ulimit -f 64; exec \"$0\" patch export lower";
        command.args(["-c", line, env!("CARGO_BIN_EXE_xtask")]);
        let output = command.output().expect("sh starts");
        assert_eq!(output.status.code(), None, "killed: {output:?}");
        // In the middle: one patch is new and in no series, another is half written.
        assert!(new.exists() && half.exists());
        world.expect(&["vendor"], 2, &["clamp.patch"]);
        let output = world.xtask(&[&["patch"], next].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("Restored what an interrupted"), "{said}");
        assert!(!world.path("target/export-journal").exists() && !half.exists());
        assert_eq!(edit.git(&["rev-parse", "series", "off/sum"]), ids);
        if next != ["export", "lower"] {
            assert_eq!(kept(&world), before, "{next:?}");
        } else {
            assert_eq!(output.status.code(), Some(0), "{said}");
        }
    }
    assert!(new.exists());
    let even = world.read("extern/patches/lower/even.patch");
    assert!(even.contains("line 3999 of many"));
    world.vendor();
    let said = edit.export(&[], 0, &["4 patches of lower as before"]);
    assert!(!said.contains("Restored"), "{said}");
}

#[test]
fn an_export_that_was_not_recorded_is_done_again() {
    let world = small();
    let edit = Edit::open(&world);
    let state = world.read("target/edit/lower/.git/cuzk-edit.json");
    let even = world.read("extern/patches/lower/even.patch");
    edit.git(&["checkout", "-q", "series~1"]);
    edit.change(LARGEST);
    edit.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    edit.git(&["rebase", "-q", "--onto", "HEAD", "series~1", "series"]);
    edit.git(&["rebase", "-q", "--onto", "series~1", "off/sum~1", "off/sum"]);
    edit.git(&["checkout", "-q", "series"]);
    edit.export(&[], 0, &["wrote extern/patches/lower/even.patch"]);
    let after = kept(&world);
    // Every patch is there, and nothing is recorded of them.
    world.write("target/edit/lower/.git/cuzk-edit.json", &state);
    edit.export(&[], 0, &["3 patches of lower as before"]);
    assert_eq!(kept(&world), after);
    // One of them is there, and another is not.
    world.write("target/edit/lower/.git/cuzk-edit.json", &state);
    world.write("extern/patches/lower/even.patch", &even);
    edit.export(
        &[],
        0,
        &["wrote extern/patches/lower/even.patch", "2 patches"],
    );
    assert_eq!(kept(&world), after);
    world.expect(
        &["patch", "edit", "lower"],
        0,
        &["open already, and nothing to export"],
    );
}
