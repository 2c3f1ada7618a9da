//! The step that uses the stack as others do: from a dist, in projects that know nothing of this repository.
//!
//! The projects of `tests/downstream/` are copied out of the repository and get what docs/consuming.md tells their owners
//! to add, by the verbs that it names. All of them are built by path. One is also built by a local registry in place of
//! crates.io, with an empty cargo home and no network, and, with what that left in the home, from a git repository that
//! the dist was committed to.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use walkdir::WalkDir;

use super::{Outcome, commands, verbs};
use crate::cargo;
use crate::git;
use crate::layout::Layout;

/// Where the projects lie, from the root.
const PROJECTS: &str = "tests/downstream";

/// The toolchain that the projects are built with is ours, wherever they lie.
const TOOLCHAIN: &str = "rust-toolchain.toml";

/// A project.
struct Project {
    name: &'static str,
    /// The crates of the stack that its graph has.
    crates: &'static [&'static str],
    /// What its tests are told.
    flags: &'static [&'static str],
    /// The crate of the dist that is in no registry, where it depends on that.
    embeds: Option<&'static str>,
}

/// A plain user of bellperson. Its feature `stack` compiles on the patched crates alone.
const PLAIN: Project = Project {
    name: "bellperson-user",
    crates: &["bellpepper-core", "bellperson", "blstrs"],
    flags: &["--features", "stack"],
    embeds: None,
};

const EMBEDDER: Project = Project {
    name: "cuzk-core-user",
    crates: PLAIN.crates,
    flags: &[],
    embeds: Some("cuzk-core"),
};

const SEALER: Project = Project {
    name: "filecoin-proofs-user",
    crates: &["bellpepper-core", "bellperson", "blstrs", "neptune"],
    flags: &[],
    embeds: None,
};

/// What all ways have in common.
struct Place<'l> {
    layout: &'l Layout,
    /// A folder outside of the repository.
    folder: PathBuf,
    /// The dist, with the archives of everything that the stack needs.
    dist: PathBuf,
}

const ALL: [&Project; 3] = [&PLAIN, &EMBEDDER, &SEALER];

/// Whether rustfmt would leave the projects as they are.
pub fn formatted(layout: &Layout) -> Outcome {
    for project in ALL {
        let manifest = format!("{PROJECTS}/{}/Cargo.toml", project.name);
        let args = ["fmt", "--check", "--manifest-path", &manifest];
        commands::cargo_check(layout, &args, &[])?;
    }
    Ok(String::new())
}

/// Makes a dist and builds and tests on it.
pub fn run(layout: &Layout) -> Outcome {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let place = Place {
        layout,
        folder: folder.path().canonicalize()?,
        dist: layout.target.join("downstream/dist"),
    };
    fs::copy(layout.root.join(TOOLCHAIN), place.folder.join(TOOLCHAIN))
        .with_context(|| format!("cannot copy {TOOLCHAIN}"))?;
    fs::create_dir_all(layout.target.join("downstream"))?;
    place.dist(&place.dist, &["--closure"])?;
    let mut said = Vec::new();
    for project in ALL {
        let tests =
            by_path(&place, project).with_context(|| format!("{} by path", project.name))?;
        said.push(format!("{}: {tests}", project.name));
    }
    let tests = by_registry(&place).context("by a local registry")?;
    said.push(format!("by local registry: {tests}"));
    let tests = from_git(&place).context("from a git repository")?;
    said.push(format!("from git: {tests}"));
    Ok(said.join("; "))
}

/// The way of those who have the dist on disk.
fn by_path(place: &Place, project: &Project) -> Outcome {
    let folder = place.copy(project, project.name)?;
    if let Some(embedded) = project.embeds {
        let path = place.dist.join("crates").join(embedded);
        let mut command = place.cargo(&folder);
        command
            .args(["add", "--offline", embedded, "--path"])
            .arg(path);
        cargo::output(&mut command)?;
    }
    place.adopt(&folder, &[], 1)?;
    place.adopt(&folder, &["--write"], 0)?;
    let mut command = place.test(&folder, project);
    command.args(["--locked", "--offline"]);
    let tests = commands::tested(&mut command)?;
    // A gate in somebody's CI says so as well.
    place.adopt(&folder, &[], 0)?;
    let crates = place.dist.join("crates");
    for name in project.crates.iter().copied().chain(project.embeds) {
        let path = crates.join(name);
        resolves(&mut place.cargo(&folder), name, &path.display().to_string())?;
    }
    Ok(tests)
}

