//! Which optimisation a pair of arms measures.

use crate::arm::ArmSpec;
use crate::stack::manifest::Manifest;
use crate::stack::selection::Selection;

/// Which side of a contrast has the optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The contender has it, as in `pristine` and `pristine+add-to-lc`.
    Contender,
    /// The baseline has it, as in `patched` and `patched-add-to-lc`: the ratio has to be turned over.
    Baseline,
}

/// The optimisation that two arms differ by, when it is exactly one.
pub fn optimisation(arms: [&str; 2], manifest: &Manifest) -> Option<(String, Side)> {
    let stacks = arms.map(|arm| arm.parse::<ArmSpec>().ok().map(|spec| spec.stack));
    let [Some(first), Some(second)] = &stacks else {
        return None;
    };
    if let Some(slug) = added(first, second, manifest) {
        return Some((slug, Side::Contender));
    }
    added(second, first, manifest).map(|slug| (slug, Side::Baseline))
}

/// The one optimisation that `with` has over `without`.
fn added(without: &Selection, with: &Selection, manifest: &Manifest) -> Option<String> {
    match (without, with) {
        (Selection::Pristine, Selection::Only(slugs)) => only(slugs),
        (Selection::Only(fewer), Selection::Only(more)) => one_more(fewer, more),
        (Selection::Patched, Selection::With(slugs)) => only(slugs),
        (Selection::With(fewer), Selection::With(more)) => one_more(fewer, more),
        (Selection::Without(slug), Selection::Patched) => Some(slug.clone()),
        (before, Selection::Prefix(slug)) => {
            let series: Vec<&str> = manifest
                .optimisations
                .iter()
                .filter(|o| o.default && !o.kind.is_in_every_stack())
                .map(|o| o.slug.as_str())
                .collect();
            let place = series.iter().position(|s| s == slug)?;
            let expected = match place.checked_sub(1) {
                Some(previous) => Selection::Prefix(series[previous].to_owned()),
                None => Selection::Pristine,
            };
            (*before == expected).then(|| slug.clone())
        }
        _ => None,
    }
}

fn only(slugs: &[String]) -> Option<String> {
    match slugs {
        [slug] => Some(slug.clone()),
        _ => None,
    }
}

fn one_more(fewer: &[String], more: &[String]) -> Option<String> {
    let mut extra = more.iter().filter(|slug| !fewer.contains(slug));
    let found = extra.next()?;
    let same_otherwise = extra.next().is_none() && fewer.iter().all(|slug| more.contains(slug));
    same_otherwise.then(|| found.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::manifest::{Kind, Optimisation};

    fn manifest() -> Manifest {
        let entry = |slug: &str, kind: Kind, default: bool| Optimisation {
            slug: slug.to_owned(),
            kind,
            default,
            depends: Vec::new(),
            patches: Default::default(),
        };
        Manifest {
            releases: Vec::new(),
            optimisations: vec![
                entry("door", Kind::Instrument, true),
                entry("one", Kind::Perf, true),
                entry("trial", Kind::Experiment, false),
                entry("two", Kind::Perf, true),
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
