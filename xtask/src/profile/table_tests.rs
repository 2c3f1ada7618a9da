use serde_json::Value;

use super::*;
use crate::bench::testing::empty_result;
use crate::results::ArmRecord;
use crate::results::profile::{Function, SCHEMA};

fn profile(method: Method, unmatched: u64) -> ProfileFile {
    let category = |name: &str, value: u64, functions: &[(&str, u64)]| Category {
        name: name.to_owned(),
        value,
        functions: functions
            .iter()
            .map(|(name, value)| Function {
                name: (*name).to_owned(),
                value: *value,
            })
            .collect(),
    };
    ProfileFile {
        schema: SCHEMA,
        time: "2026-11-29T14:25:30Z".to_owned(),
        host: empty_result(&[], 0).host,
        arm: ArmRecord {
            name: "patched".to_owned(),
            stamp: "s".to_owned(),
            inputs: Value::Null,
        },
        workload: "synth/sha256".to_owned(),
        size: Some(8),
        threads: 1,
        method,
        reason: "because of a reason".to_owned(),
        unit: match method {
            Method::Callgrind => "instructions".to_owned(),
            _ => "samples".to_owned(),
        },
        stands_for: (method != Method::Callgrind).then_some(500_000),
        total: 1_000,
        outside: 234,
        unmatched,
        runs: 2,
        constraints: Some(1_000_000),
        categories: vec![
            category(
                "enforce",
                750,
                &[
                    (
                        "bellperson::groth16::prover::ProvingAssignment::enforce",
                        700,
                    ),
                    ("a::B::f::{{closure}}", 45),
                    ("tiny::one", 5),
                ],
            ),
            category("other", 250, &[]),
        ],
    }
}

#[test]
fn shares_and_nanoseconds_a_constraint() {
    let text = text(&profile(Method::PerfClock, 0));
    for part in [
        "synth/sha256 on patched, size 8, 1 thread, 1,000,000 constraints, done twice (cold and warm)\n",
        "the kernel's clock, because of a reason\n",
        "ns/constraint",
        "enforce                 75.0 %             187.5   ProvingAssignment::enforce 70.0, B::f::{{closure}} 4.5\n",
        "all                    100.0 %             250.0\n",
        "not in the table: 234 of 1,234 samples\n",
        "1,000 samples: a share of 20 % is known to ± 2.5 (95 %)\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(
        !text.contains("tiny") && !text.contains("warning"),
        "{text}"
    );
}

#[test]
fn few_samples_are_coarse() {
    let mut few = profile(Method::PerfClock, 0);
    few.total = 100;
    assert!(
        text(&few).contains("± 7.8 (95 %); more work (--size"),
        "{}",
        text(&few)
    );
}

#[test]
fn counts_have_no_error_and_no_time() {
    let text = text(&profile(Method::Callgrind, 0));
    assert!(text.contains("instr./constraint"), "{text}");
    assert!(!text.contains('±'), "{text}");
}

#[test]
fn much_that_no_category_knows_is_said() {
    let warned =
        |unmatched| text(&profile(Method::PerfClock, unmatched)).contains("warning: 5.1 %");
    assert!(warned(51));
    assert!(!text(&profile(Method::PerfClock, 50)).contains("warning"));
}

#[test]
fn a_profile_reads_back_and_an_older_one_too() {
    let profile = profile(Method::PerfCycles, 3);
    let mut value = serde_json::to_value(&profile).expect("JSON");
    assert_eq!(value["method"], "perf-cycles");
    let back: ProfileFile = serde_json::from_value(value.clone()).expect("a profile");
    assert_eq!(back, profile);
    let fields = value.as_object_mut().expect("an object");
    for key in ["reason", "stands_for", "outside", "unmatched", "runs"] {
        fields.remove(key);
    }
    let older: ProfileFile = serde_json::from_value(value).expect("a profile");
    assert_eq!((older.runs, older.outside), (1, 0));
}
