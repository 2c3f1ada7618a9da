//! `cargo xtask profile`: where the time of a workload goes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use super::bench::{as_run, check_options};
use crate::arm::{self, ArmSpec};
use crate::bench::plan;
use crate::bench::process::Interrupt;
use crate::bench::runner::{Arm, Call};
use crate::files;
use crate::flags::profile::ProfileArgs;
use crate::layout::Layout;
use crate::profile::error::ProfileError;
use crate::profile::inlined::Frames;
use crate::profile::picture::{self, Subject};
use crate::profile::sampler::{self, Job};
use crate::profile::{Taken, Tools, account, table};
use crate::progress::Progress;
use crate::results::host::Host;
use crate::results::profile::{Method, ProfileFile, SCHEMA};
use crate::results::{clock, store};

/// Takes a profile, prints its table and draws it.
pub fn run(layout: &Layout, mut args: ProfileArgs) -> Result<ExitCode> {
    let progress = Progress::stderr();
    if let Some(path) = &args.json {
        let place = files::destination("--json", path, Some(&layout.results), files::is_document)?;
        args.json = Some(place);
    }
    if let Some(folder) = args
        .out
        .as_ref()
        .filter(|out| out.exists() && !out.is_dir())
    {
        bail!("--out {} is a file: name a folder", folder.display());
    }
    let spec: ArmSpec = args
        .arm
        .parse()
        .with_context(|| format!("arm `{}`", args.arm))?;
    let built = arm::build_for_profiling(layout, &spec, progress)?;
    let frames = Frames::build(layout, progress)?;
    let interrupt = Interrupt::install().context("cannot watch for Ctrl-C")?;
    let arm = as_run(built, &args.arm, &interrupt)?;
    check_options(std::slice::from_ref(&arm))?;
    let profiled = Profiled {
        arm: &arm,
        args: &args,
        tools: Tools::of_this_machine(),
        frames: &frames,
        cache: layout.target.join("params"),
    };
    let profile = match profiled.take(&interrupt, progress) {
        Err(error) => return wrong_answer(error),
        Ok(profile) => profile,
    };
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => layout.target.join("profile"),
    };
    let pictures = profiled.draw(&profile, &folder)?;
    let mut paths = pictures.to_vec();
    if let Some(path) = &args.json {
        store::write_document(path, &profile.file)?;
        paths.push(path.clone());
    }
    if args.keep {
        let path = kept(layout, &profile.file);
        store::keep_document(&path, &profile.file)?;
        paths.push(path);
    }
    print!("{}", table::text(&profile.file));
    for note in &profile.notes {
        println!("note: {note}");
    }
    for path in paths {
        println!("{}", layout.show(&path));
    }
    Ok(ExitCode::SUCCESS)
}

/// A wrong answer is one that can be given: exit code 1. Everything else could not be done.
fn wrong_answer(error: anyhow::Error) -> Result<ExitCode> {
    match error.downcast_ref::<ProfileError>() {
        Some(wrong @ ProfileError::WrongAnswer { .. }) => {
            println!(
                "{wrong}: what it did is not what it should do, so where its time went says nothing"
            );
            Ok(ExitCode::from(1))
        }
        _ => Err(error),
    }
}

/// One arm and what it is asked.
struct Profiled<'a> {
    arm: &'a Arm,
    args: &'a ProfileArgs,
    tools: Tools,
    frames: &'a Frames,
    cache: PathBuf,
}

/// What came of it.
struct Profile {
    file: ProfileFile,
    account: account::Account,
    notes: Vec<String>,
}

impl Profiled<'_> {
    /// What was asked for, or what a comparison would take.
    fn threads(&self) -> u64 {
        self.args
            .threads
            .unwrap_or_else(|| plan::threads(&self.args.workload))
    }

    fn take(&self, interrupt: &Interrupt, progress: Progress) -> Result<Profile> {
        let workload = &*self.args.workload;
        let Some(listed) = self.arm.listed(workload) else {
            let known = self
                .arm
                .workloads
                .iter()
                .filter(|w| self.arm.can_run(&w.name));
            let known: Vec<&str> = known.map(|w| &*w.name).collect();
            bail!(
                "arm `{}` has no workload `{workload}`; there are: {}",
                self.arm.name,
                known.join(", ")
            );
        };
        if let (Some(size), None) = (self.args.size, &listed.size) {
            bail!("--size {size}: {workload} has one size only");
        }
        let threads = self.threads();
        let call = Call {
            workload,
            seed: self.args.seed,
            size: self.args.size,
            threads: Some(threads),
        };
        if listed.needs_parameters {
            progress.step("Preparing", format!("the files that {workload} reads"));
            self.arm.prepare(&call, &self.cache, interrupt)?;
        }
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let job = Job {
            arm: self.arm,
            call: &call,
            cache: &self.cache,
            scratch: scratch.path(),
        };
        progress.step("Profiling", format!("{workload} on {}", self.arm.name));
        let time = clock::now();
        let mut taken = sampler::take(&self.tools, &job, self.args.method, interrupt, progress)?;
        let stacks = std::mem::take(&mut taken.stacks);
        let stacks = self.frames.expand(&self.arm.binary, taken.space, stacks)?;
        let account = account::of(workload, &taken, &stacks);
        if account.total == 0 {
            return Err(ProfileError::NothingTimed {
                workload: workload.to_owned(),
                samples: account.outside,
            }
            .into());
        }
        Ok(Profile {
            file: self.file(time, &taken, &account),
            account,
            notes: taken.notes,
        })
    }

    fn file(&self, time: String, taken: &Taken, account: &account::Account) -> ProfileFile {
        let constraints = taken.trial.metrics.get("constraints").copied();
        ProfileFile {
            schema: SCHEMA,
            time,
            host: Host::this(),
            arm: self.arm.record(),
            workload: self.args.workload.clone(),
            size: taken.trial.size.or(self.args.size),
            threads: taken.trial.threads.unwrap_or(self.threads()),
            method: taken.method,
            reason: taken.reason.clone(),
            unit: match taken.method {
                Method::Callgrind => "instructions".to_owned(),
                Method::PerfClock | Method::PerfCycles => "samples".to_owned(),
            },
            stands_for: taken.stands_for,
            total: account.total,
            outside: account.outside,
            unmatched: account.unmatched,
            runs: taken.runs,
            constraints: constraints.filter(|c| *c >= 1.0).map(|c| c as u64),
            categories: account.categories.clone(),
        }
    }

    fn draw(&self, profile: &Profile, folder: &Path) -> Result<[PathBuf; 2]> {
        let subject = subject(&profile.file);
        picture::write(self.frames, folder, &subject, &profile.account)
    }
}

/// What the pictures of a profile are called by.
fn subject(file: &ProfileFile) -> Subject<'_> {
    Subject {
        workload: &file.workload,
        arm: &file.arm.name,
        stamp: &file.arm.stamp,
        how: table::how(file.method),
        unit: &file.unit,
    }
}

/// Where a kept profile lies: when, what, and which arm.
fn kept(layout: &Layout, file: &ProfileFile) -> PathBuf {
    let name = format!(
        "{}-{}.json",
        clock::for_file_name(&file.time),
        picture::file_name(&subject(file))
    );
    let folder = layout.results.join(&file.host.class).join("profiles");
    folder.join(name)
}

#[cfg(all(test, unix))]
#[path = "profile_tests.rs"]
mod tests;
