//! A toolkit from NVIDIA's own wheels on PyPI, for machines without one: no driver, no root, nothing outside `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::CudaError;
use super::places::Surroundings;
use crate::layout::Layout;
use crate::progress::Progress;

/// The wheels of one version of the toolkit. The compiler's parts have one number, the runtime and the headers their own.
const WHEELS: [(&str, &str); 5] = [
    ("nvidia-cuda-nvcc", "13.0.88"),
    ("nvidia-nvvm", "13.0.88"),
    ("nvidia-cuda-crt", "13.0.88"),
    ("nvidia-cuda-runtime", "13.0.96"),
    ("nvidia-cuda-cccl", "13.0.85"),
];

/// Where the wheels put the toolkit.
const INSIDE: &str = "nvidia/cu13";

/// The folder that is installed.
fn folder(layout: &Layout) -> PathBuf {
    layout.target.join("cuda")
}

/// The root of the toolkit that is installed, whether it is there or not.
pub fn root(layout: &Layout) -> PathBuf {
    folder(layout).join(INSIDE)
}

/// Installs it where it is not there yet: whole, or not at all.
pub fn install(
    layout: &Layout,
    around: &Surroundings,
    progress: Progress,
) -> Result<PathBuf, CudaError> {
    let root = root(layout);
    if root.join("bin/nvcc").is_file() {
        progress.step(
            "Installed",
            format!("{} is there already", layout.show(&root)),
        );
        return Ok(root);
    }
    let python = ["python3", "python"]
        .iter()
        .find_map(|name| around.program(Path::new(name)))
        .ok_or_else(|| CudaError::NoPip {
            why: "there is no python3 on PATH".to_owned(),
        })?;
    if let Err(why) = said(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Err(CudaError::NoPip { why });
    }
    let own = folder(layout);
    let beside = own.with_extension("new");
    for path in [&beside, &own] {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io("remove", path, &error));
            }
            _ => {}
        }
    }
    fs::create_dir_all(&layout.target).map_err(|error| io("make", &layout.target, &error))?;
    let wheels: Vec<String> = WHEELS
        .iter()
        .map(|(name, version)| format!("{name}=={version}"))
        .collect();
    progress.step("Installing", format!("{} (about 120 MB)", wheels.join(" ")));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check"]);
    pip.args(["--no-input", "--no-deps", "--only-binary", ":all:"]);
    pip.arg("--quiet")
        .arg("--target")
        .arg(&beside)
        .args(&wheels);
    if let Err(why) = said(&mut pip) {
        // Half of it is nobody's toolkit.
        let _ = fs::remove_dir_all(&beside);
        return Err(CudaError::Pip {
            why,
            todo: format!(
                "run it again when the index can be reached, or elsewhere `pip install --no-deps --target {} {}`",
                own.display(),
                wheels.join(" ")
            ),
        });
    }
    fs::rename(&beside, &own).map_err(|error| io("move", &beside, &error))?;
    Ok(root)
}

/// Runs a command to its end; the line that says why it failed.
fn said(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines()
        .rfind(|line| line.starts_with("ERROR"))
        .or_else(|| lines().last());
    Err(line.map_or_else(|| output.status.to_string(), str::to_owned))
}

fn io(what: &'static str, path: &Path, error: &std::io::Error) -> CudaError {
    CudaError::Io {
        what,
        path: path.to_path_buf(),
        why: error.to_string(),
    }
}
