//! One run, from the first trial to the last.
//!
//! The run is decided before it begins: workloads, rounds, order, seeds. It stops where it was planned to stop, except
//! for a workload whose arms give different answers (there is nothing left to time), a process that fails, and a
//! person who wants the machine back; what was measured until then is handed over in every case.

use std::path::Path;

use anyhow::{Context, Result};
use rand_chacha::rand_core::RngCore;

use super::answers::first_difference;
use super::counters::Probe;
use super::metrics;
use super::order::orders;
use super::process::{Interrupt, ProcessError};
use super::progress::RunProgress;
use super::runner::{Arm, Call, Ran};
use super::stats::bootstrap::generator;
use super::{counters, matrices};
use crate::results::{ResultFile, TrialRecord, WorkloadPlan};

/// The arm with every optimisation that was adopted.
const PATCHED: &str = "patched";

/// Folders of things that are costly to make and no part of what is timed.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// Parameters, made by `prepare` of the workloads.
    pub cache: &'a Path,
    /// Digests of matrices.
    pub kept: &'a Path,
}

/// What a run needs besides its plan.
#[derive(Debug)]
pub struct Session<'a> {
    /// The arms, built.
    pub arms: &'a [Arm],
    /// What is kept from run to run.
    pub folders: Folders<'a>,
    /// Set when the person wants the end.
    pub interrupt: &'a Interrupt,
    /// What to count with, where counts are wanted.
    pub counters: Option<&'a Probe>,
}

