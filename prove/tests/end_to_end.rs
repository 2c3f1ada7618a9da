//! Proofs from end to end, by the binary, and what a falsified one is told.
//!
//! Groth16 without optimisation takes for ever, so nothing here runs in a debug build. The two kinds with large
//! circuits take minutes even then, and are asked for with `--ignored`. Parameters are kept in cargo's folder for the
//! temporary files of tests, from one run to the next.

mod isolated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use bellperson::groth16::VerifyingKey;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::backend::{Randomness, prove};
use cuzk_core::filecoin::{CircuitId, StorageProof, groth16};
use cuzk_core::parameters::Store;
use cuzk_prove::parameters::test_parameters;
use cuzk_prove::sector::{Sector, window_post};
use cuzk_prove::{Statement, Verdict, judge};
use ff::{Field, PrimeField};
use serde_json::Value;

/// One proof at a time: each takes every processor.
static TURN: Mutex<()> = Mutex::new(());

fn params() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("params")
}

fn run(folder: &Path, kind: &str, extra: &[&str]) -> (i32, String, String) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(env!("CARGO_BIN_EXE_prove"))
        .args(["run", kind, "--seed", "7"])
        .args(extra)
        .current_dir(folder)
        .env("FIL_PROOFS_PARAMETER_CACHE", params())
        // A setting of a production prover, which must not count here.
        .env("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "true")
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("was not killed");
    (code, text(&output.stdout), text(&output.stderr))
}

fn sha256(path: &Path) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(fs::read(path).expect("is there"));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Proves, and looks at everything that was left.
fn end_to_end(kind: &str, verifier: &str, material: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let (code, stdout, stderr) = run(folder, kind, &["--out", "out", "--json", "report.json"]);
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    let verdict = stdout.lines().last().expect("a verdict");
    let expected = format!("was verified by filecoin-proofs' {verifier}");
    assert!(verdict.contains(&expected), "{verdict}");

    let out = folder.join("out");
    let json = fs::read(out.join("statement.json")).expect("written");
    let statement: Statement = serde_json::from_slice(&json).expect("a statement");
    assert_eq!(statement.verified_by, ["groth16", verifier]);
    let mut files: Vec<&str> = statement.sha256.keys().map(String::as_str).collect();
    for file in &files {
        assert_eq!(sha256(&out.join(file)), statement.sha256[*file], "{file}");
    }
    files.sort_unstable();
    let mut wanted = [material, "circuit.vk", "inputs.bin", "proof.bin"];
    wanted.sort_unstable();
    assert_eq!(files, wanted);
    let there = fs::read_dir(&out).expect("is there").count();
    assert_eq!(there, files.len() + 1, "nothing else is there");

    let report = fs::read(folder.join("report.json")).expect("written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["proof"]["sha256"], statement.sha256["proof.bin"]);
    assert_eq!(report["circuit"]["id"], statement.circuit);
    assert_eq!(report["parameters"]["trust"], "made-here");
    let phases = report["phases"].as_array().expect("phases");
    assert!(phases.iter().any(|phase| phase["name"] == "verification"));

    verifies_alone(&out, &statement);
    let (code, _, stderr) = run(folder, kind, &["--out", "out"]);
    assert_eq!(code, 2, "a result is not overwritten");
    assert!(stderr.contains("out is not empty"), "{stderr}");
}

/// What is in the folder is enough, and no other proof is.
fn verifies_alone(out: &Path, statement: &Statement) {
    let read = |file| fs::read(out.join(file)).expect("is there");
    let key = VerifyingKey::<Bls12>::read(&read("circuit.vk")[..]).expect("a key");
    let scalars: Vec<Fr> = read("inputs.bin")
        .chunks(32)
        .map(|bytes| Fr::from_repr_vartime(bytes.try_into().expect("32 bytes")).expect("a scalar"))
        .collect();
    let inputs: Vec<Vec<Fr>> = scalars
        .chunks(statement.inputs_per_partition)
        .map(<[Fr]>::to_vec)
        .collect();
    assert_eq!(inputs.len(), statement.partitions);
    let proof = read("proof.bin");
    groth16::verify(&key, &inputs, &proof).expect("verifies");
    for wrong in falsified(&proof) {
        groth16::verify(&key, &inputs, &wrong).expect_err("rejected");
    }
    let mut others = inputs.clone();
    others[0][0] += Fr::ONE;
    groth16::verify(&key, &others, &proof).expect_err("rejected");
}

/// Proofs that are not this one: bits flipped in each point, A and C exchanged, too short, too long.
fn falsified(proof: &[u8]) -> Vec<Vec<u8>> {
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = proof.to_vec();
        change(&mut bytes);
        bytes
    };
    let flipped = |i: usize| changed(&move |bytes| bytes[i] ^= 1);
    vec![
        flipped(5),
        flipped(70),
        flipped(180),
        changed(&|bytes| {
            let c = bytes[144..192].to_vec();
            bytes.copy_within(0..48, 144);
            bytes[..48].copy_from_slice(&c);
        }),
        changed(&|bytes| bytes.truncate(bytes.len() - 1)),
        changed(&|bytes| bytes.push(0)),
        Vec::new(),
    ]
}

