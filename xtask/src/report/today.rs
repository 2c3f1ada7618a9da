//! What arms would be made of today.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Today;
use crate::arm::{ArmSpec, Inputs, Program};
use crate::cuda::{self, Surroundings};
use crate::layout::Layout;
use crate::patch::apply::ApplyError;
use crate::stack::selection::{Selection, SelectionError};
use crate::stack::stamps::StampError;

/// What each of these arms would be made of today; `stamp` tells the stamp of a stack that has trees, for an arm with
/// some features.
///
/// Only that an arm cannot be made from this series is a fact for the pages. Any other failure is one of this machine,
/// and must not get into them.
pub fn of<'a>(
    layout: &Layout,
    names: impl IntoIterator<Item = &'a str>,
    stamp: impl FnMut(&Selection, &[String]) -> Result<String>,
) -> Result<Today> {
    let mut known = Known {
        stamp,
        stacks: BTreeMap::new(),
        inputs: BTreeMap::new(),
    };
    let mut today = Today::new();
    for name in names {
        if today.contains_key(name) {
            continue;
        }
        let inputs = match known.inputs(layout, name) {
            Ok(inputs) => Ok(inputs),
            Err(error) if is_of_the_series(&error) => Err(first_line(&error)),
            Err(error) => {
                return Err(error.context(format!("what arm `{name}` would be made of today")));
            }
        };
        today.insert(name.to_owned(), inputs);
    }
    Ok(today)
}

fn is_of_the_series(error: &anyhow::Error) -> bool {
    error.downcast_ref::<SelectionError>().is_some()
        || error.downcast_ref::<StampError>().is_some()
        || ApplyError::is_not_constructible(error)
}

/// What arms have in common, which takes long to find out: dozens of arms share a few stacks and one compiler.
struct Known<F> {
    stamp: F,
    stacks: BTreeMap<(Selection, Vec<String>), String>,
    /// By what they are built for and with; the stack of any.
    inputs: BTreeMap<(bool, Vec<String>), Inputs>,
}

impl<F: FnMut(&Selection, &[String]) -> Result<String>> Known<F> {
    fn inputs(&mut self, layout: &Layout, name: &str) -> Result<Value> {
        let spec: ArmSpec = name.parse()?;
        let released = spec.stack == Selection::Released;
        let own = (spec.stack.clone(), spec.features.clone());
        let stack = match self.stacks.get(&own) {
            Some(stamp) => stamp.clone(),
            None => {
                let stamp = if released {
                    "released".to_owned()
                } else {
                    (self.stamp)(&spec.stack, &spec.features)?
                };
                self.stacks.insert(own, stamp.clone());
                stamp
            }
        };
        let key = (released, spec.features.clone());
        let inputs = match self.inputs.get(&key) {
            Some(shared) => Inputs {
                stack,
                ..shared.clone()
            },
            None => {
                let program = Program::compared_on(&spec.stack);
                // What a machine has of CUDA is in an arm's record, and nothing that a result goes stale by.
                let toolkit = match spec.has_cuda() {
                    true => cuda::find(&Surroundings::of(layout)).ok(),
                    false => None,
                };
                let taken = Inputs::take(layout, program, &spec, &stack, toolkit.as_ref())?;
                self.inputs.insert(key, taken.clone());
                taken
            }
        };
        serde_json::to_value(inputs).context("what an arm is made of")
    }
}

/// The reason without its details, for a table.
fn first_line(error: &anyhow::Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