impl Session<'_> {
    /// The steps of a plan, for a progress bar.
    pub fn steps(&self, result: &ResultFile) -> usize {
        let trials: usize = result
            .plan
            .workloads
            .iter()
            .map(|w| w.pairs * self.slots(w).len())
            .sum();
        let matrices = |w: &WorkloadPlan| {
            self.arms
                .iter()
                .filter(|arm| arm.has_matrices(&w.name))
                .count()
        };
        let counts = |w: &WorkloadPlan| {
            if self.counters.is_some() {
                self.count_steps(w)
            } else {
                0
            }
        };
        trials
            + result
                .plan
                .workloads
                .iter()
                .map(|w| matrices(w) + counts(w))
                .sum::<usize>()
    }

    /// The steps of counting on one workload: each arm that can tell them runs twice.
    fn count_steps(&self, workload: &WorkloadPlan) -> usize {
        let able = self.arms.iter().filter(|arm| arm.repeats(&workload.name));
        able.count() * 2
    }

    /// Runs the plan and adds what it finds to `result`. On an error the result holds what was measured before it.
    pub fn run(&self, result: &mut ResultFile, progress: &mut RunProgress) -> Result<()> {
        let workloads = result.plan.workloads.clone();
        let mut equal = Vec::new();
        for workload in &workloads {
            self.note_missing_arms(workload, result);
            self.prepare(workload, progress)?;
            let same = self.compare_matrices(workload, result, progress)?;
            if self.run_rounds(workload, same, result, progress)? {
                equal.push(workload);
            } else if self.counters.is_some() {
                progress.skip(self.count_steps(workload));
                result.notes.push(format!(
                    "{}: nothing was counted, the arms do different work",
                    workload.name
                ));
            }
        }
        if let Some(probe) = self.counters {
            self.count(probe, &equal, result, progress)?;
        }
        Ok(())
    }

    /// What runs in each round: every arm that has the workload, and the first once more as its own control.
    fn slots(&self, workload: &WorkloadPlan) -> Vec<(&Arm, bool)> {
        let able = self.arms.iter().filter(|arm| arm.can_run(&workload.name));
        let mut slots: Vec<(&Arm, bool)> = able.map(|arm| (arm, false)).collect();
        if let (true, Some(first)) = (
            workload.control,
            self.arms.first().filter(|a| a.can_run(&workload.name)),
        ) {
            slots.push((first, true));
        }
        slots
    }

    fn note_missing_arms(&self, workload: &WorkloadPlan, result: &mut ResultFile) {
        for arm in self.arms.iter().filter(|arm| !arm.can_run(&workload.name)) {
            let why = if arm.released {
                "upstream's public API does not show this work alone"
            } else {
                "the workload does not take the arm's options"
            };
            result.notes.push(format!(
                "{}: left out on {}, since {why}",
                workload.name, arm.name
            ));
        }
    }

    /// Makes parameters, on one arm for all.
    fn prepare(&self, workload: &WorkloadPlan, progress: &mut RunProgress) -> Result<()> {
        let Some(arm) = self.preparer(&workload.name) else {
            return Ok(());
        };
        progress.begin(&format!("{}, parameters, {}", workload.name, arm.name));
        arm.prepare(&Call::of(workload, 0), self.folders.cache, self.interrupt)
            .with_context(|| format!("the parameters of {} on {}", workload.name, arm.name))
    }

    /// The arm that makes parameters. They are the same bytes whoever makes them, as the `params` workloads show, so it
    /// is the one that is likely to be fast: one on `patched` where it is there, or else the last, seldom the baseline.
    pub fn preparer(&self, workload: &str) -> Option<&Arm> {
        let needs = |arm: &&Arm| arm.listed(workload).is_some_and(|l| l.needs_parameters);
        let able = || self.arms.iter().filter(needs);
        able()
            .find(|arm| arm.name.split(':').next() == Some(PATCHED))
            .or(able().next_back())
    }

    /// Compares the circuits themselves; false when they differ.
    fn compare_matrices(
        &self,
        workload: &WorkloadPlan,
        result: &mut ResultFile,
        progress: &mut RunProgress,
    ) -> Result<bool> {
        let able: Vec<&Arm> = self
            .arms
            .iter()
            .filter(|arm| arm.has_matrices(&workload.name))
            .collect();
        let call = Call::of(workload, result.plan.seed >> 11);
        let records = matrices::of_arms(&able, &call, self.folders, self.interrupt, progress)
            .with_context(|| format!("the matrices of {}", workload.name))?;
        let mut same = true;
        for [first, second] in &result.plan.contrasts.clone() {
            let find = |name: &str| records.iter().find(|record| record.arm == name);
            let (Some(a), Some(b)) = (find(first), find(second)) else {
                continue;
            };
            if let Some(difference) = first_difference(&a.digests, &b.digests, false) {
                same = false;
                self.explain(&difference, [first, second], &call, result, progress);
            }
        }
        result.matrices.extend(records);
        Ok(same)
    }

    /// Runs the rounds of a workload; false when its arms do different work, which ends it.
    fn run_rounds(
        &self,
        workload: &WorkloadPlan,
        same_circuit: bool,
        result: &mut ResultFile,
        progress: &mut RunProgress,
    ) -> Result<bool> {
        let slots = self.slots(workload);
        let seed = result.plan.seed;
        let mut inputs = generator(seed, &format!("inputs of {}", workload.name));
        let order = orders(
            workload.pairs,
            slots.len(),
            &mut generator(seed, &format!("order of {}", workload.name)),
        );
        for (round, order) in order.iter().enumerate() {
            // 53 bits, so that a reader of the JSON which knows only doubles still sees the seed itself.
            let call = Call::of(workload, inputs.next_u64() >> 11);
            for slot in order {
                let (arm, control) = slots[*slot];
                progress.begin(&format!(
                    "{}, round {}, {}",
                    workload.name,
                    round + 1,
                    arm.name
                ));
                let ran = arm
                    .run(&call, self.folders.cache, self.interrupt)
                    .with_context(|| {
                        format!("{} on {}, round {}", workload.name, arm.name, round + 1)
                    })?;
                progress.end(&line(workload, round, arm, control, &ran));
                result.trials.push(TrialRecord {
                    order: result.trials.len(),
                    round,
                    arm: arm.name.clone(),
                    control,
                    started: ran.started,
                    window: ran.window,
                    trial: ran.trial,
                });
            }
            let agreed = self.check_round(round, &call, result, progress);
            progress.after_round(result);
            if !(agreed && same_circuit) {
                progress.skip((workload.pairs - round - 1) * slots.len());
                return Ok(false);
            }
        }
        Ok(same_circuit)
    }

    fn count(
        &self,
        probe: &Probe,
        workloads: &[&WorkloadPlan],
        result: &mut ResultFile,
        progress: &mut RunProgress,
    ) -> Result<()> {
        result.notes.extend(probe.missing().map(str::to_owned));
        if matches!(probe, Probe::Nothing { .. }) {
            progress.skip(workloads.iter().map(|w| self.count_steps(w)).sum());
            return Ok(());
        }
        for workload in workloads {
            let able: Vec<Arm> = self
                .arms
                .iter()
                .filter(|arm| arm.repeats(&workload.name))
                .cloned()
                .collect();
            if able.len() < 2 {
                progress.skip(self.count_steps(workload));
                result
                    .notes
                    .push(format!("{}: counts are of synthesis only", workload.name));
                continue;
            }
            progress.say(&format!("counting on {}, {}", workload.name, probe.pace()));
            let call = Call::of(workload, result.plan.seed >> 11);
            let counts = counters::count(
                probe,
                &able,
                &call,
                self.folders.cache,
                self.interrupt,
                |arm| {
                    progress.end(&format!("{} counted on {arm}", workload.name));
                },
            );
            match counts {
                Ok(counts) => result.counts.extend(counts),
                Err(_) if self.interrupt.is_raised() => {
                    return Err(ProcessError::Interrupted.into());
                }
                // The trials are good all the same, and have yet to be judged.
                Err(error) => {
                    let note = format!("{}: not counted: {error:#}", workload.name);
                    progress.say(&note);
                    result.notes.push(note);
                }
            }
        }
        Ok(())
    }
}

/// One trial in one line.
fn line(workload: &WorkloadPlan, round: usize, arm: &Arm, control: bool, ran: &Ran) -> String {
    let values: Vec<String> = metrics::times(&workload.headline)
        .filter_map(|name| {
            let value = metrics::show(*ran.trial.metrics.get(name)?, metrics::unit(name));
            Some(format!("{} {value}", metrics::phase(name)))
        })
        .collect();
    let values = values.join(", ");
    let mark = if ran.window.disturbed {
        "  (the machine was busy)"
    } else {
        ""
    };
    let again = if control { " again" } else { "" };
    format!(
        "{} {}/{}  {}{again}  {values}{mark}",
        workload.name,
        round + 1,
        workload.pairs,
        arm.name
    )
}

#[cfg(all(test, unix))]
#[path = "session_tests.rs"]
mod tests;
