//! What an edit holds that no export has written yet.

use std::collections::BTreeMap;

use super::State;
use crate::scratch::{Scratch, ScratchError};

/// What would be lost if the folder were deleted, a clause each.
pub fn of(scratch: &Scratch, state: &State) -> Result<Vec<String>, ScratchError> {
    let mut work = Vec::new();
    let branches: BTreeMap<String, String> = scratch
        .branches()?
        .into_iter()
        .map(|(name, id)| (name, id.to_string()))
        .collect();
    for (name, id) in &branches {
        match state.tips.get(name) {
            None => work.push(format!("branch `{name}` is new")),
            Some(old) if old != id => work.push(format!("branch `{name}` has other commits")),
            Some(_) => {}
        }
    }
    for name in state.tips.keys() {
        if !branches.contains_key(name) {
            work.push(format!("branch `{name}` is gone"));
        }
    }
    for name in scratch.refs()?.keys() {
        if name == "refs/stash" {
            work.push("a stash".to_owned());
        } else if !name.starts_with("refs/heads/") {
            work.push(format!("`{name}` is new"));
        }
    }
    let head = scratch.head()?;
    let id = head.commit.to_string();
    let held = state.commits.contains(&id) || branches.values().any(|tip| *tip == id);
    if head.branch.is_none() && !held {
        work.push(format!("commit {} is on no branch", &id[..12]));
    }
    let loose = scratch.loose(&scratch.objects()?.commit(head.commit)?.tree)?;
    if !loose.is_nothing() {
        work.push(loose.to_string());
    }
    Ok(work)
}
