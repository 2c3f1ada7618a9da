//! Sampling with perf: hardware cycles where they are counted, the kernel's clock elsewhere.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::error::ProfileError;
use super::sampler::Job;
use super::{KERNEL, RawFrame, RawStack, Space, Taken, Tools};
use crate::bench::process::{self, Interrupt, ProcessError};
use crate::bench::trial;
use crate::results::profile::Method;

/// A sample every so many cycles: one or two thousand a second, and a prime, so that no loop keeps step with it.
const CYCLES: u64 = 2_000_003;
/// A sample every so many nanoseconds.
const NANOSECONDS: u64 = 500_000;
/// Bytes of the stack that are kept with a sample, from which its callers are found.
const STACK_BYTES: &str = "16384";

/// Runs the workload under perf.
pub fn take(tools: &Tools, job: &Job, interrupt: &Interrupt) -> Result<Taken, ProfileError> {
    let hardware = counts_cycles(tools)?;
    let (method, event, period) = match &hardware {
        Ok(()) => (Method::PerfCycles, "cycles", CYCLES),
        Err(_) => (Method::PerfClock, "cpu-clock", NANOSECONDS),
    };
    let recording = job.scratch.join("perf.data");
    let plain = job.arm.command(job.call, job.cache, None);
    let mut command = Command::new(&tools.perf);
    command
        .args(["record", "-q", "-e", event, "-c", &period.to_string()])
        .args(["--call-graph", &format!("dwarf,{STACK_BYTES}"), "-o"])
        .arg(&recording)
        .arg("--")
        .arg(plain.get_program())
        .args(plain.get_args().map(OsStr::to_os_string));
    let refused = |said: String| ProfileError::PerfFailed {
        event: event.to_owned(),
        said,
        advice: advice(tools.paranoid),
    };
    let finished = match process::run(&mut command, interrupt) {
        Err(ProcessError::Failed { said, .. }) => return Err(refused(said.trim().to_owned())),
        other => other?,
    };
    // perf ends as the workload did. Without a trial, it was perf that failed.
    let trial = match trial::parse(&finished.stdout) {
        Err(_) if !finished.good => return Err(refused(finished.stderr)),
        other => other?,
    };
    if !(finished.good && trial.ok) {
        return Err(ProfileError::WrongAnswer {
            workload: trial.workload,
            check: trial.check.unwrap_or_default(),
        });
    }
    let text = script(tools, &recording)?;
    let script = parse(&text, &job.arm.binary)?;
    if script.stacks.is_empty() {
        return Err(ProfileError::NoSamples { path: recording });
    }
    let mut notes = Vec::new();
    if script.lost > 0 {
        notes.push(format!(
            "the kernel dropped {} samples that perf was too slow to take",
            script.lost
        ));
    }
    if script.user_only {
        notes.push(format!(
            "the kernel's part is missing, page faults with it: kernel.perf_event_paranoid is {}; `sudo sysctl \
             kernel.perf_event_paranoid=1` lets it be seen",
            tools.paranoid.map_or("unknown".to_owned(), |p| p.to_string())
        ));
    }
    Ok(Taken {
        method,
        reason: match hardware {
            Ok(()) => "the hardware counts cycles here".to_owned(),
            Err(why) => why,
        },
        notes,
        stands_for: Some(period),
        stacks: script.stacks,
        space: Space::File,
        only_timed: false,
        runs: runs(&trial),
        trial,
    })
}

/// How often the timed work was done: a synthesis is timed cold, and warm if there is a second.
fn runs(trial: &crate::results::Trial) -> u64 {
    let cold_and_warm = ["wall_s.cold", "wall_s.warm"];
    let timed = cold_and_warm
        .iter()
        .filter(|metric| trial.metrics.contains_key(**metric));
    (timed.count() as u64).max(1)
}

/// Whether cycles are counted here; if not, why, and what would help.
fn counts_cycles(tools: &Tools) -> Result<Result<(), String>, ProfileError> {
    let probe = Command::new(&tools.perf)
        .args(["stat", "-x", ",", "-e", "cycles:u", "--", "true"])
        .stdin(Stdio::null())
        .output();
    let Ok(output) = probe else {
        return Err(ProfileError::NoPerf {
            program: tools.perf.clone(),
        });
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("cycles"));
    let first = line.and_then(|line| line.split(',').next()).unwrap_or("");
    if output.status.success() && first.parse::<u64>().is_ok_and(|count| count > 0) {
        return Ok(Ok(()));
    }
    Ok(Err(if first.starts_with('<') {
        format!(
            "because cycles are {first} here: a virtual machine whose host passes no counters on. With them (KVM: \
             `-cpu host,pmu=on`), or on a machine of its own, cycles are taken"
        )
    } else {
        let reason = said.trim().lines().next().unwrap_or("perf says nothing");
        format!(
            "because perf does not count cycles ({reason}). {}",
            advice(tools.paranoid)
        )
    }))
}

