//! Making a bundle: everything is put together beside its place and renamed there when it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::checksums;
use super::error::BundleError;
use super::manifest::{BUNDLE_SCHEMA, BundleFile, BundledArm, PLAN};
use super::needs::Needs;
use super::{BIN, MATRICES, PARAMS, RUN, RUNNER, strip};
use crate::bench::process::Interrupt;
use crate::bench::progress::RunProgress;
use crate::bench::runner::{Arm, Call};
use crate::bench::session::{Folders, Session};
use crate::bench::{matrices, plan};
use crate::progress::Progress;
use crate::results::{ResultFile, WorkloadPlan};

/// The most megabytes of a bundle without CUDA.
const LIMIT_MB: u64 = 60;
const MB: u64 = 1_000_000;

/// What a bundle is made from.
#[derive(Debug)]
pub struct Ingredients<'a> {
    /// The arms, built.
    pub arms: &'a [Arm],
    /// What is to be run, as a result without trials.
    pub planned: &'a ResultFile,
    /// True when a number of threads was asked for. It then holds on every host.
    pub threads_asked: bool,
    /// Count instructions and what else can be counted, too.
    pub counters: bool,
    /// The program that measures.
    pub runner: &'a Path,
    /// What this host has kept from earlier runs.
    pub folders: Folders<'a>,
}

/// A bundle that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its bytes.
    pub bytes: u64,
    /// What it needs of a host.
    pub needs: Needs,
}

/// Refuses a place that holds something. To be asked before anything is built.
pub fn check_place(dir: &Path) -> Result<(), BundleError> {
    use std::io::ErrorKind;
    let empty = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(e) if e.kind() == ErrorKind::NotFound => true,
        Err(e) if e.kind() == ErrorKind::NotADirectory => false,
        Err(e) => return Err(BundleError::io(dir, e)),
    };
    if empty {
        Ok(())
    } else {
        Err(BundleError::Occupied {
            path: dir.to_path_buf(),
        })
    }
}

/// Makes a bundle in `dir` and says what it is.
pub fn report(
    dir: &Path,
    from: &Ingredients,
    interrupt: &Interrupt,
    progress: Progress,
) -> Result<ExitCode> {
    let made = make(dir, from, interrupt, progress)?;
    println!("Bundle: {}, {:.1} MB", dir.display(), megabytes(made.bytes));
    println!("It needs {}.", needed(&made.needs).join("; "));
    println!("Copy it to another host and start its script: ./run, or ./run --limit 10m");
    println!("Then, with the bundle carried back: cargo xtask bench --from {dir:?}");
    Ok(ExitCode::SUCCESS)
}

/// Makes a bundle in `dir`.
pub fn make(
    dir: &Path,
    from: &Ingredients,
    interrupt: &Interrupt,
    progress: Progress,
) -> Result<Made> {
    check_place(dir)?;
    let dir = std::path::absolute(dir).map_err(|e| BundleError::io(dir, e))?;
    let parent = dir.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|e| BundleError::io(parent, e))?;
    let staging = tempfile::Builder::new()
        .prefix(".bundle-")
        .tempdir_in(parent)
        .map_err(|e| BundleError::io(parent, e))?;
    let made = fill(staging.path(), from, interrupt, progress)?;
    open_to_all(staging.path())?;
    fs::rename(staging.path(), &dir).map_err(|e| BundleError::io(&dir, e))?;
    Ok(made)
}

