//! What the arms of a result are made of that was different when its reference was measured.

use serde::Serialize;

use super::history::Source;
use crate::results::stale;

/// An arm whose stamp moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArmChange {
    /// The arm.
    pub arm: String,
    /// The file of the reference.
    pub since: String,
    /// Its stamp there, and now.
    pub stamps: [String; 2],
    /// What moved: `stack`, `sources`, `lock`, `profile`, `rustc`, `features`, or a part of the machine.
    pub moved: Vec<String>,
}

/// The arms of `new` that have another stamp in one of the references.
pub fn of<'a>(new: &Source, references: impl Iterator<Item = &'a Source>) -> Vec<ArmChange> {
    let mut changes = Vec::new();
    for reference in references {
        for arm in &new.result.arms {
            let before = reference.result.arms.iter().find(|a| a.name == arm.name);
            let Some(before) = before.filter(|before| before.stamp != arm.stamp) else {
                continue;
            };
            changes.push(ArmChange {
                arm: arm.name.clone(),
                since: reference.path.clone(),
                stamps: [before.stamp.clone(), arm.stamp.clone()],
                moved: stale::moved(&before.inputs, &arm.inputs),
            });
        }
    }
    changes
}

impl ArmChange {
    /// As a line.
    pub fn line(&self) -> String {
        let [before, after] = self.stamps.each_ref().map(|stamp| short(stamp));
        let moved = if self.moved.is_empty() {
            "nothing that was recorded".to_owned()
        } else {
            self.moved.join(", ")
        };
        format!(
            "{}: {before} -> {after} since {}, by {moved}",
            self.arm,
            self.since.rsplit(['/', '\\']).next().unwrap_or_default()
        )
    }
}

/// The beginning of a stamp, as names of files have it.
fn short(stamp: &str) -> String {
    stamp.chars().take(8).collect()
}