fn advice(paranoid: Option<i32>) -> String {
    match paranoid {
        Some(level) if level > 1 => format!(
            "kernel.perf_event_paranoid is {level}; `sudo sysctl kernel.perf_event_paranoid=1` lets every user sample \
             processes of his own. Or count instructions with --method callgrind"
        ),
        Some(level) => format!(
            "kernel.perf_event_paranoid is {level}, which is no obstacle; a container may forbid perf_event_open. \
             Count instructions with --method callgrind"
        ),
        None => {
            "This system does not say what it allows. Count instructions with --method callgrind"
                .to_owned()
        }
    }
}

/// The recording as text.
fn script(tools: &Tools, recording: &Path) -> Result<String, ProfileError> {
    let output = Command::new(&tools.perf)
        .args([
            "script",
            "--no-inline",
            "--show-mmap-events",
            "--show-lost-events",
        ])
        .args(["-F", "period,event,ip,sym,dso", "-i"])
        .arg(recording)
        .stdin(Stdio::null())
        .output();
    let failed = |said: String| ProfileError::PerfFailed {
        event: "what it recorded".to_owned(),
        said,
        advice: "Nothing was changed. Is there space in the temporary folder?".to_owned(),
    };
    let output = output.map_err(|e| failed(e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    // A recording without samples is an error of perf's, and one of its own here.
    if !output.status.success() && !said.contains("no samples") && !said.contains("has no data") {
        return Err(failed(said));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What `perf script` printed.
#[derive(Debug, Default, PartialEq)]
struct Script {
    stacks: Vec<RawStack>,
    lost: u64,
    /// True where the event is restricted to user mode.
    user_only: bool,
}

/// Where a piece of the binary was mapped: start, length, offset in the file.
type Mapping = (u64, u64, u64);

fn parse(text: &str, binary: &Path) -> Result<Script, ProfileError> {
    let mut script = Script::default();
    let mut mappings: Vec<Mapping> = Vec::new();
    let mut counted: HashMap<Vec<RawFrame>, u64> = HashMap::new();
    let mut frames: Vec<RawFrame> = Vec::new();
    let unreadable = |line: &str| ProfileError::Unreadable {
        tool: "perf script",
        line: line.to_owned(),
    };
    let binary = binary.to_string_lossy();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            if !frames.is_empty() {
                *counted.entry(std::mem::take(&mut frames)).or_default() += 1;
            }
        } else if let Some((_, what)) = line.split_once("PERF_RECORD_MMAP") {
            if what.ends_with(&*binary) {
                mappings.push(mapping(what).ok_or_else(|| unreadable(line))?);
            }
        } else if let Some((_, what)) = line.split_once("PERF_RECORD_LOST") {
            let number = what.split_whitespace().last();
            script.lost += number.and_then(|n| n.parse::<u64>().ok()).unwrap_or(1);
        } else if line.starts_with('\t') {
            frames.push(frame(line, &binary, &mappings).ok_or_else(|| unreadable(line))?);
        } else {
            let event = line.trim().trim_end_matches(':');
            let event = event.split_whitespace().last().unwrap_or_default();
            script.user_only |= event.ends_with(":u") || event.ends_with(":uH");
        }
    }
    script.stacks = counted
        .into_iter()
        .map(|(frames, weight)| RawStack { frames, weight })
        .collect();
    Ok(script)
}

/// `2 1/1: [0x55b4(0x4e) @ 0x175000 fe:00 5 2]: r-xp /path`.
fn mapping(what: &str) -> Option<Mapping> {
    let (start, rest) = what.split_once("[0x")?.1.split_once("(0x")?;
    let (length, rest) = rest.split_once(") @ ")?;
    let offset = rest.split([' ', ']']).next()?.trim_start_matches("0x");
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    Some((number(start)?, number(length)?, number(offset)?))
}

/// `\t  2ccaad name of the function (/path/of/the/file)`.
fn frame(line: &str, binary: &str, mappings: &[Mapping]) -> Option<RawFrame> {
    let (address, rest) = line.trim_start().split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let (name, file) = rest.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    // Older versions of perf print where it was mapped, newer ones where it is in the file.
    let mapped = mappings
        .iter()
        .find(|(start, length, _)| (*start..start + length).contains(&address));
    let in_kernel = file.starts_with('[') && !["[unknown]", "[vdso]", "[vsyscall]"].contains(&file);
    Some(RawFrame {
        name: if in_kernel {
            format!("{name}{KERNEL}")
        } else {
            name.to_owned()
        },
        address: (file == binary)
            .then(|| mapped.map_or(address, |(start, _, offset)| address - start + offset)),
    })
}

#[cfg(test)]
#[path = "perf_tests.rs"]
mod tests;
