//! Arms by names that last.
//!
//! `patched` is another stack as soon as the series grows. A result keeps the name that it was measured under, and the stamp
//! of the stack that it was. Where that is no longer the stack of today's `patched`, is a beginning of today's series, and under
//! the name of that beginning the result measures one optimisation, it says `prefix-SLUG` in memory, and goes on to speak of
//! that step. Where nothing is won the old name stays: pages show what `patched` last was against `pristine`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Found, contrast};
use crate::arm::ArmSpec;
use crate::results::{ArmRecord, ResultFile};
use crate::stack::manifest::Manifest;
use crate::stack::selection::Selection;

/// Renames the arms of all results that are a beginning of today's series. `stamp` is the stamp that a stack would have
/// today for an arm with some features, `None` where it has none.
pub fn rename(
    found: &mut Found,
    manifest: &Manifest,
    stamp: impl FnMut(&Selection, &[String]) -> Option<String>,
) -> Result<()> {
    let mut names = Names {
        manifest,
        stamp,
        known: BTreeMap::new(),
    };
    for kept in &mut found.results {
        let arms = &kept.result.arms;
        // Asked first: a stamp takes longer.
        let pays = |old: &String, name: &String| {
            if arms.iter().any(|arm| arm.name == *name) {
                return false;
            }
            let pairs = kept.result.comparisons.iter().map(|row| &row.arms);
            let mut own = pairs.filter(|pair| pair.contains(old)).peekable();
            own.peek().is_some()
                && own.all(|[first, second]| {
                    let new = [first, second].map(|arm| if arm == old { name } else { arm });
                    one_step([first, second], manifest).is_none()
                        && one_step(new, manifest).is_some()
                })
        };
        let new: BTreeMap<String, String> = arms
            .iter()
            .filter_map(|arm| Some((arm.name.clone(), names.lasting(arm, pays)?)))
            .collect();
        if !new.is_empty() {
            kept.result = renamed(&kept.result, &new)
                .with_context(|| format!("{}: names of arms", kept.path))?;
        }
    }
    Ok(())
}

fn one_step(arms: [&String; 2], manifest: &Manifest) -> Option<String> {
    contrast::optimisation(arms.map(String::as_str), manifest).map(|(slug, _)| slug)
}

struct Names<'m, F> {
    manifest: &'m Manifest,
    stamp: F,
    known: BTreeMap<(Selection, Vec<String>), Option<String>>,
}

impl<F: FnMut(&Selection, &[String]) -> Option<String>> Names<'_, F> {
    /// The name that an arm on `patched` should have now; `None` where it keeps its own. `pays` says of the old name and a new
    /// one whether anything is won.
    fn lasting(
        &mut self,
        arm: &ArmRecord,
        pays: impl Fn(&String, &String) -> bool,
    ) -> Option<String> {
        let spec: ArmSpec = arm.name.parse().ok()?;
        let measured = arm.inputs.get("stack")?.as_str()?;
        if spec.stack != Selection::Patched {
            return None;
        }
        let series = self.manifest.optimisations.iter().rev();
        let beginnings = series
            .filter(|o| o.default && !o.kind.is_in_every_stack())
            .map(|o| ArmSpec {
                stack: Selection::Prefix(o.slug.clone()),
                ..spec.clone()
            });
        let mut paying = beginnings.filter(|new| pays(&arm.name, &new.to_string()));
        let new = paying.find(|new| self.is(new, measured))?;
        (!self.is(&spec, measured)).then(|| new.to_string())
    }

    /// Whether the arm's stack has this stamp today.
    fn is(&mut self, arm: &ArmSpec, measured: &str) -> bool {
        let key = (arm.stack.clone(), arm.features.clone());
        let today = self
            .known
            .entry(key)
            .or_insert_with_key(|(stack, features)| (self.stamp)(stack, features));
        today.as_deref() == Some(measured)
    }
}

/// The result with every name of an arm replaced, wherever it stands.
fn renamed(result: &ResultFile, new: &BTreeMap<String, String>) -> Result<ResultFile> {
    let mut value = serde_json::to_value(result)?;
    replace(&mut value, new);
    Ok(serde_json::from_value(value)?)
}

fn replace(value: &mut Value, new: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = new.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, new)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, new)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bench::judge::judge;
    use crate::bench::testing::{add_pairs, empty_result, optimisation};
    use crate::report::Kept;
    use crate::stack::manifest::Kind;

    fn manifest() -> Manifest {
        let slugs = ["one", "two", "three"];
        Manifest {
            releases: Vec::new(),
            optimisations: slugs
                .map(|slug| optimisation(slug, Kind::Perf, true))
                .into(),
        }
    }

    /// A result of `pristine` and `patched` whose second arm was made of this stack.
    fn found(stack: &str) -> Found {
        let mut result = empty_result(&["synth/sha256"], 6);
        add_pairs(&mut result, "synth/sha256", &[0.8; 6]);
        for arm in &mut result.arms {
            let own = if arm.name == "patched" { stack } else { "none" };
            arm.inputs = json!({ "stack": own });
        }
        result.comparisons = judge(&result).expect("numbers").comparisons;
        Found {
            results: vec![Kept {
                path: "a.json".to_owned(),
                result,
            }],
            ..Found::default()
        }
    }

    fn names(found: &Found) -> Vec<&str> {
        let result = &found.results[0].result;
        result.arms.iter().map(|arm| arm.name.as_str()).collect()
    }

    #[test]
    fn what_was_patched_is_named_by_the_step_that_it_is_today() {
        let today = |stack: &Selection, _: &[String]| Some(stack.to_string());
        let mut grown = found("prefix-one");
        let before = names(&grown).join(" ");
        assert!(before.contains("patched"), "{before}");
        rename(&mut grown, &manifest(), today).expect("renamed");
        assert_eq!(
            names(&grown).join(" "),
            before.replace("patched", "prefix-one")
        );
        let result = &grown.results[0].result;
        let arm = "prefix-one".to_owned();
        assert!(result.comparisons.iter().all(|c| c.arms.contains(&arm)));
        assert!(result.trials.iter().any(|trial| trial.arm == arm));
        assert_eq!(crate::results::sound::contradiction(result), None);

        // Against pristine, two are more than one step, and nothing is won.
        for stack in ["patched", "prefix-two", "something older"] {
            let mut same = found(stack);
            rename(&mut same, &manifest(), today).expect("looked at");
            assert_eq!(names(&same).join(" "), before, "{stack}");
        }
    }
}
