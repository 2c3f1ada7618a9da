//! What a run consists of, decided before its first trial.

use anyhow::{Result, bail};

use super::metrics;
use super::runner::Listed;
use super::stats::power;
use crate::results::{Rules, WorkloadPlan};

/// The workloads that are run when none is named, with their pairs. Those of `synth/sha256` find the effect that a
/// run is planned for, as `simulation_tests` shows from pairs of a real machine; those of `synth/porep-2k`, a slow one, show
/// large changes only.
pub const DEFAULTS: [(&str, usize); 2] = [("synth/porep-2k", 10), (QUICK, QUICK_DEFAULT_PAIRS)];

/// The pairs of [`QUICK`] in a run that asks for nothing else.
pub const QUICK_DEFAULT_PAIRS: usize = 60;

/// The workload of `--quick`, and of an ablation.
pub const QUICK: &str = "synth/sha256";

/// The pairs of `--quick`: they show differences of some per cent.
const QUICK_PAIRS: usize = 24;

/// Pairs of a workload that has no entry above.
const PAIRS: usize = 10;

/// Rounds where only answers count: two inputs.
const ANSWER_PAIRS: usize = 2;

/// Pairs of an ablation, which runs dozens of arms a round.
const ABLATION_PAIRS: usize = 24;

/// What a person asked for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Workloads, or the beginning of their names.
    pub workloads: Vec<String>,
    /// Pairs of each.
    pub pairs: Option<usize>,
    /// One workload, and fewer pairs.
    pub quick: bool,
    /// One workload, and many arms.
    pub ablate: bool,
    /// No times, so no control.
    pub answers: bool,
    /// Size of each.
    pub size: Option<u64>,
    /// Threads of each.
    pub threads: Option<u64>,
}

/// The workloads of a run. `known` is what the first arm's binary has, `contrasts` how many pairs of arms are compared.
pub fn workloads(
    wishes: &Wishes,
    known: &[Listed],
    contrasts: usize,
    rules: &Rules,
) -> Result<Vec<WorkloadPlan>> {
    let all: Vec<String> = known.iter().map(|listed| listed.name.clone()).collect();
    let names = names(wishes, &all)?;
    let sized = |name: &str| {
        known
            .iter()
            .any(|listed| listed.name == name && listed.size.is_some())
    };
    if let (Some(size), false) = (wishes.size, names.iter().any(|name| sized(name))) {
        bail!("--size {size}: {} has one size only", names.join(", "));
    }
    let mut plans: Vec<WorkloadPlan> = names
        .into_iter()
        .map(|name| WorkloadPlan {
            size: wishes.size.filter(|_| sized(&name)),
            threads: Some(wishes.threads.unwrap_or_else(|| threads(&name))),
            headline: headline(&name, known),
            pairs: 0,
            control: !wishes.answers,
            name,
        })
        .collect();
    let fewest = fewest(&plans, contrasts, rules);
    for plan in &mut plans {
        let default = DEFAULTS
            .iter()
            .find(|(name, _)| *name == plan.name)
            .map_or(PAIRS, |(_, pairs)| *pairs);
        let chosen = match wishes {
            Wishes { quick: true, .. } => default.min(QUICK_PAIRS),
            Wishes { ablate: true, .. } => default.min(ABLATION_PAIRS),
            _ => default,
        };
        plan.pairs = wishes.pairs.unwrap_or(match wishes.answers {
            true => ANSWER_PAIRS,
            false => chosen.max(fewest),
        });
    }
    Ok(plans)
}

/// The threads of a workload that nobody chose: proofs and parameters are compared on all cores; elsewhere one thread
/// shows a difference of the code as it is.
pub fn threads(workload: &str) -> u64 {
    match on_all_cores(workload) {
        true => std::thread::available_parallelism().map_or(1, usize::from) as u64,
        false => 1,
    }
}

/// True for a workload that takes as many threads as its host has cores.
pub fn on_all_cores(workload: &str) -> bool {
    let beginnings = ["prove/", "engine/", "params/"];
    beginnings.iter().any(|of| workload.starts_with(of))
}

