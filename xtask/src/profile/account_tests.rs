use std::collections::BTreeMap;

use super::*;
use crate::profile::{Space, Stack};
use crate::results::Trial;
use crate::results::profile::Method;

fn taken(only_timed: bool) -> Taken {
    Taken {
        method: Method::PerfClock,
        reason: String::new(),
        notes: Vec::new(),
        stands_for: Some(500_000),
        stacks: Vec::new(),
        space: Space::File,
        only_timed,
        trial: Trial {
            schema: 1,
            workload: "synth/sha256".to_owned(),
            seed: 1,
            size: None,
            threads: Some(1),
            ok: true,
            check: None,
            options: BTreeMap::new(),
            metrics: BTreeMap::new(),
            answers: BTreeMap::new(),
            process: BTreeMap::new(),
        },
        runs: 2,
    }
}

fn stack(weight: u64, frames: &[&str]) -> Stack {
    Stack {
        frames: frames.iter().map(|f| (*f).to_owned()).collect(),
        weight,
    }
}

const ENFORCE: &str = "<bellperson::groth16::prover::ProvingAssignment<Scalar> as \
    bellpepper_core::constraint_system::ConstraintSystem<Scalar>>::enforce";
const SYNTHESIZE: &str = "cuzk_core::synthesis::synthesize";

fn stacks() -> Vec<Stack> {
    vec![
        stack(5, &["core::slice::push", ENFORCE, SYNTHESIZE, "main"]),
        stack(
            3,
            &[
                "bellpepper_core::lc::add_product",
                ENFORCE,
                SYNTHESIZE,
                "main",
            ],
        ),
        stack(2, &["novel::thing", ENFORCE, SYNTHESIZE, "main"]),
        stack(7, &["workload::synth::check", "main"]),
        stack(1, &["alloc::vec::extend", ENFORCE, SYNTHESIZE, "main"]),
    ]
}

#[test]
fn categories_add_up_to_the_timed_work() {
    let account = of("synth/sha256", &taken(false), &stacks());
    assert_eq!(
        (account.total, account.outside, account.unmatched),
        (11, 7, 2)
    );
    let sums: Vec<(&str, u64)> = account
        .categories
        .iter()
        .map(|category| (category.name.as_str(), category.value))
        .collect();
    assert_eq!(sums, [("enforce", 6), ("evaluation", 3), ("other", 2)]);
    let first = &account.categories[0].functions;
    assert_eq!(first.len(), 1);
    assert_eq!(
        (first[0].name.as_str(), first[0].value),
        ("bellperson::groth16::prover::ProvingAssignment::enforce", 6)
    );
    assert_eq!(account.folded.values().sum::<u64>(), account.total);
}

#[test]
fn folded_stacks_begin_with_the_timed_function() {
    let account = of("synth/sha256", &taken(false), &stacks());
    let lines = account.folded_lines();
    assert!(
        lines.contains(
            "cuzk_core::synthesis::synthesize;bellperson::groth16::prover::ProvingAssignment::enforce;novel::thing 2\n"
        ),
        "{lines}"
    );
    assert!(!lines.contains("main"), "{lines}");
}

#[test]
fn what_holds_timed_work_alone_has_nothing_outside() {
    let account = of("synth/sha256", &taken(true), &stacks());
    assert_eq!((account.total, account.outside), (18, 0));
}
