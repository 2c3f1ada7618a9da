//! `patch rebase`, run as a person runs it, on the made-up upstreams of `tests/rebase`.
//!
//! A case is a folder: `old/` and `new/` are releases 1.0.0 and 2.0.0 of the crate `toy`, each folder of `series/` the tree
//! after one patch of the default series, each of `off/` that of a patch which is off, on top of the series. `survey.txt` is
//! what the survey prints (written anew where UPDATE_SURVEYS is set), `resolved/` what a person makes of a conflict, `after/` what the patched crate is in the end.

mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use walkdir::WalkDir;
use world::{World, held, message};

/// Texts by relative path.
type Files = BTreeMap<String, String>;

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/rebase")
        .join(case)
}

/// The files below a folder, without what is built there and what git keeps there.
fn files(root: &Path) -> Files {
    WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "target" && entry.file_name() != ".git")
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(root).expect("below");
            let text = fs::read_to_string(entry.path()).expect("text");
            (name.to_str().expect("UTF-8").to_owned(), text)
        })
        .collect()
}

fn pairs(files: &Files) -> Vec<(&str, &str)> {
    files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect()
}

/// Folders `N-SLUG` in order, each with its slug.
fn steps(folder: &Path) -> Vec<(String, Files)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
    paths.sort();
    let slug = |path: &Path| {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        name.split_once('-').expect("N-SLUG").1.to_owned()
    };
    paths.iter().map(|path| (slug(path), files(path))).collect()
}

/// A repository whose stack has the case's crate too.
fn world(case: &str) -> World {
    let (world, case) = (World::new(), folder(case));
    let old = files(&case.join("old"));
    world.publish("toy", "1.0.0", &pairs(&old), &[]);
    world.publish("toy", "2.0.0", &pairs(&files(&case.join("new"))), &[]);
    world.join("toy", "1.0.0");
    let needs = fs::read_to_string(case.join("depends.txt")).unwrap_or_default();
    let depends = |slug: &str| -> Vec<&str> {
        let own = needs.lines().filter_map(|line| line.split_once(": "));
        own.filter(|(of, _)| *of == slug)
            .map(|(_, needed)| needed)
            .collect()
    };
    let mut before = old;
    for (slug, after) in steps(&case.join("series")) {
        let message = message(&slug, &depends(&slug));
        world.patch("toy", &slug, &pairs(&before), &pairs(&after), &message);
        world.optimisation(&slug, "perf", true, &["toy"]);
        before = after;
    }
    for (slug, after) in steps(&case.join("off")) {
        let message = message(&slug, &depends(&slug));
        world.patch("toy", &slug, &pairs(&before), &pairs(&after), &message);
        world.optimisation(&slug, "experiment", false, &["toy"]);
    }
    world
}

/// Brings the crate to 2.0.0, which stops where `code` is 1.
fn begin(world: &World, code: i32, says: &[&str]) -> String {
    world.expect(&["patch", "rebase", "toy", "2.0.0"], code, says)
}

fn go(world: &World, how: &str, code: i32, says: &[&str]) -> String {
    world.expect(&["patch", "rebase", how], code, says)
}

/// Makes the trees, and holds the crate to what the case says.
fn ends_as(world: &World, case: &str) {
    world.expect(&["vendor"], 0, &[]);
    let mut made = files(&world.path("extern/toy"));
    let manifest = made.remove("Cargo.toml").expect("there");
    assert!(manifest.contains("version = \"2.0.0\""), "{manifest}");
    made.remove(".cuzk-stamp");
    assert_eq!(made, files(&folder(case).join("after")), "{case}");
    assert!(!world.path("target/rebase").exists());
}

#[test]
fn a_survey_says_what_would_become_of_every_patch_and_changes_nothing() {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder(""))
        .expect("cases")
        .map(|entry| entry.expect("read").path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() >= 8);
    for path in cases {
        let case = path.file_name().and_then(|n| n.to_str()).expect("a name");
        let world = world(case);
        let before = files(&world.root());
        let needs_nobody = !path.join("resolved").exists() && !["blocked", "moved"].contains(&case);
        let json = world.path("../survey.json");
        let json = json.to_str().expect("UTF-8");
        let arguments = [
            "patch", "rebase", "toy", "2.0.0", "--survey", "--json", json,
        ];
        let output = world.xtask(&arguments);
        held(&output, i32::from(!needs_nobody), &[]);
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        if std::env::var_os("UPDATE_SURVEYS").is_some() {
            fs::write(path.join("survey.txt"), &said).expect("written");
        }
        let expected = fs::read_to_string(path.join("survey.txt")).expect("survey.txt");
        assert_eq!(said, expected, "{case}");
        let value: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(json).expect("written")).expect("JSON");
        assert_eq!(value["goes_by_itself"], needs_nobody, "{case}");
        let summary = value["summary"].as_str().expect("a sentence");
        assert!(said.ends_with(&format!("{summary}\n")), "{case}");
        assert_eq!(files(&world.root()), before, "{case}");
    }
}

