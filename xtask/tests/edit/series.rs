//! What an export makes of stack.toml: what joins, what leaves, in which order.

use std::fs;

use crate::person::{DOUBLE, EVEN, Edit, LARGEST, kept, small, with};
use crate::world::{LOWER, UPPER, World, message};

#[test]
fn a_new_slug_joins_the_series_off_and_stays_where_it_is() {
    let world = small();
    let stack = world.read("extern/stack.toml");
    let edit = Edit::open(&world);
    edit.change(LARGEST);
    edit.commit("largest");
    let said = edit.export(
        &[],
        0,
        &[
            "slug = \"largest\"",
            "kind = \"perf\"",
            "default = false",
            "patched,patched+largest",
            "steps",
        ],
    );
    assert!(said.contains("wrote extern/stack.toml"), "{said}");
    let entry = "\n[[optimisation]]\nslug = \"largest\"\nkind = \"perf\"\ndefault = false\ncrates = [\"lower\"]\n";
    assert_eq!(world.read("extern/stack.toml"), stack + entry);
    let after = kept(&world);
    edit.export(&[], 0, &["4 patches of lower as before"]);
    world.expect(&["patch", "edit", "lower"], 0, &["nothing to export"]);
    world.expect(
        &["patch", "edit", "lower", "--discard"],
        0,
        &["off/largest: on `even`", "2 patches on branch"],
    );
    edit.export(&[], 0, &["4 patches of lower as before"]);
    assert_eq!(kept(&world), after);
    world.vendor();
    world.expect(&["vendor", "patched+largest"], 0, &[]);
}

#[test]
fn a_new_slug_of_a_kind_that_is_on_may_stand_in_the_middle() {
    let world = small();
    let edit = Edit::open(&world);
    edit.git(&["checkout", "-q", "series~1"]);
    edit.change(LARGEST);
    edit.commit("largest");
    edit.git(&["rebase", "-q", "HEAD", "series"]);
    edit.refused(&[], &["(`largest: a made-up change`) is off, as a new one of kind perf is, and `even` above it is on"]);
    edit.export(&["--kind", "fix"], 0, &["default = true"]);
    let stack = world.read("extern/stack.toml");
    let at = |slug: &str| stack.find(&format!("slug = \"{slug}\"")).expect(slug);
    assert!(
        at("double") < at("largest") && at("largest") < at("even"),
        "{stack}"
    );
    world.vendor();
    edit.refused(&["--kind", "fix"], &["there is none"]);
    edit.refused(&["--kind", "quick"], &["no such kind"]);
}

#[test]
fn a_patch_leaves_only_when_it_is_said() {
    let world = small();
    let edit = Edit::open(&world);
    edit.refused(
        &["--drop", "even"],
        &["--drop even: commit", "has it still"],
    );
    edit.refused(
        &["--drop", "none"],
        &["--drop none: lower has no such patch"],
    );
    edit.git(&["reset", "-q", "--hard", "series~1"]);
    edit.git(&["branch", "-q", "-D", "off/sum"]);
    edit.refused(&[], &["no commit has `even`, `sum` any more", "--drop"]);
    edit.refused(&["--drop", "sum"], &["no commit has `even` any more"]);
    edit.export(
        &["--drop", "sum", "--drop", "even"],
        0,
        &[
            "deleted extern/patches/lower/even.patch",
            "deleted extern/patches/lower/sum.patch",
            "`even` has left extern/stack.toml",
        ],
    );
    let stack = world.read("extern/stack.toml");
    assert!(
        !stack.contains("\"even\"") && !stack.contains("\"sum\""),
        "{stack}"
    );
    assert!(!world.path("extern/patches/lower/even.patch").exists());
    // `double` stays in `upper` when it leaves `lower`.
    edit.git(&["reset", "-q", "--hard", "series~1"]);
    edit.export(&["--drop", "double"], 0, &[]);
    assert!(
        world
            .read("extern/stack.toml")
            .contains("crates = [\"upper\"]")
    );
    assert!(!world.path("extern/patches/lower").exists());
    world.vendor();
}

#[test]
fn an_optimisation_of_another_crate_takes_this_one_in() {
    let world = small();
    let edit = Edit::of(&world, "upper");
    let path = edit.place.join("src/lib.rs");
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, format!("{text}// even here\n")).expect("written");
    edit.commit("even");
    edit.export(
        &[],
        0,
        &[
            "wrote extern/patches/upper/even.patch",
            "wrote extern/stack.toml",
        ],
    );
    let stack = world.read("extern/stack.toml");
    assert!(
        stack.contains(
            "slug = \"even\"\nkind = \"perf\"\ndefault = true\ncrates = [\"lower\", \"upper\"]\n"
        ),
        "{stack}"
    );
    world.vendor();
    assert!(
        world
            .read("extern/upper/src/lib.rs")
            .ends_with("// doubled\n// even here\n")
    );
}

/// `lower` has its commits the other way round; `free` says whether they change files of their own in `upper`.
fn reordered(free: bool) -> World {
    let world = World::new();
    let (first, second) = (with(LOWER, DOUBLE), with(&with(LOWER, DOUBLE), EVEN));
    world.patch(
        "lower",
        "double",
        &[("src/lib.rs", LOWER)],
        &[("src/lib.rs", &first)],
        &message("double", &[]),
    );
    world.patch(
        "lower",
        "even",
        &[("src/lib.rs", &first)],
        &[("src/lib.rs", &second)],
        &message("even", &[]),
    );
    let one = format!("{UPPER}// one\n");
    world.patch(
        "upper",
        "double",
        &[("src/lib.rs", UPPER)],
        &[("src/lib.rs", &one)],
        &message("double", &[]),
    );
    if free {
        world.patch(
            "upper",
            "even",
            &[],
            &[("src/own.rs", "// own\n")],
            &message("even", &[]),
        );
    } else {
        let two = format!("{one}// two\n");
        world.patch(
            "upper",
            "even",
            &[("src/lib.rs", &one)],
            &[("src/lib.rs", &two)],
            &message("even", &[]),
        );
    }
    world.optimisation("double", "perf", true, &["lower", "upper"]);
    world.optimisation("even", "perf", true, &["lower", "upper"]);
    let edit = Edit::open(&world);
    edit.git(&["checkout", "-q", "series~2"]);
    edit.git(&["cherry-pick", "series", "series~1"]);
    edit.git(&["branch", "-q", "-f", "series", "HEAD"]);
    edit.git(&["checkout", "-q", "series"]);
    world
}

#[test]
fn the_series_takes_the_order_of_the_commits() {
    let world = reordered(true);
    Edit {
        place: world.path("target/edit/lower"),
        world: &world,
    }
    .export(&[], 0, &["wrote extern/stack.toml"]);
    let stack = world.read("extern/stack.toml");
    assert!(stack.find("\"even\"") < stack.find("\"double\""), "{stack}");
    world.vendor();
    let expected = with(&with(LOWER, DOUBLE), EVEN);
    assert_eq!(world.read("extern/lower/src/lib.rs"), expected);
}

#[test]
fn the_crate_that_needs_another_order_is_named() {
    let world = reordered(false);
    let edit = Edit {
        place: world.path("target/edit/lower"),
        world: &world,
    };
    edit.refused(
        &[],
        &["upper needs `double` before `even` (both change `src/lib.rs` there)"],
    );
}
