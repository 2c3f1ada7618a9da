//! The series step by step: pristine, +1, +1+2, …, each step against the one before it.

use anyhow::{Result, bail};

/// Arms and contrasts of an ablation along `slugs`, the optimisations of the default series in order.
pub fn steps(slugs: &[String]) -> Result<(Vec<String>, Vec<[String; 2]>)> {
    if slugs.is_empty() {
        bail!("the default series has no optimisation to measure: see `cargo xtask patch list`");
    }
    let mut arms = vec!["pristine".to_owned()];
    arms.extend(slugs.iter().map(|slug| format!("prefix-{slug}")));
    let mut contrasts: Vec<[String; 2]> = arms
        .windows(2)
        .map(|pair| [pair[0].clone(), pair[1].clone()])
        .collect();
    // The steps multiply up to the whole only if they do not interact; so the whole is measured too.
    if let (true, [first, .., last]) = (slugs.len() > 1, &arms[..]) {
        contrasts.push([first.clone(), last.clone()]);
    }
    Ok((arms, contrasts))
}

/// Contrasts of arms that are all compared with the first.
pub fn against_first(arms: &[String]) -> Result<Vec<[String; 2]>> {
    let Some((first, others)) = arms.split_first() else {
        bail!("no arm to compare");
    };
    if others.is_empty() {
        bail!(
            "one arm, `{first}`, and nothing to compare it with: name at least two, as in --arms pristine,patched"
        );
    }
    let mut seen = vec![first];
    for arm in others {
        if seen.contains(&arm) {
            bail!("arm `{arm}` is named twice; to run an arm against itself use --control");
        }
        seen.push(arm);
    }
    Ok(others
        .iter()
        .map(|other| [first.clone(), other.clone()])
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| (*n).to_owned()).collect()
    }

    #[test]
    fn each_step_is_compared_with_the_one_before() {
        let (arms, contrasts) = steps(&names(&["one", "two"])).expect("two steps");
        assert_eq!(arms, ["pristine", "prefix-one", "prefix-two"]);
        assert_eq!(
            contrasts,
            [
                ["pristine", "prefix-one"],
                ["prefix-one", "prefix-two"],
                ["pristine", "prefix-two"]
            ]
        );
        let (_, one) = steps(&names(&["one"])).expect("one step");
        assert_eq!(one, [["pristine", "prefix-one"]]);
        assert!(steps(&[]).is_err());
    }

    #[test]
    fn arms_are_compared_with_the_first() {
        let contrasts =
            against_first(&names(&["pristine", "patched", "released"])).expect("three arms");
        assert_eq!(
            contrasts,
            [["pristine", "patched"], ["pristine", "released"]]
        );
        assert!(against_first(&names(&["pristine"])).is_err());
        assert!(against_first(&names(&["pristine", "pristine"])).is_err());
    }
}
