//! The `prove` binary from outside: what it refuses, and how it ends. Nothing here proves anything.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn prove(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prove"))
        .args(arguments)
        .current_dir(folder)
        .env("FIL_PROOFS_PARAMETER_CACHE", folder.join("params"))
        .output()
        .expect("the binary starts")
}

/// Ends with this exit code; what it said on stdout and on stderr.
fn ends(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let output = prove(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    (stdout, stderr)
}

/// Is refused before anything is done, with an error that says all of this.
fn refused(folder: &Path, arguments: &[&str], saying: &[&str]) {
    let (stdout, stderr) = ends(folder, arguments, 2);
    assert_eq!(stdout, "", "{arguments:?}");
    for text in saying {
        assert!(
            stderr.contains(text),
            "{arguments:?}: no {text:?} in {stderr}"
        );
    }
}

#[test]
fn what_cannot_be_done_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let refused = |arguments: &[&str], saying: &[&str]| refused(folder, arguments, saying);
    refused(&[], &["Usage"]);
    refused(&["run"], &["KIND"]);
    refused(&["run", "porep-4k"], &["\"porep-4k\"", "wpost (or window)"]);
    refused(&["run", "porep-32g"], &["porep-32g needs --c1"]);
    refused(&["run", "window-8m"], &["wpost-8m needs --c1"]);
    refused(&["run", "snap-2k", "--c1", "x.json"], &["snap-2k is none"]);
    refused(&["run", "porep-2k", "--seed", "x"], &["--seed"]);
    refused(
        &["run", "porep-2k", "--params", "none"],
        &["--params none", "no such folder"],
    );
    refused(&["run", "porep-2k", "--c1", "x.json"], &["reading x.json"]);
    refused(
        &["run", "porep-32g", "--c1", "x.json"],
        &[
            "no parameters for porep-32g",
            "v28-stacked-proof",
            "params",
            "--params DIR",
        ],
    );
    refused(
        &["run", "porep-2k", "--c1", "x.json", "--prover-id", "0x12"],
        &["64 hexadecimal digits"],
    );
    refused(
        &[
            "run",
            "porep-2k",
            "--c1",
            "x.json",
            "--registered-proof",
            "20",
        ],
        &["\"20\"", "StackedDrg32GiBV1_1"],
    );
    refused(
        &[
            "run",
            "porep-2k",
            "--unverified-params",
            "x.params",
            "--c1",
            "x.json",
        ],
        &["reading x.json"],
    );
    let left: Vec<_> = fs::read_dir(folder).expect("is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_folder_that_holds_something_is_not_written_to() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::create_dir(folder.join("full")).expect("created");
    fs::write(folder.join("full/mine"), b"mine").expect("written");
    fs::write(folder.join("file"), b"mine").expect("written");
    refused(
        folder,
        &["run", "winning-2k", "--out", "full"],
        &["full is not empty"],
    );
    refused(folder, &["run", "winning-2k", "--out", "file"], &["file"]);
    for name in [".", "..", "full/.."] {
        refused(
            folder,
            &["run", "winning-2k", "--out", name],
            &["not there yet, or an empty one"],
        );
    }
    refused(
        folder,
        &["run", "winning-2k", "--out", "file/below"],
        &["file"],
    );
    assert_eq!(
        fs::read(folder.join("full/mine")).expect("is there"),
        b"mine"
    );
}

#[test]
fn c1_output_that_is_no_good_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for (json, saying) in [
        ("", &["line 1, column 1 (byte 0)"][..]),
        ("{\"comm_r\": [1, 2", &["line 1, column", "EOF"]),
        ("{}\0", &["line 1, column 3 (byte 2)", "trailing"]),
        ("{\"SectorNum\": 1}", &["has no vanilla_proofs"]),
        (
            "{\"vanilla_proofs\": [],\n \"comm_r\": [1, 2]}",
            &["line 2, column 17", "length 2"],
        ),
        (
            "{\"vanilla_proofs\": {\"StackedDrg32GiBV1\": []}}",
            &["2 KiB", "32 GiB"],
        ),
    ] {
        fs::write(folder.join("c1.json"), json).expect("written");
        let arguments = ["run", "porep-2k", "--c1", "c1.json"];
        refused(folder, &arguments, &[saying, &["C1 output"]].concat());
    }
}

#[test]
fn parameters_that_are_no_good_are_told_by_the_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let check = ["check-params", "x.params", "--json", "x.json"];
    refused(folder, &check, &["x.params"]);
    fs::write(folder.join("x.params"), [0; 1000]).expect("written");
    let (stdout, _) = ends(folder, &check, 1);
    assert!(
        stdout
            .lines()
            .last()
            .is_some_and(|line| line.contains("x.params is NOT good"))
    );
    let json = fs::read(folder.join("x.json")).expect("written");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(
        (&json["ok"], &json["schema"]),
        (&Value::Bool(false), &1.into())
    );
}
