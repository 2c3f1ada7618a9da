//! Addresses and the functions that are there, those that were inlined too.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use addr2line::Loader;
use anyhow::{Context, Result, anyhow, bail};
use object::{Object, ObjectSegment};

/// What a number on stdin is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// An offset in the file.
    File,
    /// An address as the symbol table has it.
    Memory,
}

impl FromStr for Space {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "file" => Ok(Self::File),
            "memory" => Ok(Self::Memory),
            _ => bail!("`{text}` is neither `file` nor `memory`"),
        }
    }
}

/// A loaded piece of the file: offset, length, address.
type Segment = (u64, u64, u64);

/// One line for each address in `input`: its functions, innermost first.
pub fn resolve(binary: &Path, space: Space, input: &str) -> Result<String> {
    let segments = segments(binary)?;
    let loader = Loader::new(binary)
        .map_err(|e| anyhow!("{e}"))
        .with_context(|| format!("{} cannot be read for its functions", binary.display()))?;
    let mut output = String::new();
    for line in input.lines() {
        let number = u64::from_str_radix(line.trim(), 16)
            .with_context(|| format!("`{line}` is not a hexadecimal number"))?;
        let address = match space {
            Space::Memory => Some(number),
            Space::File => address(&segments, number),
        };
        let names = match address {
            Some(address) => functions(&loader, address)
                .with_context(|| format!("{}: {address:#x}", binary.display()))?,
            None => Vec::new(),
        };
        output += &names.join("\t");
        output.push('\n');
    }
    Ok(output)
}

fn segments(binary: &Path) -> Result<Vec<Segment>> {
    let bytes = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{} is not a program", binary.display()))?;
    Ok(file
        .segments()
        .map(|segment| {
            let (offset, length) = segment.file_range();
            (offset, length, segment.address())
        })
        .collect())
}

/// Where an offset of the file is loaded.
fn address(segments: &[Segment], offset: u64) -> Option<u64> {
    segments
        .iter()
        .find(|(start, length, _)| (*start..start + length).contains(&offset))
        .map(|(start, _, address)| offset - start + address)
}

fn functions(loader: &Loader, address: u64) -> Result<Vec<String>> {
    let mut frames = loader
        .find_frames(address)
        .map_err(|e| anyhow!("bad debug information: {e}"))?;
    let mut names = Vec::new();
    while let Some(frame) = frames
        .next()
        .map_err(|e| anyhow!("bad debug information: {e}"))?
    {
        let Some(function) = frame.function else {
            continue;
        };
        let raw = function.raw_name()?.into_owned();
        // `#`: without the hash.
        names.push(format!("{:#}", rustc_demangle::demangle(&raw)));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_becomes_the_address_of_its_segment() {
        let segments = [(0, 0x100, 0), (0x100, 0x80, 0x1100)];
        assert_eq!(address(&segments, 0x40), Some(0x40));
        assert_eq!(address(&segments, 0x110), Some(0x1110));
        assert_eq!(address(&segments, 0x180), None);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let text = |input: &str, binary: &str| {
            let error = resolve(Path::new(binary), Space::Memory, input).expect_err("bad");
            format!("{error:#}")
        };
        let own = std::env::current_exe().expect("a test is a program");
        let own = own.to_str().expect("a path of text");
        assert!(text("1", "/nonexistent/workload").contains("/nonexistent/workload"));
        assert!(
            text("1", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).contains("not a program")
        );
        assert!(text("main", own).contains("`main` is not"));
        assert!("somewhere".parse::<Space>().is_err());
    }
}