/// The way of those who build from a git repository that the dist was committed to.
fn from_git(place: &Place) -> Outcome {
    let repository = place.folder.join("repository");
    let inside = repository.join("cuzk");
    fs::create_dir(&repository)?;
    git(&repository, &["init", "--quiet", "--template="])?;
    place.dist(&inside, &[])?;
    git(&repository, &["add", "--all"])?;
    let author = ["-c", "user.name=a", "-c", "user.email=a@invalid"];
    let commit = ["commit", "--quiet", "--message", "the stack"];
    git(&repository, &[&author[..], &commit[..]].concat())?;
    let commit = git(&repository, &["rev-parse", "HEAD"])?;
    let (url, commit) = (format!("file://{}", repository.display()), commit.trim());

    let folder = place.copy(&PLAIN, "from-git")?;
    let lines = read(&inside.join("patch-git.toml"))?
        .replace("\"URL\"", &format!("\"{url}\""))
        .replace("\"COMMIT\"", &format!("\"{commit}\""));
    let manifest = folder.join("Cargo.toml");
    fs::write(&manifest, format!("{}\n{lines}", read(&manifest)?))?;
    place.seal_off(&folder)?;
    let mut command = place.sealed(place.test(&folder, &PLAIN));
    let tests = commands::tested(&mut command)?;
    for name in PLAIN.crates {
        let source = format!("{url}?rev={commit}#{}", &commit[..8]);
        let mut command = place.sealed(place.cargo(&folder));
        resolves(&mut command, name, &source)?;
    }
    Ok(tests)
}

/// The way of those who replace crates.io by a registry on disk.
fn by_registry(place: &Place) -> Outcome {
    let folder = place.copy(&PLAIN, "by-registry")?;
    place.seal_off(&folder)?;
    // Its checksums of these crates are those of the published archives.
    let lock = folder.join("Cargo.lock");
    fs::write(&lock, without(&read(&lock)?, PLAIN.crates))?;
    let mut command = place.sealed(place.test(&folder, &PLAIN));
    let tests = commands::tested(command.arg("--offline"))?;
    for name in PLAIN.crates {
        let mut command = place.sealed(place.cargo(&folder));
        resolves(&mut command, name, "")?;
    }
    Ok(tests)
}

impl Place<'_> {
    /// A copy of a project outside of the repository.
    fn copy(&self, project: &Project, name: &str) -> Result<PathBuf> {
        let from = self.layout.root.join(PROJECTS).join(project.name);
        let to = self.folder.join(name);
        let entries = WalkDir::new(&from)
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target");
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", from.display()))?;
            let place = to.join(entry.path().strip_prefix(&from)?);
            if entry.file_type().is_dir() {
                fs::create_dir_all(&place)?;
            } else {
                fs::copy(entry.path(), &place)
                    .with_context(|| format!("cannot copy {}", entry.path().display()))?;
            }
        }
        Ok(to)
    }

    /// Has cargo know nothing but what lies in the dist, as the README there says.
    fn seal_off(&self, folder: &Path) -> Result<()> {
        let config = folder.join(".cargo");
        fs::create_dir(&config)?;
        let registry = self.dist.join("registry");
        let registry = registry.to_str().context("a path that is not UTF-8")?;
        let text = format!(
            "[source.crates-io]\nreplace-with = \"cuzk\"\n\n[source.cuzk]\nlocal-registry = {}\n",
            toml::Value::from(registry)
        );
        fs::write(config.join("config.toml"), text)?;
        Ok(())
    }

    /// Gives a command a home of cargo's and a folder for builds that hold nothing of other ways, and no network. What the
    /// crates of a registry were compiled from is not looked at again, so these two must not be anybody else's.
    fn sealed(&self, mut command: Command) -> Command {
        command
            .env("CARGO_HOME", self.folder.join("cargo-home"))
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_NET_RETRY", "0")
            // Nobody listens there.
            .env("CARGO_HTTP_PROXY", "http://127.0.0.1:9");
        command
    }

    fn cargo(&self, folder: &Path) -> Command {
        let mut command = cargo::cargo(self.layout);
        command.current_dir(folder);
        command
    }

    /// Tests of a project, in a folder for builds that all projects share, so that dependencies are compiled once.
    fn test(&self, folder: &Path, project: &Project) -> Command {
        let mut command = self.cargo(folder);
        command.args(["test", "--release"]).args(project.flags).env(
            "CARGO_TARGET_DIR",
            self.layout.target.join("downstream/target"),
        );
        command
    }

    /// `adopt` with these flags, without the network.
    fn adopt(&self, folder: &Path, flags: &[&str], code: i32) -> Result<()> {
        let mut arguments: Vec<&OsStr> = vec![
            "adopt".as_ref(),
            folder.as_ref(),
            "--from".as_ref(),
            self.dist.as_ref(),
        ];
        arguments.extend(flags.iter().map(OsStr::new));
        let mut command = verbs::command(self.layout, &arguments)?;
        ends_with(command.env("CARGO_NET_OFFLINE", "true"), code)
    }

    /// `dist` with these flags.
    fn dist(&self, folder: &Path, flags: &[&str]) -> Result<()> {
        let mut arguments: Vec<&OsStr> = vec!["dist".as_ref(), folder.as_ref()];
        arguments.extend(flags.iter().map(OsStr::new));
        ends_with(&mut verbs::command(self.layout, &arguments)?, 0)
    }
}

