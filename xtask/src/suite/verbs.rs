//! The steps that run `prove`, `verify` and `params check` as a person does, in processes of their own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use super::Outcome;
use crate::arm::{self, ArmSpec, PROVE, RELEASED};
use crate::layout::Layout;
use crate::progress::Progress;

/// Something to run, and how it has to end.
struct Case {
    arguments: Vec<String>,
    code: i32,
    /// What its messages have to say.
    says: &'static str,
}

/// Ends that fall short or could not be, none of which takes long.
pub fn failures(layout: &Layout) -> Outcome {
    build(layout)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut cases = prove_cases(folder.path())?;
    cases.extend(verify_cases(folder.path())?);
    cases.extend(params_cases(folder.path())?);
    for case in &cases {
        expect(layout, case)?;
    }
    Ok(format!("{} ends", cases.len()))
}

/// Both programs, with what cargo says on the screen: the calls below keep it to themselves.
pub fn build(layout: &Layout) -> Result<()> {
    for (program, stack) in [(&PROVE, "patched"), (&RELEASED, "released")] {
        let spec: ArmSpec = stack.parse()?;
        arm::build_program(layout, program, &spec, Progress::stderr())?;
    }
    Ok(())
}

fn prove_cases(folder: &Path) -> Result<Vec<Case>> {
    let c1 = folder.join("c1.json");
    fs::write(&c1, "{\"vanilla_proofs\":[").context("cannot write half a C1 output")?;
    let full = folder.join("full");
    fs::create_dir(&full).and_then(|()| fs::write(full.join("file"), ""))?;
    Ok(vec![
        case(&["prove", "porep-3k"], 2, "porep-2k"),
        case(&["prove", "porep-8m"], 2, "--c1"),
        case(&["prove", "snap-2k", "--c1", &text(&c1)], 2, "porep"),
        case(
            &["prove", "porep-2k", "--c1", &text(&folder.join("none"))],
            2,
            "none",
        ),
        case(&["prove", "porep-2k", "--c1", &text(&c1)], 2, "c1.json"),
        case(&["prove", "porep-2k", "--out", &text(&full)], 2, "full"),
        case(&["prove", "porep-2k", "--stack", "released"], 2, "pristine"),
    ])
}

fn verify_cases(folder: &Path) -> Result<Vec<Case>> {
    let empty = folder.join("empty");
    fs::create_dir(&empty)?;
    let lies = folder.join("lies");
    fs::create_dir(&lies)?;
    let digest = "0".repeat(64);
    let statement = format!(
        "{{\"schema\":1,\"circuit\":\"porep-2k\",\"partitions\":1,\"inputs_per_partition\":1,\"verified_by\":[],\
         \"sha256\":{{\"proof.bin\":\"{digest}\",\"inputs.bin\":\"{digest}\",\"circuit.vk\":\"{digest}\",\
         \"c1.json\":\"{digest}\"}}}}"
    );
    fs::write(lies.join("statement.json"), statement)?;
    for name in ["proof.bin", "inputs.bin", "circuit.vk", "c1.json"] {
        fs::write(lies.join(name), "not it")?;
    }
    Ok(vec![
        case(
            &["verify", &text(&folder.join("none"))],
            2,
            "statement.json",
        ),
        case(&["verify", &text(&empty)], 2, "statement.json"),
        case(&["verify", &text(&lies)], 1, "SHA-256"),
    ])
}

fn params_cases(folder: &Path) -> Result<Vec<Case>> {
    let garbage = folder.join("garbage.params");
    fs::write(&garbage, [7; 5000])?;
    Ok(vec![
        case(&["params", "check", &text(&folder.join("none"))], 2, "none"),
        case(&["params", "check", &text(&garbage)], 2, "garbage.params"),
    ])
}

fn case(arguments: &[&str], code: i32, says: &'static str) -> Case {
    Case {
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        code,
        says,
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn expect(layout: &Layout, case: &Case) -> Result<()> {
    let line = case.arguments.join(" ");
    let output = call(layout, &case.arguments)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.code() == Some(case.code) && said.contains(case.says),
        "`cargo xtask {line}` should end with {} and speak of {:?}; it ended with {}:\n{said}",
        case.code,
        case.says,
        output.status
    );
    Ok(())
}

/// This program once more, with its parameters in the folder of everything that is built.
pub fn call(layout: &Layout, arguments: &[impl AsRef<OsStr>]) -> Result<Output> {
    command(layout, arguments)?
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .context("cannot start this program once more")
}

/// As [`call`], to be started.
pub fn command(layout: &Layout, arguments: &[impl AsRef<OsStr>]) -> Result<Command> {
    let program = std::env::current_exe().context("cannot name this program")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&layout.root)
        .env("FIL_PROOFS_PARAMETER_CACHE", layout.target.join("params"))
        .stdin(Stdio::null());
    Ok(command)
}
