//! Which optimisation a pair of arms measures.

use std::collections::BTreeSet;

use crate::arm::ArmSpec;
use crate::stack::manifest::{Manifest, Optimisation};
use crate::stack::selection::Selection;

/// Follows a stack's name in that of an arm that proves on a GPU.
const ON_GPU: &str = ":features=cuda:backend=gpu";

/// Which side of a contrast has the optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The contender has it, as in `pristine` and `pristine+add-to-lc`.
    Contender,
    /// The baseline has it, as in `patched` and `patched-add-to-lc`: the ratio has to be turned over.
    Baseline,
}

/// The optimisation that two arms differ by, when it is exactly one. What a name says is not enough: `pristine+SLUG`
/// has what SLUG depends on too, and `patched-SLUG` lacks what depends on it.
pub fn optimisation(arms: [&str; 2], manifest: &Manifest) -> Option<(String, Side)> {
    let [first, second] = arms.map(|arm| arm.parse::<ArmSpec>().ok());
    let (first, second) = (first?, second?);
    if first.options != second.options {
        return None;
    }
    let (before, after) = (slugs(&first, manifest)?, slugs(&second, manifest)?);
    let mut differences = before.symmetric_difference(&after);
    let (Some(slug), None) = (differences.next(), differences.next()) else {
        return None;
    };
    let side = if after.contains(slug) {
        Side::Contender
    } else {
        Side::Baseline
    };
    // Features choose among forms of what they are given to; on both sides they have to be the same.
    let (without, with) = match side {
        Side::Contender => (&first, &second),
        Side::Baseline => (&second, &first),
    };
    let shared = without.features.iter().all(|f| with.features.contains(f));
    shared.then(|| ((*slug).to_owned(), side))
}

/// The optimisations that an arm is compiled with; `None` where its stack has no tree, or can't be chosen.
fn slugs<'m>(arm: &ArmSpec, manifest: &'m Manifest) -> Option<BTreeSet<&'m str>> {
    let chosen = arm.optimisations(manifest).ok()?;
    Some(chosen.iter().map(|o| o.slug.as_str()).collect())
}

/// Two arms that differ by one optimisation and nothing else: for one of the default series, the series before it and
/// up to it, which always apply; for another, pristine with what it depends on, without it and with it. One that changes
/// only what a feature compiles is measured on arms that have the feature, and prove on the GPU.
pub fn arms_for(slug: &str, manifest: &Manifest) -> [String; 2] {
    let own = manifest.optimisation(slug);
    let everywhere = own.is_none_or(|own| manifest.reaches(own, &[]));
    let suffix = if everywhere { "" } else { ON_GPU };
    stacks_for(slug, manifest).map(|stack| format!("{stack}{suffix}"))
}

