//! Measuring with what is in a bundle, on a host that has nothing else.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand_chacha::rand_core::RngCore;

use super::error::BundleError;
use super::keep::{Keeper, Place};
use super::manifest::Bundle;
use super::pace::{self, Cost};
use super::{MATRICES, PARAMS};
use crate::bench::counters::{Probe, Tools};
use crate::bench::process::{Interrupt, ProcessError};
use crate::bench::progress::{RunProgress, duration};
use crate::bench::runner::{Arm, Call};
use crate::bench::session::{Folders, Session};
use crate::bench::stats::bootstrap::generator;
use crate::bench::{conduct, plan};
use crate::progress::Progress;
use crate::results::host::Host;
use crate::results::{ResultFile, clock};

/// What the person who runs a bundle may decide.
#[derive(Clone, Debug, Default)]
pub struct RunWishes {
    /// The most time that it may take.
    pub limit: Option<Duration>,
    /// Where the result goes too.
    pub json: Option<PathBuf>,
}

/// Runs a bundle and prints what came of it. `current` is where the person stands.
pub fn run(
    dir: &Path,
    wishes: &RunWishes,
    current: &Path,
    interrupt: &Interrupt,
    progress: Progress,
) -> Result<ExitCode> {
    let begun = Instant::now();
    let bundle = Bundle::open(dir)?;
    bundle.file.needs.check()?;
    let place = Place::find(&bundle.dir, wishes.json.as_deref(), current)?;
    let limit = wishes
        .limit
        .map(|limit| Limit::start(begun, limit, interrupt));
    let arms = arms(&bundle, interrupt)?;
    let mut result = for_this_host(&bundle.file.planned);
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    progress.step(
        "Comparing",
        format!("{} on {}", names.join(", "), result.host.class),
    );
    let (cache, kept) = (bundle.dir.join(PARAMS), bundle.dir.join(MATRICES));
    let probe = bundle.file.counters.then(|| Probe::of(Tools::default()));
    // How long counting takes cannot be told beforehand, unless the processor itself counts.
    let probe = probe.filter(|probe| limit.is_none() || !matches!(probe, Probe::Callgrind { .. }));
    if bundle.file.counters && probe.is_none() {
        result.notes.push(
            "nothing was counted: how long callgrind takes cannot be told beforehand, and there was a limit".to_owned(),
        );
    }
    if let Some(missing) = probe.as_ref().and_then(Probe::missing) {
        progress.step("Counting", missing);
    }
    let session = Session {
        arms: &arms,
        folders: Folders {
            cache: &cache,
            kept: &kept,
        },
        interrupt,
        counters: probe.as_ref(),
    };
    let measured = warm_up(&session, &result, progress)
        .and_then(|rounds| match &limit {
            Some(limit) => lower(&mut result, &rounds, limit, progress),
            None => Ok(()),
        })
        .and_then(|()| {
            if let Some(warning) = warning(&result) {
                progress.step("Warning", warning);
            }
            let bar = RunProgress::new(session.steps(&result), progress.is_terminal());
            let bar = bar.watched(Box::new(Keeper::new(place.clone())));
            conduct::conduct_shown(&session, &mut result, bar)
        });
    if let Err(error) = measured {
        let error = match &limit {
            Some(limit) if limit.struck() => {
                error.context(format!("the limit of {} is over", duration(limit.whole)))
            }
            _ => error,
        };
        return Err(keep_partial(&place, &result, error));
    }
    let paths: Vec<String> = place
        .finish(&result)?
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    progress.step("Finished", format!("in {}", duration(begun.elapsed())));
    conduct::print(&result, &paths);
    Ok(conduct::exit_code(&result))
}

