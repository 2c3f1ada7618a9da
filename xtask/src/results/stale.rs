//! Whether a result still speaks of what the repository would build today.
//!
//! An arm's stamp also holds what differs from machine to machine (the C compiler, the user's own configuration of
//! cargo), which a result rightly records. A result goes stale when something that the repository decides has moved.

use serde_json::Value;

use super::ArmRecord;

/// The parts of an arm's record that the repository decides, and what to say when one has moved.
const DECIDED: [(&str, &str); 5] = [
    ("stack", "the patched trees changed"),
    ("sources", "the workspace's sources changed"),
    ("lock", "the lock file changed"),
    ("rustc", "the compiler changed"),
    ("features", "the features changed"),
];

/// Why a result about this arm is stale; `None` when it still holds. `now` is what the arm would be made of today, or
/// why it can't be made.
pub fn reason(measured: &ArmRecord, now: &Result<Value, String>) -> Option<String> {
    match now {
        Err(why) => Some(format!("{} can't be made any more: {why}", measured.name)),
        Ok(now) => DECIDED
            .iter()
            .find(|(key, _)| measured.inputs.get(key) != now.get(key))
            .map(|(_, what)| format!("{what} since")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measured() -> ArmRecord {
        ArmRecord {
            name: "patched".to_owned(),
            stamp: "s".to_owned(),
            inputs: json!({ "stack": "1", "sources": "2", "lock": "3", "rustc": "1.95", "features": [], "cc": "gcc 12" }),
        }
    }

    #[test]
    fn what_the_repository_decides_makes_a_result_stale() {
        let arm = measured();
        let mut now = arm.inputs.clone();
        assert_eq!(reason(&arm, &Ok(now.clone())), None);
        now["cc"] = "gcc 13".into();
        assert_eq!(
            reason(&arm, &Ok(now.clone())),
            None,
            "another machine is no change of the repository"
        );
        now["stack"] = "other".into();
        assert_eq!(
            reason(&arm, &Ok(now)),
            Some("the patched trees changed since".to_owned())
        );
        let gone = reason(&arm, &Err("no optimisation `x`".to_owned())).unwrap_or_default();
        assert!(
            gone.contains("patched can't be made any more: no optimisation `x`"),
            "{gone}"
        );
    }
}
