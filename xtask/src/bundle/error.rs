//! Why a folder is not a bundle, or cannot be run or brought home.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::manifest::BUNDLE_SCHEMA;

/// What is wrong with a bundle.
#[derive(Debug, Error)]
pub enum BundleError {
    /// The system said no.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A new bundle would mix with what is there.
    #[error("{path}: not an empty folder; a bundle needs one of its own", path = .path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// There is no bundle.
    #[error(
        "{path}: no bundle, `{missing}` is missing; `cargo xtask bench … --bundle DIR` makes one",
        path = .path.display()
    )]
    NoBundle {
        /// The folder.
        path: PathBuf,
        /// What would make it one.
        missing: &'static str,
    },
    /// A file was left behind.
    #[error("{path}: missing; the bundle was not copied whole, copy it again", path = .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is another one than was packed.
    #[error(
        "{path}: damaged, its SHA-256 is {actual} and not {expected}; copy the bundle again",
        path = .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was packed.
        expected: String,
        /// What is there.
        actual: String,
    },
    /// The list of digests is none.
    #[error("{path}: line {line} is not `SHA-256  FILE` of a file inside the bundle", path = .path.display())]
    Checksums {
        /// The list.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
    },
    /// A file would be run that nobody vouches for.
    #[error("{path}: SHA256SUMS has no line for it, or another digest than the plan", path = .path.display())]
    Unlisted {
        /// The file.
        path: PathBuf,
    },
    /// The plan has another schema.
    #[error(
        "{path}: a bundle of schema {found}, and this code reads schema {BUNDLE_SCHEMA}: make it again with the code \
         that is to read it",
        path = .path.display()
    )]
    Schema {
        /// The plan.
        path: PathBuf,
        /// What stands in it.
        found: String,
    },
    /// The plan is none.
    #[error("{path}: not the plan of a bundle: {source}", path = .path.display())]
    Shape {
        /// The plan.
        path: PathBuf,
        /// What is missing or odd.
        source: serde_json::Error,
    },
    /// It would be tedious to carry.
    #[error(
        "the bundle has {megabytes:.1} MB, more than {limit} MB without CUDA; its largest files: {largest}. Name fewer \
         arms or workloads"
    )]
    TooLarge {
        /// Its size.
        megabytes: f64,
        /// The most that it may have.
        limit: u64,
        /// Its largest files, with their sizes.
        largest: String,
    },
    /// It was made for another kind of machine.
    #[error("the bundle is for {needed}, and this host is {here}: make one on a host like this")]
    OtherMachine {
        /// What it needs.
        needed: String,
        /// What the host is.
        here: String,
    },
    /// The processor lacks an instruction.
    #[error(
        "the arms were built on a processor with {missing}, which this one lacks: make the bundle on a host without it"
    )]
    OtherProcessor {
        /// What it lacks.
        missing: String,
    },
    /// The time that was given does not suffice.
    #[error(
        "--limit {limit}: {left} of it are left, and the fewest rounds that can decide take about {needed}: give at \
         least {enough}, or make a bundle with fewer workloads or a smaller --size"
    )]
    TooShort {
        /// What was given.
        limit: String,
        /// What is left of it, less a reserve.
        left: String,
        /// What the fewest rounds take.
        needed: String,
        /// A limit that would do.
        enough: String,
    },
    /// There is nowhere to leave a result.
    #[error("neither {path} nor the current folder can be written to: name a file with --json", path = .path.display())]
    NoPlace {
        /// The bundle's own place.
        path: PathBuf,
    },
    /// It was not run.
    #[error("{path}: no result in it; run the bundle first (`{run}`)", path = .path.display(), run = .run.display())]
    NotRun {
        /// The folder of results.
        path: PathBuf,
        /// The script.
        run: PathBuf,
    },
    /// A result is not of this bundle.
    #[error("{path}: not a result of this bundle: {what}", path = .path.display())]
    OtherPlan {
        /// The result.
        path: PathBuf,
        /// How it differs.
        what: String,
    },
}

impl BundleError {
    /// What the system said about a file.
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}