/// The arms of a bundle, with what their binaries list.
fn arms(bundle: &Bundle, interrupt: &Interrupt) -> Result<Vec<Arm>> {
    let records = &bundle.file.planned.arms;
    bundle
        .file
        .arms
        .iter()
        .map(|bundled| {
            let binary = bundle.dir.join(&bundled.file);
            let record = records
                .iter()
                .find(|record| record.name == bundled.name)
                .with_context(|| format!("the plan has no arm `{}`", bundled.name))?;
            Ok(Arm {
                name: bundled.name.clone(),
                stamp: record.stamp.clone(),
                inputs: record.inputs.clone(),
                options: bundled.options.clone(),
                released: bundled.released,
                workloads: Arm::list(&binary, interrupt)
                    .with_context(|| format!("the workloads of {}", bundled.name))?,
                binary,
            })
        })
        .collect()
}

/// The plan on this host, now.
fn for_this_host(planned: &ResultFile) -> ResultFile {
    let host = Host::this();
    let mut result = planned.clone();
    for workload in &mut result.plan.workloads {
        workload.threads.get_or_insert(host.cores as u64);
    }
    result.time = clock::now();
    result.host = host;
    result
}

/// Runs every arm once on every workload, uncounted: it says how long a round takes, brings binaries and parameters into
/// memory, and shows before the first trial what cannot run here.
fn warm_up(session: &Session, result: &ResultFile, progress: Progress) -> Result<Vec<Duration>> {
    let mut rounds = Vec::new();
    for workload in &result.plan.workloads {
        progress.step("Warming up", &workload.name);
        let seed = generator(result.plan.seed, &format!("warm-up of {}", workload.name)).next_u64();
        let call = Call::of(workload, seed >> 11);
        if let Some(arm) = session.preparer(&workload.name) {
            arm.prepare(&call, session.folders.cache, session.interrupt)
                .with_context(|| format!("the parameters of {} on {}", workload.name, arm.name))?;
        }
        let able = session
            .arms
            .iter()
            .filter(|arm| arm.can_run(&workload.name));
        let mut round = Duration::ZERO;
        for (index, arm) in able.enumerate() {
            let begun = Instant::now();
            arm.run(&call, session.folders.cache, session.interrupt)
                .map_err(explain_signal)
                .with_context(|| format!("{} on {}, warming up", workload.name, arm.name))?;
            // The first arm runs twice in a round where it is its own control.
            let times = if workload.control && index == 0 { 2 } else { 1 };
            round += begun.elapsed() * times;
        }
        rounds.push(round);
    }
    Ok(rounds)
}

/// A processor that meets an instruction which it lacks ends the program with a signal that says so to few.
fn explain_signal(error: anyhow::Error) -> anyhow::Error {
    use std::os::unix::process::ExitStatusExt;
    const SIGILL: i32 = 4;
    let illegal = error.chain().any(|cause| {
        matches!(cause.downcast_ref(), Some(ProcessError::Failed { status, .. }) if status.signal() == Some(SIGILL))
    });
    if illegal {
        error.context(
            "this processor lacks an instruction that the building host has: make the bundle on a host like this one",
        )
    } else {
        error
    }
}

/// Lowers the pairs of all workloads to what fits the limit, and records it.
fn lower(
    result: &mut ResultFile,
    rounds: &[Duration],
    limit: &Limit,
    progress: Progress,
) -> Result<()> {
    let record = &mut result.plan;
    let fewest = plan::fewest(&record.workloads, record.contrasts.len(), &record.rules);
    let costs: Vec<Cost> = record
        .workloads
        .iter()
        .zip(rounds)
        .map(|(workload, round)| Cost {
            planned: workload.pairs,
            fewest,
            round: *round,
        })
        .collect();
    let (spent, reserve) = (limit.begun.elapsed(), limit.whole / pace::RESERVE);
    let left = limit.whole.saturating_sub(spent + reserve);
    let pairs = pace::fit(&costs, left).map_err(|needed| BundleError::TooShort {
        limit: duration(limit.whole),
        left: duration(left),
        needed: duration(needed),
        enough: pace::enough(needed, spent),
    })?;
    let names: Vec<&str> = record.workloads.iter().map(|w| w.name.as_str()).collect();
    let lowered = pace::describe(&names, &costs, &pairs, limit.whole);
    for (workload, pairs) in record.workloads.iter_mut().zip(&pairs) {
        workload.pairs = *pairs;
    }
    progress.step(
        "Planned",
        format!(
            "{} of measuring, {} are left",
            duration(pace::total(&costs, &pairs)),
            duration(left)
        ),
    );
    if let Some(lowered) = lowered {
        progress.step("Planned", &lowered);
        record.stopping = format!(
            "{}; their number was fixed after an uncounted round: {lowered}",
            record.stopping
        );
        result.notes.push(lowered);
    }
    Ok(())
}

