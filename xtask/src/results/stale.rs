//! Whether a result still speaks of what the repository would build today.
//!
//! An arm's stamp also holds what differs from machine to machine (the C compiler, the user's own configuration of
//! cargo, the host that the compiler was built for), which a result rightly records. A result goes stale when something that the repository decides has moved.

use std::collections::BTreeSet;

use serde_json::Value;

use super::ArmRecord;

/// The parts of an arm's record that the repository decides, and what to say when one has moved.
const DECIDED: [(&str, &str); 6] = [
    ("stack", "the patched trees changed"),
    ("sources", "the workspace's sources changed"),
    ("lock", "the lock file changed"),
    ("profile", "the build profile changed"),
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
            .find(|(key, _)| decided(&measured.inputs, key) != decided(now, key))
            .map(|(_, what)| format!("{what} since")),
    }
}

/// Everything by which two records of an arm differ: what the repository decides in words of its own (`stack`,
/// `sources`, `lock`, …), then whatever else of the machine went into the stamp.
pub fn moved(before: &Value, after: &Value) -> Vec<String> {
    let of_repository = DECIDED
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| decided(before, key) != decided(after, key));
    let mut moved: Vec<String> = of_repository.map(str::to_owned).collect();
    let keys = [before, after].into_iter().filter_map(Value::as_object);
    let others: BTreeSet<&String> = keys
        .flat_map(|fields| fields.keys())
        .filter(|key| DECIDED.iter().all(|(decided, _)| decided != key))
        .filter(|key| before.get(*key) != after.get(*key))
        .collect();
    moved.extend(others.into_iter().cloned());
    moved
}

/// What the repository decides of one part of an arm's record.
fn decided(inputs: &Value, key: &str) -> Option<Value> {
    let value = inputs.get(key)?;
    if key != "rustc" {
        return Some(value.clone());
    }
    // rust-toolchain.toml names a release; for which host it was built, it does not.
    let text = value.as_str()?;
    let line = |name: &str| text.lines().find(|line| line.starts_with(name));
    Some(match (line("release: "), line("commit-hash: ")) {
        (Some(release), hash) => format!("{release} {}", hash.unwrap_or_default()).into(),
        (None, _) => value.clone(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RUSTC: &str = "rustc 1.95.0 (abc 2026-04-01)\nbinary: rustc\ncommit-hash: abc\n\
        commit-date: 2026-04-01\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 21.1";

    fn measured() -> ArmRecord {
        ArmRecord {
            name: "patched".to_owned(),
            stamp: "s".to_owned(),
            inputs: json!({ "stack": "1", "sources": "2", "lock": "3", "profile": "4", "rustc": RUSTC, "features": [], "cc": "gcc 12" }),
        }
    }

    #[test]
    fn everything_that_moved_is_listed() {
        let before = measured().inputs;
        let mut after = before.clone();
        assert!(moved(&before, &after).is_empty());
        after["rustc"] = RUSTC.replace("linux-gnu", "linux-musl").into();
        assert!(moved(&before, &after).is_empty());
        after["lock"] = "other".into();
        after["stack"] = "other".into();
        after["cc"] = "gcc 13".into();
        after["nvcc"] = "12.9".into();
        assert_eq!(moved(&before, &after), ["stack", "lock", "cc", "nvcc"]);
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
        now["cargo_config"] = "other".into();
        now["rustc"] = RUSTC.replace("linux-gnu", "linux-musl").into();
        assert_eq!(reason(&arm, &Ok(now.clone())), None);
        for (key, other, expected) in [
            (
                "rustc",
                RUSTC.replace("hash: abc", "hash: abd"),
                "the compiler",
            ),
            (
                "rustc",
                RUSTC.replace("release: 1.95", "release: 1.96"),
                "the compiler",
            ),
            ("profile", "5".to_owned(), "the build profile"),
        ] {
            let mut now = now.clone();
            now[key] = other.into();
            assert_eq!(
                reason(&arm, &Ok(now)),
                Some(format!("{expected} changed since"))
            );
        }
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