/// Runs a verb that has to end with this exit code.
fn ends_with(command: &mut Command, code: i32) -> Result<()> {
    let status = command
        .status()
        .context("cannot start this program once more")?;
    let words: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    ensure!(
        status.code() == Some(code),
        "`cargo xtask {}` should end with {code} and ended with {status}",
        words.join(" ")
    );
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A lock file without the entries of these crates.
fn without(lock: &str, crates: &[&str]) -> String {
    let named = |entry: &&str| {
        let name = entry.lines().find_map(|line| line.strip_prefix("name = "));
        name.is_some_and(|name| crates.contains(&name.trim_matches('"')))
    };
    let kept: Vec<&str> = lock.split("\n\n").filter(|entry| !named(entry)).collect();
    kept.join("\n\n")
}

/// One package of this name is in the graph, and comes from `source`; from a registry where that is empty.
fn resolves(cargo: &mut Command, name: &str, source: &str) -> Result<()> {
    let arguments = [
        "tree",
        "--locked",
        "--offline",
        "--prefix",
        "none",
        "--depth",
        "0",
    ];
    cargo.args(arguments).args(["--invert", name]);
    let (text, _) = cargo::output(cargo)?;
    ensure!(
        comes_from(&text, name, source),
        "`{name}` should come from {} and cargo's tree has {}",
        if source.is_empty() {
            "a registry"
        } else {
            source
        },
        text.trim_end()
    );
    Ok(())
}

/// Whether a tree of one line names this package and source.
fn comes_from(tree: &str, name: &str, source: &str) -> bool {
    let mut lines = tree.lines();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return false;
    };
    let mut words = line.splitn(3, ' ');
    let named = words.next() == Some(name) && words.next().is_some_and(|v| v.starts_with('v'));
    let expected = format!("({source})");
    named
        && match words.next() {
            Some(found) => found == expected,
            None => source.is_empty(),
        }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = git::command(folder);
    command.args(arguments);
    Ok(cargo::output(&mut command)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_leave_a_lock_file_and_the_others_stay() {
        let lock = "version = 4\n\n[[package]]\nname = \"lower\"\nversion = \"1.0.0\"\n\n\
            [[package]]\nname = \"upper\"\ndependencies = [\n \"lower\",\n]\n";
        let expected =
            "version = 4\n\n[[package]]\nname = \"upper\"\ndependencies = [\n \"lower\",\n]\n";
        assert_eq!(without(lock, &["lower"]), expected);
    }

    #[test]
    fn a_tree_of_one_package_from_one_source_is_told_from_others() {
        assert!(comes_from(
            "lower v1.0.0 (/d/crates/lower)\n",
            "lower",
            "/d/crates/lower"
        ));
        assert!(comes_from("lower v1.0.0\n", "lower", ""));
        for (tree, source) in [
            ("", ""),
            ("lower v1.0.0\n", "/d/crates/lower"),
            ("lower v1.0.0 (/e/lower)\n", "/d/crates/lower"),
            ("lower v1.0.0 (/d/crates/lower)\n", ""),
            ("lower v1.0.0\nlower v2.0.0\n", ""),
            ("upper v1.0.0\n", ""),
        ] {
            assert!(!comes_from(tree, "lower", source), "{tree}");
        }
    }
}
