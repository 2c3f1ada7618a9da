//! The made-up repository that other tests stand on does what they take for granted.

mod world;

use std::fs;

use world::{LOWER, UPPER, World, message};

#[test]
fn a_made_up_stack_is_vendored_and_its_members_run() {
    let world = World::new();
    world.vendor();
    assert_eq!(world.read("extern/lower/src/lib.rs"), LOWER);
    world.expect(&["vendor"], 0, &["as it must be"]);
    let lock = world.read("Cargo.lock");
    assert!(
        !lock.contains("[[patch.unused]]") && !lock.contains("checksum"),
        "{lock}"
    );
    world.cargo_ok(&world.root(), &["check", "--locked"]);
}

#[test]
fn patches_are_applied() {
    let world = World::new();
    let quick = LOWER.replace("let sum = value + value;\n    sum", "2 * value");
    let (before, after) = ([("src/lib.rs", LOWER)], [("src/lib.rs", quick.as_str())]);
    world.patch("lower", "double", &before, &after, &message("double", &[]));
    let (before, after) = (
        [("src/lib.rs", UPPER)],
        [("src/lib.rs", UPPER), ("src/new.rs", "// new\r\n")],
    );
    world.patch("upper", "double", &before, &after, &message("double", &[]));
    world.optimisation("double", "perf", true, &["lower", "upper"]);
    world.vendor();
    assert_eq!(world.read("extern/lower/src/lib.rs"), quick);
    assert_eq!(world.read("extern/upper/src/new.rs"), "// new\r\n");
    world.expect(&["patch", "list"], 0, &["double", "lower", "upper"]);
}

#[test]
fn features_and_several_versions_can_be_published() {
    let world = World::new();
    let manifest = "[package]\nname = \"top\"\nversion = \"2.1.0\"\nedition = \"2021\"\n\n[features]\nextra = [\"dep:under\"]\n\n\
                    [dependencies]\nunder = { package = \"lower\", version = \"1\", optional = true }\n";
    world.publish(
        "top",
        "2.1.0",
        &[("Cargo.toml", manifest), ("src/lib.rs", "")],
        &[],
    );
    world.publish("lower", "1.2.0", &[("src/lib.rs", LOWER)], &[]);
    let project = "[package]\nname = \"project\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\ntop = { version = \"2\", features = [\"extra\"] }\n";
    world.write("../project/Cargo.toml", project);
    world.write("../project/src/lib.rs", "");
    world.cargo_ok(&world.path("../project"), &["check"]);
    let lock = fs::read_to_string(world.path("../project/Cargo.lock")).expect("read");
    assert!(
        lock.contains("name = \"lower\"\nversion = \"1.2.0\""),
        "{lock}"
    );
}
