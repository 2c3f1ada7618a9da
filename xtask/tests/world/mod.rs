//! A cuzk repository in small, with a registry of made-up releases, for tests that run the program as a person does.
//!
//! Everything lies in one temporary folder: `repo/` (the repository), `registry/` (a cargo `local-registry` that stands in
//! for crates.io), `cargo-home/` (`CARGO_HOME`, empty at first) and `home/` (`HOME`, with a hostile git configuration).
//! `.cargo/config.toml` at the top replaces crates.io, so every project below the folder sees the made-up releases alone,
//! and nothing reaches the network. Cargo and git are the real ones.
//!
//! `World::new()` has the releases `lower` 1.0.0 and `upper` 1.0.0 (upper uses lower) in its stack, without a patch, and
//! two members: `app`, which uses upper, and a `cuzk-core`, which does so too.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses a part of it"
)]

mod release;
mod run;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use run::HOSTILE;
pub use run::{git, held, repository};

/// `src/lib.rs` of `lower` 1.0.0: five functions, ten lines apart.
pub const LOWER: &str = include_str!("lower.rs");

/// `src/lib.rs` of `upper` 1.0.0.
pub const UPPER: &str = include_str!("upper.rs");

/// The temporary folder.
pub struct World {
    folder: TempDir,
}

impl World {
    /// The repository with `lower`, `upper`, `app` and `cuzk-core`; no tree is made and no lock file is there yet.
    pub fn new() -> Self {
        let world = Self::empty();
        world.publish("lower", "1.0.0", &[("src/lib.rs", LOWER)], &[]);
        world.publish(
            "upper",
            "1.0.0",
            &[("src/lib.rs", UPPER)],
            &[("lower", "1.0")],
        );
        world.join("lower", "1.0.0");
        world.join("upper", "1.0.0");
        for member in ["app", "cuzk-core"] {
            let manifest = format!(
                "[package]\nname = \"{member}\"\nversion.workspace = true\nedition.workspace = true\n\
                 license.workspace = true\n\n[dependencies]\nupper.workspace = true\n\n[lints]\nworkspace = true\n"
            );
            world.write(&format!("{member}/Cargo.toml"), &manifest);
            let library = "//! Made up.\n\n/// Eleven times what `upper` gives.\npub fn answer() -> u64 {\n    11 * upper::sum(3)\n}\n";
            world.write(&format!("{member}/src/lib.rs"), library);
        }
        world
    }

    /// A repository without releases and members, and an empty registry.
    pub fn empty() -> Self {
        let world = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        for folder in [
            "repo/extern/patches",
            "repo/results",
            "registry/index",
            "cargo-home",
            "home/hooks",
            "home/template",
        ] {
            fs::create_dir_all(world.folder.path().join(folder)).expect("made");
        }
        world.write("../.cargo/config.toml", "[source.crates-io]\nreplace-with = \"made-up\"\n\n[source.made-up]\nlocal-registry = \"registry\"\n");
        world.write("../home/.gitconfig", HOSTILE);
        world.write(
            "../home/ignore",
            "*.rs\n*.toml\n*.patch\n*.crate\n*.json\nLICENSE*\nlo\nsrc\n",
        );
        world.write(
            "../home/attributes",
            "* text eol=crlf ident filter=shout working-tree-encoding=UTF-16\n",
        );
        for hook in ["pre-commit", "commit-msg", "post-commit"] {
            let hook = world.write(&format!("../home/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
            executable(&hook);
        }
        world.write(
            "extern/stack.toml",
            "# Made up.\n\nschema = 1\ncrate = []\n",
        );
        world.write(
            "Cargo.toml",
            "# Made up.\n[workspace]\nresolver = \"2\"\nmembers = [\"app\", \"cuzk-core\"]\nexclude = [\"extern\", \"target\"]\n\n\
             [workspace.package]\nversion = \"0.1.0\"\nedition = \"2021\"\nlicense = \"MIT OR Apache-2.0\"\n\n\
             [workspace.dependencies]\nupper = \"=1.0.0\" # exact, as in stack.toml\n\n\
             [workspace.lints.rust]\nunsafe_op_in_unsafe_fn = \"deny\"\n\n[patch.crates-io]\n",
        );
        for (name, text) in [
            ("LICENSE-MIT", "Made-up text of MIT.\n"),
            ("LICENSE-APACHE", "Made-up text of Apache-2.0.\n"),
        ] {
            world.write(name, text);
        }
        world
    }

    /// The root of the repository.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// A path below the root; `../x` lies beside the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("../") {
            Some(beside) => self.folder.path().join(beside),
            None => self.root().join(name),
        }
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Puts a release into the registry: the archive and its line of the index. Where `files` has no `Cargo.toml`, one is
    /// written that asks for `dependencies` (name, requirement); features and the like need one of the test's own.
    pub fn publish(
        &self,
        name: &str,
        version: &str,
        files: &[(&str, &str)],
        dependencies: &[(&str, &str)],
    ) {
        let mut files: Vec<(&str, String)> = files
            .iter()
            .map(|(path, text)| (*path, (*text).to_owned()))
            .collect();
        if !files.iter().any(|(path, _)| *path == "Cargo.toml") {
            let mut text = format!(
                "[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2021\"\nlicense = \"MIT OR Apache-2.0\"\n\n[dependencies]\n"
            );
            for (name, requirement) in dependencies {
                writeln!(text, "{name} = \"{requirement}\"").expect("written");
            }
            files.push(("Cargo.toml", text));
        }
        files.sort();
        let bytes = release::pack(name, version, &files);
        let manifest = &files
            .iter()
            .find(|(path, _)| *path == "Cargo.toml")
            .expect("there")
            .1;
        let line = release::index_line(manifest, &hex::encode(Sha256::digest(&bytes)));
        fs::write(self.archive(name, version), bytes).expect("written");
        let path = self
            .folder
            .path()
            .join("registry/index")
            .join(release::index_path(name));
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let earlier = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, format!("{earlier}{line}\n")).expect("written");
    }

