use std::path::PathBuf;

use super::*;

/// The stub as perf, as valgrind or as both, pretending these modes; and a kernel of this level.
fn tools(folder: &Path, perf: Option<&str>, valgrind: Option<&str>, paranoid: &str) -> Tools {
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/counters/stub-counter.sh");
    let place = |name: &str, mode: Option<&str>| -> PathBuf {
        let home = folder.join(name);
        let Some(mode) = mode else {
            return home.join("nothing-there");
        };
        std::fs::create_dir_all(&home).expect("a folder");
        std::fs::write(home.join("mode"), mode).expect("written");
        std::fs::copy(&stub, home.join(name)).expect("copied");
        home.join(name)
    };
    let level = folder.join("paranoid");
    std::fs::write(&level, paranoid).expect("written");
    Tools {
        perf: place("perf", perf),
        valgrind: place("valgrind", valgrind),
        paranoid: level,
    }
}

fn arm() -> Arm {
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bench/stub-workload.sh");
    Arm {
        name: "pristine".to_owned(),
        stamp: "stamp".to_owned(),
        inputs: serde_json::Value::Null,
        workloads: Arm::list(&stub, &Interrupt::default()).expect("the stub lists"),
        binary: stub,
        options: Vec::new(),
        released: false,
    }
}

const CALL: Call = Call {
    workload: "synth/sha256",
    seed: 7,
    size: None,
    threads: None,
};

fn counted(probe: &Probe) -> Result<Vec<CountRecord>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut heard = 0;
    let records = count(
        probe,
        &[arm()],
        &CALL,
        folder.path(),
        &Interrupt::default(),
        |_| heard += 1,
    );
    assert!(records.is_err() || heard == 2, "{heard}");
    records
}

fn values(records: &[CountRecord]) -> Vec<(&str, u64)> {
    records
        .iter()
        .map(|r| (r.event.as_str(), per_constraint(r) as u64))
        .collect()
}

#[test]
fn perf_counts_where_the_kernel_gives_counters() {
    let folder = tempfile::tempdir().expect("a folder");
    let probe = Probe::of(tools(folder.path(), Some("all"), None, "2"));
    assert_eq!(probe.missing(), None);
    let records = counted(&probe).expect("counts");
    assert!(
        records
            .iter()
            .all(|r| r.counter == "perf" && r.constraints == 26)
    );
    assert_eq!(
        values(&records),
        [
            ("instructions", 1000),
            ("branches", 100),
            ("branch-misses", 100),
            ("cycles", 500),
            ("cache-references", 100),
            ("cache-misses", 100)
        ]
    );
}

#[test]
fn an_event_that_the_processor_lacks_is_absent_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let probe = Probe::of(tools(folder.path(), Some("nocache"), None, "2"));
    let missing = probe.missing().unwrap_or_default();
    assert!(
        missing.contains("cache-references, cache-misses") && missing.contains("absent"),
        "{missing}"
    );
    let records = counted(&probe).expect("counts");
    assert_eq!(records.len(), 4);
    assert!(records.iter().all(|r| !r.event.starts_with("cache")));
}

#[test]
fn callgrind_counts_where_perf_cannot_and_what_would_help_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (perf, paranoid, helps) in [
        (Some("none"), "2", "virtual PMU"),
        (Some("refused"), "4", "sysctl kernel.perf_event_paranoid=2"),
        (
            Some("refused"),
            "2",
            "perf fails here: WARNING: perf not found",
        ),
        (None, "2", "apt install linux-perf"),
    ] {
        let probe = Probe::of(tools(folder.path(), perf, Some("good"), paranoid));
        let missing = probe.missing().unwrap_or_default();
        assert!(missing.contains(helps), "{missing}");
        assert!(
            missing.contains("cycles") && missing.contains("IPC"),
            "{missing}"
        );
        let records = counted(&probe).expect("counts");
        assert!(records.iter().all(|r| r.counter == "callgrind"));
        assert_eq!(
            values(&records),
            [("instructions", 2000), ("branches", 210)]
        );
    }
}

#[test]
fn without_either_nothing_is_counted_and_both_ways_out_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let probe = Probe::of(tools(folder.path(), None, None, "2"));
    let missing = probe.missing().unwrap_or_default();
    assert!(
        missing.contains("linux-perf") && missing.contains("apt install valgrind"),
        "{missing}"
    );
    let records = count(
        &probe,
        &[arm()],
        &CALL,
        folder.path(),
        &Interrupt::default(),
        |_| {},
    );
    assert!(records.is_ok_and(|records| records.is_empty()));
}

#[test]
fn a_profile_that_is_not_there_is_an_error_with_the_arm_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let probe = Probe::of(tools(folder.path(), None, Some("silent"), "2"));
    let error = counted(&probe).expect_err("no profile");
    let text = format!("{error:#}");
    assert!(
        text.contains("on pristine") && text.contains("no profile"),
        "{text}"
    );
}
