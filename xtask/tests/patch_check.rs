//! `cargo xtask patch check` and `patch list` as a person runs them: what they say, how they end, and that they change
//! nothing.

mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use world::{LOWER, UPPER, World, message};

/// Every file and folder of the repository, and of an edit, but nothing else below target/: its bytes and when it was
/// written.
fn snapshot(world: &World) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![world.root(), world.path("target/edit")];
    while let Some(folder) = open.pop() {
        // There may be no edit.
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let entry = entry.expect("listed");
            let path = entry.path();
            let time = entry.metadata().expect("read").modified().expect("a time");
            if path == world.path("target") {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
                found.insert(path, (Vec::new(), time));
            } else {
                let bytes = fs::read(&path).expect("read");
                found.insert(path, (bytes, time));
            }
        }
    }
    found
}

/// Runs `patch check` and holds it to its code and its words, and to changing nothing.
fn check(world: &World, code: i32, says: &[&str]) -> String {
    let before = snapshot(world);
    let said = world.expect(&["patch", "check"], code, says);
    assert!(snapshot(world) == before, "something was changed:\n{said}");
    said
}

fn door(text: &str) -> String {
    text.replace("    value + 1\n", "    1 + value\n")
}

fn twice(text: &str) -> String {
    text.replace("let sum = value + value;\n    sum", "2 * value")
}

/// A patch of `lower` that is made by a function of its file's text.
fn patch(world: &World, slug: &str, before: &str, after: &str, depends: &[&str]) {
    world.patch(
        "lower",
        slug,
        &[("src/lib.rs", before)],
        &[("src/lib.rs", after)],
        &message(slug, depends),
    );
}

/// `door`, which is in every stack; `twice`, on if asked for; `even`, which is off and was made for what `door` leaves.
fn series(on: bool) -> World {
    let world = World::new();
    let first = door(LOWER);
    patch(&world, "door", LOWER, &first, &[]);
    world.optimisation("door", "instrument", true, &["lower"]);
    patch(&world, "twice", &first, &twice(&first), &["door"]);
    world.optimisation("twice", "perf", on, &["lower"]);
    let even = first.replace("value % 2", "value & 1");
    patch(&world, "even", &first, &even, &[]);
    world.optimisation("even", "experiment", false, &["lower"]);
    world
}

#[test]
fn a_good_series_is_good_and_stays_as_it_is() {
    let world = series(false);
    let good = "3 patches: no violation, no note";
    // In a fresh clone, and with trees and a lock file.
    check(&world, 0, &[good]);
    world.vendor();
    check(&world, 0, &[good]);
    world.expect(
        &["patch", "check", "--json", "target/check.json"],
        0,
        &[good],
    );
    let document: Value = serde_json::from_str(&world.read("target/check.json")).expect("JSON");
    assert_eq!(
        document,
        json!({ "schema": 1, "patches": 3, "violations": [], "notes": [] })
    );
    world.expect(
        &["patch", "check", "--json", "results/check.json"],
        2,
        &["among the kept results"],
    );
}

#[test]
fn every_violation_is_listed_with_its_file_and_what_to_do() {
    let world = series(true);
    let file = "extern/patches/lower/even.patch";
    let text = world.read(file);
    world.write(
        file,
        &text
            .replace("Removal: never", "Removal:")
            .replace("Risk: none.", "Then."),
    );
    fs::create_dir(world.path("extern/patches/other")).expect("made");
    let said = check(
        &world,
        1,
        &[
            "extern/patches/lower/even.patch: its message has no section `Risk: …`, which kind experiment needs: reword its \
             commit in `cargo xtask patch edit lower`",
            "extern/patches/lower/even.patch: its trailer `Removal` is empty, and should say what would let us drop it",
            "extern/patches/other: is the folder of no crate of extern/stack.toml",
            "extern/stack.toml: `twice` is on, and no kept result compares stacks of today's trees that differ in it alone: \
             measure it: `cargo xtask bench --arms pristine,prefix-twice --keep`",
            "3 patches: 4 violations, no note",
        ],
    );
    assert!(!said.contains("door.patch"), "{said}");
}

