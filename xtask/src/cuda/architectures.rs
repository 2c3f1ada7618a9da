//! Which GPUs device code is made for.

use std::fmt;
use std::path::Path;

use super::Surroundings;
use super::ask::{self, Version};
use super::error::CudaError;

/// The variable that names others; the build script of sppark reads it too.
pub const VARIABLE: &str = "CUZK_CUDA_ARCHS";

/// Compute capabilities of GPUs that provers run on: the default is those that nvcc knows.
const WANTED: [u32; 8] = [70, 75, 80, 86, 89, 90, 100, 120];

/// What device code is made for, ascending. As text, what `CUZK_CUDA_ARCHS` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architectures {
    list: Vec<Architecture>,
    /// Why these.
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Architecture {
    name: String,
    ptx: bool,
}

/// Those that are asked for, or the default.
pub fn choose(
    around: &Surroundings,
    nvcc: &Path,
    version: &Version,
) -> Result<Architectures, CudaError> {
    match around.variable(VARIABLE) {
        Some(list) => Architectures::asked(&list.to_string_lossy(), nvcc, version),
        None => Architectures::default_of(&ask::codes(nvcc)?, version),
    }
}

impl Architectures {
    /// Those of a list such as `90` or `80,90+ptx`.
    pub fn asked(text: &str, nvcc: &Path, version: &Version) -> Result<Self, CudaError> {
        let fault = |why: String| CudaError::Architectures {
            list: text.to_owned(),
            why,
        };
        let mut list: Vec<Architecture> = Vec::new();
        for word in text.split(',').map(str::trim) {
            let (name, ptx) = match word.strip_suffix("+ptx") {
                Some(name) => (name, true),
                None => (word, false),
            };
            let name = name.strip_prefix("sm_").unwrap_or(name);
            let digits = name.trim_end_matches(['a', 'f']);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(fault(format!(
                    "`{word}` is no architecture; give numbers with commas between, such as 90 or 80,90+ptx"
                )));
            }
            if !ask::knows(nvcc, name) {
                let known = join(&ask::codes(nvcc)?);
                return Err(fault(format!(
                    "nvcc {} cannot compile for sm_{name}; it can for {known}",
                    version.full
                )));
            }
            match list.iter_mut().find(|own| own.name == name) {
                Some(own) => own.ptx |= ptx,
                None => list.push(Architecture {
                    name: name.to_owned(),
                    ptx,
                }),
            }
        }
        Ok(Self {
            list,
            why: format!("{VARIABLE} asks for them"),
        })
    }

    /// Those that are wanted and known. PTX goes with the newest, and with one after which a generation is left out, so
    /// that each GPU from the oldest on has something to run.
    fn default_of(known: &[u32], version: &Version) -> Result<Self, CudaError> {
        let own: Vec<u32> = WANTED
            .into_iter()
            .filter(|own| known.contains(own))
            .collect();
        if own.is_empty() {
            return Err(CudaError::NoArchitecture {
                version: version.full.clone(),
                known: join(known),
            });
        }
        let ptx = |at: usize| match own.get(at + 1) {
            Some(next) => next / 10 > own[at] / 10 + 1,
            None => true,
        };
        let list: Vec<Architecture> = own
            .iter()
            .enumerate()
            .map(|(at, own)| Architecture {
                name: own.to_string(),
                ptx: ptx(at),
            })
            .collect();
        let unknown: Vec<u32> = WANTED
            .into_iter()
            .filter(|own| !known.contains(own))
            .collect();
        let mut why = format!(
            "those of GPUs that provers run on, as far as nvcc {} knows them",
            version.full
        );
        if !unknown.is_empty() {
            why += &format!(" (not {})", join(&unknown));
        }
        why += "; PTX for GPUs that have no code of their own";
        Ok(Self { list, why })
    }

    /// What `-gencode` takes for the first.
    pub fn first(&self) -> Option<String> {
        let name = &self.list.first()?.name;
        Some(format!("arch=compute_{name},code=sm_{name}"))
    }
}

impl fmt::Display for Architectures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.list.iter().map(|own| match own.ptx {
            true => format!("{}+ptx", own.name),
            false => own.name.clone(),
        });
        f.write_str(&words.collect::<Vec<_>>().join(","))
    }
}

fn join(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_follows_the_toolkit() {
        let version = |full: &str| Version {
            release: [0, 0],
            full: full.to_owned(),
        };
        let list = |known: &[u32]| {
            let found = Architectures::default_of(known, &version("1.2.3"));
            found.map(|found| found.to_string())
        };
        let said = |known: &[u32], text: &str| assert_eq!(list(known), Ok(text.to_owned()));
        said(&[35, 50, 70, 72, 75, 80, 86, 87], "70,75,80,86+ptx");
        said(&[70, 75, 80, 86, 87, 89, 90], "70,75,80,86,89,90+ptx");
        // What is dropped takes no neighbour along, and a generation of which nothing is built has PTX.
        said(
            &[75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121],
            "75,80,86,89,90,100+ptx,120+ptx",
        );
        said(&[80, 90, 120, 130], "80,90+ptx,120+ptx");
        let error = list(&[35, 37]).unwrap_err().to_string();
        assert!(
            error.contains("1.2.3") && error.contains("35, 37"),
            "{error}"
        );
    }
}
