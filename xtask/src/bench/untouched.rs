//! Negative controls: which times of a workload nothing can change by which two arms differ.
//!
//! An optimisation says which steps of making a proof it may change, a workload which steps its times are of. Work that
//! no patch can touch ([`REFERENCE`]) is in every trial. If such a time moves, the machine treated the two arms
//! differently, and what the others say is worth nothing.

use std::collections::BTreeSet;

use super::runner::Arm;
use crate::arm::ArmSpec;
use crate::results::{Untouched, WorkloadPlan};
use crate::stack::manifest::{Manifest, Step};

/// The time that every trial reports of work outside the stack.
pub const REFERENCE: &str = "wall_s.reference";

/// The negative controls of every contrast on every workload.
pub fn of(
    manifest: &Manifest,
    arms: &[Arm],
    workloads: &[WorkloadPlan],
    contrasts: &[[String; 2]],
) -> Vec<Untouched> {
    let mut all = Vec::new();
    for workload in workloads {
        let listed = arms.iter().find_map(|arm| arm.listed(&workload.name));
        for names in contrasts {
            let changed = changed(manifest, names);
            let mut metrics = vec![REFERENCE.to_owned()];
            for timed in listed.iter().flat_map(|listed| &listed.timed) {
                if timed.steps.iter().all(|step| !changed.contains(step)) {
                    metrics.push(timed.metric.clone());
                }
            }
            all.push(Untouched {
                workload: workload.name.clone(),
                arms: names.clone(),
                metrics,
            });
        }
    }
    all
}

/// The steps that two arms may differ in. Features, options and another program may change any, and an arm against
/// itself is asked whether anything at all differs.
fn changed(manifest: &Manifest, names: &[String; 2]) -> BTreeSet<Step> {
    let any = || Step::ALL.into();
    let [Ok(first), Ok(second)] = names.each_ref().map(|name| name.parse::<ArmSpec>()) else {
        return any();
    };
    if first.features != second.features || first.options != second.options {
        return any();
    }
    let [Some(before), Some(after)] = [&first, &second].map(|arm| slugs(arm, manifest)) else {
        return any();
    };
    let differing: BTreeSet<&String> = before.symmetric_difference(&after).collect();
    if differing.is_empty() {
        return any();
    }
    let all = manifest.optimisations.iter();
    all.filter(|o| differing.contains(&o.slug))
        .flat_map(|o| o.steps.iter().copied())
        .collect()
}

fn slugs(arm: &ArmSpec, manifest: &Manifest) -> Option<BTreeSet<String>> {
    let chosen = arm.optimisations(manifest).ok()?;
    Some(chosen.iter().map(|o| o.slug.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::manifest::{Kind, Optimisation};

    fn manifest() -> Manifest {
        let entry = |slug: &str, steps: &[Step]| Optimisation {
            slug: slug.to_owned(),
            kind: Kind::Perf,
            default: true,
            depends: Vec::new(),
            steps: steps.iter().copied().collect(),
            because: None,
            patches: Default::default(),
        };
        Manifest {
            releases: Vec::new(),
            optimisations: vec![
                entry("synth", &[Step::Synthesis, Step::Generation]),
                entry("prove", &[Step::Proving]),
                entry("all", &Step::ALL),
            ],
        }
    }

    fn controls(arms: [&str; 2]) -> Vec<String> {
        let names = arms.map(str::to_owned);
        let listed = serde_json::from_str(
            r#"[{"name":"prove/sha256","timed":[
                {"metric":"wall_s.synthesis","steps":["synthesis"]},
                {"metric":"wall_s.prove","steps":["proving","teardown"]}]}]"#,
        );
        let arm = Arm {
            name: names[0].clone(),
            stamp: String::new(),
            inputs: serde_json::Value::Null,
            binary: Default::default(),
            options: Vec::new(),
            released: false,
            workloads: listed.expect("a list"),
        };
        let workload = crate::bench::testing::empty_result(&["prove/sha256"], 6);
        let found = of(&manifest(), &[arm], &workload.plan.workloads, &[names]);
        found[0].metrics.clone()
    }

    #[test]
    fn a_time_is_a_control_where_no_step_of_it_was_changed() {
        let only = |metric: &str| vec![REFERENCE.to_owned(), metric.to_owned()];
        assert_eq!(controls(["pristine", "prefix-synth"]), only("wall_s.prove"));
        assert_eq!(
            controls(["prefix-synth", "prefix-prove"]),
            only("wall_s.synthesis")
        );
        assert_eq!(
            controls(["patched-prove", "patched"]),
            only("wall_s.synthesis")
        );
        for arms in [
            ["pristine", "prefix-prove"],
            ["pristine", "pristine+all"],
            ["released", "pristine"],
            ["pristine", "pristine:capacity=exact"],
            ["pristine", "pristine+prove:features=a"],
            ["pristine", "pristine:again=1"],
        ] {
            assert_eq!(controls(arms), [REFERENCE], "{arms:?}");
        }
    }
}
