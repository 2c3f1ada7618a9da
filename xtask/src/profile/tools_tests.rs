//! Samplers against stubs that speak their words.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::error::ProfileError;
use super::inlined::Frames;
use super::sampler::{self, Job};
use super::*;
use crate::bench::process::{Interrupt, ProcessError};
use crate::bench::runner::{Arm, Call};
use crate::flags::profile::Wanted;
use crate::progress::Progress;

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)
}

fn arm(options: &[(&str, &str)]) -> Arm {
    let binary = source("bench/stub-workload.sh");
    Arm {
        name: "patched".to_owned(),
        stamp: "stamp".to_owned(),
        inputs: serde_json::Value::Null,
        options: options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        released: false,
        workloads: Arm::list(&binary, &Interrupt::default()).expect("the stub lists its workloads"),
        binary,
    }
}

struct Asked<'a> {
    perf: &'a str,
    valgrind: bool,
    wanted: Wanted,
    workload: &'a str,
    options: &'a [(&'a str, &'a str)],
}

/// A profile of the stub workload by the stub `perf` of this name; none is there where the name is empty.
fn take(asked: &Asked) -> Result<Taken, ProfileError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let perf = folder.path().join(asked.perf).join("perf-missing");
    let tools = Tools {
        perf: if asked.perf.is_empty() {
            perf
        } else {
            let link = folder.path().join(asked.perf);
            symlink(source("profile/stub-perf.sh"), &link).expect("a link");
            link
        },
        valgrind: if asked.valgrind {
            source("profile/stub-valgrind.sh")
        } else {
            folder.path().join("valgrind-missing")
        },
        paranoid: Some(2),
    };
    let arm = arm(asked.options);
    let call = Call {
        workload: asked.workload,
        seed: 1,
        size: None,
        threads: Some(1),
    };
    std::fs::write(folder.path().join("prepared"), "").expect("written");
    let job = Job {
        arm: &arm,
        call: &call,
        cache: folder.path(),
        scratch: folder.path(),
    };
    let interrupt = Interrupt::default();
    sampler::take(&tools, &job, asked.wanted, &interrupt, Progress::stderr())
}

fn perf(name: &str, options: &[(&str, &str)]) -> Result<Taken, ProfileError> {
    take(&Asked {
        perf: name,
        valgrind: false,
        wanted: Wanted::Perf,
        workload: "synth/sha256",
        options,
    })
}

#[test]
fn samples_become_categories() {
    let mut taken = perf("perf", &[]).expect("a profile");
    assert_eq!(taken.method, Method::PerfClock);
    assert!(taken.reason.contains("<not supported>"), "{}", taken.reason);
    assert!(taken.reason.contains("virtual machine"), "{}", taken.reason);
    assert_eq!((taken.runs, taken.stands_for), (2, Some(500_000)));
    assert!(taken.notes.is_empty(), "{:?}", taken.notes);
    let frames = Frames::at(source("profile/stub-frames.sh"));
    let raw = std::mem::take(&mut taken.stacks);
    let binary = source("bench/stub-workload.sh");
    let stacks = frames.expand(&binary, taken.space, raw).expect("named");
    let account = account::of("synth/sha256", &taken, &stacks);
    let sums: Vec<(&str, u64)> = account
        .categories
        .iter()
        .map(|category| (category.name.as_str(), category.value))
        .collect();
    // By its symbol the sample is enforcing; its address is in what was inlined there.
    assert_eq!(sums, [("evaluation", 3), ("allocation", 1)]);
    assert_eq!((account.total, account.outside), (4, 1));
}

#[test]
fn cycles_are_taken_where_they_are_counted() {
    let taken = perf("perf-hardware", &[]).expect("a profile");
    assert_eq!(taken.method, Method::PerfCycles);
    assert_eq!(taken.stands_for, Some(2_000_003));
}