fn stacks_for(slug: &str, manifest: &Manifest) -> [Selection; 2] {
    let counts = |o: &&Optimisation| !o.kind.is_in_every_stack();
    let on = manifest.optimisation(slug).is_some_and(|o| o.default);
    if on {
        let series = manifest.optimisations.iter().filter(counts);
        let before = series.filter(|o| o.default).take_while(|o| o.slug != slug);
        let before = before
            .last()
            .map_or(Selection::Pristine, |o| Selection::Prefix(o.slug.clone()));
        return [before, Selection::Prefix(slug.to_owned())];
    }
    let with = Selection::Only(vec![slug.to_owned()]);
    let needed: Vec<String> = with
        .optimisations(manifest)
        .unwrap_or_default()
        .into_iter()
        .filter(counts)
        .map(|o| o.slug.clone())
        .filter(|needed| needed != slug)
        .collect();
    let without = if needed.is_empty() {
        Selection::Pristine
    } else {
        Selection::Only(needed)
    };
    [without, with]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::testing::{empty_patch, optimisation as made_up, release};
    use crate::stack::manifest::Kind;

    /// door (instrument), one, trial (off), two, three -> two, more (off) -> trial.
    fn manifest() -> Manifest {
        let needing = |needs: &str, entry: Optimisation| Optimisation {
            depends: vec![needs.to_owned()],
            ..entry
        };
        Manifest {
            releases: Vec::new(),
            optimisations: vec![
                made_up("door", Kind::Instrument, true),
                made_up("one", Kind::Perf, true),
                made_up("trial", Kind::Experiment, false),
                made_up("two", Kind::Perf, true),
                needing("two", made_up("three", Kind::Perf, true)),
                needing("trial", made_up("more", Kind::Experiment, false)),
            ],
        }
    }

    #[test]
    fn arms_that_differ_by_one_optimisation() {
        let found = |a, b| optimisation([a, b], &manifest());
        let with = |slug: &str| Some((slug.to_owned(), Side::Contender));
        assert_eq!(found("pristine", "prefix-one"), with("one"));
        assert_eq!(found("prefix-one", "prefix-two"), with("two"));
        assert_eq!(
            found("pristine", "pristine+trial:features=a/b"),
            with("trial")
        );
        assert_eq!(found("pristine+one", "pristine+one+two"), with("two"));
        assert_eq!(found("patched", "patched+trial"), with("trial"));
        assert_eq!(found("patched-one", "patched"), with("one"));
        assert_eq!(
            found("patched", "patched-one"),
            Some(("one".to_owned(), Side::Baseline))
        );
        // By sets, not by names.
        assert_eq!(found("pristine+one+two", "prefix-three"), with("three"));
        assert_eq!(found("pristine+two", "pristine+three"), with("three"));
        assert_eq!(found("prefix-three", "patched+trial"), with("trial"));
    }

    /// `two` changes only what the feature `cuda` compiles, and `three` that too.
    #[test]
    fn what_an_arm_does_not_compile_is_no_difference() {
        let mut manifest = manifest();
        manifest.releases = vec![release("plain", None), release("gpu", Some("cuda"))];
        for (at, crates) in [(1, &["plain"][..]), (3, &["gpu"]), (4, &["gpu", "plain"])] {
            let patches = crates
                .iter()
                .map(|name| ((*name).to_owned(), empty_patch(name)));
            manifest.optimisations[at].patches = patches.collect();
        }
        let found = |a, b| optimisation([a, b], &manifest);
        let with = |slug: &str| Some((slug.to_owned(), Side::Contender));
        assert_eq!(found("prefix-one", "prefix-two"), None);
        assert_eq!(found("pristine", "prefix-two"), with("one"));
        assert_eq!(found("prefix-one", "prefix-three"), with("three"));
        assert_eq!(found("pristine", "pristine+three"), with("three"));
        let gpu = |stack: &str| format!("{stack}:features=cuda:backend=gpu");
        let on_gpu = |a, b| optimisation([&gpu(a), &gpu(b)], &manifest);
        assert_eq!(on_gpu("prefix-one", "prefix-two"), with("two"));
        assert_eq!(on_gpu("pristine", "prefix-two"), None);
        assert_eq!(on_gpu("prefix-one", "prefix-three"), None);
        // The feature on one side alone is another difference.
        assert_eq!(found(&gpu("prefix-one"), "prefix-two"), None);
        assert_eq!(
            arms_for("two", &manifest),
            [gpu("prefix-one"), gpu("prefix-two")]
        );
        assert_eq!(arms_for("three", &manifest), ["prefix-two", "prefix-three"]);
    }

    #[test]
    fn an_optimisation_is_not_credited_with_what_comes_along() {
        for arms in [
            ["pristine", "pristine+three"],
            ["patched-two", "patched"],
            ["patched", "patched+more"],
            ["pristine", "pristine+one:features=a:capacity=exact"],
            ["pristine:features=a", "pristine+one"],
        ] {
            assert_eq!(optimisation(arms, &manifest()), None, "{arms:?}");
        }
    }

    #[test]
    fn the_arms_that_are_named_measure_it_alone() {
        for (slug, arms) in [
            ("one", ["pristine", "prefix-one"]),
            ("two", ["prefix-one", "prefix-two"]),
            ("three", ["prefix-two", "prefix-three"]),
            ("trial", ["pristine", "pristine+trial"]),
            ("more", ["pristine+trial", "pristine+more"]),
        ] {
            let named = arms_for(slug, &manifest());
            assert_eq!(named, arms);
            assert_eq!(
                optimisation(named.each_ref().map(String::as_str), &manifest()),
                Some((slug.to_owned(), Side::Contender))
            );
        }
    }

    #[test]
    fn arms_that_do_not() {
        for arms in [
            ["pristine", "patched"],
            ["pristine", "prefix-two"],
            ["pristine", "pristine+one+two"],
            ["pristine+one", "pristine+two"],
            ["patched", "patched:capacity=exact"],
            ["released", "pristine"],
            ["pristine", "not an arm"],
        ] {
            assert_eq!(optimisation(arms, &manifest()), None, "{arms:?}");
        }
    }
}
