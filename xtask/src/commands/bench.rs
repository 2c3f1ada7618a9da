//! `cargo xtask bench`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::arm::{self, ArmSpec, BuiltArm};
use crate::bench::ablate::{self, Ablation};
use crate::bench::counters::{Probe, Tools};
use crate::bench::noise::{self, Planned};
use crate::bench::plan::{self, Wishes};
use crate::bench::process::Interrupt;
use crate::bench::progress::duration;
use crate::bench::runner::{Arm, Listed};
use crate::bench::session::{Folders, Session};
use crate::bench::{conduct, earlier, untouched};
use crate::bundle::home::{self, HomeWishes};
use crate::bundle::make::{self, Ingredients};
use crate::files;
use crate::flags::bench::BenchArgs;
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::progress::Progress;
use crate::results::host::Host;
use crate::results::{PlanRecord, ResultFile, Rules, SCHEMA, WorkloadPlan, clock, store};
use crate::stack::manifest::Manifest;
use crate::stack::materialise::{Edited, materialise};
use crate::stack::selection::Selection;

/// Compares arms and prints what came of it.
pub fn run(layout: &Layout, mut args: BenchArgs) -> Result<ExitCode> {
    let begun = Instant::now();
    let progress = Progress::stderr();
    if let Some(path) = &args.json {
        let place = files::destination("--json", path, Some(&layout.results), files::is_document)?;
        args.json = Some(place);
    }
    if let Some(dir) = &args.from {
        let (keep, json) = (args.keep, args.json.clone());
        return home::bring(layout, dir, &HomeWishes { keep, json }, progress);
    }
    if let Some(dir) = &args.bundle {
        make::check_place(dir)?;
    }
    let manifest = Manifest::load(layout)?;
    let ablation = arms_and_contrasts(layout, &manifest, &args, progress)?;
    let names = &ablation.arms;
    let built_arms = build(layout, names, progress)?;
    // Only now: until here Ctrl-C ends everything at once, as it should while nothing is measured.
    let interrupt = Interrupt::install().context("cannot watch for Ctrl-C")?;
    let arms = built_arms
        .into_iter()
        .zip(names)
        .map(|(built, name)| as_run(built, name, &interrupt))
        .collect::<Result<Vec<Arm>>>()?;
    check_options(&arms)?;
    let built = begun.elapsed();
    let mut result = plan(&args, &manifest, &arms, ablation)?;
    let (cache, kept) = (layout.target.join("params"), layout.target.join("matrices"));
    let folders = Folders {
        cache: &cache,
        kept: &kept,
    };
    if let Some(dir) = &args.bundle {
        let from = Ingredients {
            arms: &arms,
            planned: &result,
            threads_asked: args.threads.is_some(),
            counters: args.counters,
            runner: &crate::files::this_program().context("the runner is this program itself")?,
            folders,
        };
        return make::report(dir, &from, &interrupt, progress);
    }
    announce(layout, &arms, &result, progress);
    let probe = args.counters.then(|| Probe::of(Tools::default()));
    if let Some(missing) = probe.as_ref().and_then(Probe::missing) {
        progress.step("Counting", missing);
    }

    let session = Session {
        arms: &arms,
        folders,
        interrupt: &interrupt,
        counters: probe.as_ref(),
    };
    if let Err(error) = conduct::conduct(&session, &mut result, progress.is_terminal()) {
        return Err(keep_partial(layout, result, error));
    }
    let notes = earlier::notes(layout, &result, &manifest);
    result.notes.extend(notes);
    let paths = write(layout, &args, &result)?;
    let measured = begun.elapsed() - built;
    progress.step(
        "Finished",
        format!(
            "building in {}, measuring in {}",
            duration(built),
            duration(measured)
        ),
    );
    let paths: Vec<String> = paths.iter().map(|path| layout.show(path)).collect();
    conduct::print(&result, &paths);
    Ok(conduct::exit_code(&result))
}

/// The arms by name, and which are compared with which.
fn arms_and_contrasts(
    layout: &Layout,
    manifest: &Manifest,
    args: &BenchArgs,
    progress: Progress,
) -> Result<Ablation> {
    if let Some(slugs) = &args.ablate {
        let all = slugs.iter().all(|slug| slug == ablate::ALL);
        let slugs = if all { Vec::new() } else { slugs.clone() };
        return ablate::plan(manifest, &slugs, |selection| {
            match materialise(layout, manifest, selection, Edited::Refuse, progress) {
                Ok(_) => Ok(true),
                Err(error) if ApplyError::is_not_constructible(&error) => Ok(false),
                Err(error) => Err(error),
            }
        });
    }
    let mut names = args.arms.clone();
    if names.is_empty() {
        names = vec!["pristine".to_owned(), "patched".to_owned()];
    }
    let arms = told_apart(&names)?;
    Ok(Ablation {
        contrasts: ablate::against_first(&arms)?,
        arms,
        ..Ablation::default()
    })
}

