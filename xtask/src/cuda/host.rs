//! What compiles the host's half of a file: nvcc has a say in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::Surroundings;
use super::ask::{self, Version};
use super::error::CudaError;

/// What is tried where nothing is named, in order: what build scripts take by themselves, then what distributions call
/// older ones.
const USUAL: [&str; 14] = [
    "c++",
    "g++",
    "g++-15",
    "g++-14",
    "g++-13",
    "g++-12",
    "g++-11",
    "g++-10",
    "g++-9",
    "clang++",
    "clang++-20",
    "clang++-19",
    "clang++-18",
    "clang++-17",
];

/// A host compiler that nvcc accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Host {
    /// The program.
    pub program: PathBuf,
    /// First line of what it says of its version.
    pub version: String,
    /// Why this one.
    pub why: String,
}

/// The one that is named, or the first that nvcc accepts.
pub fn choose(around: &Surroundings, nvcc: &Path, version: &Version) -> Result<Host, CudaError> {
    for variable in ["NVCC_CCBIN", "CXX"] {
        let Some(named) = around.variable(variable) else {
            continue;
        };
        // Flags behind the compiler are for the crate cc, which passes nvcc the program alone.
        let text = named.to_string_lossy();
        let named = Path::new(match variable {
            "CXX" => text.split_whitespace().next().unwrap_or_default(),
            _ => text.trim(),
        });
        let refused = |host: &Path, said: String, why: String| CudaError::RefusedHost {
            version: version.full.clone(),
            host: host.display().to_string(),
            said,
            variable,
            why,
        };
        // nvcc takes the folder of a compiler, too.
        let inside = named.join("g++");
        let named = if named.is_dir() { &inside } else { named };
        let Some(program) = around.program(named) else {
            return Err(refused(
                named,
                "not found".to_owned(),
                "there is no such program".to_owned(),
            ));
        };
        let said = says(&program);
        return match ask::refusal(nvcc, &program)? {
            None => Ok(Host {
                program,
                version: said,
                why: format!("{variable} names it"),
            }),
            Some(why) => Err(refused(&program, said, why)),
        };
    }
    let mut first = None;
    for name in USUAL {
        let Some(program) = around.program(Path::new(name)) else {
            continue;
        };
        let said = says(&program);
        match ask::refusal(nvcc, &program)? {
            None => {
                let why = match &first {
                    None => "this machine's own, and nvcc accepts it".to_owned(),
                    Some((host, _, why)) => {
                        format!("the first that nvcc accepts; it refuses {host}: {why}")
                    }
                };
                return Ok(Host {
                    program,
                    version: said,
                    why,
                });
            }
            Some(why) => {
                first.get_or_insert((program.display().to_string(), said, why));
            }
        }
    }
    let (host, said, why) = first.unwrap_or_else(|| {
        let none = "there is no C++ compiler on PATH".to_owned();
        ("c++".to_owned(), "not found".to_owned(), none)
    });
    Err(CudaError::NoHost {
        version: version.full.clone(),
        host,
        said,
        why,
    })
}

fn says(program: &Path) -> String {
    let output = Command::new(program).arg("--version").output();
    let text = output.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    text.lines().next().unwrap_or_default().to_owned()
}
