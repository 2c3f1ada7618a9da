//! Counting by valgrind's callgrind, which runs the program on a processor of its own.
//!
//! On one thread the counts repeat to a few instructions, so they need no statistics. callgrind has no AVX-512 and no
//! instructions for SHA: code that picks those at run time shows its portable path here.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow};

use super::{Counted, Event, Tools, constraints};
use crate::bench::process::{self, Interrupt};
use crate::bench::runner::{Arm, Call};

/// Its name in results.
pub const NAME: &str = "callgrind";

/// Counts every arm, for each once and twice; as many processes side by side as there are cores, since a count does not
/// mind company.
pub fn count(
    tools: &Tools,
    arms: &[Arm],
    call: &Call,
    cache: &Path,
    interrupt: &Interrupt,
    done: &mut impl FnMut(&str),
) -> Result<Vec<[Counted; 2]>> {
    // The longer ones first.
    let jobs: Vec<(usize, u32)> = [2, 1]
        .into_iter()
        .flat_map(|repeat| (0..arms.len()).map(move |arm| (arm, repeat)))
        .collect();
    let workers = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(jobs.len());
    let (queue, (sender, receiver)) = (Mutex::new(jobs.into_iter()), std::sync::mpsc::channel());
    let mut counted = Vec::new();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || {
                // A poisoned lock only means that another worker died; what it left in the queue is still good.
                let next = || queue.lock().unwrap_or_else(|e| e.into_inner()).next();
                while let Some((arm, repeat)) = next() {
                    let outcome = one(tools, &arms[arm], call, repeat, cache, interrupt);
                    if sender.send((arm, repeat, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (arm, repeat, outcome) in receiver {
            let outcome = outcome
                .with_context(|| format!("counting {} on {}", call.workload, arms[arm].name));
            done(&arms[arm].name);
            counted.push((arm, repeat, outcome?));
        }
        Ok::<_, anyhow::Error>(())
    })?;
    arms.iter()
        .enumerate()
        .map(|(index, arm)| {
            let find = |repeat| {
                let mut all = counted.iter();
                all.find(|(a, r, _)| (*a, *r) == (index, repeat))
                    .map(|(_, _, counted)| counted.clone())
                    .ok_or_else(|| anyhow!("{} was not counted", arm.name))
            };
            Ok([find(1)?, find(2)?])
        })
        .collect()
}

fn one(
    tools: &Tools,
    arm: &Arm,
    call: &Call,
    repeat: u32,
    cache: &Path,
    interrupt: &Interrupt,
) -> Result<Counted> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("callgrind.out");
    let plain = arm.command_on_one_thread(call, cache, repeat);
    let mut command = Command::new(&tools.valgrind);
    command
        .args(["--tool=callgrind", "--branch-sim=yes", "--dump-instr=no"])
        .arg("--error-exitcode=2")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(plain.get_program())
        .args(plain.get_args().map(OsStr::to_os_string));
    let finished = process::run(&mut command, interrupt)?;
    let constraints = constraints(&finished.stdout, finished.good, &finished.stderr)?;
    let profile = std::fs::read_to_string(&out)
        .with_context(|| format!("no profile in {}", out.display()))?;
    let events = totals(&profile).context("the profile of callgrind has no totals")?;
    Ok(Counted {
        events: events.into(),
        constraints,
    })
}

/// The totals of a callgrind profile: its `totals:` or `summary:` line, read by what its `events:` line names. Branches
/// are the conditional and the indirect ones.
fn totals(profile: &str) -> Option<[(Event, u64); 2]> {
    let line = |key: &str| {
        profile
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(key))
    };
    let names: Vec<&str> = line("events:")?.split_whitespace().collect();
    let values: Vec<u64> = line("totals:")
        .or_else(|| line("summary:"))?
        .split_whitespace()
        .map_while(|value| value.parse().ok())
        .collect();
    let value = |name: &str| {
        values
            .get(names.iter().position(|known| *known == name)?)
            .copied()
    };
    let instructions = value("Ir").filter(|count| *count > 0)?;
    let branches = value("Bc")?.checked_add(value("Bi")?)?;
    Some([
        (Event::Instructions, instructions),
        (Event::Branches, branches),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_of_a_profile() {
        let profile = "version: 1\nevents: Ir Bc Bcm Bi Bim\nsummary: 12 3 1 2 0\n\nfn=(1) main\n1 12 3 1 2 0\n\n\
            totals: 13924879127 2000 5 300 1\n";
        assert_eq!(
            totals(profile),
            Some([
                (Event::Instructions, 13_924_879_127),
                (Event::Branches, 2_300)
            ])
        );
        let summary = "events: Bc Bi Ir\nsummary: 7 1 77\n";
        assert_eq!(
            totals(summary),
            Some([(Event::Instructions, 77), (Event::Branches, 8)])
        );
        for nothing in [
            "events: Ir Bc Bi\n",
            "events: Ir Bc Bi\ntotals: 0 1 1\n",
            "totals: 5 1 1\n",
            "events: Ir\ntotals: 5\n",
        ] {
            assert_eq!(totals(nothing), None, "{nothing}");
        }
    }
}
