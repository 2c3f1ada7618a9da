//! The step that holds the tree to what was seen on a GPU, on a machine without one.
//!
//! `gpu-suite` runs where there is a GPU (`cargo xtask build --gpu-suite --to DIR`), and its result is kept under
//! `results/gpu-suite/`. The newest one has to be of every case, without a failure, and of the arm that the tree has today.
//! That is told by a stamp of what only a GPU can try ([`crate::arm::on_gpu`]), which is the same on every machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::Outcome;
use crate::arm;
use crate::layout::Layout;
use crate::progress::Progress;
use crate::results::store::GPU_SUITE;

/// The form of results that is understood.
const SCHEMA: u32 = 1;
/// The arm that is tried.
const ARM: &str = "patched:features=cuda";
/// Every case by name, as `gpu-suite --cases` prints them.
const CASES: &str = "tests/gpu/cases.txt";
/// How to get a result of today's tree.
const AGAIN: &str = "Again: cargo xtask build --gpu-suite --to DIR; on a machine with a GPU, DIR/run; then keep its \
                     gpu-suite.json under results/gpu-suite/, in a file with another name";

/// What is looked at of a result.
#[derive(Debug, Deserialize)]
struct Kept {
    schema: u32,
    backend: String,
    stamp: Option<String>,
    begun: u64,
    only: Vec<String>,
    counts: Counts,
    failures: Vec<String>,
    cases: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Counts {
    passed: usize,
    skipped: usize,
    failed: usize,
}

#[derive(Debug, Deserialize)]
struct Row {
    name: String,
}

/// Looks at the newest kept result.
pub fn check(layout: &Layout) -> Outcome {
    let (shown, kept) = newest(layout)?.with_context(|| {
        format!("no run of the GPU's suite is kept under results/gpu-suite. {AGAIN}")
    })?;
    let cases = fs::read_to_string(layout.root.join(CASES));
    let cases = cases.with_context(|| format!("cannot read {CASES}"))?;
    let stamp = arm::on_gpu::stamp(layout, &ARM.parse()?, Progress::stderr())?;
    judge(&kept, &cases, &stamp).with_context(|| format!("{shown}. {AGAIN}"))
}

/// The result that began last, and its file.
fn newest(layout: &Layout) -> Result<Option<(String, Kept)>> {
    let folder = layout.results.join(GPU_SUITE);
    let Ok(entries) = fs::read_dir(&folder) else {
        return Ok(None);
    };
    let mut newest: Option<(String, Kept)> = None;
    for entry in entries {
        let path = entry
            .with_context(|| format!("cannot read {}", layout.show(&folder)))?
            .path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let kept = read(&path).with_context(|| layout.show(&path))?;
            if newest
                .as_ref()
                .is_none_or(|(_, last)| last.begun < kept.begun)
            {
                newest = Some((layout.show(&path), kept));
            }
        }
    }
    Ok(newest)
}

fn read(path: &Path) -> Result<Kept> {
    let kept: Kept = serde_json::from_slice(&fs::read(path)?)?;
    ensure!(
        kept.schema == SCHEMA,
        "it has schema {}, and this program reads {SCHEMA}",
        kept.schema
    );
    Ok(kept)
}

fn judge(kept: &Kept, cases: &str, stamp: &str) -> Outcome {
    let Counts {
        passed,
        skipped,
        failed,
    } = kept.counts;
    ensure!(
        failed == 0 && kept.failures.is_empty(),
        "{failed} cases failed: {}",
        kept.failures.join(", ")
    );
    ensure!(kept.backend == "gpu", "it ran on the {}", kept.backend);
    ensure!(passed > 0, "no case passed");
    ensure!(
        kept.only.is_empty(),
        "it is of the cases with {} alone",
        kept.only.join(" or ")
    );
    let ran: BTreeSet<&str> = kept.cases.iter().map(|row| row.name.as_str()).collect();
    let listed: BTreeSet<&str> = cases.lines().collect();
    if let Some(lost) = listed.difference(&ran).next() {
        bail!("{CASES} has {lost}, which did not run");
    }
    if let Some(other) = ran.difference(&listed).next() {
        bail!("{other} ran, which {CASES} does not have");
    }
    match &kept.stamp {
        Some(own) if own == stamp => Ok(format!("{passed} passed, {skipped} skipped")),
        Some(own) => {
            let short = |text: &str| text.chars().take(12).collect::<String>();
            bail!(
                "it is of {}, and the tree has {} today",
                short(own),
                short(stamp)
            )
        }
        None => bail!("it does not say of which tree it is"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn good() -> Value {
        json!({
            "schema": 1, "backend": "gpu", "stamp": "abc", "begun": 5, "host": {}, "only": [],
            "counts": { "passed": 1, "skipped": 1, "failed": 0 }, "failures": [], "seconds": 1.5,
            "cases": [{ "name": "a", "verdict": "passed" }, { "name": "b", "verdict": "skipped" }],
        })
    }

    fn judged(kept: Value) -> Outcome {
        judge(&serde_json::from_value(kept)?, "a\nb\n", "abc")
    }

    #[test]
    fn a_good_result_of_today_passes_and_no_other() {
        assert_eq!(judged(good()).expect("good"), "1 passed, 1 skipped");
        for (key, value, said) in [
            ("backend", json!("cpu"), "on the cpu"),
            ("stamp", json!("abd"), "the tree has abc today"),
            ("stamp", json!(null), "of which tree"),
            ("only", json!(["x"]), "with x alone"),
            ("failures", json!(["b"]), "failed: b"),
            (
                "cases",
                json!([{ "name": "a" }]),
                "has b, which did not run",
            ),
            (
                "cases",
                json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]),
                "c ran",
            ),
        ] {
            let mut kept = good();
            kept[key] = value;
            let error = judged(kept).expect_err(key).to_string();
            assert!(error.contains(said), "{key}: {error}");
        }
    }

    #[test]
    fn the_newest_is_looked_at() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let layout = Layout::new(folder.path());
        assert!(newest(&layout).expect("none").is_none());
        let results = layout.results.join("gpu-suite");
        fs::create_dir_all(&results).expect("made");
        for (name, begun) in [("a.json", 7), ("b.json", 6), ("c.txt", 9)] {
            let mut kept = good();
            kept["begun"] = json!(begun);
            fs::write(results.join(name), kept.to_string()).expect("written");
        }
        let (shown, kept) = newest(&layout).expect("readable").expect("there");
        assert_eq!(
            (shown.as_str(), kept.begun),
            ("results/gpu-suite/a.json", 7)
        );
        fs::write(results.join("d.json"), "{}").expect("written");
        assert!(newest(&layout).is_err());
    }
}
