//! What a program needs of the host that runs it, read from the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use serde::{Deserialize, Serialize};

use super::error::BundleError;

/// What the programs of a bundle need together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// The architecture, as `uname -m` says it.
    pub arch: String,
    /// The operating system.
    pub os: String,
    /// The oldest glibc that has every function they call; null where they need none.
    pub glibc: Option<[u32; 2]>,
    /// The program that loads them; null where they are loaded without one.
    pub loader: Option<String>,
    /// Shared libraries.
    pub libraries: BTreeSet<String>,
    /// Instruction sets that a build picks up from the processor that it runs on, as /proc/cpuinfo names them.
    pub processor: Vec<String>,
}

/// blst's build script asks the building host for this one and compiles it in; everything else is asked for at run time.
const PICKED_UP: &str = "adx";

impl Needs {
    /// What programs that were built here for this machine need.
    pub fn of(programs: &[&Path]) -> Result<Self, BundleError> {
        let mut needs = Self {
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            processor: processor_has(PICKED_UP)
                .then(|| PICKED_UP.to_owned())
                .into_iter()
                .collect(),
            ..Self::default()
        };
        for program in programs {
            let data = fs::read(program).map_err(|e| BundleError::io(program, e))?;
            // A script needs what its interpreter needs, which is not for us to know.
            if data.starts_with(&elf::ELFMAG) {
                needs.add(&data).map_err(|e| {
                    BundleError::io(
                        program,
                        std::io::Error::other(format!("not read as ELF: {e}")),
                    )
                })?;
            }
        }
        Ok(needs)
    }

    fn add(&mut self, data: &[u8]) -> object::read::Result<()> {
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        for segment in header.program_headers(endian, data)? {
            if let Some(loader) = segment.interpreter(endian, data)? {
                self.loader = Some(String::from_utf8_lossy(loader).into_owned());
            }
        }
        let sections = header.sections(endian, data)?;
        let Some((needs, strings)) = sections.gnu_verneed(endian, data)? else {
            return Ok(());
        };
        let strings = sections.strings(endian, data, strings)?;
        for need in needs {
            let (need, versions) = need?;
            let library = need.file(endian, strings)?;
            self.libraries
                .insert(String::from_utf8_lossy(library).into_owned());
            for version in versions {
                let name = version?.name(endian, strings)?;
                self.glibc = self.glibc.max(glibc(&String::from_utf8_lossy(name)));
            }
        }
        Ok(())
    }

    /// Refuses a host on which the programs cannot run.
    pub fn check(&self) -> Result<(), BundleError> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        if (self.os.as_str(), self.arch.as_str()) != (os, arch) {
            return Err(BundleError::OtherMachine {
                needed: format!("{} on {}", self.os, self.arch),
                here: format!("{os} on {arch}"),
            });
        }
        let missing: Vec<&str> = self
            .processor
            .iter()
            .map(String::as_str)
            .filter(|name| !processor_has(name))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(BundleError::OtherProcessor {
                missing: missing.join(", "),
            })
        }
    }

    /// The glibc in figures, or nothing.
    pub fn glibc_text(&self) -> String {
        self.glibc
            .map_or_else(String::new, |[major, minor]| format!("{major}.{minor}"))
    }
}

/// The version of glibc that a version of its symbols came with.
fn glibc(symbol_version: &str) -> Option<[u32; 2]> {
    let version = symbol_version.strip_prefix("GLIBC_")?;
    // A loader that knows packed relocations, which came with 2.36, is asked for under a name of its own.
    if version == "ABI_DT_RELR" {
        return Some([2, 36]);
    }
    let mut parts = version.split('.').map(str::parse);
    Some([parts.next()?.ok()?, parts.next()?.ok()?])
}

fn processor_has(name: &str) -> bool {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| ["flags", "Features"].contains(&key.trim()))
        .is_some_and(|(_, flags)| flags.split_whitespace().any(|flag| flag == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_symbols() {
        assert_eq!(glibc("GLIBC_2.34"), Some([2, 34]));
        assert_eq!(glibc("GLIBC_2.2.5"), Some([2, 2]));
        assert_eq!(glibc("GLIBC_ABI_DT_RELR"), Some([2, 36]));
        assert_eq!(glibc("GCC_3.0"), None);
        assert_eq!(glibc("GLIBC_PRIVATE"), None);
        assert!(Some([2, 34]) > Some([2, 4]) && Some([2, 4]) > None);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_program_says_what_it_needs() {
        let this = crate::files::this_program().expect("this test");
        let needs = Needs::of(&[&this]).expect("an ELF file");
        assert!(needs.glibc > Some([2, 2]), "{needs:?}");
        assert!(needs.libraries.contains("libc.so.6"), "{needs:?}");
        let loader = needs.loader.as_ref().expect("a loader");
        assert!(Path::new(loader).exists(), "{loader}");
        needs.check().expect("it runs here");
    }

    #[test]
    fn a_script_needs_nothing_and_a_torn_program_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("program");
        fs::write(&path, "#!/bin/sh\n").expect("written");
        assert_eq!(Needs::of(&[&path]).expect("a script").glibc, None);
        fs::write(&path, b"\x7fELF\x02\x01").expect("written");
        let error = Needs::of(&[&path]).expect_err("half a header").to_string();
        assert!(
            error.contains("program") && error.contains("ELF"),
            "{error}"
        );
    }

    #[test]
    fn another_machine_is_refused_in_words() {
        let mut needs = Needs::of(&[]).expect("nothing");
        needs.processor = vec!["warp-drive".to_owned()];
        let error = needs.check().expect_err("no such instruction").to_string();
        assert!(error.contains("warp-drive"), "{error}");
        needs.arch = "pdp11".to_owned();
        let error = needs.check().expect_err("no such machine").to_string();
        assert!(error.contains("pdp11"), "{error}");
    }
}