fn warning(result: &ResultFile) -> Option<String> {
    let record = &result.plan;
    plan::warning(&record.workloads, record.contrasts.len(), &record.rules)
}

/// Keeps what was measured before a run ended early, and says where.
fn keep_partial(place: &Place, result: &ResultFile, error: anyhow::Error) -> anyhow::Error {
    if result.trials.is_empty() {
        return error.context("the run ended before its first trial");
    }
    let trials = result.trials.len();
    match place.write(result) {
        Ok(paths) => {
            let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            error.context(format!(
                "the run ended early and nothing was judged; its {trials} trials are kept in {}",
                paths.join(" and ")
            ))
        }
        Err(other) => error.context(format!(
            "the run ended early, and its {trials} trials could not be kept: {other}"
        )),
    }
}

/// Asks for the end when the time is over.
struct Limit {
    begun: Instant,
    whole: Duration,
    struck: Arc<AtomicBool>,
    /// Dropped with the limit, which ends its thread.
    _alive: Sender<()>,
}

impl Limit {
    fn start(begun: Instant, whole: Duration, interrupt: &Interrupt) -> Self {
        let struck = Arc::new(AtomicBool::new(false));
        let (flag, interrupt) = (Arc::clone(&struck), interrupt.clone());
        let (alive, ended) = mpsc::channel();
        thread::spawn(move || {
            let left = whole.saturating_sub(begun.elapsed());
            if ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                // Relaxed: the flags are all that is communicated, and this one is only read for a message.
                flag.store(true, Ordering::Relaxed);
                interrupt.raise();
            }
        });
        Self {
            begun,
            whole,
            struck,
            _alive: alive,
        }
    }

    fn struck(&self) -> bool {
        self.struck.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::empty_result;

    fn limit(seconds: u64) -> Limit {
        let whole = Duration::from_secs(seconds);
        Limit::start(Instant::now(), whole, &Interrupt::default())
    }

    #[test]
    fn fewer_pairs_are_planned_where_the_limit_asks_for_it_and_that_is_recorded() {
        let mut result = empty_result(&["synth/sha256", "prove/sha256"], 40);
        let rounds = [Duration::from_secs(1), Duration::from_secs(3)];
        let plain = result.clone();
        lower(&mut result, &rounds, &limit(400), Progress::stderr()).expect("it fits");
        assert_eq!(result, plain);
        lower(&mut result, &rounds, &limit(100), Progress::stderr()).expect("it can be made to");
        let pairs: Vec<usize> = result.plan.workloads.iter().map(|w| w.pairs).collect();
        assert!(
            pairs[0] == pairs[1] && (18..=22).contains(&pairs[0]),
            "{pairs:?}"
        );
        assert!(
            result.plan.stopping.contains("instead of 40"),
            "{}",
            result.plan.stopping
        );
        assert!(result.notes[0].contains("1 min 40 s"), "{:?}", result.notes);
    }

    #[test]
    fn never_fewer_than_can_decide() {
        let mut result = empty_result(&["synth/sha256"], 40);
        let rounds = [Duration::from_secs(10)];
        let error = lower(&mut result, &rounds, &limit(60), Progress::stderr());
        let error = error.expect_err("5 pairs decide nothing").to_string();
        assert!(error.contains("--limit 1 min 00 s"), "{error}");
        assert_eq!(result.plan.workloads[0].pairs, 40);
    }
}