fn fill(dir: &Path, from: &Ingredients, interrupt: &Interrupt, progress: Progress) -> Result<Made> {
    for folder in [BIN, PARAMS, MATRICES] {
        let path = dir.join(folder);
        fs::create_dir_all(&path).map_err(|e| BundleError::io(&path, e))?;
    }
    progress.step("Packing", "the binaries, without their symbols");
    let pack = |program: &Path, file: &str| -> Result<()> {
        if !strip::copy(program, &dir.join(file), interrupt)? {
            progress.step(
                "Warning",
                format!("{file} keeps its symbols: install binutils for a smaller bundle"),
            );
        }
        Ok(())
    };
    pack(from.runner, RUNNER)?;
    let mut files: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for arm in from.arms {
        if !files.contains_key(arm.stamp.as_str()) {
            let file = binary_name(arm);
            pack(&arm.binary, &file)?;
            let sha256 = checksums::of_file(&dir.join(&file))?;
            files.insert(&arm.stamp, (file, sha256));
        }
    }
    let programs: Vec<PathBuf> = files
        .values()
        .map(|(file, _)| dir.join(file))
        .chain([dir.join(RUNNER)])
        .collect();
    let programs: Vec<&Path> = programs.iter().map(PathBuf::as_path).collect();
    let needs = Needs::of(&programs)?;
    for workload in &from.planned.plan.workloads {
        pack_matrices(dir, workload, from, interrupt)?;
    }
    let bundled = |arm: &Arm| {
        let (file, sha256) = files.get(arm.stamp.as_str()).cloned().unwrap_or_default();
        BundledArm {
            name: arm.name.clone(),
            file,
            sha256,
            options: arm.options.clone(),
            released: arm.released,
        }
    };
    let file = BundleFile {
        bundle_schema: BUNDLE_SCHEMA,
        planned: for_any_host(from),
        arms: from.arms.iter().map(bundled).collect(),
        counters: from.counters,
        needs,
    };
    write(
        &dir.join(PLAN),
        &(serde_json::to_string_pretty(&file)? + "\n"),
        0o644,
    )?;
    write(&dir.join("README.txt"), &readme(&file), 0o644)?;
    write(&dir.join(RUN), &script(dir, &file.needs)?, 0o755)?;
    // Parameters come last, and only while there is room: a host can make them, and nothing else of a bundle. What a GPU is
    // measured with is gigabytes.
    let limited = !uses_cuda(from.arms);
    if limited {
        for workload in &file.planned.plan.workloads {
            pack_parameters(dir, workload, from, interrupt, progress)?;
        }
    }
    checksums::write(dir)?;
    let sizes = checksums::files(dir)?;
    if limited {
        check_size(&sizes)?;
    }
    Ok(Made {
        bytes: sizes.values().sum(),
        needs: file.needs,
    })
}

/// The plan with what a host decides left open.
fn for_any_host(from: &Ingredients) -> ResultFile {
    let mut planned = from.planned.clone();
    for workload in &mut planned.plan.workloads {
        if !from.threads_asked && plan::on_all_cores(&workload.name) {
            workload.threads = None;
        }
    }
    planned
}

fn binary_name(arm: &Arm) -> String {
    let program = arm.binary.file_name().unwrap_or_default().to_string_lossy();
    let stamp: String = arm.stamp.chars().take(16).collect();
    format!("{BIN}/{program}-{stamp}")
}

/// True when an arm's binary has code for a GPU, of which one copy alone may be larger than a bundle should be.
fn uses_cuda(arms: &[Arm]) -> bool {
    let cuda = |arm: &Arm| {
        let features = arm.inputs.get("features").and_then(|list| list.as_array());
        let names = features.into_iter().flatten().filter_map(|f| f.as_str());
        names.into_iter().any(|name| name.contains("cuda"))
    };
    arms.iter().any(cuda)
}

/// The digests of a workload's matrices, which cost as much as a synthesis each and follow from the binary alone.
fn pack_matrices(
    dir: &Path,
    workload: &WorkloadPlan,
    from: &Ingredients,
    interrupt: &Interrupt,
) -> Result<()> {
    let has = |arm: &&Arm| arm.has_matrices(&workload.name);
    let arms: Vec<&Arm> = from.arms.iter().filter(has).collect();
    let call = Call::of(workload, from.planned.plan.seed >> 11);
    let mut bar = RunProgress::new(arms.len(), false);
    matrices::of_arms(&arms, &call, from.folders, interrupt, &mut bar)
        .with_context(|| format!("the matrices of {}", workload.name))?;
    for arm in arms {
        let kept = matrices::place(from.folders.kept, arm, &call);
        // Where they could not be kept, the host asks for them itself.
        if kept.is_file() {
            let to = matrices::place(&dir.join(MATRICES), arm, &call);
            fs::copy(&kept, &to).map_err(|e| BundleError::io(&to, e))?;
        }
    }
    Ok(())
}