/// What the binary lists as the workload's headline.
fn headline(name: &str, known: &[Listed]) -> Vec<String> {
    known
        .iter()
        .filter(|listed| listed.name == name)
        .flat_map(|listed| &listed.headline)
        .map(|metric| metric.name.clone())
        .collect()
}

/// The rows of the largest family of a plan, which is the hardest to decide.
pub fn rows(workloads: &[WorkloadPlan], contrasts: usize) -> usize {
    let times = |w: &WorkloadPlan| metrics::times(&w.headline).count().max(1);
    let memory = |w: &WorkloadPlan| w.headline.len() - metrics::times(&w.headline).count();
    let times: usize = workloads.iter().map(times).sum();
    // Every workload reports its peak, listed or not.
    let memory: usize = workloads.iter().map(|w| memory(w).max(1)).sum();
    times.max(memory) * contrasts
}

/// The fewest pairs with which every row of a plan could be decided, negative controls included: one that no difference
/// could move controls nothing.
pub fn fewest(workloads: &[WorkloadPlan], contrasts: usize, rules: &Rules) -> usize {
    // The reference; where something is proved, its two steps as well.
    let of_one = |w: &WorkloadPlan| if w.name.starts_with("prove/") { 3 } else { 1 };
    let negative = workloads.iter().map(of_one).sum::<usize>() * contrasts;
    power::fewest_pairs(rules.alpha, rows(workloads, contrasts).max(negative))
}

fn names(wishes: &Wishes, known: &[String]) -> Result<Vec<String>> {
    let is_known = |name: &&str| known.iter().any(|k| k == name);
    if wishes.workloads.is_empty() {
        let all: Vec<&str> = if wishes.quick || wishes.ablate {
            vec![QUICK]
        } else {
            DEFAULTS.iter().map(|(name, _)| *name).collect()
        };
        let there: Vec<String> = all
            .into_iter()
            .filter(is_known)
            .map(str::to_owned)
            .collect();
        if there.is_empty() {
            bail!(
                "none of the usual workloads is there; name some of: {}",
                known.join(", ")
            );
        }
        return Ok(there);
    }
    let mut chosen: Vec<String> = Vec::new();
    for wish in &wishes.workloads {
        let below = format!("{}/", wish.trim_end_matches('/'));
        let found: Vec<&String> = known
            .iter()
            .filter(|name| *name == wish || name.starts_with(&below))
            .collect();
        if found.is_empty() {
            bail!("no workload `{wish}`; there are: {}", known.join(", "));
        }
        for name in found {
            if !chosen.contains(name) {
                chosen.push(name.clone());
            }
        }
    }
    Ok(chosen)
}

