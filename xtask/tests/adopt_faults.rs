//! Every way in which a patched copy is not what a project uses, with the real cargo, and the words for it.

mod foreign;
mod world;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use foreign::{BOTH, adopt, asks, bare, contents, prepare, project, refused, snapshot, world};
use world::{LOWER, World, git, message};

#[test]
fn a_version_out_of_range_names_the_requirement_and_who_has_it() {
    let world = world();
    world.publish("lower", "1.2.0", &[("src/lib.rs", LOWER)], &[]);
    world.publish("needs", "1.0.0", &[("src/lib.rs", "")], &[("lower", "1.1")]);
    project(&world, &asks("lower = \"1\"\nneeds = \"1\"\n"));
    refused(
        &world,
        &["lower 1.0.0  not patched: needs 1.0.0 asks for `^1.1` and has 1.2.0"],
    );
}

#[test]
fn another_version_in_the_lock_file_comes_with_the_line_and_write_runs_it() {
    let world = world();
    world.publish("lower", "1.2.0", &[("src/lib.rs", LOWER)], &[]);
    let folder = project(&world, BOTH);
    let line = "`cargo update -p lower@1.2.0 --precise 1.0.0`";
    adopt(
        &world,
        &[],
        1,
        &[
            "lower 1.0.0  would be patched: the lock file has 1.2.0",
            line,
        ],
    );
    adopt(&world, &["--write"], 0, &["lower 1.0.0  patched\n"]);
    let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("read");
    assert!(
        !lock.contains("1.2.0") && !lock.contains("unused"),
        "{lock}"
    );
    // Lines that were pasted: cargo warns that they are not used, and goes on without.
    let folder = project(&world, BOTH);
    let lines = "\n[patch.crates-io]\nlower = { path = \"../repo/extern/lower\" }\n";
    fs::write(folder.join("Cargo.toml"), format!("{BOTH}{lines}")).expect("written");
    let said = world.cargo_ok(&folder, &["metadata", "--format-version", "1"]);
    assert!(said.contains("was not used in the crate graph"), "{said}");
    adopt(
        &world,
        &[],
        1,
        &[
            "lower 1.0.0  would be patched: the lock file has 1.2.0",
            line,
        ],
    );
    adopt(&world, &["--write"], 0, &["Cargo.toml and ", "Cargo.lock."]);
}

#[test]
fn two_copies_name_both_requirers() {
    let world = world();
    world.publish("lower", "0.9.0", &[("src/lib.rs", LOWER)], &[]);
    world.publish("old", "1.0.0", &[("src/lib.rs", "")], &[("lower", "0.9")]);
    project(&world, &asks("old = \"1\"\nupper = \"1\"\n"));
    let says = [
        "lower 1.0.0  not patched: it is there 2 times",
        "lower 0.9.0 from crates.io, asked for by old 1.0.0 (`^0.9`)",
        "lower 1.0.0 from crates.io, asked for by upper 1.0.0 (`^1.0`)",
    ];
    refused(&world, &says);
}

#[test]
fn one_crate_from_two_sources_names_both() {
    let world = world();
    let fork = asks("")
        .replace("project", "lower")
        .replace("0.1.0", "1.0.0");
    world.write("../fork/Cargo.toml", &fork);
    world.write("../fork/src/lib.rs", LOWER);
    project(
        &world,
        &asks("lower = { path = \"../fork\" }\nupper = \"1\"\n"),
    );
    let says = [
        "lower 1.0.0  not patched: it is there 2 times",
        "fork, asked for by project 0.1.0 (`*`)",
        "lower 1.0.0 from crates.io, asked for by upper 1.0.0 (`^1.0`)",
    ];
    refused(&world, &says);
}

#[test]
fn a_tree_that_was_edited_is_not_handed_out() {
    let world = world();
    project(&world, BOTH);
    world.write("extern/lower/src/mine.rs", "// added\n");
    for more in [&[][..], &["--write"]] {
        adopt(&world, more, 2, &["extern/lower", "src/mine.rs"]);
    }
}

const FEATURED: &str = "[package]\nname = \"lower\"\nversion = \"1.0.0\"\nedition = \"2021\"\nlicense = \"MIT OR Apache-2.0\"\n\n[features]\n";

/// `lower` alone, whose manifest a build patch changes.
fn changed_manifest(before: &str, after: &str, more: &[(&str, &str)]) -> World {
    let world = World::empty();
    world.publish(
        "lower",
        "1.0.0",
        &[("Cargo.toml", before), ("src/lib.rs", LOWER)],
        &[],
    );
    world.join("lower", "1.0.0");
    world.write("app/Cargo.toml", &asks("").replace("project", "app"));
    let after: Vec<(&str, &str)> = [&[("Cargo.toml", after)], more].concat();
    world.patch(
        "lower",
        "manifest",
        &[("Cargo.toml", before)],
        &after,
        &message("manifest", &[]),
    );
    world.optimisation("manifest", "build", true, &["lower"]);
    prepare(&world);
    world
}

