//! Watching over a run: did the arms of each round do the same work, and if not, where did they part?

use anyhow::{Context, Result};

use super::answers::{Difference, first_difference};
use super::locate::{self, Place};
use super::pairs::is_released;
use super::progress::RunProgress;
use super::runner::Call;
use super::session::Session;
use crate::results::{ResultFile, TrialRecord};

impl Session<'_> {
    /// True when every arm passed its own check and the arms of every contrast gave the same answers.
    pub(super) fn check_round(
        &self,
        round: usize,
        call: &Call,
        result: &mut ResultFile,
        progress: &mut RunProgress,
    ) -> bool {
        let mut agreed = true;
        let mut differences = Vec::new();
        let find = |result: &ResultFile, arm: &str, control: bool| {
            let of_round = |t: &&TrialRecord| t.round == round && t.trial.workload == call.workload;
            let trial = result
                .trials
                .iter()
                .filter(of_round)
                .find(|t| t.arm == arm && t.control == control);
            trial.map(|t| t.trial.clone())
        };
        for record in result
            .trials
            .iter()
            .filter(|t| t.round == round && t.trial.workload == call.workload)
        {
            if !record.trial.ok {
                agreed = false;
                let check = record.trial.check.as_deref().unwrap_or("no reason given");
                progress.say(&format!(
                    "{} failed its own check on {}: {check}",
                    call.workload, record.arm
                ));
            }
        }
        for [first, second] in &result.plan.contrasts {
            let (Some(a), Some(b)) = (find(result, first, false), find(result, second, false))
            else {
                continue;
            };
            let common_only = is_released(first) || is_released(second);
            if let Some(difference) = first_difference(&a.answers, &b.answers, common_only) {
                differences.push((difference, [first.clone(), second.clone()]));
            }
        }
        for (difference, [first, second]) in &differences {
            self.explain(difference, [first, second], call, result, progress);
        }
        agreed && differences.is_empty()
    }

    /// Says which vector differs and where, now and in the result.
    pub(super) fn explain(
        &self,
        difference: &Difference,
        names: [&str; 2],
        call: &Call,
        result: &mut ResultFile,
        progress: &mut RunProgress,
    ) {
        let mut line = format!(
            "{}: {}",
            call.workload,
            difference.describe(names[0], names[1])
        );
        if let Difference::Value(vector) = difference {
            let place = match self.locate(vector, names, call) {
                Ok(place) => format!(" at {place}"),
                Err(error) => format!("; where, could not be found out: {error:#}"),
            };
            line = format!("{line}{place} (seed {})", call.seed);
        }
        progress.say(&line);
        result.notes.push(line);
    }

    /// Has both arms write the vector out, and finds the first element that differs.
    fn locate(&self, vector: &str, names: [&str; 2], call: &Call) -> Result<Place> {
        let folder = tempfile::tempdir()?;
        let files = [folder.path().join("first"), folder.path().join("second")];
        for (name, file) in names.iter().zip(&files) {
            let arm = self
                .arms
                .iter()
                .find(|arm| arm.name == *name)
                .context("an arm that is not in this run")?;
            arm.dump(call, vector, file, self.folders.cache, self.interrupt)?;
        }
        Ok(locate::locate(vector, &files[0], &files[1])?)
    }
}
