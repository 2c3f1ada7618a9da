//! From making to bringing home, with a stub in place of workloads.

mod home;
mod making;
mod running;
mod script;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::make::{self, Ingredients, Made};
use super::runner::{self, RunWishes};
use super::{RESULTS, checksums};
use crate::bench::process::Interrupt;
use crate::bench::runner::Arm;
use crate::bench::session::Folders;
use crate::bench::testing::empty_result;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::results::{ResultFile, store};

const W: &str = "synth/sha256";
const P: &str = "prove/sha256";

/// A checkout that is empty, a stub of a runner, and a place for bundles.
struct World {
    folder: tempfile::TempDir,
    runner: PathBuf,
    layout: Layout,
    interrupt: Interrupt,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runner = folder.path().join("xtask");
    program(&runner, "printf '<%s>' \"$@\"");
    World {
        runner,
        layout: Layout::new(&folder.path().join("checkout")),
        interrupt: Interrupt::default(),
        folder,
    }
}

/// A program in shell.
fn program(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("may be run");
}

fn stub() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/stub-workload.sh")
}

fn arm(name: &str, binary: &Path, options: &[(&str, &str)]) -> Arm {
    Arm {
        name: name.to_owned(),
        stamp: format!("{name}-stamp"),
        inputs: serde_json::json!({ "features": [] }),
        binary: binary.to_path_buf(),
        options: options
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect(),
        released: false,
        workloads: Arm::list(&stub(), &Interrupt::default()).expect("the stub lists its workloads"),
    }
}

/// `patched` is a fifth faster.
fn pair(binary: &Path) -> Vec<Arm> {
    vec![
        arm("pristine", binary, &[]),
        arm("patched", binary, &[("speed", "800")]),
    ]
}

fn planned(arms: &[Arm], workloads: &[&str], pairs: usize) -> ResultFile {
    let mut result = empty_result(workloads, pairs);
    result.complete = false;
    result.arms = arms.iter().map(Arm::record).collect();
    for workload in &mut result.plan.workloads {
        workload.headline = vec!["wall_s.warm".to_owned(), "peak_bytes".to_owned()];
    }
    result
}

impl World {
    fn make(&self, dir: &Path, arms: &[Arm], planned: &ResultFile) -> anyhow::Result<Made> {
        let (cache, kept) = (
            self.layout.target.join("params"),
            self.layout.target.join("matrices"),
        );
        let from = Ingredients {
            arms,
            planned,
            threads_asked: false,
            counters: false,
            runner: &self.runner,
            folders: Folders {
                cache: &cache,
                kept: &kept,
            },
        };
        make::make(dir, &from, &self.interrupt, Progress::stderr())
    }

    /// A bundle of the stub, carried to another folder.
    fn bundle(&self, workloads: &[&str], pairs: usize) -> PathBuf {
        self.bundle_of(&stub(), workloads, pairs)
    }

    fn bundle_of(&self, binary: &Path, workloads: &[&str], pairs: usize) -> PathBuf {
        let arms = pair(binary);
        let made = self.folder.path().join("made/a bundle");
        self.make(&made, &arms, &planned(&arms, workloads, pairs))
            .expect("made");
        let there = self.folder.path().join("another host");
        fs::create_dir_all(&there).expect("made");
        let dir = there.join("a bundle");
        fs::rename(made, &dir).expect("carried");
        dir
    }

    fn run(&self, dir: &Path, wishes: &RunWishes) -> Result<String, String> {
        runner::run(
            dir,
            wishes,
            self.folder.path(),
            &self.interrupt,
            Progress::stderr(),
        )
        .map(|code| format!("{code:?}"))
        .map_err(|e| format!("{e:#}"))
    }

    /// A workload that does `script`, in which STUB stands for the stub with all its arguments.
    fn workload(&self, script: &str) -> PathBuf {
        let binary = self.folder.path().join("workload");
        let stub = format!("'{}' \"$@\"", stub().display());
        program(&binary, &script.replace("STUB", &stub));
        binary
    }

    /// Made, carried and run, with its one result.
    fn ran(&self, pairs: usize) -> (PathBuf, PathBuf) {
        let dir = self.bundle(&[W], pairs);
        self.run(&dir, &RunWishes::default()).expect("it runs");
        let results = results(&dir);
        assert_eq!(results.len(), 1);
        (dir, results[0].clone())
    }
}

/// Everything that a bundle has measured.
fn results(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir.join(RESULTS)) else {
        return Vec::new();
    };
    entries.map(|e| e.expect("an entry").path()).collect()
}

fn read(path: &Path) -> ResultFile {
    store::read(path).expect("a result")
}

fn edit(path: &Path, change: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(path).expect("text");
    fs::write(path, change(text)).expect("written");
}

/// Vouches for the files of a bundle as they are now.
fn seal(dir: &Path) {
    fs::remove_file(dir.join(checksums::SUMS)).expect("removed");
    checksums::write(dir).expect("listed");
}

fn good() -> String {
    format!("{:?}", std::process::ExitCode::SUCCESS)
}

fn falls_short() -> String {
    format!("{:?}", std::process::ExitCode::from(1))
}
