//! The step that makes a real proof of every kind and has it verified twice: by filecoin-proofs, and by a program in which
//! no patch is.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::{Outcome, commands, verbs};
use crate::cargo;
use crate::layout::Layout;

/// The kinds that need nothing from elsewhere.
const KINDS: [&str; 4] = ["porep-2k", "winning-2k", "window-2k", "snap-2k"];

/// Proves and verifies. Parameters are generated where they are not there yet.
pub fn end_to_end(layout: &Layout) -> Outcome {
    verbs::build(layout)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    for kind in KINDS {
        let out = folder.path().join(kind);
        let verdict = prove(layout, kind, &["--out".into(), text(&out)])?;
        ensure!(
            verdict.contains("filecoin-proofs' verify_"),
            "filecoin-proofs did not verify {kind}: {verdict}"
        );
        verify(layout, &out, 0)?;
    }
    c1_of_somebody_else(layout, folder.path())?;
    for name in ["proof.bin", "inputs.bin", "circuit.vk", "c1.json"] {
        let out = folder.path().join("porep-2k");
        let path = out.join(name);
        let good = fs::read(&path)?;
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        fs::write(&path, bad)?;
        verify(layout, &out, 1)?;
        fs::write(&path, good)?;
    }
    Ok(format!(
        "{} kinds, one C1 output from elsewhere",
        KINDS.len()
    ))
}

/// Real sectors through the engine, and what goes wrong beside them. The packages are those of the step `workspace`, so that nothing is compiled
/// anew.
pub fn through_engine(layout: &Layout) -> Outcome {
    let mut command = cargo::cargo(layout);
    command
        .args(["test", "--release", "--locked", "--workspace"])
        .args(["--test", "through_engine", "--", "--ignored"])
        .env("CUZK_TEST_PARAMS", layout.target.join("params"));
    commands::tested(&mut command)
}

/// The C1 output that was left beside a proof is proven once more, by one who knows neither prover nor sector.
fn c1_of_somebody_else(layout: &Layout, folder: &Path) -> Result<()> {
    let c1 = text(&folder.join("porep-2k/c1.json"));
    let out = folder.join("again");
    let said = prove(
        layout,
        "porep-2k",
        &["--c1".into(), c1, "--out".into(), text(&out)],
    )?;
    ensure!(
        said.contains("Groth16"),
        "nobody said how it was verified: {said}"
    );
    verify(layout, &out, 0)
}

/// Proves, and returns the verdict.
fn prove(layout: &Layout, kind: &str, flags: &[String]) -> Result<String> {
    let arguments = [&["prove".to_owned(), kind.to_owned()], flags].concat();
    let line = arguments.join(" ");
    let output = verbs::command(layout, &arguments)?
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start this program once more")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "`cargo xtask {line}` ended with {}:\n{said}",
        output.status
    );
    let verdict = said.lines().last().unwrap_or_default().to_owned();
    ensure!(
        verdict.starts_with("The proof of ") && verdict.contains("was verified"),
        "the last line of `cargo xtask {line}` is no verdict: {verdict}"
    );
    Ok(verdict)
}

fn verify(layout: &Layout, folder: &Path, code: i32) -> Result<()> {
    let output = verbs::call(layout, &["verify", &text(folder)])?;
    ensure!(
        output.status.code() == Some(code),
        "`cargo xtask verify` of {} should end with {code}; it ended with {}:\n{}",
        folder.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
