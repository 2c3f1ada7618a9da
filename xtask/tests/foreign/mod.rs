//! A project beside a made-up repository, as a stranger has it.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::world::World;

/// The manifest of most projects: `lower` and `upper`, any version of the same kind.
pub const BOTH: &str = "# Why it is here.\n[package]\nname = \"project\"  # so\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
                        [dependencies]\nlower = \"1\"\nupper = \"1\"\n\n[profile.dev]\ndebug = false\n";

/// A repository whose trees are made, and a toolchain for what lies beside it: the one that runs the tests.
pub fn world() -> World {
    let world = World::new();
    prepare(&world);
    world
}

/// The same for a repository that a test has filled itself.
pub fn prepare(world: &World) {
    if let Ok(toolchain) = std::env::var("RUSTUP_TOOLCHAIN") {
        let host = format!("-{}", std::env::consts::ARCH);
        let channel = toolchain
            .split_once(&host)
            .map_or(&*toolchain, |(channel, _)| channel);
        world.write(
            "../rust-toolchain.toml",
            &format!("[toolchain]\nchannel = \"{channel}\"\n"),
        );
    }
    world.expect(&["vendor"], 0, &[]);
}

/// Writes a project of one package and has cargo lock it.
pub fn project(world: &World, manifest: &str) -> PathBuf {
    let folder = bare(world, manifest);
    world.cargo_ok(&folder, &["generate-lockfile"]);
    folder
}

/// The same without a lock file.
pub fn bare(world: &World, manifest: &str) -> PathBuf {
    world.write("../project/Cargo.toml", manifest);
    world.write("../project/src/lib.rs", "//! Made up.\n");
    world.path("../project")
}

/// A manifest with these dependencies.
pub fn asks(dependencies: &str) -> String {
    format!(
        "[package]\nname = \"project\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n{dependencies}"
    )
}

/// Every file below a folder: what is in it and when it was written.
pub fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.expect("listed");
        if entry.file_type().is_file() {
            let written = entry.metadata().expect("there").modified().expect("a time");
            files.insert(
                entry.path().to_owned(),
                (fs::read(entry.path()).expect("read"), written),
            );
        }
    }
    files
}

/// `cargo xtask adopt` of the project, which must end so and say that.
pub fn adopt(world: &World, more: &[&str], code: i32, says: &[&str]) -> String {
    let project = world.path("../project");
    let project = project.to_str().expect("UTF-8");
    world.expect(&[&["adopt", project], more].concat(), code, says)
}

/// Neither a look nor an attempt changes anything, and both say why.
pub fn refused(world: &World, says: &[&str]) {
    let folder = world.path("../project");
    let before = snapshot(&folder);
    adopt(world, &[], 1, says);
    adopt(
        world,
        &["--write"],
        1,
        &[says, &["Nothing was written"]].concat(),
    );
    assert_eq!(contents(&before), contents(&snapshot(&folder)));
}

/// Bytes alone.
pub fn contents(files: &BTreeMap<PathBuf, (Vec<u8>, SystemTime)>) -> BTreeMap<&Path, &[u8]> {
    files
        .iter()
        .map(|(path, (bytes, _))| (path.as_path(), &bytes[..]))
        .collect()
}
