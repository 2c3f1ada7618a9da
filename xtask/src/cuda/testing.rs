//! Toolkits that are made of scripts.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Surroundings;

/// nvcc, as far as it is asked anything. What it is like stands in files beside it.
const NVCC: &str = include_str!("stub-nvcc.sh");

/// A machine with toolkits and compilers, in a temporary folder.
pub struct Machine {
    temp: tempfile::TempDir,
    /// What this program sees of it.
    pub around: Surroundings,
}

impl Machine {
    /// One with a C++ compiler, `c++` of version 12, and no toolkit.
    pub fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let bin = temp.path().join("bin");
        let around = Surroundings {
            variables: [("PATH".to_owned(), bin.clone().into())].into(),
            installed: temp.path().join("target/cuda/nvidia/cu13"),
            usual: vec![
                temp.path().join("usual/cuda"),
                temp.path().join("usual/cuda-*"),
            ],
        };
        let machine = Self { temp, around };
        machine.compiler("c++", 12);
        machine
    }

    /// A folder or file of it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.around.variables.insert(name.to_owned(), value.into());
    }

    /// A C++ compiler on PATH.
    pub fn compiler(&self, name: &str, version: u32) {
        let text = format!("#!/bin/sh\necho '{name} (made up) {version}.2.0'\n");
        program(&self.path("bin").join(name), &text);
    }

    /// A whole toolkit that accepts gcc up to 15 and compiles for these architectures.
    pub fn toolkit(&self, name: &str, version: &str, codes: &[u32]) -> PathBuf {
        let root = self.path(name);
        program(&root.join("bin/nvcc"), NVCC);
        let codes: Vec<String> = codes.iter().map(|code| format!("sm_{code}\n")).collect();
        self.write(&format!("{name}/codes"), &codes.concat());
        self.write(&format!("{name}/version"), version);
        self.write(&format!("{name}/newest-gcc"), "15");
        self.write(&format!("{name}/lib64/libcudart_static.a"), "");
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap());
        let (major, minor) = (parts.next().unwrap(), parts.next().unwrap());
        self.headers(name, major * 1000 + minor * 10);
        root
    }

    /// The version that the headers of its runtime have.
    pub fn headers(&self, name: &str, number: u32) {
        let text = format!("#define CUDART_VERSION  {number}\n");
        self.write(&format!("{name}/include/cuda_runtime_api.h"), &text);
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
