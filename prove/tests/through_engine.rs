//! Real sectors through the engine: those that are good are proven and verified by filecoin-proofs, and the others end as they should.
//!
//! Takes minutes with optimisation, so it is asked for with `--ignored`, as `cargo xtask test --proofs` does. Parameters are kept in the folder
//! of CUZK_TEST_PARAMS, or in cargo's for the temporary files of tests.

mod isolated;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar as Fr;
use cuzk_core::backend::Backend;
use cuzk_core::budget::{Sizes, resident};
use cuzk_core::engine::{Engine, EngineConfig, Submission};
use cuzk_core::filecoin::c1::{self, Expected};
use cuzk_core::filecoin::{ProofRequest, RecordingFolder, Sources, SrsFolder, StorageProof};
use cuzk_core::job::{CircuitWork, Ended, Event, JobError, JobHandle, Phase, Priority};
use cuzk_core::parameters::{Store, read_verifying_key_of};
use cuzk_core::srs::SrsFile;
use cuzk_prove::judge;
use cuzk_prove::parameters::test_parameters;
use cuzk_prove::sector::Sector;

const LONG: Duration = Duration::from_secs(900);

fn params() -> PathBuf {
    let given = std::env::var_os("CUZK_TEST_PARAMS").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("params"))
}

/// Names of threads of this process that are an engine's.
fn threads() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux says it");
    let name =
        |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    let names = tasks
        .filter_map(Result::ok)
        .map(name)
        .map(|name| name.trim().to_owned());
    names.filter(|name| name.starts_with("cuzk-")).collect()
}

fn within_seconds(holds: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", threads());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    entries.map(|entry| entry.path()).collect()
}

/// A sector's proof of replication, as a client sends it and as filecoin-proofs judges it.
fn porep(seed: u64, sources: &Sources) -> (Vec<u8>, Expected, ProofRequest, Box<dyn StorageProof>) {
    let sector = Sector::seal(seed).expect("seals");
    let json = serde_json::to_vec(&sector.c1().expect("C1")).expect("JSON");
    let expected = Expected {
        registered: Some(Sector::registered()),
        prover_id: Some(sector.owner().prover_id),
        sector: Some(sector.owner().sector),
        ..Expected::default()
    };
    let proof = c1::read(&json, &expected).expect("is good").proof;
    let request = ProofRequest::porep(json.clone(), expected, sources).expect("is sized");
    (json, expected, request, proof)
}

/// A circuit that loses its mind half-way.
struct Panics;

impl Circuit<Fr> for Panics {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        cs.alloc(|| "one", || Ok(Fr::from(1)))?;
        panic!("no witness for this");
    }
}

fn ended(job: &JobHandle) -> Arc<Ended> {
    job.wait_for(LONG).expect("ends")
}

