//! A stack with a dist of it, projects that use one, and the lines that they take from its pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::world::{LOWER, UPPER, World, held, message};

/// Uses what only the patched crates have; prints 132.
const MAIN: &str = "fn main() {\n    assert!(lower::PATCHED && upper::PATCHED);\n    assert_eq!(third::DATA.len(), 10);\n    println!(\"answer {}\", cuzk_core::answer());\n}\n";

/// A stack of three with a patch on two of them. `third` comes with all that a repository keeps for itself, and uses
/// `plain`, which is not of the stack.
pub fn stack() -> World {
    let world = World::new();
    world.publish(
        "plain",
        "1.0.0",
        &[("src/lib.rs", "pub const ONE: u64 = 1;\n")],
        &[],
    );
    let third = "pub use plain::ONE;\npub const DATA: &str = include_str!(\"data.txt\");\n";
    world.publish(
        "third",
        "1.0.0",
        &[
            (".gitignore", "src\n*.txt\n"),
            (".gitattributes", "* text eol=lf\n"),
            ("rust-toolchain", "no-such-toolchain\n"),
            ("Cargo.toml.orig", "# before cargo\n"),
            ("LICENSE-MIT", "Made up.\n"),
            ("src/data.txt", "one\r\ntwo\r\n"),
            ("src/lib.rs", third),
        ],
        &[("plain", "1")],
    );
    world.join("third", "1.0.0");
    for (name, text) in [("lower", LOWER), ("upper", UPPER)] {
        let after = format!("{text}\npub const PATCHED: bool = true;");
        let (before, after) = ([("src/lib.rs", text)], [("src/lib.rs", after.as_str())]);
        world.patch(name, "mark", &before, &after, &message("mark", &[]));
    }
    world.optimisation("mark", "perf", true, &["lower", "upper"]);
    let core = world.read("cuzk-core/Cargo.toml");
    let core = core.replace(
        "[lints]",
        "third = \"1.0\"\n\n[dev-dependencies]\napp = { path = \"../app\" }\n\n[lints]",
    );
    world.write("cuzk-core/Cargo.toml", &core);
    world.write(
        "cuzk-core/tests/with_app.rs",
        "#[test]\nfn same() {\n    assert_eq!(app::answer(), cuzk_core::answer());\n}\n",
    );
    world.vendor();
    world
}

/// A dist beside the repository.
pub fn dist(world: &World, name: &str, flags: &[&str]) -> PathBuf {
    let place = world.path(&format!("../{name}"));
    let arguments = [&["dist", place.to_str().expect("UTF-8")], flags].concat();
    world.expect(&arguments, 0, &["wrote", " s; README.md"]);
    place
}

/// A project of somebody else's that uses the stack; `core` says where cuzk-core comes from, `more` ends its manifest.
pub fn project(folder: &Path, core: &str, more: &str) {
    let manifest = format!(
        "[package]\nname = \"project\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\nlower = \"1\"\nthird = \"1\"\nupper = \"1\"\ncuzk-core = {core}\n\n{more}"
    );
    fs::create_dir_all(folder.join("src")).expect("made");
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::write(folder.join("src/main.rs"), MAIN).expect("written");
}

/// The lines of code number `index` in a section of the dist's README.
pub fn lines(dist: &Path, section: &str, index: usize) -> String {
    let readme = fs::read_to_string(dist.join("README.md")).expect("read");
    let start = readme.find(&format!("## {section}\n")).expect(section);
    let section = &readme[start + 3..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        match line.strip_prefix("    ") {
            Some(code) if inside => blocks
                .last_mut()
                .expect("begun")
                .push_str(&format!("{code}\n")),
            Some(code) => blocks.push(format!("{code}\n")),
            // A block goes on behind an empty line; any other ends it.
            None if line.is_empty() => continue,
            None => {}
        }
        inside = line.starts_with("    ");
    }
    blocks.swap_remove(index)
}

/// What the README's lines on cuzk-core ask for.
pub fn core(dist: &Path, section: &str, index: usize) -> String {
    let lines = lines(dist, section, index);
    let line = lines
        .lines()
        .find_map(|line| line.strip_prefix("cuzk-core = "));
    line.expect("a line").to_owned()
}

/// Writes a project's .cargo/config.toml from the README's lines.
pub fn configure(folder: &Path, dist: &Path, section: &str) {
    let place = dist.to_str().expect("UTF-8");
    let text = lines(dist, section, 0).replace("/path/to/this/folder", place);
    fs::create_dir_all(folder.join(".cargo")).expect("made");
    fs::write(folder.join(".cargo/config.toml"), text).expect("written");
}

/// Every file is there with the bytes that the stamp promises, and no other.
pub fn as_stamped(folder: &Path, except: &[&str]) {
    let stamp = fs::read(folder.join("stamp.json")).expect("read");
    let stamp: Value = serde_json::from_slice(&stamp).expect("JSON");
    let files = stamp["files"].as_object().expect("files");
    for (name, hash) in files {
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(hash, &hex::encode(Sha256::digest(bytes)), "{name}");
    }
    let inside =
        |e: &walkdir::DirEntry| e.depth() != 1 || !except.iter().any(|name| e.file_name() == *name);
    let found = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_entry(inside)
        .flatten();
    assert_eq!(
        found.filter(|e| !e.file_type().is_dir()).count(),
        files.len() + 1
    );
}

pub fn answers(output: &Output) {
    held(output, 0, &["answer 132"]);
}

/// Does in a project what the README asks for where other archives were used before.
pub fn after_others(world: &World, dist: &Path, folder: &Path) {
    for index in [0, 1] {
        let script = lines(dist, "Where other archives were used before", index);
        let mut shell = world.command("sh".as_ref(), folder);
        held(
            &shell.args(["-e", "-c", &script]).output().expect("run"),
            0,
            &[],
        );
    }
}
