//! The calls that a workload binary understands, on one arm.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::process::{self, Interrupt};
use super::trial;
use crate::results::{ArmRecord, Trial, Window, WorkloadPlan};
use crate::stack::manifest::Step;

/// An arm as the comparison sees it: a name and something to run.
#[derive(Clone, Debug)]
pub struct Arm {
    /// What the person called it.
    pub name: String,
    /// Names the binary.
    pub stamp: String,
    /// What went into the stamp.
    pub inputs: Value,
    /// The program.
    pub binary: PathBuf,
    /// Run-time options, passed on as `--option key=value`.
    pub options: Vec<(String, String)>,
    /// True for upstream's public API without any patch: it proves, and shows nothing of its assignments.
    pub released: bool,
    /// What the binary can run.
    pub workloads: Vec<Listed>,
}

/// How a workload is called.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Its name.
    pub workload: &'a str,
    /// The seed of its input.
    pub seed: u64,
    /// Its size, where one was asked for.
    pub size: Option<u64>,
    /// Threads, where a number was asked for.
    pub threads: Option<u64>,
}

impl<'a> Call<'a> {
    /// A workload as it was planned, on the input of this seed.
    pub fn of(workload: &'a WorkloadPlan, seed: u64) -> Self {
        Self {
            workload: &workload.name,
            seed,
            size: workload.size,
            threads: workload.threads,
        }
    }
}

/// One trial with the readings around it.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What the workload printed.
    pub trial: Trial,
    /// When it began.
    pub started: String,
    /// What the machine did meanwhile.
    pub window: Window,
}

/// A workload as its binary lists it. What else it lists is for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its sizes; `None` where there is only one.
    #[serde(default)]
    pub size: Option<ListedSize>,
    /// True when a process can do the work twice.
    #[serde(default)]
    pub repeats: bool,
    /// The metrics that it is named for.
    #[serde(default)]
    pub headline: Vec<ListedMetric>,
    /// Which steps its times are of.
    #[serde(default)]
    pub timed: Vec<ListedTime>,
    /// The options that it takes.
    #[serde(default)]
    pub options: Vec<ListedOption>,
    /// True when it reads files that `prepare` makes.
    #[serde(default)]
    pub needs_parameters: bool,
    /// True when it has constraint matrices.
    #[serde(default)]
    pub has_matrices: bool,
}

/// The sizes of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ListedSize {
    /// The size of a call that names none.
    pub default: u64,
}

/// A metric of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ListedMetric {
    /// Its name, which says its unit.
    pub name: String,
}

/// A time of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ListedTime {
    /// The metric.
    pub metric: String,
    /// Every step that happens while it runs.
    pub steps: Vec<Step>,
}

/// An option of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ListedOption {
    /// Its key.
    pub key: String,
}

impl Arm {
    /// What a result says of this arm.
    pub fn record(&self) -> ArmRecord {
        ArmRecord {
            name: self.name.clone(),
            stamp: self.stamp.clone(),
            inputs: self.inputs.clone(),
        }
    }

    /// The workload as this arm's binary lists it, if it has it and the workload takes the arm's options.
    pub fn listed(&self, workload: &str) -> Option<&Listed> {
        let listed = self
            .workloads
            .iter()
            .find(|listed| listed.name == workload)?;
        let takes = |key: &String| listed.options.iter().any(|option| option.key == *key);
        self.options
            .iter()
            .all(|(key, _)| takes(key))
            .then_some(listed)
    }

    /// True when the arm can run the workload.
    pub fn can_run(&self, workload: &str) -> bool {
        self.listed(workload).is_some()
    }

    /// True when the arm can show what the workload's circuit looks like inside.
    pub fn has_matrices(&self, workload: &str) -> bool {
        self.listed(workload)
            .is_some_and(|listed| listed.has_matrices)
    }

    /// True when instructions of one run can be told from those of setting up.
    pub fn repeats(&self, workload: &str) -> bool {
        self.listed(workload).is_some_and(|listed| listed.repeats)
    }