#[test]
fn a_patch_in_another_form_or_place_is_named() {
    // As git writes it by itself, with a diffstat and a signature.
    let world = series(false);
    let file = "extern/patches/lower/twice.patch";
    let text = world.read(file);
    world.write(
        file,
        &text.replace("---\n 1 file", "---\n src/lib.rs | 3 +--\n 1 file"),
    );
    check(
        &world,
        1,
        &[
            "extern/patches/lower/twice.patch: not as export writes it: line",
            "` src/lib.rs | 3 +--`",
            "patch export lower",
            "1 violation, no note",
        ],
    );
    world.write(file, &text);

    // Made for another file, and off: it fits nowhere.
    let other = LOWER.replace("Doubles.", "Makes twice of it.");
    patch(
        &world,
        "even",
        &other,
        &other.replace("value % 2", "value & 1"),
        &[],
    );
    check(
        &world,
        1,
        &[
            "extern/patches/lower/even.patch: is off, and fits exactly nowhere along the series",
            "1 violation",
        ],
    );

    // On, before what it was made for: nothing is said of those behind it.
    let world = series(false);
    let stack = world.read("extern/stack.toml");
    let door = "\n[[optimisation]]\nslug = \"door\"\nkind = \"instrument\"\ndefault = true\ncrates = [\"lower\"]\n";
    world.write("extern/stack.toml", &(stack.replace(door, "") + door));
    let text = world.read(file);
    world.write(file, &text.replace("Depends: door\n", ""));
    world.write(
        "extern/stack.toml",
        &(stack.replace(door, "") + door).replace(
            "kind = \"perf\"\ndefault = false",
            "kind = \"fix\"\ndefault = true",
        ),
    );
    check(
        &world,
        1,
        &[
            "extern/patches/lower/twice.patch: does not apply where extern/stack.toml has it: `src/lib.rs` is not the file",
            "1 violation",
            "Note: what backs the patches was not looked at",
        ],
    );
}

#[test]
fn what_the_series_names_and_what_is_there_agree() {
    let world = series(false);
    fs::rename(
        world.path("extern/patches/lower/even.patch"),
        world.path("extern/patches/lower/odd.patch"),
    )
    .expect("moved");
    let root = world.read("Cargo.toml");
    world.write(
        "Cargo.toml",
        &root.replace("{ path = \"extern/upper\" }", "{ path = \"elsewhere\" }"),
    );
    check(
        &world,
        1,
        &[
            "extern/patches/lower/even.patch: extern/stack.toml names it, and it is not there",
            "extern/patches/lower/odd.patch: no optimisation of extern/stack.toml has it",
            "Cargo.toml: [patch.crates-io] must have `upper = { path = \"extern/upper\" }`",
            "3 violations",
            "Note: where patches apply, their form and what backs them were not looked at",
        ],
    );
    world.write("extern/stack.toml", "schema = 9\ncrate = []\n");
    check(
        &world,
        1,
        &[
            "extern/stack.toml: schema 9 is not known",
            "patches could not be looked at",
        ],
    );

    // A release that is not the one of stack.toml: nothing can be said.
    let world = series(false);
    let stack = world.read("extern/stack.toml");
    let at = stack.find("checksum = \"").expect("there") + 12;
    world.write(
        "extern/stack.toml",
        &format!("{}{}{}", &stack[..at], "0".repeat(64), &stack[at + 64..]),
    );
    check(&world, 2, &["checksum"]);
}

#[test]
fn patches_of_one_optimisation_say_the_same() {
    let world = series(false);
    let after = UPPER.replace("let mut count = 0;", "let mut count: usize = 0;");
    let said = message("twice", &["door"]).replace("Risk: none.", "Risk: some.");
    let (before, after) = ([("src/lib.rs", UPPER)], [("src/lib.rs", after.as_str())]);
    world.patch("upper", "twice", &before, &after, &said);
    let stack = world.read("extern/stack.toml");
    let two = "slug = \"twice\"\nkind = \"perf\"\ndefault = false\ncrates = [\"lower\", \"upper\"]";
    let one = two.replace(", \"upper\"", "");
    assert!(stack.contains(&one), "{stack}");
    world.write("extern/stack.toml", &stack.replace(&one, two));
    check(
        &world,
        1,
        &[
            "extern/patches/upper/twice.patch: its message is not that of extern/patches/lower/twice.patch",
            "4 patches: 1 violation",
        ],
    );
}