#[test]
#[ignore = "takes minutes"]
fn three_sectors_and_what_goes_wrong_beside_them() {
    let Some(keys) = isolated::child("three_sectors_and_what_goes_wrong_beside_them") else {
        return;
    };
    let circuit = "porep-2k".parse().expect("an id");
    let store = Store::at(params().join("cuzk"));
    let (set, _) = test_parameters(circuit, &store, &()).expect("made");
    let recordings = tempfile::tempdir().expect("a temporary folder");
    let sources = Sources {
        parameters: Arc::new(SrsFolder {
            unverified: None,
            folder: None,
            store: store.clone(),
        }),
        recordings: Some(RecordingFolder::at(recordings.path())),
    };
    let sectors: Vec<_> = (1..=4).map(|seed| porep(seed, &sources)).collect();
    let (threads_before, files_before) = (threads(), files(&std::env::temp_dir()));

    // Room for the parameters and two partitions.
    let config = EngineConfig::new(Backend::Cpu, 3 << 30);
    let engine = Engine::start(config.clone()).expect("starts");
    // A thread names itself when it first runs.
    within_seconds(|| threads().len() > threads_before.len());
    let region = cuzk_harness::Region::start();
    let mut jobs = Vec::new();
    let mut proofs = Vec::new();
    let (json, expected) = (sectors[0].0.clone(), sectors[0].1);
    let priorities = [
        Priority::Low,
        Priority::Normal,
        Priority::Low,
        Priority::Critical,
    ];
    for (index, ((_, _, request, proof), priority)) in
        sectors.into_iter().zip(priorities).enumerate()
    {
        let submission =
            Submission::new(format!("sector-{index}"), Box::new(request)).priority(priority);
        jobs.push(engine.submit(submission).expect("is taken").handle);
        proofs.push(proof);
    }
    // The third is cancelled while it waits.
    assert!(!jobs[2].cancel());

    let damaged = &json[..json.len() / 2];
    let request = ProofRequest::porep(damaged.to_vec(), expected, &sources).expect("is sized");
    let damaged_job = engine
        .submit(Submission::new("damaged", Box::new(request)))
        .expect("is taken")
        .handle;
    let srs = Arc::new(SrsFile::of_set("porep-2k", &set));
    let sizes = Sizes {
        constraints: 2,
        inputs: 1,
        aux: 1,
    };
    let panics = CircuitWork::new("panics", 1, |_| Ok(Panics), srs, sizes);
    let panics =
        engine.submit(Submission::new("panics", Box::new(panics)).priority(Priority::High));
    let panics = panics.expect("is taken").handle;

    assert!(matches!(ended(&jobs[2]).result, Err(JobError::Cancelled)));
    match &ended(&damaged_job).result {
        Err(error @ JobError::Invalid(_)) => {
            let said = error.chain();
            assert!(
                said.contains(&format!("{}", damaged.len())),
                "where it ends is named: {said}"
            );
        }
        other => panic!("{other:?}"),
    }
    match &ended(&panics).result {
        Err(JobError::Panicked {
            phase: Phase::Synthesis,
            message,
            ..
        }) => {
            assert_eq!(message, "no witness for this");
        }
        other => panic!("{other:?}"),
    }
    let key = read_verifying_key_of(&set.params).expect("a key");
    let mut order = Vec::new();
    for index in [0, 1, 3] {
        let ended = ended(&jobs[index]);
        let bytes = ended
            .result
            .as_ref()
            .unwrap_or_else(|error| panic!("{}", error.chain()));
        let inputs = proofs[index].public_inputs().expect("inputs");
        let verdict = judge(&*proofs[index], bytes, &inputs, &key, &keys).expect("judged");
        assert!(
            verdict.is_good() && verdict.verified_by().contains(&"verify_seal"),
            "{verdict:?}"
        );
        println!("sector {index}: {:?}", ended.report);
        order.push((ended.report.total, index));
    }
    let (_, cost) = region.stop();
    // The first was begun before the others came; of the rest the critical one went first.
    let (normal, critical) = (ended(&jobs[1]).report.total, ended(&jobs[3]).report.total);
    assert!(critical < normal, "{order:?}");
    let second = ended(&jobs[1]).report.parameters;
    assert!(
        second < Duration::from_millis(1),
        "parameters were loaded: {second:?}"
    );
    let begun = jobs[3]
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Synthesising { .. }))
        .count();
    assert_eq!(begun, 1);

    assert!(engine.wait_idle(LONG));
    let (metrics, busy) = (engine.metrics(), engine.busy());
    assert_eq!(
        (
            metrics.proven,
            metrics.cancelled,
            metrics.failed,
            metrics.panics
        ),
        (3, 1, 2, 1)
    );
    assert!(metrics.reserved_most <= metrics.capacity);
    if let Some(peak) = cost.peak_bytes {
        println!(
            "peak {peak} of {}, reserved {} of {}, {busy:?}",
            config.memory, metrics.reserved_most, metrics.capacity
        );
        assert!(peak <= config.memory, "{peak} bytes");
    }
    engine.shut_down(true);
    drop(engine);
    // Those of the pool are told to end, and nobody waits for them.
    within_seconds(|| threads().len() == threads_before.len());
    assert_eq!(
        files(&std::env::temp_dir()),
        files_before,
        "no file is left behind"
    );
    assert_eq!(
        files(recordings.path()).len(),
        1,
        "one recording, and nothing unfinished"
    );
    // What an allocator keeps of 2 GB is small.
    let left = resident().expect("Linux says it");
    println!("{left} bytes are left");
    assert!(left < 600 << 20, "{left} bytes are left behind");
}