#[test]
fn what_goes_on_by_itself_ends_in_the_right_tree() {
    for case in ["exact", "clean", "three-way", "upstream", "upstream-partly"] {
        let world = world(case);
        let said = begin(&world, 0, &["toy is at 2.0.0 now"]);
        let stack = world.read("extern/stack.toml");
        assert!(stack.contains("# Made up."), "{stack}");
        if case == "upstream" {
            assert!(said.contains("apples: dropped, toy 2.0.0 has it"), "{said}");
            assert!(!stack.contains("slug = \"apples\""), "{stack}");
            assert!(!world.path("extern/patches/toy/apples.patch").exists());
            // What upstream has is needed of nobody any more.
            assert!(
                !world
                    .read("extern/patches/toy/pears.patch")
                    .contains("Depends")
            );
        }
        ends_as(&world, case);
    }
}

#[test]
fn what_upstream_has_leaves_one_crate_and_the_needs_of_all() {
    // Of two crates: it stays for the other one, and may still be needed.
    let changed = |text: &str| world::UPPER.replace("//! Made up", text);
    let upper = |world: &World, slug: &str, depends: &[&str]| {
        let (before, after) = (changed("//! Made up"), changed("//! Changed, made up"));
        let (before, after) = ([("src/lib.rs", &*before)], [("src/lib.rs", &*after)]);
        world.patch("upper", slug, &before, &after, &message(slug, depends));
    };
    let world_of_two = world("upstream");
    upper(&world_of_two, "apples", &[]);
    let stack = world_of_two.read("extern/stack.toml");
    let both = stack.replacen("crates = [\"toy\"]", "crates = [\"toy\", \"upper\"]", 1);
    world_of_two.write("extern/stack.toml", &both);
    begin(&world_of_two, 0, &["apples: dropped, toy 2.0.0 has it"]);
    let stack = world_of_two.read("extern/stack.toml");
    assert!(
        stack.contains("slug = \"apples\"\nkind = \"perf\"\ndefault = true\ncrates = [\"upper\"]"),
        "{stack}"
    );
    assert!(
        world_of_two
            .path("extern/patches/upper/apples.patch")
            .exists()
    );
    assert!(
        !world_of_two
            .path("extern/patches/toy/apples.patch")
            .exists()
    );
    assert!(
        world_of_two
            .read("extern/patches/toy/pears.patch")
            .contains("Depends: apples")
    );
    world_of_two.expect(&["vendor"], 0, &[]);
    // Gone altogether: nobody needs it any more, in no crate.
    let world = world("upstream");
    upper(&world, "pie", &["apples", "pears"]);
    world.optimisation("pie", "perf", true, &["upper"]);
    begin(&world, 0, &["left extern/stack.toml: apples"]);
    assert!(
        world
            .read("extern/patches/upper/pie.patch")
            .contains("\nDepends: pears\n")
    );
    world.expect(&["vendor"], 0, &[]);
}

#[test]
fn there_and_back_gives_the_same_bytes() {
    for case in ["exact", "clean", "three-way"] {
        let world = world(case);
        let before = files(&world.root());
        begin(&world, 0, &[]);
        assert!(files(&world.root()) != before);
        world.expect(
            &["patch", "rebase", "toy", "1.0.0"],
            0,
            &["toy is at 1.0.0 now"],
        );
        assert_eq!(files(&world.root()), before, "{case}");
    }
}

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
    fs::write(world.path("target/rebase/toy/build.rs"), "fn main() {}\n").expect("written");
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
    let lib = |text: &str| world::UPPER.replace("//! Made up", text);
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

#[test]
fn exact_versions_follow_with_their_comments() {
    let world = World::new();
    let newer = world::UPPER.replace("doubled.", "doubled. The second release.");
    world.publish(
        "upper",
        "1.1.0",
        &[("src/lib.rs", &newer)],
        &[("lower", "1.0")],
    );
    world.write("benches/released/Cargo.toml", "[workspace]\n\n[package]\nname = \"released\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nupper = { version = \"=1.0.0\" }\n");
    world.write("tests/downstream/user/Cargo.toml", "[workspace]\n\n[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nupper = \"1\"\n");
    let said = world.expect(
        &["patch", "rebase", "upper", "1.1.0"],
        0,
        &["exact version changed in Cargo.toml, benches/released/Cargo.toml"],
    );
    assert!(
        said.contains("tests/downstream/user/Cargo.toml asks for upper \"1\""),
        "{said}"
    );
    let root = world.read("Cargo.toml");
    assert!(
        root.contains("upper = \"=1.1.0\" # exact, as in stack.toml"),
        "{root}"
    );
    assert!(
        world
            .read("benches/released/Cargo.toml")
            .contains("upper = { version = \"=1.1.0\" }")
    );
    assert!(
        said.contains("To do, in this order:\n  cargo xtask vendor\n"),
        "{said}"
    );
    world.vendor();
    world.cargo_ok(&world.root(), &["check", "--offline"]);
}

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
                .any(|path| path.ends_with(".rebase-part"))
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