/// The parameters of a workload, unless they are larger than a bundle may be.
fn pack_parameters(
    dir: &Path,
    workload: &WorkloadPlan,
    from: &Ingredients,
    interrupt: &Interrupt,
    progress: Progress,
) -> Result<()> {
    let session = Session {
        arms: from.arms,
        folders: from.folders,
        interrupt,
        counters: None,
    };
    let Some(arm) = session.preparer(&workload.name) else {
        return Ok(());
    };
    progress.step("Preparing", format!("parameters of {}", workload.name));
    let cache = dir.join(PARAMS);
    let before = checksums::files(dir)?;
    arm.prepare(&Call::of(workload, 0), &cache, interrupt)
        .with_context(|| format!("the parameters of {} on {}", workload.name, arm.name))?;
    let after = checksums::files(dir)?;
    if after.values().sum::<u64>() > LIMIT_MB * MB {
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            let path = dir.join(name);
            fs::remove_file(&path).map_err(|e| BundleError::io(&path, e))?;
        }
        progress.step(
            "Warning",
            format!(
                "the parameters of {} are too large to carry: the host makes them before its first trial",
                workload.name
            ),
        );
    }
    Ok(())
}

fn check_size(sizes: &BTreeMap<String, u64>) -> Result<(), BundleError> {
    let bytes: u64 = sizes.values().sum();
    if bytes <= LIMIT_MB * MB {
        return Ok(());
    }
    let mut largest: Vec<(&String, &u64)> = sizes.iter().collect();
    largest.sort_by_key(|(_, size)| std::cmp::Reverse(**size));
    let names: Vec<String> = largest
        .iter()
        .take(4)
        .map(|(name, size)| format!("{name} ({:.1} MB)", megabytes(**size)))
        .collect();
    Err(BundleError::TooLarge {
        megabytes: megabytes(bytes),
        limit: LIMIT_MB,
        largest: names.join(", "),
    })
}

/// Bytes as people speak of them.
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / MB as f64
}

fn script(dir: &Path, needs: &Needs) -> Result<String, BundleError> {
    Ok(include_str!("run.sh")
        .replace("@ARCH@", &needs.arch)
        .replace("@GLIBC@", &needs.glibc_text())
        .replace("@LOADER@", needs.loader.as_deref().unwrap_or_default())
        .replace("@RUNNER@", &checksums::of_file(&dir.join(RUNNER))?))
}

fn readme(file: &BundleFile) -> String {
    let list = |names: Vec<&str>| names.join(", ");
    let plan = &file.planned.plan;
    include_str!("README.txt")
        .replace(
            "@ARMS@",
            &list(file.arms.iter().map(|a| a.name.as_str()).collect()),
        )
        .replace(
            "@WORKLOADS@",
            &list(plan.workloads.iter().map(|w| w.name.as_str()).collect()),
        )
        .replace("@NEEDS@", &needed(&file.needs).join("; "))
}

/// What a host must have, in words.
fn needed(needs: &Needs) -> Vec<String> {
    let mut needed = vec![format!("Linux on {}", needs.arch)];
    if needs.glibc.is_some() {
        needed.push(format!("glibc {} or newer", needs.glibc_text()));
    }
    if !needs.libraries.is_empty() {
        let libraries: Vec<&str> = needs.libraries.iter().map(String::as_str).collect();
        needed.push(libraries.join(", "));
    }
    let processor = needs.processor.iter();
    needed.extend(processor.map(|name| format!("a processor with {name}")));
    needed
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), BundleError> {
    fs::write(path, text)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(mode)))
        .map_err(|e| BundleError::io(path, e))
}

/// Whoever runs a bundle may be somebody else than who made it; temporary files and folders are private.
fn open_to_all(dir: &Path) -> Result<(), BundleError> {
    for entry in walkdir::WalkDir::new(dir) {
        let entry = entry.map_err(|e| BundleError::io(dir, e.into()))?;
        let mode = entry
            .metadata()
            .map_err(|e| BundleError::io(entry.path(), e.into()))?
            .permissions()
            .mode();
        let execute = if entry.file_type().is_dir() || mode & 0o100 != 0 {
            0o111
        } else {
            0
        };
        fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644 | execute))
            .map_err(|e| BundleError::io(entry.path(), e))?;
    }
    Ok(())
}