/// The names with those that come again numbered: an arm against itself.
fn told_apart(names: &[String]) -> Result<Vec<String>> {
    let mut told: Vec<String> = Vec::new();
    for name in names {
        let spec: ArmSpec = name.parse().with_context(|| format!("arm `{name}`"))?;
        // As it is written everywhere: features first, then options.
        let shown = spec.to_string();
        let mut unlike = (1..).map(|again| spec.again(again).to_string());
        let name = match told.contains(&shown) {
            true => unlike.find(|name| !told.contains(name)),
            false => None,
        };
        told.push(name.unwrap_or(shown));
    }
    Ok(told)
}

/// Everything that is compared is built before the first trial.
fn build(layout: &Layout, names: &[String], progress: Progress) -> Result<Vec<BuiltArm>> {
    let specs = names
        .iter()
        .map(|name| name.parse().with_context(|| format!("arm `{name}`")))
        .collect::<Result<Vec<ArmSpec>>>()?;
    arm::build(layout, &specs, progress)
}

/// A misspelt option would take its arm out of every workload in silence.
pub fn check_options(arms: &[Arm]) -> Result<()> {
    for arm in arms {
        let known: BTreeSet<&str> = arm
            .workloads
            .iter()
            .flat_map(|listed| &listed.options)
            .map(|option| option.key.as_str())
            .collect();
        if let Some((key, _)) = arm.options.iter().find(|(key, _)| !known.contains(&**key)) {
            let known: Vec<&str> = known.into_iter().collect();
            bail!(
                "arm `{}`: no workload takes an option `{key}`; there are: {}",
                arm.name,
                known.join(", ")
            );
        }
    }
    Ok(())
}

/// A built arm as something to run, with the workloads that its binary lists.
pub fn as_run(built: BuiltArm, name: &str, interrupt: &Interrupt) -> Result<Arm> {
    Ok(Arm {
        name: name.to_owned(),
        inputs: serde_json::to_value(&built.what).context("the record of an arm")?,
        released: built.spec.stack == Selection::Released,
        workloads: Arm::list(&built.binary, interrupt)
            .with_context(|| format!("the workloads of {name}"))?,
        options: built.spec.options,
        stamp: built.stamp,
        binary: built.binary,
    })
}

/// The result that the run will fill: so far, only what is decided before it.
fn plan(
    args: &BenchArgs,
    manifest: &Manifest,
    arms: &[Arm],
    ablation: Ablation,
) -> Result<ResultFile> {
    let contrasts = ablation.contrasts;
    let rules = Rules::default();
    let wishes = Wishes {
        workloads: args.workloads.clone(),
        pairs: args.pairs.map(usize::from),
        quick: args.quick,
        ablate: args.ablate.is_some(),
        answers: args.answers,
        size: args.size,
        threads: args.threads,
    };
    let first = arms.first().context("no arm")?;
    // A workload that no two arms can run which are compared compares nothing.
    let can_run = |arm: &String, name: &str| arms.iter().any(|a| a.name == *arm && a.can_run(name));
    let shared = |name: &str| {
        let mut all = contrasts.iter();
        all.any(|both| both.iter().all(|arm| can_run(arm, name)))
    };
    if let Some(name) = wishes
        .workloads
        .iter()
        .find(|name| has(first, name) && !shared(name))
    {
        bail!(
            "`{name}` runs on no two of these arms that are compared: it does not take their options, or upstream's public API \
             does not offer it"
        );
    }
    let known: Vec<Listed> = first
        .workloads
        .iter()
        .filter(|listed| shared(&listed.name))
        .cloned()
        .collect();
    let workloads = plan::workloads(&wishes, &known, contrasts.len(), &rules)?;
    Ok(ResultFile {
        schema: SCHEMA,
        time: clock::now(),
        complete: false,
        host: Host::this(),
        plan: PlanRecord {
            seed: args.seed.unwrap_or_else(fresh_seed),
            stopping: "after the planned number of pairs".to_owned(),
            rules,
            untouched: untouched::of(manifest, arms, &workloads, &contrasts),
            workloads,
            contrasts,
            ablation: ablation.parts,
        },
        arms: arms.iter().map(Arm::record).collect(),
        comparisons: Vec::new(),
        interactions: Vec::new(),
        notes: ablation.notes,
        matrices: Vec::new(),
        counts: Vec::new(),
        trials: Vec::new(),
    })
}