/// Proves in this process and asks the judge about the proof and about falsified ones.
fn judged(id: &str, proof: &dyn StorageProof, keys: &Path) {
    let circuit: CircuitId = id.parse().expect("an id");
    assert_eq!(proof.circuit(), circuit);
    let (set, _) = test_parameters(circuit, &Store::at(params().join("cuzk")), &()).expect("made");
    let parameters = set.read(&()).expect("read");
    let synthesized = proof.synthesize(&Default::default()).expect("synthesises");
    let scalars = vec![Fr::from(3); proof.partitions()];
    let randomness = Randomness {
        r: scalars.clone(),
        s: scalars,
    };
    let proved = prove(synthesized.synthesis, &parameters, &randomness).expect("proves");
    let bytes = groth16::encode(&proved.proofs);
    let inputs = synthesized.inputs;
    let ask = |bytes: &[u8]| judge(proof, bytes, &inputs, &parameters.vk, keys).expect("judged");

    let by = proof.verifier();
    assert_eq!(ask(&bytes), Verdict::Verified { by });
    for wrong in falsified(&bytes) {
        let verdict = ask(&wrong);
        assert!(
            !verdict.is_good() && verdict.verified_by().is_empty(),
            "{verdict:?}"
        );
        // filecoin-proofs, which was not asked, says so too.
        assert!(!proof.verify(&wrong).expect("verified"));
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn winning_post() {
    end_to_end("winning-2k", "verify_winning_post", "vanilla.json");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn window_post_of_one_sector() {
    end_to_end("window-2k", "verify_window_post", "vanilla.json");
}

#[test]
#[ignore = "takes minutes"]
fn proof_of_replication() {
    end_to_end("porep-2k", "verify_seal", "c1.json");
}

#[test]
#[ignore = "takes minutes"]
fn snap_deals() {
    end_to_end(
        "snap-2k",
        "verify_empty_sector_update_proof",
        "vanilla.json",
    );
}

/// What one run left can be proven again, by whoever does not know the sector.
#[test]
#[ignore = "takes minutes"]
fn c1_output_of_somebody_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let (code, _, stderr) = run(folder, "porep-2k", &["--out", "out"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) = run(folder, "porep-2k", &["--c1", "out/c1.json"]);
    assert_eq!(code, 0, "{stderr}");
    let verdict = stdout.lines().last().expect("a verdict");
    assert!(verdict.contains("at the Groth16 level"), "{verdict}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_falsified_winning_post_is_rejected() {
    let Some(keys) = isolated::child("a_falsified_winning_post_is_rejected") else {
        return;
    };
    let proof = Sector::seal(7).and_then(|sector| sector.winning_post());
    judged("winning-2k", &proof.expect("a proof"), &keys);
}

/// Three sectors are two partitions, the second filled up.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn window_post_of_two_partitions() {
    let Some(keys) = isolated::child("window_post_of_two_partitions") else {
        return;
    };
    let sectors = [7, 8, 9].map(|seed| Sector::seal(seed).expect("seals"));
    let proof = window_post(&sectors.each_ref()).expect("a proof");
    assert_eq!(proof.partitions(), 2);
    judged("wpost-2k", &proof, &keys);
}
