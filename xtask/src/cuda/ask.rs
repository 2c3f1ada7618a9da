//! What nvcc is asked, and how its answers are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::Toolkit;
use super::error::CudaError;

/// A program with a kernel that calls the runtime.
const TRIAL: &str = "#include <cuda_runtime.h>\n#include <vector>\n__global__ void one(int *at) { *at = 1; }\n\
    int main() { int n = 0; std::vector<int> v(1); if (cudaGetDeviceCount(&n) != cudaSuccess) return 0; one<<<1, 1>>>(v.data()); return n < 0; }\n";

/// A version of nvcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Major and minor.
    pub release: [u32; 2],
    /// With the patch level, where nvcc says it.
    pub full: String,
}

/// Asks for the version.
pub fn version(nvcc: &Path) -> Result<Version, CudaError> {
    let output = ask(nvcc, &["--version"])?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse(&text).ok_or_else(|| CudaError::NoAnswer {
        nvcc: nvcc.to_path_buf(),
        why: format!(
            "--version says {:?}",
            text.lines().last().unwrap_or_default()
        ),
    })
}

/// Of `Cuda compilation tools, release 13.0, V13.0.88`.
fn parse(text: &str) -> Option<Version> {
    let (_, after) = text.split_once("release ")?;
    let (release, rest) = after.split_once(',')?;
    let (major, minor) = release.trim().split_once('.')?;
    let full = rest.trim_start().strip_prefix('V');
    let full = full.and_then(|rest| rest.split_whitespace().next());
    Some(Version {
        release: [major.parse().ok()?, minor.parse().ok()?],
        full: full.unwrap_or(release.trim()).to_owned(),
    })
}

/// The toolkit that nvcc itself takes headers and libraries from: it may be a link, or a script that calls another.
pub fn root(nvcc: &Path) -> Result<PathBuf, CudaError> {
    let output = ask(nvcc, &["--dryrun", "-c", "-x", "cu", "/dev/null"])?;
    let text = String::from_utf8_lossy(&output.stderr);
    let said = text.lines().find_map(|line| line.strip_prefix("#$ TOP="));
    let root = said.map(|path| PathBuf::from(path.trim()));
    root.and_then(|root| root.canonicalize().ok())
        .ok_or_else(|| CudaError::NoAnswer {
            nvcc: nvcc.to_path_buf(),
            why: "--dryrun does not say where its toolkit is".to_owned(),
        })
}

/// What it can make machine code for, ascending; empty where it does not say.
pub fn codes(nvcc: &Path) -> Result<Vec<u32>, CudaError> {
    let output = ask(nvcc, &["--list-gpu-code"])?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut codes: Vec<u32> = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("sm_")?.parse().ok())
        .collect();
    codes.sort_unstable();
    Ok(codes)
}

/// True when it compiles for an architecture by that name.
pub fn knows(nvcc: &Path, name: &str) -> bool {
    let arch = format!("-arch=sm_{name}");
    let asked = ask(nvcc, &[&arch, "--dryrun", "-c", "-x", "cu", "/dev/null"]);
    asked.is_ok_and(|output| output.status.success())
}

/// What it says against a host compiler; none where it takes that.
pub fn refusal(nvcc: &Path, host: &Path) -> Result<Option<String>, CudaError> {
    let ccbin = format!("-ccbin={}", host.display());
    // The headers hold the rule, so that preprocessing asks it.
    let output = ask(nvcc, &[&ccbin, "-E", "-x", "cu", "/dev/null"])?;
    Ok((!output.status.success()).then(|| complaint(&output)))
}

/// Compiles and links a program.
pub fn compile(toolkit: &Toolkit, folder: &Path) -> Result<(), CudaError> {
    let io = |what, path: &Path, error: std::io::Error| CudaError::Io {
        what,
        path: path.to_path_buf(),
        why: error.to_string(),
    };
    fs::create_dir_all(folder).map_err(|error| io("make", folder, error))?;
    let source = folder.join("trial.cu");
    fs::write(&source, TRIAL).map_err(|error| io("write", &source, error))?;
    let mut command = Command::new(&toolkit.nvcc);
    command.current_dir(folder);
    command.arg(format!("-ccbin={}", toolkit.host.program.display()));
    if let Some(first) = toolkit.architectures.first() {
        command.args(["-gencode", &first]);
    }
    command.arg("-L").arg(&toolkit.library);
    // cargo links with the C compiler's driver and names this library too.
    command.args(["-cudart", "static", "-o", "trial", "trial.cu", "-lstdc++"]);
    let output = command
        .output()
        .map_err(|error| io("start", &toolkit.nvcc, error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(CudaError::Broken {
        root: toolkit.root.clone(),
        why: complaint(&output),
    })
}

/// The line that says what is wrong.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let named = lines().find(|line| line.contains("error") || line.contains("cannot find"));
    let line = named.or_else(|| lines().last());
    line.map_or_else(|| output.status.to_string(), str::to_owned)
}

fn ask(nvcc: &Path, arguments: &[&str]) -> Result<Output, CudaError> {
    Command::new(nvcc)
        .args(arguments)
        .output()
        .map_err(|error| CudaError::NoAnswer {
            nvcc: nvcc.to_path_buf(),
            why: error.to_string(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0\n";
        let version = parse(text).expect("a version");
        assert_eq!(
            (version.release, version.full.as_str()),
            ([13, 0], "13.0.88")
        );
        let bare = parse("release 11.4, x").expect("a version");
        assert_eq!((bare.release, bare.full.as_str()), ([11, 4], "11.4"));
        assert_eq!(parse("clang version 17"), None);
        assert_eq!(parse("release x.y, V1"), None);
    }
}