#[test]
fn a_feature_that_the_copy_lacks_names_who_asks() {
    let with = format!("{FEATURED}extra = []\n");
    let world = changed_manifest(&with, FEATURED, &[]);
    let folder = project(
        &world,
        &asks("lower = { version = \"1\", features = [\"extra\"] }\n"),
    );
    let says = "lower 1.0.0  not patched: project 0.1.0 asks for feature `extra`, which the stack's copy does not have";
    refused(&world, &[says]);
    // By hand: cargo does not take it, whatever it says of that.
    let line = "\n[patch.crates-io]\nlower = { path = \"../repo/extern/lower\" }\n";
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("read");
    fs::write(folder.join("Cargo.toml"), manifest + line).expect("written");
    let before = snapshot(&folder);
    let output = world.cargo(&folder, &["metadata", "--format-version", "1"]);
    let code = if output.status.success() { 1 } else { 2 };
    adopt(&world, &[], code, &["extra"]);
    adopt(&world, &["--write"], code, &["extra"]);
    assert!(contents(&snapshot(&folder)).len() >= before.len());
}

#[test]
fn two_claims_on_a_native_library_name_both() {
    let links = FEATURED.replace("\n[features]", "links = \"low\"\n\n[features]");
    let script = ("build.rs", "fn main() {}\n");
    let world = changed_manifest(FEATURED, &links, &[script]);
    let other = links
        .replace("\"lower\"", "\"other\"")
        .replace("1.0.0", "2.0.0");
    world.publish(
        "other",
        "2.0.0",
        &[("Cargo.toml", &other), ("src/lib.rs", ""), script],
        &[],
    );
    project(&world, &asks("lower = \"1\"\nother = \"2\"\n"));
    let says = [
        "native library `low` is claimed by the stack's lower 1.0.0 and by other 2.0.0 from crates.io",
        "asked for by project 0.1.0 (`^2`)",
    ];
    refused(&world, &says);
}

#[test]
fn lines_that_are_there_and_lead_elsewhere_stay() {
    let world = world();
    let own = asks("")
        .replace("project", "lower")
        .replace("0.1.0", "1.0.0");
    world.write("../project/own/Cargo.toml", &own);
    world.write("../project/own/src/lib.rs", LOWER);
    let patch = format!(
        "{}\n[patch.crates-io]\nlower = {{ path = \"own\" }}\n",
        asks("upper = \"1\"\n")
    );
    project(&world, &patch);
    refused(
        &world,
        &["project/Cargo.toml has `lower = { path = \"own\" }` already, which leads elsewhere"],
    );

    let replace = format!(
        "{}\n[replace]\n\"lower:1.0.0\" = {{ path = \"own\" }}\n",
        asks("upper = \"1\"\n")
    );
    project(&world, &replace);
    refused(
        &world,
        &["project/Cargo.toml replaces it ([replace]: `lower:1.0.0 = { path = \"own\" }`)"],
    );

    project(&world, &asks("upper = \"1\"\n"));
    world.write(
        "../project/.cargo/config.toml",
        "[patch.crates-io]\nlower = { path = \"own\" }\n",
    );
    world.cargo_ok(&world.path("../project"), &["generate-lockfile"]);
    refused(
        &world,
        &[".cargo/config.toml has `lower = { path = \"own\" }` already, which leads elsewhere"],
    );
}

#[test]
fn a_patch_table_counts_in_the_root_alone() {
    let world = world();
    world.write(
        "../project/Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"member\"]\n",
    );
    let table = "\n[patch.crates-io]\nlower = { path = \"../../repo/extern/lower\" }\nupper = { path = \"../../repo/extern/upper\" }\n";
    world.write(
        "../project/member/Cargo.toml",
        &format!("{}{table}", asks("upper = \"1\"\n")),
    );
    world.write("../project/member/src/lib.rs", "");
    world.cargo_ok(&world.path("../project"), &["generate-lockfile"]);
    let member = world.path("../project/member");
    let member = member.to_str().expect("UTF-8");
    let says = [
        "member/Cargo.toml does not count, only those in",
        "is of the workspace whose root is",
        "a [patch] table counts only there",
        "lower = { path = \"../repo/extern/lower\" }",
    ];
    world.expect(&["adopt", member], 1, &says);
    world.expect(&["adopt", member, "--write"], 0, &["project/Cargo.toml"]);
    let root = world.read("../project/Cargo.toml");
    assert!(root.ends_with("[patch.crates-io]\nlower = { path = \"../repo/extern/lower\" }\nupper = { path = \"../repo/extern/upper\" }\n"), "{root}");
    world.expect(&["adopt", member], 0, &[]);
}

