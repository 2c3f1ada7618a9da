//! Whether what compiles and what links are one toolkit, of one version.

use std::fs;
use std::path::{Path, PathBuf};

use super::Surroundings;
use super::ask::Version;
use super::error::CudaError;

/// The runtime that is linked into a program, so that it needs nothing but a driver where it runs.
const RUNTIME: &str = "libcudart_static.a";

/// The folder of the toolkit's static runtime.
pub fn library(root: &Path, nvcc: &Path) -> Result<PathBuf, CudaError> {
    let machine = std::env::consts::ARCH;
    [
        format!("targets/{machine}-linux/lib"),
        "targets/sbsa-linux/lib".to_owned(),
        "lib64".to_owned(),
        "lib".to_owned(),
    ]
    .into_iter()
    .map(|folder| root.join(folder))
    .find(|folder| folder.join(RUNTIME).is_file())
    .ok_or_else(|| CudaError::NoRuntime {
        nvcc: nvcc.to_path_buf(),
        root: root.to_path_buf(),
    })
}

/// Refuses variables that name another toolkit than nvcc's: build scripts of other crates go by them, and the linker looks
/// where rustc's flags say before it looks where a build script says.
pub fn with_variables(around: &Surroundings, root: &Path) -> Result<(), CudaError> {
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        let Some(other) = around.variable(variable).map(PathBuf::from) else {
            continue;
        };
        if other.canonicalize().ok().as_deref() != Some(root) {
            return Err(CudaError::TwoRoots {
                root: root.to_path_buf(),
                variable,
                other,
            });
        }
    }
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        let flags = around.variable(variable).map(|text| text.to_string_lossy());
        for folder in flags.iter().flat_map(|flags| search_folders(flags)) {
            let here = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let has = [
                "libcudart_static.a",
                "libcudart.so",
                "libcudart.so.13",
                "libcudart.so.12",
            ]
            .iter()
            .any(|name| folder.join(name).exists());
            if has && !here.starts_with(root) {
                return Err(CudaError::TwoRoots {
                    root: root.to_path_buf(),
                    variable,
                    other: folder,
                });
            }
        }
    }
    Ok(())
}

/// What `-L` names, as in `-L native=DIR`, `-LDIR` or `-Clink-arg=-LDIR`.
fn search_folders(flags: &str) -> Vec<PathBuf> {
    let words: Vec<&str> = flags.split([' ', '\u{1f}']).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some((_, after)) = word.split_once("-L") else {
            continue;
        };
        let folder = match after {
            "" => words.get(at + 1).copied().unwrap_or_default(),
            after => after,
        };
        found.push(PathBuf::from(
            folder.split_once('=').map_or(folder, |(_, path)| path),
        ));
    }
    found
}

/// Refuses a folder in which parts of two toolkits lie.
pub fn versions(root: &Path, version: &Version) -> Result<(), CudaError> {
    let fault = |what: String| CudaError::Versions {
        root: root.to_path_buf(),
        what,
    };
    if let Some(headers) = headers(root)
        && headers != version.release
    {
        let [major, minor] = headers;
        return Err(fault(format!(
            "nvcc is {}, and the headers of its runtime are {major}.{minor}",
            version.full
        )));
    }
    // Wheels say their versions beside the folder; nvcc works with its own cicc and headers alone.
    let wheels = wheels(root);
    for part in ["nvidia_nvvm", "nvidia_cuda_crt"] {
        let of = |name: &str| wheels.iter().find(|(own, _)| own == name);
        if let (Some((_, nvcc)), Some((_, other))) = (of("nvidia_cuda_nvcc"), of(part))
            && nvcc != other
        {
            return Err(fault(format!(
                "nvidia_cuda_nvcc is {nvcc}, and {part} is {other}"
            )));
        }
    }
    Ok(())
}

/// The version of the runtime's headers: `#define CUDART_VERSION 13000`.
fn headers(root: &Path) -> Option<[u32; 2]> {
    let machine = std::env::consts::ARCH;
    let folders = [
        "include".to_owned(),
        format!("targets/{machine}-linux/include"),
        "targets/sbsa-linux/include".to_owned(),
    ];
    let text = folders
        .iter()
        .find_map(|folder| fs::read_to_string(root.join(folder).join("cuda_runtime_api.h")).ok())?;
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("#define CUDART_VERSION"))?;
    let number: u32 = line.split_whitespace().next()?.parse().ok()?;
    Some([number / 1000, number % 1000 / 10])
}

/// The wheels that a root of wheels was made of: `DIR/NAME-VERSION.dist-info` where the root is `DIR/nvidia/cuN`.
fn wheels(root: &Path) -> Vec<(String, String)> {
    let Some(folder) = root.ancestors().nth(2) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (name, version) = name.strip_suffix(".dist-info")?.split_once('-')?;
            name.starts_with("nvidia_")
                .then(|| (name.to_owned(), version.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_a_linker_searches() {
        for (flags, folders) in [
            ("-L native=/a -Copt-level=3", &["/a"][..]),
            ("-L/a\u{1f}-L\u{1f}dependency=/b", &["/a", "/b"]),
            ("-Clink-arg=-L/a", &["/a"]),
            ("-Ctarget-cpu=native", &[]),
        ] {
            let found = search_folders(flags);
            let expected: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
            assert_eq!(found, expected, "{flags:?}");
        }
    }
}
