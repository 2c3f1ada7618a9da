//! The steps that run `prove`, `verify` and `params check` as a person does, in processes of their own.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::CommandFactory;

use super::Outcome;
use crate::arm::{self, ArmSpec, PROVE, RELEASED};
use crate::flags::Cli;
use crate::layout::Layout;
use crate::progress::Progress;

/// How long an interrupt may take.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(10);

/// Something to run, and how it has to end.
struct Case {
    arguments: Vec<String>,
    code: i32,
    /// What it has to say.
    says: &'static str,
}

/// Ends that fall short or could not be, none of which takes long.
pub fn failures(layout: &Layout) -> Outcome {
    let prove = build(layout)?;
    same_flags(&prove)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut cases = prove_cases(folder.path())?;
    cases.extend(verify_cases(folder.path())?);
    cases.extend(params_cases(folder.path())?);
    for case in &cases {
        expect(layout, case)?;
    }
    interrupted(layout, &folder.path().join("interrupted"))?;
    Ok(format!("{} ends and an interrupt", cases.len()))
}

/// Both programs, with what cargo says on the screen: the calls below keep it to themselves. Returns `prove`.
pub fn build(layout: &Layout) -> Result<PathBuf> {
    let build = |program, stack: &str| {
        let spec: ArmSpec = stack.parse()?;
        arm::build_program(layout, program, &spec, Progress::stderr())
    };
    build(&RELEASED, "released")?;
    Ok(build(&PROVE, "patched")?.binary)
}

/// `cargo xtask prove` takes the flags of the program that it becomes, and the stack.
fn same_flags(prove: &Path) -> Result<()> {
    let output = Command::new(prove).args(["run", "--help"]).output()?;
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_program: BTreeSet<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let command = Cli::command();
    let verb = command
        .find_subcommand("prove")
        .context("no verb `prove`")?;
    let own: BTreeSet<&str> = verb
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .filter(|long| *long != "stack")
        .collect();
    ensure!(
        of_program == own,
        "`prove run` takes {of_program:?} and `cargo xtask prove` passes on {own:?}"
    );
    Ok(())
}

/// Ctrl-C, while parameters are being made, ends it at once and leaves nothing that could be taken for parameters.
#[cfg(unix)]
fn interrupted(layout: &Layout, cache: &Path) -> Result<()> {
    let mut child = command(layout, &["prove", "porep-2k"])?
        .env("FIL_PROOFS_PARAMETER_CACHE", cache)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start this program once more")?;
    // Parameters of this circuit take longer on any machine.
    std::thread::sleep(Duration::from_secs(2));
    let running = child.try_wait()?;
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .context("cannot start kill")?;
    let mut waited = Duration::ZERO;
    while child.try_wait()?.is_none() && waited < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        waited += Duration::from_millis(50);
    }
    let ended = child.try_wait()?;
    if ended.is_none() {
        child.kill()?;
        child.wait()?;
    }
    ensure!(
        running.is_none() && ended.is_some_and(|status| !status.success()),
        "`cargo xtask prove` did not end with an interrupt: before it {running:?}, after it {ended:?}"
    );
    let entries = walkdir::WalkDir::new(cache).into_iter();
    for entry in entries
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file())
    {
        let path = entry.path();
        let unfinished = path
            .components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with(".part-"));
        let lock = path.extension().is_some_and(|e| e == "lock");
        ensure!(unfinished || lock, "an interrupt left {}", path.display());
    }
    Ok(())
}

#[cfg(not(unix))]
fn interrupted(_: &Layout, _: &Path) -> Result<()> {
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
        case(&["prove", "porep-2k", "--c1", &text(&c1)], 2, "byte 18"),
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
        case(&["params", "check", &text(&garbage)], 1, "garbage.params"),
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
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
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
    let program = crate::files::this_program().context("cannot name this program")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&layout.root)
        .env("FIL_PROOFS_PARAMETER_CACHE", layout.target.join("params"))
        .stdin(Stdio::null());
    Ok(command)
}