    /// The command of one trial; `repeat` where something else is wanted than the workload's own number of runs.
    pub fn command(&self, call: &Call, cache: &Path, repeat: Option<u32>) -> Command {
        let mut command = self.on_input("run", call, cache);
        if let Some(repeat) = repeat {
            command.args(["--repeat", &repeat.to_string()]);
        }
        command
    }

    /// [`Arm::command`] on one thread, as whoever counts runs it: the arguments go behind those of another program.
    pub fn command_on_one_thread(&self, call: &Call, cache: &Path, repeat: u32) -> Command {
        let call = Call {
            threads: Some(1),
            ..call.clone()
        };
        self.command(&call, cache, Some(repeat))
    }

    /// A verb with everything that decides the workload's input.
    fn on_input(&self, verb: &str, call: &Call, cache: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        command.args([verb, call.workload, "--seed", &call.seed.to_string()]);
        if let Some(size) = call.size {
            command.args(["--size", &size.to_string()]);
        }
        if let Some(threads) = call.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        for (key, value) in &self.options {
            command.arg("--option").arg(format!("{key}={value}"));
        }
        command.arg("--cache").arg(cache);
        command
    }

    /// Has the workload make the files that it reads, outside of what is timed.
    pub fn prepare(&self, call: &Call, cache: &Path, interrupt: &Interrupt) -> Result<()> {
        let mut command = Command::new(&self.binary);
        command.args(["prepare", call.workload]);
        if let Some(size) = call.size {
            command.args(["--size", &size.to_string()]);
        }
        command.arg("--cache").arg(cache);
        process::run(&mut command, interrupt)?;
        Ok(())
    }

    /// Runs one trial.
    pub fn run(&self, call: &Call, cache: &Path, interrupt: &Interrupt) -> Result<Ran> {
        let mut command = self.command(call, cache, None);
        let finished = process::run(&mut command, interrupt)?;
        let mut trial = trial::parse(&finished.stdout)
            .with_context(|| format!("`{}`\n{}", process::show(&command), finished.stderr))?;
        if trial.workload != call.workload || trial.seed != call.seed {
            bail!(
                "`{}` reported {} with seed {}",
                process::show(&command),
                trial.workload,
                trial.seed
            );
        }
        // Exit code 1 says that the answer was wrong, whatever the line says.
        trial.ok &= finished.good;
        let reading = |name: &str| trial.process.get(name).and_then(Value::as_f64);
        let own = reading("user_s")
            .zip(reading("system_s"))
            .map(|(user, system)| user + system);
        Ok(Ran {
            started: finished.started,
            window: finished.meter.stop(own),
            trial,
        })
    }

    /// The digests of the constraint matrices.
    pub fn matrices(
        &self,
        call: &Call,
        cache: &Path,
        interrupt: &Interrupt,
    ) -> Result<BTreeMap<String, String>> {
        #[derive(Deserialize)]
        struct Matrices {
            digests: BTreeMap<String, String>,
        }
        let mut command = self.on_input("matrices", call, cache);
        let finished = process::run(&mut command, interrupt)?;
        let matrices: Matrices =
            serde_json::from_str(finished.stdout.trim()).with_context(|| {
                format!(
                    "`{}` printed no digests\n{}",
                    process::show(&command),
                    finished.stderr
                )
            })?;
        Ok(matrices.digests)
    }

    /// Writes one vector to a file, so that a difference can be located.
    pub fn dump(
        &self,
        call: &Call,
        vector: &str,
        out: &Path,
        cache: &Path,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let mut command = self.on_input("dump", call, cache);
        command.args(["--vector", vector]).arg("--out").arg(out);
        process::run(&mut command, interrupt)?;
        Ok(())
    }

    /// The workloads that a binary has.
    pub fn list(binary: &Path, interrupt: &Interrupt) -> Result<Vec<Listed>> {
        let mut command = Command::new(binary);
        command.args(["list", "--json"]);
        let finished = process::run(&mut command, interrupt)?;
        serde_json::from_str(finished.stdout.trim())
            .with_context(|| format!("`{}` printed no list of workloads", process::show(&command)))
    }
}