/// The stamp of a stack whose trees are there: a hash of their ids.
fn stamp(world: &World, folder: &str) -> String {
    let mut hasher = Sha256::new();
    for name in ["lower", "upper"] {
        let stamp = world.read(&format!("{folder}/{name}/.cuzk-stamp"));
        let stamp: Value = serde_json::from_str(&stamp).expect("JSON");
        let id = stamp["tree"].as_str().expect("an id");
        hasher.update(format!("{name} {id}\n"));
    }
    hex::encode(hasher.finalize())
}

/// A kept result that says that `twice` halves a time, on stacks with these stamps.
fn result(stamps: [&str; 2]) -> Value {
    let arms = ["pristine", "prefix-twice"];
    let trials: Vec<Value> = (0..24)
        .map(|order| {
            let (round, arm) = (order / 2, arms[order % 2]);
            let seconds = [1.0, 0.5][order % 2];
            json!({
                "order": order, "round": round, "arm": arm, "started": "2026-11-29T10:00:00Z",
                "window": { "wall_s": 1.0, "foreign_cpu_s": null, "steal_s": null, "mhz": null, "disturbed": false },
                "trial": {
                    "schema": 1, "workload": "synth/sha256", "seed": round, "size": 32, "threads": 1, "ok": true,
                    "metrics": { "wall_s.warm": seconds }, "answers": { "a": "00" }
                }
            })
        })
        .collect();
    let arm = |at: usize| json!({ "name": arms[at], "stamp": format!("{at}"), "inputs": { "stack": stamps[at] } });
    json!({
        "schema": 1, "time": "2026-11-29T10:00:00Z", "complete": true,
        "host": {
            "class": "test-2c-24g", "cpu": "test", "cpu_id": null, "cores": 2, "memory_bytes": 25_769_803_776u64,
            "os": "test", "kernel": "6", "arch": "x86_64"
        },
        "plan": {
            "seed": 1, "stopping": "after the planned number of pairs",
            "rules": {
                "alpha": 0.01, "confidence": 0.95, "resamples": 500, "power": 0.9,
                "margin_time": 0.02, "margin_memory": 0.02, "margin_instructions": 0.001
            },
            "workloads": [{
                "name": "synth/sha256", "size": null, "threads": 1, "headline": ["wall_s.warm"], "pairs": 12
            }],
            "contrasts": [arms]
        },
        "arms": [arm(0), arm(1)],
        "comparisons": [{
            "workload": "synth/sha256", "metric": "wall_s.warm", "unit": "s", "family": "headline", "arms": arms,
            "stamps": ["0", "1"], "median": [1.0, 0.5], "ratio": 0.5, "ci95": [0.5, 0.5], "p": 0.0005,
            "p_adjusted": 0.0005, "pairs": 12, "margin": 0.02, "detectable": 0.01, "verdict": "improved",
            "answers_equal": true
        }],
        "trials": trials
    })
}

