//! Counting with callgrind, where nothing can be sampled: instructions by address and by the nearest callers.
//!
//! A process that does the work twice minus one that does it once leaves the work itself, as in `bench::counters`. A
//! count is no time: an instruction that waits for memory counts as much as any other.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::error::ProfileError;
use super::sampler::Job;
use super::{RawFrame, RawStack, Space, Taken, Tools};
use crate::bench::process::{self, Interrupt};
use crate::bench::trial;
use crate::results::Trial;
use crate::results::profile::Method;

/// Callers that callgrind tells apart. More of them take more memory and show little more.
const CALLERS: &str = "--separate-callers=12";

/// Instructions by stack.
type Counts = HashMap<Vec<RawFrame>, u64>;

/// Runs the workload under callgrind, once doing its work once and once doing it twice.
pub fn take(
    tools: &Tools,
    job: &Job,
    reason: String,
    interrupt: &Interrupt,
) -> Result<Taken, ProfileError> {
    let there = Command::new(&tools.valgrind)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !there.is_ok_and(|status| status.success()) {
        return Err(ProfileError::NoCallgrind {
            program: tools.valgrind.clone(),
        });
    }
    if !job.arm.repeats(job.call.workload) {
        return Err(ProfileError::Once {
            workload: job.call.workload.to_owned(),
        });
    }
    let (once, _) = count(tools, job, 1, interrupt)?;
    let (twice, trial) = count(tools, job, 2, interrupt)?;
    Ok(Taken {
        method: Method::Callgrind,
        reason,
        notes: vec![
            "instructions are no time: one that waits for memory counts as much as any other, and the kernel's are \
             not counted"
                .to_owned(),
        ],
        stands_for: None,
        stacks: difference(&once, twice),
        space: Space::Memory,
        only_timed: true,
        trial,
        runs: 1,
    })
}

/// What the second run of a process added.
fn difference(once: &Counts, twice: Counts) -> Vec<RawStack> {
    let added = twice.into_iter().map(|(frames, count)| RawStack {
        weight: count.saturating_sub(once.get(&frames).copied().unwrap_or(0)),
        frames,
    });
    added.filter(|stack| stack.weight > 0).collect()
}

fn count(
    tools: &Tools,
    job: &Job,
    repeat: u32,
    interrupt: &Interrupt,
) -> Result<(Counts, Trial), ProfileError> {
    let out = job.scratch.join(format!("callgrind.{repeat}"));
    let plain = job.arm.command_on_one_thread(job.call, job.cache, repeat);
    let mut command = Command::new(&tools.valgrind);
    command
        .args(["--tool=callgrind", "--error-exitcode=2", CALLERS])
        .args(["--dump-instr=yes", "--dump-line=no"])
        .args(["--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(plain.get_program())
        .args(plain.get_args().map(OsStr::to_os_string));
    let finished = process::run(&mut command, interrupt)?;
    let trial = trial::parse(&finished.stdout)?;
    if !(finished.good && trial.ok) {
        return Err(ProfileError::WrongAnswer {
            workload: trial.workload,
            check: trial.check.unwrap_or_default(),
        });
    }
    let text = fs::read(&out).map_err(|source| ProfileError::Io {
        path: out.clone(),
        source,
    })?;
    let counts = parse(&String::from_utf8_lossy(&text), &job.arm.binary)?;
    Ok((counts, trial))
}

/// Self costs. The cost of a call stands on the line behind it and is the callee's own.
fn parse(text: &str, binary: &Path) -> Result<Counts, ProfileError> {
    let unreadable = |line: &str| ProfileError::Unreadable {
        tool: "callgrind",
        line: line.to_owned(),
    };
    let mut counts = Counts::new();
    let (mut in_binary, mut after_call) = (false, false);
    let mut frames: Vec<RawFrame> = Vec::new();
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            in_binary = Path::new(object) == binary;
        } else if let Some(names) = line.strip_prefix("fn=") {
            frames = names
                .split('\'')
                .map(|name| RawFrame {
                    name: symbol(name).to_owned(),
                    address: None,
                })
                .collect();
        } else if line.starts_with("calls=") {
            after_call = true;
        } else if line.starts_with("0x") {
            if std::mem::take(&mut after_call) {
                continue;
            }
            let (address, cost) = cost(line).ok_or_else(|| unreadable(line))?;
            let mut at = frames.clone();
            let innermost = at.first_mut().ok_or_else(|| unreadable(line))?;
            innermost.address = in_binary.then_some(address);
            *counts.entry(at).or_default() += cost;
        }
    }
    Ok(counts)
}

fn cost(line: &str) -> Option<(u64, u64)> {
    let (address, cost) = line.strip_prefix("0x")?.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    Some((address, cost.split_whitespace().next()?.parse().ok()?))
}

/// A function without the hash of its mangled name.
fn symbol(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            path
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "positions: instr\nevents: Ir\nsummary: 30\n\nob=/w/workload\nfl=???\n\
        fn=bellpepper_core::lc::add_product::h0123456789abcdef'bellperson::lc::eval_with_trackers\n\
        0x10 3\n0x14 4\nfi=x.rs\n0x18 1\ncob=/lib/libc.so.6\ncfn=malloc'x\ncalls=2 0x99\n0x18 20\n0x1c 2\n\n\
        ob=/lib/libc.so.6\nfn=malloc'bellpepper_core::lc::add_product\n0x99 20\n\ntotals: 30\n";

    fn of(counts: &Counts, name: &str, address: Option<u64>) -> u64 {
        let mut found = 0;
        for (frames, count) in counts {
            if frames[0].name == name && frames[0].address == address {
                found += count;
            }
        }
        found
    }

    #[test]
    fn a_call_counts_for_the_callee() {
        let counts = parse(TEXT, Path::new("/w/workload")).expect("readable");
        assert_eq!(counts.values().sum::<u64>(), 30);
        let lc = "bellpepper_core::lc::add_product";
        assert_eq!(of(&counts, lc, Some(0x18)), 1);
        assert_eq!(of(&counts, lc, Some(0x1c)), 2);
        assert_eq!(of(&counts, "malloc", None), 20);
    }

    #[test]
    fn twice_minus_once_is_the_work() {
        let once = parse(TEXT, Path::new("/w/workload")).expect("readable");
        let twice = parse(&TEXT.replace("0x10 3", "0x10 9"), Path::new("/w/workload"));
        let stacks = difference(&once, twice.expect("readable"));
        assert_eq!(stacks.len(), 1);
        assert_eq!(stacks[0].weight, 6);
        assert_eq!(
            stacks[0].frames[1].name,
            "bellperson::lc::eval_with_trackers"
        );
    }

    #[test]
    fn a_line_of_another_form_is_quoted() {
        for line in ["0x10 3", "fn=f\n0x10", "fn=f\n0xzz 4"] {
            let error = parse(line, Path::new("/w/workload")).expect_err("bad");
            let last = line.lines().last().expect("a line");
            assert!(error.to_string().contains(last), "{error}");
        }
    }
}