#[test]
fn a_source_other_than_crates_io_is_named() {
    let world = world();
    world.write(
        "../fork/Cargo.toml",
        &asks("")
            .replace("project", "lower")
            .replace("0.1.0", "1.0.0"),
    );
    world.write("../fork/src/lib.rs", LOWER);
    let fork = world.path("../fork");
    git(&fork, &["init", "-q"]);
    git(&fork, &["add", "-A", "-f"]);
    git(&fork, &["commit", "-q", "-m", "made up"]);
    let address = format!("file://{}", fork.display());
    let folder = bare(
        &world,
        &asks(&format!("lower = {{ git = \"{address}\" }}\n")),
    );
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut fetch = world.command(&cargo, &folder);
    let fetched = fetch
        .arg("fetch")
        .env("CARGO_NET_OFFLINE", "false")
        .output()
        .expect("cargo starts");
    world::held(&fetched, 0, &[]);
    let says =
        format!("a [patch] table for crates.io does not reach it: lower 1.0.0 from git+{address}");
    refused(&world, &[&says, "asked for by project 0.1.0"]);

    // A path of its own is another source too.
    project(&world, &asks("lower = { path = \"../fork\" }\n"));
    refused(
        &world,
        &[
            "does not reach it: lower 1.0.0 from /",
            "fork, asked for by project 0.1.0",
        ],
    );
}

#[test]
fn the_toolchain_is_checked_before_cargo_reads_anything() {
    let world = world();
    let folder = project(&world, &asks("upper = \"1\"\n").replace("2021", "2024"));
    let before = snapshot(&folder);
    // A cargo that says that it is old, and fails at all else.
    let stub = world.write(
        "../old/cargo",
        "#!/bin/sh\nif [ \"$1\" = -vV ] || [ \"$1\" = -V ]; then\n  printf 'cargo 1.70.0\\nrelease: 1.70.0\\nhost: x86_64-unknown-linux-gnu\\n'\nelse\n  exit 9\nfi\n",
    );
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!(
        "{}:{}",
        world.path("../old").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let look = |says: &[&str]| {
        let mut command = world.command(env!("CARGO_BIN_EXE_xtask").as_ref(), &world.root());
        let output = command
            .env("PATH", &path)
            .arg("adopt")
            .arg(&folder)
            .output()
            .expect("starts");
        let said = world::held(&output, 2, says);
        assert!(!said.contains("exit status: 9"), "{said}");
    };
    look(&[
        "selects Rust 1.70.0, and ",
        "project/Cargo.toml is of edition 2024, which needs 1.85: name 1.85 or later in",
        "rust-toolchain.toml",
    ]);
    assert_eq!(snapshot(&folder), before);
    project(&world, &asks("upper = \"1\"\n"));
    look(&["project/Cargo.lock is of version 4, which needs 1.78"]);
    project(
        &world,
        &asks("upper = \"1\"\n").replace("edition", "rust-version = \"1.79\"\nedition"),
    );
    look(&["has rust-version 1.79, which needs 1.79"]);
}

#[test]
fn a_toolchain_that_is_not_there_is_not_fetched() {
    // Only rustup reads the file.
    if std::env::var_os("RUSTUP_TOOLCHAIN").is_none() {
        return;
    }
    let world = world();
    project(&world, &asks("upper = \"1\"\n"));
    world.write(
        "../project/rust-toolchain.toml",
        "[toolchain]\nchannel = \"1.60.0\"\n",
    );
    adopt(
        &world,
        &[],
        2,
        &["rust-toolchain.toml selects", "rustup toolchain install"],
    );
}

#[test]
fn what_is_no_project_is_refused() {
    let world = world();
    adopt(&world, &[], 2, &["cannot be looked at"]);
    world.write("../project/Cargo.toml", "[package\n");
    adopt(&world, &[], 2, &["Cargo.toml is not understood"]);
    world.write("../project/Cargo.toml", &asks("nowhere = \"1\"\n"));
    world.write("../project/src/lib.rs", "");
    adopt(&world, &["--write"], 2, &["nothing was written", "nowhere"]);
    assert!(!world.path("../project/Cargo.lock").exists());
    world.write("../project/Cargo.toml", &asks("cuzk-core = \"0.1\"\n"));
    let says = [
        "cuzk-core is in no registry: take it by path, `cargo add cuzk-core --path /",
        "repo/cuzk-core`",
    ];
    adopt(&world, &["--write"], 2, &says);
}
