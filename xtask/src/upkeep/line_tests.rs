//! Where patches stand that are off.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::*;
use crate::patch::git_tests::patch;
use crate::stack::manifest::Kind;
use crate::stack::tree::tests::tree;

/// Twelve lines, of which some are other ones.
fn with(changes: &[(usize, &str)]) -> Tree {
    let line = |n: usize| {
        let own = changes.iter().find(|(at, _)| *at == n);
        own.map_or(format!("{n}\n"), |(_, text)| format!("{text}\n"))
    };
    tree(&[("a", &(1..=12).map(line).collect::<String>())])
}

fn optimisation(slug: &str, on: bool, depends: &[&str], trees: [&Tree; 2]) -> Optimisation {
    Optimisation {
        slug: slug.to_owned(),
        kind: Kind::Perf,
        default: on,
        depends: depends.iter().map(|s| (*s).to_owned()).collect(),
        steps: BTreeSet::new(),
        because: None,
        patches: BTreeMap::from([("c".to_owned(), patch(trees[0], trees[1]))]),
    }
}

#[test]
fn what_is_off_stands_on_what_it_needs_else_on_the_last_place_else_on_top() {
    let release = with(&[]);
    let one = with(&[(1, "one")]);
    let two = with(&[(1, "one"), (12, "two")]);
    let off = with(&[(1, "one"), (6, "off")]);
    let more = with(&[(1, "one"), (6, "more")]);
    let most = with(&[(1, "one"), (6, "most")]);
    let odd = with(&[(2, "odd")]);
    let odder = with(&[(2, "odd"), (8, "odder")]);
    let own = |text: &str| tree(&[("a", text)]);
    let mut wide = two.clone();
    wide.files.extend(tree(&[("b", "b\n")]).files);
    let optimisations = vec![
        optimisation("first", false, &[], [&release, &with(&[(6, "early")])]),
        optimisation("one", true, &[], [&release, &one]),
        optimisation("zoff", false, &[], [&one, &off]),
        optimisation("more", false, &["zoff"], [&off, &more]),
        // It would fit on `more` alone; the names say nothing of the order.
        optimisation("last", false, &["more", "zoff"], [&more, &most]),
        optimisation("two", true, &[], [&one, &two]),
        // It fits anywhere.
        optimisation("wide", false, &[], [&two, &wide]),
        optimisation("merged", false, &[], [&odd, &odder]),
        optimisation("nowhere", false, &[], [&own("x\n"), &own("y\n")]),
    ];
    let manifest = Manifest {
        releases: Vec::new(),
        optimisations,
    };
    let line = Line::new(&manifest, "c", &release).expect("the series applies");
    let places: Vec<_> = (0..line.steps.len())
        .map(|at| {
            let step = &line.steps[at];
            let word = match step.fit {
                Fit::Exact(_) => "exact",
                Fit::Merged(_) => "merged",
                Fit::Nowhere(_) => "nowhere",
            };
            assert_eq!(line.is_exact(at), word == "exact");
            (step.slug(), step.base, word)
        })
        .collect();
    // `one` and `two` are steps 0 and 1.
    let expected = [
        ("one", Base::Series(0), "exact"),
        ("two", Base::Series(1), "exact"),
        ("first", Base::Series(0), "exact"),
        ("zoff", Base::Series(1), "exact"),
        ("more", Base::Off(3), "exact"),
        ("last", Base::Off(4), "exact"),
        ("wide", Base::Series(2), "exact"),
        ("merged", Base::Series(2), "merged"),
        ("nowhere", Base::Series(2), "nowhere"),
    ];
    assert_eq!(places, expected);
    assert_eq!(line.below(Base::Off(4)), [0, 3, 4]);
    let merged = with(&[(1, "one"), (8, "odder"), (12, "two")]);
    assert_eq!(line.steps[7].after(), Some(&merged));
}
