//! Addresses replaced by all functions that are there, and the program that knows them.
//!
//! Reading debug information takes libraries that would double the time in which this program is compiled, and drawing
//! flame graphs some more. Both are in a package of their own, `xtask/frames`, which is built when it is first needed.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::error::ProfileError;
use super::{RawStack, Space, Stack};
use crate::cargo;
use crate::layout::Layout;
use crate::progress::Progress;

/// Addresses that are asked for at once: what is asked and what is answered both fit into memory many times.
const AT_ONCE: usize = 100_000;

/// The program `frames`.
#[derive(Clone, Debug)]
pub struct Frames {
    program: PathBuf,
}

impl Frames {
    /// Builds it, or finds it built.
    pub fn build(layout: &Layout, progress: Progress) -> Result<Self> {
        let mut command = cargo::cargo(layout);
        command.args([
            "build",
            "--locked",
            "--message-format",
            "json-render-diagnostics",
        ]);
        command.args(["--manifest-path", "xtask/frames/Cargo.toml"]);
        command.arg("--target-dir").arg(layout.target.join("xtask"));
        let output = cargo::run(&mut command, progress).context("`frames` cannot be built")?;
        let program = executable(&output).context("cargo built `frames` and named no program")?;
        Ok(Self { program })
    }

    /// Any other program that understands the same words.
    #[cfg(test)]
    pub fn at(program: PathBuf) -> Self {
        Self { program }
    }

    /// The stacks with the functions that were inlined at each address.
    pub fn expand(
        &self,
        binary: &Path,
        space: Space,
        stacks: Vec<RawStack>,
    ) -> Result<Vec<Stack>, ProfileError> {
        let addresses: BTreeSet<u64> = stacks
            .iter()
            .flat_map(|stack| stack.frames.iter().filter_map(|frame| frame.address))
            .collect();
        let addresses: Vec<u64> = addresses.into_iter().collect();
        let mut known: HashMap<u64, Vec<String>> = HashMap::new();
        for some in addresses.chunks(AT_ONCE) {
            known.extend(self.resolve(binary, space, some)?);
        }
        let expanded = stacks.into_iter().map(|stack| Stack {
            weight: stack.weight,
            frames: stack
                .frames
                .into_iter()
                .flat_map(|frame| {
                    let names = frame.address.and_then(|address| known.get(&address));
                    // Assembly has no line table: its symbol is all there is.
                    match names.filter(|names| !names.is_empty()) {
                        Some(names) => names.clone(),
                        None => vec![frame.name],
                    }
                })
                .collect(),
        });
        Ok(expanded.collect())
    }

    fn resolve(
        &self,
        binary: &Path,
        space: Space,
        addresses: &[u64],
    ) -> Result<Vec<(u64, Vec<String>)>, ProfileError> {
        let space = match space {
            Space::File => "file",
            Space::Memory => "memory",
        };
        let mut input = String::new();
        for address in addresses {
            input += &format!("{address:x}\n");
        }
        let mut command = Command::new(&self.program);
        command.arg("resolve").arg(binary).arg(space);
        let output = self.ask("resolve", &mut command, input)?;
        let lines: Vec<&str> = output.lines().collect();
        if lines.len() != addresses.len() {
            return Err(ProfileError::Frames {
                verb: "resolve",
                said: format!("{} lines for {} addresses", lines.len(), addresses.len()),
            });
        }
        let names = |line: &str| {
            let names = line.split('\t').filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        Ok(addresses
            .iter()
            .zip(lines)
            .map(|(address, line)| (*address, names(line)))
            .collect())
    }

    /// Folded stacks as a flame graph.
    pub fn draw(
        &self,
        title: &str,
        subtitle: &str,
        unit: &str,
        folded: String,
    ) -> Result<String, ProfileError> {
        let mut command = Command::new(&self.program);
        command.args(["draw", title, subtitle, unit]);
        self.ask("draw", &mut command, folded)
    }

    fn ask(
        &self,
        verb: &'static str,
        command: &mut Command,
        input: String,
    ) -> Result<String, ProfileError> {
        let failed = |said: String| ProfileError::Frames { verb, said };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        let pipe = child.stdin.take();
        // Beside the reading: both pipes may fill up. If the program ends early, its own words say why.
        let writer = std::thread::spawn(move || {
            if let Some(mut pipe) = pipe {
                let _ = pipe.write_all(input.as_bytes());
            }
        });
        let output = child
            .wait_with_output()
            .map_err(|e| failed(e.to_string()))?;
        let _ = writer.join();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(failed(said));
        }
        String::from_utf8(output.stdout).map_err(|e| failed(e.to_string()))
    }
}

/// The program that cargo says it made.
fn executable(output: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    output
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok())
        .find_map(|message| message.executable)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::RawFrame;
    use super::*;

    fn stub() -> Frames {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        Frames::at(folder.join("src/profile/stub-frames.sh"))
    }

    fn stack(frames: &[(&str, Option<u64>)]) -> RawStack {
        RawStack {
            weight: 2,
            frames: frames
                .iter()
                .map(|(name, address)| RawFrame {
                    name: (*name).to_owned(),
                    address: *address,
                })
                .collect(),
        }
    }

    #[test]
    fn an_address_becomes_its_functions_and_the_rest_keeps_its_name() {
        // The stub knows 0x10, has no line table for 0x20, and knows nothing else.
        let stacks = vec![stack(&[
            ("outer", Some(0x10)),
            ("asm", Some(0x20)),
            ("malloc", None),
        ])];
        let binary = Path::new("/w/workload");
        let expanded = stub().expand(binary, Space::File, stacks).expect("named");
        assert_eq!(
            expanded[0].frames,
            ["inlined::a", "inlined::b<T>", "asm", "malloc"]
        );
        assert_eq!(expanded[0].weight, 2);
    }

    #[test]
    fn what_the_program_says_is_in_the_error() {
        let binary = Path::new("/w/broken");
        let stacks = vec![stack(&[("outer", Some(0x10))])];
        let error = stub().expand(binary, Space::File, stacks.clone());
        let error = error.expect_err("broken").to_string();
        assert!(
            error.contains("`frames resolve` failed: error: no debug"),
            "{error}"
        );
        let short = stub().expand(Path::new("/w/short"), Space::File, stacks.clone());
        let error = short.expect_err("short").to_string();
        assert!(error.contains("0 lines for 1 addresses"), "{error}");
        let missing = Frames::at("/nonexistent/frames".into());
        assert!(missing.expand(binary, Space::File, stacks).is_err());
    }
}
