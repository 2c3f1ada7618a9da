//! Selections of a small series.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::*;

/// door (instrument), early (off), a, b -> a, c, late (build), x (off), y (off) -> x.
fn manifest() -> Manifest {
    let one = |slug: &str, kind, default, depends: &[&str]| Optimisation {
        slug: slug.to_owned(),
        kind,
        default,
        depends: depends.iter().map(|d| (*d).to_owned()).collect(),
        steps: Default::default(),
        because: None,
        patches: BTreeMap::new(),
    };
    Manifest {
        releases: Vec::new(),
        optimisations: vec![
            one("door", Kind::Instrument, true, &[]),
            one("early", Kind::Experiment, false, &[]),
            one("a", Kind::Perf, true, &["door"]),
            one("b", Kind::Perf, true, &["a"]),
            one("c", Kind::Fix, true, &[]),
            one("late", Kind::Build, true, &[]),
            one("x", Kind::Experiment, false, &["c"]),
            one("y", Kind::Experiment, false, &["x"]),
        ],
    }
}

fn chosen(name: &str) -> Result<String, SelectionError> {
    let manifest = manifest();
    let selection: Selection = name.parse()?;
    assert_eq!(selection.to_string(), name);
    let chosen = selection.optimisations(&manifest)?;
    Ok(chosen
        .iter()
        .map(|o| o.slug.as_str())
        .collect::<Vec<_>>()
        .join(" "))
}

#[test]
fn each_form_chooses_in_the_order_of_the_series() {
    for (name, expected) in [
        ("pristine", "door late"),
        ("patched", "door a b c late"),
        ("patched-c", "door a b late"),
        ("patched-a", "door c late"),
        ("pristine+b", "door a b late"),
        ("pristine+c+a", "door a c late"),
        ("pristine+y", "door c late x y"),
        ("patched+x", "door a b c late x"),
        ("patched+y", "door a b c late x y"),
        ("pristine+early+c", "door early c late"),
        ("patched+early", "door a b c late early"),
        ("prefix-door", "door late"),
        ("prefix-b", "door a b late"),
    ] {
        assert_eq!(chosen(name).as_deref(), Ok(expected), "{name}");
    }
}

#[test]
fn what_cannot_be_chosen_says_why() {
    for (name, reason) in [
        ("patched-z", "which has door, early, a, b, c, late, x, y"),
        ("pristine+a+z", "no optimisation `z`"),
        ("prefix-z", "no optimisation `z`"),
        ("patched-door", "kind instrument"),
        ("pristine+late", "kind build"),
        ("patched-x", "try `patched+x`"),
        ("prefix-x", "try `patched+x`"),
        ("patched+a", "try `patched-a`"),
        ("released", "no tree"),
    ] {
        let text = chosen(name).unwrap_err().to_string();
        assert!(text.contains(reason), "{name}: {text}");
    }
    for name in [
        "",
        "upstream",
        "patched-",
        "pristine+",
        "pristine+a+",
        "patched+A",
        "prefix-a+b",
        "patched--a",
        "patched-../x",
    ] {
        assert_eq!(
            name.parse::<Selection>(),
            Err(SelectionError::Grammar(name.to_owned()))
        );
    }
}

#[test]
fn each_optimisation_can_be_left_out_in_turn() {
    let names: Vec<String> = leave_one_out(&manifest())
        .iter()
        .map(Selection::to_string)
        .collect();
    assert_eq!(names, ["patched-a", "patched-b", "patched-c"]);
}