/// True when the arm's binary lists the workload, whatever the arm's options.
fn has(arm: &Arm, name: &str) -> bool {
    arm.workloads.iter().any(|listed| listed.name == name)
}

/// A seed that nobody chose, of 53 bits so that every reader of JSON sees it exactly. Hash maps are seeded by the system.
fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) >> 11
}

/// What is about to happen, before it does.
fn announce(layout: &Layout, built: &[Arm], result: &ResultFile, progress: Progress) {
    let plan = &result.plan;
    let arms: Vec<&str> = result.arms.iter().map(|arm| arm.name.as_str()).collect();
    let default_size = |workload: &WorkloadPlan| {
        let listed = built.iter().find_map(|arm| arm.listed(&workload.name))?;
        listed.size.as_ref().map(|size| size.default)
    };
    progress.step(
        "Comparing",
        format!("{} with seed {}", arms.join(", "), plan.seed),
    );
    let kept = layout.results.join(&result.host.class);
    let folders = [layout.target_results.as_path(), kept.as_path()];
    let planned = Planned {
        workloads: &plan.workloads,
        arms: &arms,
        contrasts: plan.contrasts.len(),
        rules: &plan.rules,
    };
    let control = plan.workloads.iter().any(|w| w.control);
    if !control {
        return;
    }
    for line in noise::forecast(folders, &result.host.class, planned, |workload| {
        workload.size.or_else(|| default_size(workload))
    }) {
        progress.step("Planned", line);
    }
    let control = plan.workloads.iter().any(|w| w.control);
    if let Some(warning) =
        plan::warning(&plan.workloads, plan.contrasts.len(), &plan.rules).filter(|_| control)
    {
        progress.step("Warning", warning);
    }
}

/// Keeps what was measured before a run ended early, and says where.
fn keep_partial(layout: &Layout, result: ResultFile, error: anyhow::Error) -> anyhow::Error {
    if result.trials.is_empty() {
        return error;
    }
    let path = layout.target_results.join(store::file_name(&result));
    let trials = result.trials.len();
    match store::write(&path, &result) {
        Ok(()) => error.context(format!(
            "the run ended early and nothing was judged; its {trials} trials are kept in {}",
            layout.show(&path)
        )),
        Err(other) => error.context(format!(
            "the run ended early, and its {trials} trials could not be kept: {other}"
        )),
    }
}

/// Writes the result to every place that was asked for; the first is the one under target/.
fn write(layout: &Layout, args: &BenchArgs, result: &ResultFile) -> Result<Vec<PathBuf>> {
    let kept = layout.results.join(&result.host.class);
    let name = store::free_name(result, &[&layout.target_results, &kept]);
    let mut paths = vec![layout.target_results.join(&name)];
    store::write(&paths[0], result)?;
    if args.keep {
        let path = kept.join(&name);
        store::keep(&path, result)?;
        paths.push(path);
    }
    if let Some(path) = &args.json {
        store::write(path, result)?;
        paths.push(path.clone());
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        told_apart(&names).expect("arms")
    }

    #[test]
    fn an_arm_that_is_named_again_gets_a_name_of_its_own() {
        assert_eq!(told(&["pristine", "patched"]), ["pristine", "patched"]);
        assert_eq!(
            told(&["pristine", "pristine", "patched", "pristine"]),
            [
                "pristine",
                "pristine:again=1",
                "patched",
                "pristine:again=2"
            ]
        );
        assert_eq!(
            told(&["patched:capacity=exact", "patched:capacity=exact"]),
            ["patched:capacity=exact", "patched:capacity=exact:again=1"]
        );
        assert_eq!(
            told(&[
                "patched:capacity=exact:features=a",
                "patched:features=a:capacity=exact"
            ]),
            [
                "patched:features=a:capacity=exact",
                "patched:features=a:capacity=exact:again=1"
            ]
        );
        let error = told_apart(&["pristin".to_owned()]).expect_err("no arm");
        assert!(format!("{error:#}").contains("arm `pristin`"), "{error:#}");
    }
}
