//! Counting by the processor's own counters, through `perf stat`.
//!
//! Events are counted in groups that fit the counters of common processors together, so that nothing is estimated from a
//! part of the time. Each process runs [`ROUNDS`] times, arms in turn, and the median counts: instructions repeat to some
//! hundredths of a per cent, cycles and misses do not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Counted, Event, Tools, constraints};
use crate::bench::process::{self, Interrupt};
use crate::bench::runner::{Arm, Call};

/// Its name in results.
pub const NAME: &str = "perf";

/// How often each process runs.
const ROUNDS: usize = 3;

/// What is counted together: common processors have four general counters, and fixed ones for the first two.
const GROUPS: [&[Event]; 2] = [
    &[
        Event::Instructions,
        Event::Cycles,
        Event::Branches,
        Event::BranchMisses,
    ],
    &[Event::CacheReferences, Event::CacheMisses],
];

/// The events that the kernel gives, or why perf can't be asked.
///
/// perf that fails says why on stderr; its first line comes back with what it gives.
pub fn supported(tools: &Tools) -> Result<(BTreeSet<Event>, Option<String>), String> {
    let mut events = BTreeSet::new();
    let mut said = None;
    for group in GROUPS {
        let folder = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        let out = folder.path().join("counts");
        let output = stat(tools, group, &out)
            .arg("true")
            .stdin(Stdio::null())
            .output();
        match output {
            Err(_) => {
                return Err(
                    "perf is not there: install it (Debian: `apt install linux-perf`; Ubuntu: \
                            `linux-tools-generic`; Fedora: `dnf install perf`)"
                        .to_owned(),
                );
            }
            Ok(output) if !output.status.success() => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                said = text
                    .lines()
                    .find(|line| !line.trim().is_empty())
                    .map(str::to_owned)
                    .or(said);
            }
            Ok(_) => events.extend(read(&out).unwrap_or_default().into_keys()),
        }
    }
    Ok((events, said))
}

/// Counts every arm: for each, once and twice.
pub fn count(
    tools: &Tools,
    events: &BTreeSet<Event>,
    arms: &[Arm],
    call: &Call,
    cache: &Path,
    interrupt: &Interrupt,
    done: &mut impl FnMut(&str),
) -> Result<Vec<[Counted; 2]>> {
    let mut runs: Vec<[Vec<Counted>; 2]> = arms.iter().map(|_| Default::default()).collect();
    for round in 0..ROUNDS {
        for (arm, runs) in arms.iter().zip(&mut runs) {
            for (place, repeat) in [1, 2].into_iter().enumerate() {
                let counted = one(tools, events, arm, call, repeat, cache, interrupt)
                    .with_context(|| format!("counting {} on {}", call.workload, arm.name))?;
                runs[place].push(counted);
                if round + 1 == ROUNDS {
                    done(&arm.name);
                }
            }
        }
    }
    Ok(runs
        .into_iter()
        .map(|both| both.map(|counted| median(&counted)))
        .collect())
}

fn one(
    tools: &Tools,
    events: &BTreeSet<Event>,
    arm: &Arm,
    call: &Call,
    repeat: u32,
    cache: &Path,
    interrupt: &Interrupt,
) -> Result<Counted> {
    let plain = arm.command_on_one_thread(call, cache, repeat);
    let folder = tempfile::tempdir()?;
    let mut counted = Counted::default();
    for group in GROUPS {
        let group: Vec<Event> = group
            .iter()
            .copied()
            .filter(|e| events.contains(e))
            .collect();
        if group.is_empty() {
            continue;
        }
        let out = folder.path().join("counts");
        let mut command = stat(tools, &group, &out);
        command.arg(plain.get_program()).args(plain.get_args());
        let finished = process::run(&mut command, interrupt)?;
        counted.constraints = constraints(&finished.stdout, finished.good, &finished.stderr)?;
        let read = read(&out)?;
        if let Some(lost) = group.iter().find(|event| !read.contains_key(event)) {
            bail!(
                "perf gave no {} this time, though it had before: other programs may hold the counters; run again",
                lost.name()
            );
        }
        counted.events.extend(read);
    }
    Ok(counted)
}

/// `perf stat` of these events, in user mode, to a file, up to the command's own words.
fn stat(tools: &Tools, events: &[Event], out: &Path) -> Command {
    let names: Vec<String> = events.iter().map(|e| format!("{}:u", e.name())).collect();
    let mut command = Command::new(&tools.perf);
    // Numbers are written as the locale has it.
    command
        .env("LC_ALL", "C")
        .args(["stat", "-x", ",", "-e", &names.join(",")])
        .arg("-o")
        .arg(out)
        .arg("--");
    command
}

/// The counts in the file that `perf stat -x ,` wrote: value, unit, event, nanoseconds counted, per cent of the time.
fn read(out: &Path) -> Result<BTreeMap<Event, u64>> {
    let text = fs::read_to_string(out)
        .with_context(|| format!("perf left no counts in {}", out.display()))?;
    Ok(text.lines().filter_map(line).collect())
}

/// One line, where it holds a count of the whole time: `<not supported>` and `<not counted>` are no numbers, and what was
/// counted for a part of the time only is an estimate.
fn line(text: &str) -> Option<(Event, u64)> {
    let fields: Vec<&str> = text.split(',').collect();
    let [value, _unit, name, _time, share, ..] = fields[..] else {
        return None;
    };
    let name = name.trim_end_matches(":u");
    let event = Event::ALL.into_iter().find(|event| event.name() == name)?;
    let value = value.parse().ok().filter(|value| *value > 0)?;
    let whole = share.parse::<f64>().is_ok_and(|share| share > 99.5);
    whole.then_some((event, value))
}

/// Event by event.
fn median(runs: &[Counted]) -> Counted {
    let mut middle = Counted {
        constraints: runs.first().map_or(0, |run| run.constraints),
        ..Counted::default()
    };
    for event in Event::ALL {
        let mut values: Vec<u64> = runs
            .iter()
            .filter_map(|run| run.events.get(&event).copied())
            .collect();
        values.sort_unstable();
        if let Some(value) = values.get(values.len() / 2) {
            middle.events.insert(event, *value);
        }
    }
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_missing_is_absent_and_never_zero() {
        assert_eq!(
            line("123456,,instructions:u,99000,100.00,,"),
            Some((Event::Instructions, 123_456))
        );
        assert_eq!(
            line("77,,cache-misses:u,99000,100.00,0.5,of all cache refs"),
            Some((Event::CacheMisses, 77))
        );
        for nothing in [
            "<not supported>,,cycles:u,0,100.00,,",
            "<not counted>,,cycles:u,0,0.00,,",
            "0,,cycles:u,99000,100.00,,",
            // Multiplexed: an estimate.
            "123456,,cycles:u,49000,49.80,,",
            "# started on some day",
            "",
            "12,,page-faults:u,99000,100.00,,",
        ] {
            assert_eq!(line(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn the_middle_of_three_counts() {
        let run = |value| Counted {
            events: [(Event::Cycles, value)].into(),
            constraints: 26,
        };
        let middle = median(&[run(5), run(900), run(7)]);
        assert_eq!(middle, run(7));
        assert!(median(&[]).events.is_empty());
    }
}
