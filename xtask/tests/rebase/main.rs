//! `patch rebase`, run as a person runs it, on the made-up upstreams of `tests/rebase`.
//!
//! A case is a folder: `old/` and `new/` are releases 1.0.0 and 2.0.0 of the crate `toy`, each folder of `series/` the tree
//! after one patch of the default series, each of `off/` that of a patch which is off, on top of the series. `survey.txt` is
//! what the survey prints (written anew where UPDATE_SURVEYS is set), `resolved/` what a person makes of a conflict, `after/` what the patched crate is in the end.

mod case;
mod refusals;
mod stops;
#[path = "../world/mod.rs"]
mod world;

use std::fs;
use std::path::PathBuf;

use case::{begin, ends_as, files, folder, world};
use pretty_assertions::assert_eq;
use world::{World, held, message};

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