    /// The archive of a release.
    pub fn archive(&self, name: &str, version: &str) -> PathBuf {
        self.folder
            .path()
            .join(format!("registry/{name}-{version}.crate"))
    }

    /// Makes a published release one of the stack: extern/stack.toml and the root's `[patch]` table.
    pub fn join(&self, name: &str, version: &str) {
        let bytes = fs::read(self.archive(name, version)).expect("published");
        let unpacked = tempfile::tempdir().expect("a folder");
        tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]))
            .unpack(unpacked.path())
            .expect("unpacked");
        let folder = unpacked.path().join(format!("{name}-{version}"));
        repository(&folder);
        git(&folder, &["add", "-A", "-f"]);
        let tree = git(&folder, &["write-tree"]);
        let entry = format!(
            "\n[[crate]]\nname = \"{name}\"\nversion = \"{version}\"\nchecksum = \"{}\"\ntree = \"{}\"\n",
            hex::encode(Sha256::digest(&bytes)),
            tree.trim()
        );
        let stack = self.read("extern/stack.toml").replace("crate = []\n", "");
        // Releases stand before the series.
        let at = stack.find("\n[[optimisation]]").unwrap_or(stack.len());
        self.write(
            "extern/stack.toml",
            &format!("{}{entry}{}", &stack[..at], &stack[at..]),
        );
        let root = self.read("Cargo.toml");
        self.write(
            "Cargo.toml",
            &format!("{root}{name} = {{ path = \"extern/{name}\" }}\n"),
        );
    }

    /// Adds an optimisation at the end of the series; its patches are written by `patch`.
    pub fn optimisation(&self, slug: &str, kind: &str, default: bool, crates: &[&str]) {
        let stack = self.read("extern/stack.toml");
        let entry = format!(
            "\n[[optimisation]]\nslug = \"{slug}\"\nkind = \"{kind}\"\ndefault = {default}\ncrates = {crates:?}\n"
        );
        self.write("extern/stack.toml", &format!("{stack}{entry}"));
    }

    /// Writes extern/patches/CRATE/SLUG.patch, in the form that `patch export` writes, by git. `before` and `after` are the
    /// files that change: one that only `before` has is removed.
    pub fn patch(
        &self,
        name: &str,
        slug: &str,
        before: &[(&str, &str)],
        after: &[(&str, &str)],
        message: &str,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        repository(folder.path());
        let lay = |files: &[(&str, &str)]| {
            for (path, text) in files {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                fs::write(path, text).expect("written");
            }
        };
        lay(before);
        git(folder.path(), &["add", "-A", "-f"]);
        git(
            folder.path(),
            &["commit", "-q", "--allow-empty", "-m", "before"],
        );
        for (path, _) in before {
            fs::remove_file(folder.path().join(path)).expect("removed");
        }
        lay(after);
        git(folder.path(), &["add", "-A", "-f"]);
        git(
            folder.path(),
            &["commit", "-q", "--cleanup=verbatim", "-m", message],
        );
        let form = "format-patch -1 --stdout --zero-commit --full-index --no-signature -U3 -M --shortstat --subject-prefix= --no-encode-email-headers";
        let text = git(folder.path(), &form.split(' ').collect::<Vec<_>>());
        let text = dashed(&text);
        self.write(&format!("extern/patches/{name}/{slug}.patch"), &text);
    }

    /// Makes the trees of the default series and, where there is none, the lock file.
    pub fn vendor(&self) {
        self.expect(&["vendor"], 0, &[]);
        if !self.path("Cargo.lock").exists() {
            self.cargo_ok(&self.root(), &["generate-lockfile"]);
        }
    }
}

/// With the line of three hyphens before the sum of the changes, which git leaves out when it prints no more of a diffstat.
fn dashed(text: &str) -> String {
    let (head, rest) = text.split_at(text.find("\ndiff --git ").expect("a change"));
    match head.rsplit_once("\n\n ") {
        Some((message, sum)) if !message.contains("\n---\n") => {
            format!("{message}\n---\n {sum}{rest}")
        }
        _ => text.to_owned(),
    }
}

/// A message as the series has them: `slug: …`, the three sections and the trailers.
pub fn message(slug: &str, depends: &[&str]) -> String {
    let depends = match depends {
        [] => String::new(),
        slugs => format!("Depends: {}\n", slugs.join(", ")),
    };
    format!(
        "{slug}: a made-up change\n\nHypothesis: made up.\n\nMechanism: made up.\n\nRisk: none.\n\n\
         Origin: this project\nForwarded: no\n{depends}Removal: never\n"
    )
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}