#[test]
fn what_is_missing_in_a_profile_is_said() {
    let user = perf("perf-user", &[]).expect("a profile");
    assert!(
        user.notes[0].contains("kernel.perf_event_paranoid is 2"),
        "{:?}",
        user.notes
    );
    let lossy = perf("perf-lossy", &[]).expect("a profile");
    assert!(
        lossy.notes[0].contains("dropped 12 samples"),
        "{:?}",
        lossy.notes
    );
}

#[test]
fn perf_that_is_not_there_or_not_allowed() {
    let error = perf("", &[]).expect_err("no perf");
    assert!(matches!(error, ProfileError::NoPerf { .. }), "{error}");
    assert!(
        error.to_string().contains("apt install linux-perf"),
        "{error}"
    );
    let error = perf("perf-denied", &[]).expect_err("denied");
    let text = error.to_string();
    assert!(text.contains("No permission to enable cpu-clock"), "{text}");
    assert!(
        text.contains("sysctl kernel.perf_event_paranoid=1"),
        "{text}"
    );
}

#[test]
fn a_recording_without_samples_or_of_another_form() {
    let error = perf("perf-empty", &[]).expect_err("empty");
    assert!(matches!(error, ProfileError::NoSamples { .. }), "{error}");
    let error = perf("perf-unreadable", &[]).expect_err("unreadable");
    assert!(error.to_string().contains("this is no frame"), "{error}");
}

#[test]
fn a_workload_that_fails_is_not_profiled() {
    let error = perf("perf", &[("unsure", "yes")]).expect_err("a wrong answer");
    assert_eq!(
        error.to_string(),
        "synth/sha256 failed its own check: a stub"
    );
    let error = perf("perf", &[("fail", "odd")]).expect_err("exit code 2");
    assert!(error.to_string().contains("no memory left"), "{error}");
}

fn callgrind(wanted: Wanted, valgrind: bool, workload: &str) -> Result<Taken, ProfileError> {
    take(&Asked {
        perf: "perf-denied",
        valgrind,
        wanted,
        workload,
        options: &[],
    })
}

#[test]
fn callgrind_where_nothing_can_be_sampled() {
    let taken = callgrind(Wanted::Auto, true, "synth/sha256").expect("a profile");
    assert_eq!(taken.method, Method::Callgrind);
    assert!(taken.reason.contains("No permission"), "{}", taken.reason);
    // Setting up drops out.
    assert_eq!(taken.stacks.len(), 1);
    assert_eq!(taken.stacks[0].weight, 10);
    assert_eq!(taken.stacks[0].frames[0].address, Some(0x30));
    assert_eq!((taken.runs, taken.stands_for), (1, None));
}

#[test]
fn callgrind_that_cannot() {
    let error = callgrind(Wanted::Callgrind, false, "synth/sha256").expect_err("no valgrind");
    assert!(
        error.to_string().contains("apt install valgrind"),
        "{error}"
    );
    let error = callgrind(Wanted::Callgrind, true, "prove/sha256").expect_err("once");
    assert!(error.to_string().contains("does its work once"), "{error}");
    let error = callgrind(Wanted::Auto, false, "synth/sha256").expect_err("neither");
    let text = error.to_string();
    assert!(text.contains("No permission to enable cpu-clock"), "{text}");
    assert!(text.contains("apt install valgrind"), "{text}");
    let wrong = take(&Asked {
        perf: "",
        valgrind: true,
        wanted: Wanted::Callgrind,
        workload: "synth/sha256",
        options: &[("unsure", "yes")],
    });
    assert!(matches!(wrong, Err(ProfileError::WrongAnswer { .. })));
    let broken = take(&Asked {
        perf: "",
        valgrind: true,
        wanted: Wanted::Callgrind,
        workload: "synth/sha256",
        options: &[("fail", "odd")],
    });
    assert!(matches!(
        broken,
        Err(ProfileError::Process(ProcessError::Failed { .. }))
    ));
}
