//! Where toolkits lie, in the order in which they are looked for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::CudaError;
use super::install;
use crate::layout::Layout;

/// What is looked at beyond the toolkits themselves.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The environment.
    pub variables: BTreeMap<String, OsString>,
    /// The root of what `--install` makes, whether it is there or not.
    pub installed: PathBuf,
    /// Folders that are toolkits on some machines; the last part may end in `*`.
    pub usual: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of(layout: &Layout) -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .collect();
        let mut usual: Vec<PathBuf> = [
            "/usr/local/cuda",
            "/usr/local/cuda-*",
            "/opt/cuda",
            "/opt/cuda-*",
            "/usr/lib/cuda",
            "/usr/lib/nvidia-cuda-toolkit",
        ]
        .map(PathBuf::from)
        .to_vec();
        usual.extend(std::env::var_os("CONDA_PREFIX").map(PathBuf::from));
        Self {
            variables,
            installed: install::root(layout),
            usual,
        }
    }

    /// A variable that says something.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// The program of that name: a path as it is, a bare name on PATH.
    pub fn program(&self, name: &Path) -> Option<PathBuf> {
        if name.components().count() > 1 {
            return is_program(name)
                .then(|| std::path::absolute(name).ok())
                .flatten();
        }
        let path = self.variable("PATH")?;
        std::env::split_paths(path)
            .map(|folder| folder.join(name))
            .find(|path| is_program(path))
    }
}

/// A compiler, and why it is the one.
#[derive(Debug)]
pub struct Place {
    /// The compiler.
    pub nvcc: PathBuf,
    /// Why it is the one.
    pub why: String,
}

/// The first place that has nvcc. A variable that names none is an error.
pub fn find(around: &Surroundings) -> Result<Place, CudaError> {
    if let Some(own) = around.variable("NVCC") {
        let path = PathBuf::from(own);
        return match around.program(&path) {
            Some(nvcc) => Ok(Place {
                nvcc,
                why: "NVCC names its compiler".to_owned(),
            }),
            None => Err(CudaError::NoNvcc {
                path,
                why: "there is no such program".to_owned(),
            }),
        };
    }
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(own) = around.variable(variable) {
            let path = PathBuf::from(own);
            return match nvcc_in(&path) {
                Some(nvcc) => Ok(Place {
                    nvcc,
                    why: format!("{variable} names it"),
                }),
                None => Err(CudaError::NoToolkit {
                    variable,
                    why: match path.is_dir() {
                        true => "there is no bin/nvcc in it".to_owned(),
                        false => "there is no such folder".to_owned(),
                    },
                    path,
                }),
            };
        }
    }
    // What somebody had installed here goes before what a machine happens to have.
    if let Some(nvcc) = nvcc_in(&around.installed) {
        return Ok(Place {
            nvcc,
            why: "`cargo xtask cuda --install` put it there".to_owned(),
        });
    }
    if let Some(nvcc) = around.program(Path::new("nvcc")) {
        return Ok(Place {
            nvcc,
            why: "its nvcc is the first on PATH".to_owned(),
        });
    }
    for usual in &around.usual {
        if let Some(nvcc) = matching(usual).iter().find_map(|folder| nvcc_in(folder)) {
            return Ok(Place {
                nvcc,
                why: "it lies in a usual place".to_owned(),
            });
        }
    }
    let looked: Vec<String> = std::iter::once(&around.installed)
        .chain(&around.usual)
        .map(|path| path.display().to_string())
        .collect();
    Err(CudaError::Missing {
        looked: looked.join(", "),
    })
}

fn nvcc_in(folder: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(folder).ok()?.join("bin/nvcc");
    is_program(&path).then_some(path)
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |found: &fs::Metadata| {
        use std::os::unix::fs::PermissionsExt;
        found.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &fs::Metadata| true;
    fs::metadata(path).is_ok_and(|found| found.is_file() && may_run(&found))
}

/// The folders that a pattern stands for, the newest version first.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let (Some(start), Some(parent)) = (name.strip_suffix('*'), pattern.parent()) else {
        return vec![pattern.to_path_buf()];
    };
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_string_lossy().into_owned();
            let version = name.strip_prefix(start)?;
            let numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
            Some((numbers.collect(), path))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}
