//! Reading what a bundle measured elsewhere: nothing is believed that does not fit the bundle, and verdicts are reached
//! again from the trials.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

use super::RESULTS;
use super::RUN;
use super::error::BundleError;
use super::manifest::Bundle;
use crate::bench::{conduct, earlier, judge};
use crate::layout::Layout;
use crate::progress::Progress;
use crate::results::{ResultFile, store};
use crate::stack::manifest::Manifest;

/// What is to become of the results.
#[derive(Clone, Debug, Default)]
pub struct HomeWishes {
    /// Add them to results/.
    pub keep: bool,
    /// Write the result to this file too.
    pub json: Option<PathBuf>,
}

/// A result that came home.
#[derive(Debug)]
struct Returned {
    result: ResultFile,
    /// What was concluded elsewhere is not what follows from the trials here.
    judged_otherwise: bool,
}

/// Brings the results of a bundle home and prints them.
pub fn bring(
    layout: &Layout,
    dir: &Path,
    wishes: &HomeWishes,
    progress: Progress,
) -> Result<ExitCode> {
    let bundle = Bundle::open(dir)?;
    // All are looked at before the first is written.
    let returned = read_all(&bundle)?;
    let (whole, partial): (Vec<Returned>, Vec<Returned>) =
        returned.into_iter().partition(|r| r.result.complete);
    let mut places: Vec<Vec<PathBuf>> = Vec::new();
    for one in &whole {
        places.push(destinations(layout, &one.result, wishes, whole.len())?);
    }
    let mut code = ExitCode::SUCCESS;
    for (one, paths) in whole.iter().zip(&places) {
        let result = &one.result;
        progress.step(
            "Measured",
            format!("{} on {}", result.time, result.host.class),
        );
        for path in paths {
            // Kept results are never overwritten; the others are ours.
            if path.starts_with(&layout.results) {
                store::keep(path, result)?;
            } else {
                store::write(path, result)?;
            }
        }
        let paths: Vec<String> = paths.iter().map(|path| layout.show(path)).collect();
        conduct::print(result, &paths);
        for line in experiments(layout, result) {
            println!("Note: {line}");
        }
        if one.judged_otherwise {
            println!(
                "Judged again, this result differs from what the bundle's runner concluded; the table is today's \
                 judgement."
            );
        } else {
            println!("Judged again, with the same outcome as on the host that measured it.");
        }
        if conduct::exit_code(result) != ExitCode::SUCCESS {
            code = ExitCode::from(1);
        }
    }
    for one in &partial {
        let path = layout.target_results.join(store::file_name(&one.result));
        store::write(&path, &one.result)?;
        println!(
            "Nothing was judged: a run on {} was cut short after {} trials, which are kept in {}.",
            one.result.host.class,
            one.result.trials.len(),
            layout.show(&path)
        );
        code = ExitCode::from(1);
    }
    Ok(code)
}

/// Whether what was said of rejected experiments holds on the machine that measured.
fn experiments(layout: &Layout, result: &ResultFile) -> Vec<String> {
    let Ok(manifest) = Manifest::load(layout) else {
        return Vec::new();
    };
    earlier::notes(layout, result, &manifest)
}

/// Every result of a bundle, checked against its plan and judged again.
fn read_all(bundle: &Bundle) -> Result<Vec<Returned>> {
    let folder = bundle.dir.join(RESULTS);
    let mut paths = match std::fs::read_dir(&folder) {
        Ok(entries) => entries
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| BundleError::io(&folder, e))?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(BundleError::io(&folder, e).into()),
    };
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    if paths.is_empty() {
        return Err(BundleError::NotRun {
            path: folder,
            run: bundle.dir.join(RUN),
        }
        .into());
    }
    paths
        .iter()
        .map(|path| {
            let result = store::read(path)?;
            if let Some(what) = difference(&bundle.file.planned, &result) {
                return Err(BundleError::OtherPlan {
                    path: path.clone(),
                    what,
                }
                .into());
            }
            judge_again(result)
        })
        .collect()
}

/// Where a whole result goes; refused before anything is written.
fn destinations(
    layout: &Layout,
    result: &ResultFile,
    wishes: &HomeWishes,
    count: usize,
) -> Result<Vec<PathBuf>> {
    let name = store::file_name(result);
    let mut paths = vec![layout.target_results.join(&name)];
    if wishes.keep {
        let path = layout.results.join(&result.host.class).join(&name);
        // A bundle may be run again, and brought home again with what is kept already.
        match path.exists() {
            true if store::read(&path).is_ok_and(|kept| kept == *result) => {}
            true => return Err(store::StoreError::Exists { path }.into()),
            false => paths.push(path),
        }
    }
    if let Some(json) = &wishes.json {
        if count > 1 {
            bail!(
                "--json {}: the bundle was run {count} times, and one file holds one result",
                json.display()
            );
        }
        paths.push(json.clone());
    }
    Ok(paths)
}

fn judge_again(mut result: ResultFile) -> Result<Returned> {
    if !result.complete {
        return Ok(Returned {
            result,
            judged_otherwise: false,
        });
    }
    let judgement = judge::judge(&result)?;
    let judged_otherwise = judgement.comparisons != result.comparisons
        || judgement.interactions != result.interactions;
    result.comparisons = judgement.comparisons;
    result.interactions = judgement.interactions;
    for note in judgement.notes {
        if !result.notes.contains(&note) {
            result.notes.push(note);
        }
    }
    Ok(Returned {
        result,
        judged_otherwise,
    })
}

/// How a result differs from the plan of its bundle, in what a host may not decide. It may decide threads that the plan
/// left open, and fewer pairs.
fn difference(planned: &ResultFile, result: &ResultFile) -> Option<String> {
    let (plan, run) = (&planned.plan, &result.plan);
    for (arm, other) in planned.arms.iter().zip(&result.arms) {
        if arm != other {
            return Some(format!(
                "arm `{}` has the stamp {}, and the bundle's is {}",
                other.name, other.stamp, arm.stamp
            ));
        }
    }
    let parts = [
        ("the ablation differs", plan.ablation == run.ablation),
        ("the arms differ", planned.arms.len() == result.arms.len()),
        ("the seed differs", plan.seed == run.seed),
        ("the rules differ", plan.rules == run.rules),
        ("the contrasts differ", plan.contrasts == run.contrasts),
        (
            "the negative controls differ",
            plan.untouched == run.untouched,
        ),
        (
            "the workloads differ",
            plan.workloads.len() == run.workloads.len(),
        ),
    ];
    if let Some((what, _)) = parts.iter().find(|(_, same)| !same) {
        return Some((*what).to_owned());
    }
    for (workload, other) in plan.workloads.iter().zip(&run.workloads) {
        let mut expected = workload.clone();
        expected.threads = workload.threads.or(other.threads);
        expected.pairs = other.pairs;
        if expected != *other || other.pairs > workload.pairs {
            return Some(format!("{} was run otherwise than planned", workload.name));
        }
    }
    let fits = |workload: &str, arm: &str, round: usize| {
        let planned = run.workloads.iter().find(|w| w.name == workload);
        planned.is_some_and(|w| round < w.pairs) && result.arms.iter().any(|a| a.name == arm)
    };
    result
        .trials
        .iter()
        .find(|t| !fits(&t.trial.workload, &t.arm, t.round))
        .map(|t| format!("trial {} is none of its plan", t.order))
}
