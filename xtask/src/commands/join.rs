//! `cargo xtask join`: one more published crate in the stack, with no patch yet.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use crate::bench::process::Interrupt;
use crate::cargo;
use crate::flags::join::JoinArgs;
use crate::layout::Layout;
use crate::lock;
use crate::progress::Progress;
use crate::resolve::{self, Lock};
use crate::stack::manifest::write::{self, Change, Originals};
use crate::stack::manifest::{Manifest, Release};
use crate::stack::materialise::{Edited, Stack, materialise};
use crate::stack::release;
use crate::stack::selection::Selection;
use crate::upkeep::rebase;

/// Fetches the release, writes it into both files, makes its tree and checks the graph.
pub fn run(layout: &Layout, args: JoinArgs) -> Result<ExitCode> {
    let _lock = lock::take(layout, "series", Progress::stderr())?;
    rebase::run::none_under_way(layout)?;
    let manifest = Manifest::load(layout)?;
    let lock_path = layout.root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock_path)
        .context("cannot read Cargo.lock, which says which version is used")?;
    let lock: Lock = toml::from_str(&lock).context("Cargo.lock is not understood here")?;
    let checksum = admit(&manifest, &lock, &args)?;
    let (release, _) = release::other(layout, &args.name, &args.version, Progress::stderr())?;
    ensure!(
        release.checksum == checksum,
        "Cargo.lock has checksum {checksum} for {} {}, and cargo fetched {}: find out which one is right before you go on",
        args.name,
        args.version,
        release.checksum
    );

    // From here on Ctrl-C ends what cargo does, and brings the files back.
    let interrupt = Interrupt::install().context("cannot watch for Ctrl-C")?;
    let cargo_toml = layout.root.join("Cargo.toml");
    let originals = Originals::of([layout.stack_toml.as_path(), &cargo_toml, &lock_path])?;
    let tree = layout.extern_dir.join(&args.name);
    let was_there = tree.symlink_metadata().is_ok();
    let attempted = attempt(layout, &release).and_then(|stack| {
        ensure!(!interrupt.is_raised(), "interrupted");
        Ok(stack)
    });
    match attempted {
        Ok(stack) => {
            originals.forget();
            println!(
                "{} {} is in the stack, without a patch: extern/stack.toml, Cargo.toml and Cargo.lock have it, its tree is {}.",
                release.name,
                release.version,
                layout.show(&tree)
            );
            println!(
                "The stack is {} now, so every kept result is of an earlier one until it is measured again. \
                 `cargo xtask patch edit {}` opens the crate for its first patch.",
                &stack.stamp[..12],
                release.name
            );
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            originals.restore()?;
            if !was_there && tree.exists() {
                fs::remove_dir_all(&tree)
                    .with_context(|| format!("cannot remove {}", layout.show(&tree)))?;
            }
            Err(error.context(format!(
                "{} {} did not join, and everything is as it was",
                release.name, release.version
            )))
        }
    }
}

/// Refuses what no graph would use. Gives the checksum that the lock file has.
fn admit(manifest: &Manifest, lock: &Lock, args: &JoinArgs) -> Result<String> {
    let JoinArgs { name, version } = args;
    if let Some(there) = manifest
        .releases
        .iter()
        .find(|release| release.name == *name)
    {
        bail!(
            "{name} is in the stack already, as {}; `cargo xtask patch rebase {name} VERSION` brings in another version",
            there.version
        );
    }
    let found: Vec<_> = lock
        .package
        .iter()
        .filter(|package| package.name == *name)
        .collect();
    if found.is_empty() {
        bail!(
            "nothing in Cargo.lock depends on `{name}`, so that a patched copy would be used by nobody: let a member depend on it first"
        );
    }
    let Some(package) = found.iter().find(|package| package.version == *version) else {
        let versions: Vec<&str> = found
            .iter()
            .map(|package| package.version.as_str())
            .collect();
        let versions = versions.join(" and ");
        bail!(
            "Cargo.lock has {name} {versions}, not {version}, and a patched copy of another version than the lock file's is not \
             used: join that one, or run `cargo update -p {name} --precise {version}` first"
        );
    };
    ensure!(
        found.len() == 1,
        "Cargo.lock has {name} {} times, and every crate of the stack has to be in the graph once",
        found.len()
    );
    package
        .checksum
        .clone()
        .with_context(|| format!("Cargo.lock takes {name} {version} from elsewhere than crates.io: only published releases join"))
}

fn attempt(layout: &Layout, release: &Release) -> Result<Stack> {
    let planned = plan(layout, release)?;
    // The caller holds what was there.
    write::write(&planned)?.forget();
    let manifest = Manifest::load(layout)?;
    let stack = materialise(
        layout,
        &manifest,
        &Selection::Patched,
        Edited::Refuse,
        Progress::stderr(),
    )?;
    // The lock file has the crate with a source and a checksum until the graph is resolved anew.
    let rustc = cargo::rustc_version(layout)?;
    let host = cargo::host_triple(&rustc)?;
    let call = |more: &[&str]| {
        let mut command = cargo::cargo(layout);
        command.args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            host,
        ]);
        cargo::output(command.args(more))
    };
    call(&["--offline"])
        .or_else(|_| call(&[]))
        .context("the graph does not resolve with the crate in the stack")?;
    resolve::check(layout, &manifest, &stack, &[])?;
    Ok(stack)
}

/// What both files are to be, before either is touched.
fn plan(layout: &Layout, release: &Release) -> Result<Vec<Change>> {
    let cargo_toml = layout.root.join("Cargo.toml");
    let read = |path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", layout.show(path)))
    };
    let stack =
        write::add_release(&read(&layout.stack_toml)?, release).context("extern/stack.toml")?;
    let entry = (release.name.clone(), format!("extern/{}", release.name));
    let root = write::add_patches(&read(&cargo_toml)?, &[entry]).context("Cargo.toml")?;
    Ok(vec![
        Change {
            path: layout.stack_toml.clone(),
            text: stack,
        },
        Change {
            path: cargo_toml,
            text: root,
        },
    ])
}