/// A warning for a plan in which no difference, however large, could pass.
pub fn warning(workloads: &[WorkloadPlan], contrasts: usize, rules: &Rules) -> Option<String> {
    let rows = rows(workloads, contrasts);
    let fewest = fewest(workloads, contrasts, rules);
    let short: Vec<&str> = workloads
        .iter()
        .filter(|w| w.pairs < fewest)
        .map(|w| w.name.as_str())
        .collect();
    (!short.is_empty()).then(|| {
        format!(
            "{} may end inconclusive whatever it measures: to decide {rows} rows together takes {fewest} pairs",
            short.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::runner::{ListedMetric, ListedSize};

    fn known() -> Vec<Listed> {
        [
            "synth/porep-2k",
            "synth/sha256",
            "synth/gadgets/addmany",
            "synth/gadgets/lookup",
            "prove/sha256",
        ]
        .map(|name| Listed {
            name: name.to_owned(),
            size: (name != "synth/porep-2k").then_some(ListedSize { default: 8 }),
            headline: ["wall_s.cold", "wall_s.warm", "peak_bytes"]
                .map(|name| ListedMetric {
                    name: name.to_owned(),
                })
                .to_vec(),
            ..Listed::default()
        })
        .to_vec()
    }

    fn planned(wishes: &Wishes, contrasts: usize) -> Vec<WorkloadPlan> {
        workloads(wishes, &known(), contrasts, &Rules::default()).expect("a plan")
    }

    fn named(names: &[&str]) -> Wishes {
        Wishes {
            workloads: names.iter().map(|n| (*n).to_owned()).collect(),
            ..Wishes::default()
        }
    }

    #[test]
    fn default_pairs_can_decide_every_row() {
        let plan = planned(&Wishes::default(), 1);
        assert_eq!(plan.len(), 2);
        assert!(plan.iter().all(|w| w.control && w.threads == Some(1)));
        assert_eq!(warning(&plan, 1, &Rules::default()), None);
        // Two times a workload are four rows; memory is a family of its own.
        assert_eq!(rows(&plan, 1), 4);
        assert_eq!(plan[0].headline.len(), 3);
        // Nine contrasts of two workloads are 36 rows: more pairs are planned, not a warning.
        assert_eq!(
            warning(&planned(&Wishes::default(), 9), 9, &Rules::default()),
            None
        );
    }

    #[test]
    fn quick_is_one_workload_and_fewer_pairs() {
        let plan = planned(
            &Wishes {
                quick: true,
                ..Wishes::default()
            },
            1,
        );
        assert_eq!(
            (plan.len(), plan[0].name.as_str(), plan[0].pairs),
            (1, QUICK, QUICK_PAIRS)
        );
        let three = Wishes {
            quick: true,
            ..named(&["synth/sha256", "synth/porep-2k", "prove/sha256"])
        };
        let pairs: Vec<usize> = planned(&three, 1).iter().map(|w| w.pairs).collect();
        // Six rows need eleven pairs.
        assert_eq!(pairs, [QUICK_PAIRS, 11, 11]);
        let ablation = Wishes {
            ablate: true,
            ..Wishes::default()
        };
        let plan = planned(&ablation, 36);
        assert_eq!((plan.len(), plan[0].name.as_str()), (1, QUICK));
        assert_eq!(warning(&plan, 36, &Rules::default()), None);
    }

    #[test]
    fn answers_take_two_rounds_and_no_control() {
        let wishes = Wishes {
            answers: true,
            ..named(&["prove/sha256"])
        };
        let plan = planned(&wishes, 1);
        assert_eq!((plan[0].pairs, plan[0].control), (ANSWER_PAIRS, false));
    }

    #[test]
    fn a_size_goes_to_the_workloads_that_have_one() {
        let plan = planned(
            &Wishes {
                size: Some(4),
                ..Wishes::default()
            },
            1,
        );
        assert_eq!((plan[0].size, plan[1].size), (None, Some(4)));
        let alone = Wishes {
            size: Some(4),
            ..named(&["synth/porep-2k"])
        };
        assert!(workloads(&alone, &known(), 1, &Rules::default()).is_err());
    }

    #[test]
    fn too_few_pairs_are_warned_of_and_obeyed() {
        let plan = planned(
            &Wishes {
                pairs: Some(4),
                ..named(&["synth/sha256"])
            },
            1,
        );
        assert_eq!(plan[0].pairs, 4);
        let warning = warning(&plan, 1, &Rules::default()).expect("four pairs can't decide");
        assert!(
            warning.contains("synth/sha256") && warning.contains("9 pairs"),
            "{warning}"
        );
    }

    #[test]
    fn the_beginning_of_a_name_means_all_below_it() {
        let plan = planned(&named(&["synth/gadgets", "synth/gadgets/lookup"]), 1);
        let names: Vec<&str> = plan.iter().map(|w| w.name.as_str()).collect();
        assert_eq!(names, ["synth/gadgets/addmany", "synth/gadgets/lookup"]);
        let error =
            workloads(&named(&["synth/sha"]), &known(), 1, &Rules::default()).expect_err("no such");
        assert!(error.to_string().contains("synth/sha256"), "{error}");
    }
}
