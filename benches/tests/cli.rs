//! The `workload` binary from outside: what it prints, and how it ends.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use blstrs::Scalar;
use cuzk_harness::{Trial, digest, metric};
use ff::PrimeField;
use serde_json::Value;

/// Workloads that synthesise a circuit of our own, each at a small size.
const SMALL: [(&str, &str); 5] = [
    ("synth/sha256", "1"),
    ("synth/gadgets/addmany", "40"),
    ("synth/gadgets/multipack", "70"),
    ("synth/gadgets/lookup", "200"),
    ("synth/gadgets/enforce-equal", "100"),
];

fn workload(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_workload"))
        .args(arguments)
        .output()
        .expect("the binary starts")
}

/// Runs to a good end and gives stdout.
fn good(arguments: &[&str]) -> Vec<u8> {
    let output = workload(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    output.stdout
}

fn trial(arguments: &[&str]) -> Trial {
    let stdout = good(&[&["run"], arguments].concat());
    assert_eq!(stdout.iter().filter(|&&byte| byte == b'\n').count(), 1);
    let trial: Trial = serde_json::from_slice(&stdout).expect("one trial");
    assert!(trial.ok, "{}", trial.check);
    trial
}

/// Is refused with exit code 2 and an error that says this, and prints nothing.
fn refused(arguments: &[&str], saying: &str) {
    let output = workload(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert!(stderr.contains(saying), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn the_list_says_what_a_runner_needs() {
    let list: Value = serde_json::from_slice(&good(&["list", "--json"])).expect("JSON");
    let by_name: BTreeMap<&str, &Value> = list
        .as_array()
        .expect("an array")
        .iter()
        .map(|workload| (workload["name"].as_str().expect("a name"), workload))
        .collect();
    assert_eq!(by_name.len(), 20);
    assert_eq!(by_name["engine/porep-2k"]["size"]["default"], 10);
    assert_eq!(by_name["synth/sha256"]["size"]["default"], 8);
    assert!(by_name["synth/porep-2k"]["size"].is_null());
    let headline = by_name["synth/porep-2k"]["headline"]
        .as_array()
        .expect("metrics");
    assert_eq!(headline[0]["name"], "wall_s.cold");
    assert_eq!(headline[0]["unit"], "s");
    let text = String::from_utf8(good(&["list"])).expect("text");
    assert!(by_name.keys().all(|name| text.contains(name)));
}

#[test]
fn what_cannot_be_run_is_refused() {
    refused(&["run", "synth/sha", "--seed", "1"], "synth/sha256");
    refused(&["run", "synth/sha256"], "--seed");
    refused(
        &["run", "synth/porep-2k", "--seed", "1", "--size", "2"],
        "leave --size out",
    );
    refused(
        &["run", "synth/sha256", "--seed", "1", "--size", "0"],
        "from 1 to",
    );
    refused(
        &["run", "synth/sha256", "--seed", "1", "--threads", "0"],
        "--threads",
    );
    refused(
        &["run", "synth/sha256", "--seed", "1", "--repeat", "3"],
        "--repeat",
    );
    refused(
        &[
            "run",
            "synth/sha256",
            "--seed",
            "1",
            "--option",
            "pages=warm",
        ],
        "capacity=exact|over",
    );
    refused(
        &[
            "run",
            "teardown",
            "--seed",
            "1",
            "--option",
            "capacity=exact",
        ],
        "it takes none",
    );
    refused(&["matrices", "teardown", "--seed", "1"], "no circuit");
    refused(
        &["dump", "synth/sha256", "--seed", "1", "--vector", "d"],
        "aux_assignment",
    );
    refused(&["prepare", "prove/sha256", "--size", "1000"], "from 1 to");
}

#[test]
fn one_synthesis_and_two_have_the_same_answers() {
    for (name, size) in SMALL {
        let arguments = [name, "--seed", "7", "--size", size];
        let once = trial(&[&arguments[..], &["--repeat", "1"]].concat());
        let twice = trial(&arguments);
        assert_eq!(once.answers.len(), 8);
        assert_eq!(once.answers, twice.answers, "{name}");
        assert!(once.metrics.contains_key(metric::WALL_COLD.name));
        assert!(!once.metrics.contains_key(metric::WALL_WARM.name));
        assert!(twice.metrics.contains_key(metric::WALL_WARM.name));
    }
}

#[test]
fn reserved_memory_and_more_threads_change_no_answer() {
    for (name, size) in SMALL {
        let arguments = [name, "--seed", "7", "--size", size, "--repeat", "1"];
        let plain = trial(&arguments);
        for option in ["capacity=exact", "capacity=over"] {
            let with = trial(&[&arguments[..], &["--option", option]].concat());
            assert_eq!(plain.answers, with.answers, "{name} {option}");
            assert_eq!(with.options["capacity"], option["capacity=".len()..]);
        }
        let threads = trial(&[&arguments[..], &["--threads", "3"]].concat());
        assert_eq!(plain.answers, threads.answers, "{name}");
    }
}

#[test]
fn another_seed_is_another_witness_for_the_same_matrices() {
    for (name, size) in SMALL {
        let of = |verb, seed| good(&[verb, name, "--seed", seed, "--size", size]);
        assert_eq!(of("matrices", "7"), of("matrices", "8"), "{name}");
        let run = |seed| trial(&[name, "--seed", seed, "--size", size, "--repeat", "1"]);
        let (seven, eight) = (run("7"), run("8"));
        for vector in ["aux_assignment", "input_assignment"] {
            assert_ne!(seven.answers[vector], eight.answers[vector], "{name}");
        }
        assert_eq!(
            seven.answers["b_aux_density"],
            eight.answers["b_aux_density"]
        );
        let matrices: Value = serde_json::from_slice(&of("matrices", "7")).expect("JSON");
        let constraints = seven.metrics[metric::CONSTRAINTS.name].as_f64();
        assert_eq!(
            matrices["constraints"].as_f64(),
            Some(constraints),
            "{name}"
        );
    }
}

#[test]
fn a_dump_is_what_was_digested() {
    let arguments = ["synth/gadgets/lookup", "--seed", "7", "--size", "100"];
    let answers = trial(&arguments).answers;
    for vector in ["input_assignment", "aux_assignment", "a", "b", "c"] {
        let bytes = good(&[&["dump"], &arguments[..], &["--vector", vector]].concat());
        let (scalars, rest) = bytes.as_chunks::<32>();
        assert!(rest.is_empty());
        let scalars: Vec<Scalar> = scalars
            .iter()
            .map(|bytes| Option::from(Scalar::from_repr(*bytes)).expect("canonical"))
            .collect();
        assert_eq!(digest::scalars(&scalars), answers[vector], "{vector}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("density");
    let out = [
        "--vector",
        "a_aux_density",
        "--out",
        &file.to_string_lossy(),
    ];
    assert!(good(&[&["dump"], &arguments[..], &out].concat()).is_empty());
    let words = std::fs::read(&file).expect("was written");
    assert!(!words.is_empty() && words.len().is_multiple_of(8));
}

#[test]
fn parameters_come_from_the_seed_and_are_dumped_as_they_were_digested() {
    for name in ["params/many-inputs", "params/sparse-b", "params/dense"] {
        let of = |seed, threads| [name, "--seed", seed, "--size", "60", "--threads", threads];
        let seven = trial(&of("7", "1"));
        assert_eq!(seven.metrics[metric::CONSTRAINTS.name].as_f64(), 60.0);
        assert!(seven.metrics.contains_key(metric::WALL_GENERATE.name));
        assert_eq!(seven.answers, trial(&of("7", "3")).answers, "{name}");
        assert_ne!(seven.answers, trial(&of("8", "1")).answers, "{name}");
        let vector = ["--vector", "parameters"];
        let bytes = good(&[&["dump"], &of("7", "1")[..], &vector].concat());
        assert_eq!(digest::bytes(&bytes), seven.answers["parameters"], "{name}");
        let matrices = |seed| good(&[&["matrices"], &of(seed, "1")[..]].concat());
        assert_eq!(matrices("7"), matrices("8"), "{name}");
    }
}

#[test]
fn a_batch_is_proven_as_often_as_was_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = folder.path().to_string_lossy();
    for name in ["prove/porep-mix", "prove/post-mix", "prove/stress-mix"] {
        let arguments = [name, "--seed", "7", "--size", "8", "--cache", &cache];
        let once = trial(&arguments);
        for metric in [metric::WALL_TOTAL, metric::WALL_PROVER_COLD] {
            assert!(once.metrics.contains_key(metric.name), "{}", metric.name);
        }
        assert!(!once.metrics.contains_key(metric::WALL_PROVER_WARM.name));
        let calls = trial(&[&arguments[..], &["--option", "calls=3"]].concat());
        assert_eq!(once.answers, calls.answers, "{name}");
        assert!(calls.metrics.contains_key(metric::WALL_PROVER_WARM.name));

        for given in [
            "capacity=exact",
            "capacity=over",
            "pages=own",
            "pages=huge",
            "pages=touched",
            "pages=huge-touched",
        ] {
            let anew = ["--option", "calls=2", "--option", "between=synthesis"];
            let anew = trial(&[&arguments[..], &anew, &["--option", given]].concat());
            assert_eq!(once.answers, anew.answers, "{name} {given}");
            assert!(anew.metrics.contains_key(metric::WALL_SUSTAINED.name));
        }

        let batch = [&arguments[..], &["--option", "circuits=2"]].concat();
        let bytes = good(&[&["dump"], &batch[..], &["--vector", "proof"]].concat());
        assert_eq!(digest::bytes(&bytes), trial(&batch).answers["proof"]);
        // The first of a batch is the one that was proven alone.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        assert_eq!(digest::bytes(first), once.answers["proof"], "{name}");
        assert_ne!(first, second);
    }
    let mix = ["run", "prove/porep-mix", "--seed", "7", "--cache", &cache];
    refused(&[&mix[..], &["--size", "7"]].concat(), "8 to 27");
    let bases = ["--size", "8", "--option", "bases=stream"];
    refused(&[&mix[..], &bases].concat(), "backend=gpu");
}

#[test]
#[cfg(not(feature = "cuda"))]
fn a_gpu_that_is_not_there_is_missed_before_anything_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = folder.path().to_string_lossy();
    let gpu = ["--cache", &cache, "--option", "backend=gpu", "--size", "8"];
    let run = [&["run", "prove/post-mix", "--seed", "7"], &gpu[..]].concat();
    refused(&run, "cargo feature `cuda`");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("is there").count(),
        0
    );
}

#[test]
fn memory_that_was_given_up_is_gone() {
    let trial = trial(&["teardown", "--seed", "1", "--size", "64"]);
    for metric in [metric::WALL_CALLER, metric::WALL_TOTAL_BURST] {
        assert!(trial.metrics.contains_key(metric.name), "{}", metric.name);
    }
    if let Some(peak) = trial.metrics.get(metric::PEAK.name) {
        assert!(peak.as_f64() >= (64 << 20) as f64);
    }
    refused(
        &["run", "teardown", "--seed", "1", "--size", "1048576"],
        "choose a smaller one",
    );
}

#[test]
fn sectors_in_proofs_of_spacetime_and_with_new_data() {
    for settings in [
        &["synth/window-2k", "--size", "3"][..],
        &["synth/winning-2k"],
        &["synth/snap-2k"],
    ] {
        let once = [settings, &["--repeat", "1", "--seed"]].concat();
        let seven = trial(&[&once[..], &["7"]].concat());
        let threads = trial(&[&once[..], &["7", "--threads", "3"]].concat());
        assert_eq!(seven.answers, threads.answers, "{settings:?}");
        let eight = trial(&[&once[..], &["8"]].concat());
        for vector in ["aux_assignment", "input_assignment"] {
            assert_ne!(seven.answers[vector], eight.answers[vector], "{settings:?}");
        }
        for vector in ["a_aux_density", "b_aux_density", "b_input_density"] {
            assert_eq!(seven.answers[vector], eight.answers[vector], "{settings:?}");
        }
        let of = |seed| good(&[&["matrices"], settings, &["--seed", seed]].concat());
        assert_eq!(of("7"), of("8"), "{settings:?}");
    }
}

/// The numbers that others have published for this circuit.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_sealed_sector() {
    let settings = ["synth/porep-2k", "--repeat", "1", "--seed"];
    let seven = trial(&[&settings[..], &["7"]].concat());
    let eight = trial(&[&settings[..], &["8"]].concat());
    assert_eq!(
        seven.metrics[metric::CONSTRAINTS.name].as_f64(),
        2_687_921.0
    );
    assert_ne!(
        seven.answers["aux_assignment"],
        eight.answers["aux_assignment"]
    );
    assert_eq!(
        seven.answers["a_aux_density"],
        eight.answers["a_aux_density"]
    );
    let matrices = |seed| good(&["matrices", "synth/porep-2k", "--seed", seed]);
    assert_eq!(matrices("7"), matrices("8"));
    let matrices: Value = serde_json::from_slice(&matrices("7")).expect("JSON");
    let nonzeros = matrices["nonzeros"].as_object().expect("counts");
    let nonzeros: u64 = nonzeros.values().filter_map(Value::as_u64).sum();
    // The one of each input's own constraint among them.
    assert_eq!(nonzeros, 14_934_693);
}