#[test]
fn what_is_on_is_backed_by_a_result_of_todays_trees() {
    let world = series(true);
    world.vendor();
    world.expect(&["vendor", "pristine"], 0, &[]);
    // What decides a binary beside its stack; an empty workspace of it will do.
    for folder in ["prove", "benches", "benches/harness", "benches/circuits"] {
        fs::create_dir_all(world.path(folder)).expect("made");
    }
    let (pristine, patched) = (
        stamp(&world, "target/stacks/pristine"),
        stamp(&world, "extern"),
    );
    let keep = |stamps: [&str; 2]| {
        world.write("results/test-2c-24g/kept.json", &result(stamps).to_string());
    };
    keep([&pristine, &patched]);
    let improved =
        "improved 0.500 [0.500, 0.500], synth/sha256 wall_s.warm (results/test-2c-24g/kept.json)";
    check(
        &world,
        0,
        &[
            "Note: `twice` is backed by a stale result: the workspace's sources changed since",
            improved,
            "3 patches: no violation, 1 note",
        ],
    );
    world.expect(
        &["patch", "list", "--json", "target/list.json"],
        0,
        &[
            "twice",
            "improved 0.500 [0.500, 0.500]",
            "host 1: test-2c-24g",
            "stale: the",
        ],
    );
    let list: Value = serde_json::from_str(&world.read("target/list.json")).expect("JSON");
    let twice = &list["optimisations"][1];
    assert_eq!(twice["slug"], "twice");
    assert_eq!(twice["removal"], "never");
    assert_eq!(twice["depends"], json!(["door"]));
    assert_eq!(twice["verdict"]["verdict"], "improved");
    assert_eq!(twice["verdict"]["result"], "results/test-2c-24g/kept.json");
    assert_eq!(twice["measured"].as_array().map(Vec::len), Some(1));

    // Of other trees on either side, it backs nothing.
    for stamps in [[pristine.as_str(), "other"], ["other", patched.as_str()]] {
        keep(stamps);
        check(
            &world,
            1,
            &[
                "`twice` is on, and no kept result compares stacks of today's trees that differ in it alone; the newest was of other trees",
                improved,
            ],
        );
    }
    // Nor does one that its own trials contradict.
    let mut edited = result([&pristine, &patched]);
    edited["comparisons"][0]["ratio"] = 0.4.into();
    edited["comparisons"][0]["ci95"] = json!([0.4, 0.4]);
    world.write("results/test-2c-24g/kept.json", &edited.to_string());
    check(
        &world,
        1,
        &[
            "`twice` is on, and no kept result",
            "Note: a kept result backs nothing, as it can't be read: results/test-2c-24g/kept.json",
        ],
    );
}

#[test]
fn an_edit_that_was_not_exported_is_noted() {
    let world = series(false);
    world.expect(&["patch", "edit", "lower"], 0, &[]);
    check(&world, 0, &["3 patches: no violation, no note"]);
    let file = "target/edit/lower/src/lib.rs";
    let text = world.read(file);
    world.write(file, &text.replace("Doubles.", "Makes twice of it."));
    check(
        &world,
        0,
        &[
            "Note: target/edit/lower has what was not exported (changed: `src/lib.rs`)",
            "no violation, 1 note",
        ],
    );
    world.hostile_git(
        &world.path("target/edit/lower"),
        &["commit", "-qam", "more: words"],
    );
    check(
        &world,
        0,
        &[
            "(branch `series` has other commits): commit it and run `cargo xtask patch export lower`",
        ],
    );
    fs::remove_dir_all(world.path("target/edit/lower/.git")).expect("removed");
    check(
        &world,
        0,
        &["Note: target/edit/lower is there, and `patch edit` did not make it"],
    );
}

#[test]
fn everything_that_is_wrong_with_the_series_is_said() {
    let world = series(false);
    let stack = world.read("extern/stack.toml");
    let wrong = stack
        .replace(
            "kind = \"experiment\"\ndefault = false",
            "kind = \"experiment\"\ndefault = true",
        )
        .replace("slug = \"twice\"", "slug = \"Twice\"");
    world.write("extern/stack.toml", &wrong);
    check(
        &world,
        1,
        &[
            "slug `Twice` must be lower-case",
            "; optimisation `even` is an experiment, which is off",
        ],
    );
}

#[test]
fn a_series_without_patches_is_good() {
    let world = World::new();
    check(&world, 0, &["0 patches: no violation, no note"]);
    world.expect(
        &["patch", "list"],
        0,
        &["the series in extern/stack.toml is empty"],
    );
    world.expect(
        &["patch", "check", "--help"],
        0,
        &["cargo xtask patch check", "Exit code:"],
    );
}
