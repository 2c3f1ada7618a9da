//! What can be wrong with parameters.

use std::io;
use std::path::PathBuf;

use super::point::PointFault;
use super::section::{Place, Section};

/// An error of [`parameters`](super). It always names the file or folder.
#[derive(Debug, thiserror::Error)]
pub enum ParametersError {
    /// The file system refused.
    #[error("{action} {}", path.display())]
    Io {
        /// What was tried: "reading", "writing", …
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A folder, a pipe or a device stands where a file should.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },

    /// The file is shorter than its own counts say.
    #[error(
        "{}: section {section} reaches to byte {end}, but the file has {bytes} bytes: it was cut short, or it is no \
         parameter file",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The section that does not fit.
        section: Section,
        /// Where it would end, or where the first of its bytes that are needed would.
        end: u64,
        /// Length of the file.
        bytes: u64,
    },

    /// The file is longer than its own counts say.
    #[error("{}: the last section ends at byte {end}, but the file has {bytes} bytes", path.display())]
    Trailing {
        /// The file.
        path: PathBuf,
        /// Where the last section ends.
        end: u64,
        /// Length of the file.
        bytes: u64,
    },

    /// A verifying key without a point for the constant input: it would accept proofs of nothing.
    #[error("{}: section ic has no points: a verifying key has at least the one of the constant input", path.display())]
    NoInputs {
        /// The file.
        path: PathBuf,
    },

    /// The counts of two sections cannot belong to one circuit.
    #[error("{}: section {section} has {count} points, but {needs}", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// How many points it has.
        count: u64,
        /// What its number should be, and why.
        needs: String,
    },

    /// A point that must not be there.
    #[error("{}: {place}, at byte {offset}, {fault}", path.display())]
    Point {
        /// The file.
        path: PathBuf,
        /// Which point: the first bad one of the file.
        place: Place,
        /// Where in the file it begins.
        offset: u64,
        /// What is wrong with it.
        fault: PointFault,
    },

    /// beta is not the same number in G1 and in G2, by delta's measure.
    #[error(
        "{}: verifying key: beta_g1 is to delta_g1 what beta_g2 is not to delta_g2: the file is put together from two, \
         or forged",
        path.display()
    )]
    BetaDiffers {
        /// The file.
        path: PathBuf,
    },

    /// A point of b_g1 and its counterpart in b_g2 are different multiples of the bases, by delta's measure.
    #[error("{}: section b_g2, point {index} does not belong to point {index} of section b_g1", path.display())]
    BDiffers {
        /// The file.
        path: PathBuf,
        /// The number of the first such point in both sections.
        index: u64,
    },

    /// Checking many points at once and checking each of them gave different answers.
    #[error(
        "{}: section {section}, points {first} to {last}: checked together they are not in the subgroup, one by one they \
         are: this machine's memory or processor cannot be trusted",
        path.display()
    )]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// The first point in question.
        first: u64,
        /// The last one.
        last: u64,
    },

    /// The file is not the one that the digest is of.
    #[error(
        "{} does not match its digest: {algorithm} is {actual}, expected {expected}{}",
        path.display(),
        first_bad.as_ref().map(|bad| format!("; the first thing wrong in it: {bad}")).unwrap_or_default()
    )]
    Digest {
        /// The file.
        path: PathBuf,
        /// "SHA-256" or "BLAKE2b".
        algorithm: &'static str,
        /// The digest that was asked for, hex.
        expected: String,
        /// The digest of what the file holds, hex.
        actual: String,
        /// What was found wrong on the way: [`ParametersError::Point`].
        first_bad: Option<Box<ParametersError>>,
    },

    /// What should be a digest is none.
    #[error(
        "{}: \"{digest}\" is no digest to compare it with: {algorithm} is written with {digits} hexadecimal digits",
        path.display()
    )]
    MalformedDigest {
        /// The file that it is of.
        path: PathBuf,
        /// "SHA-256" or "BLAKE2b".
        algorithm: &'static str,
        /// What was given.
        digest: String,
        /// How many digits one has.
        digits: usize,
    },

    /// The file changed while it was read.
    #[error("{} changed while it was read: try again when nothing writes to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },

    /// There is not enough memory for a section.
    #[error("{}: no memory for the {count} points of section {section} ({bytes} bytes)", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// How many points it has.
        count: u64,
        /// What they take.
        bytes: u64,
    },

    /// The system gave no random numbers to check with.
    #[error("{}: no random numbers to check it with", path.display())]
    Randomness {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: rand_core::Error,
    },

    /// Neither a digest nor a check says that the file is good.
    #[error(
        "{path} has no known digest and no record of a check; run `cargo xtask params check {path}` once, or take it as it \
         is with `--unverified-params {path}`",
        path = path.display()
    )]
    Unverified {
        /// The file.
        path: PathBuf,
    },

    /// The verifying key that lies beside parameters is another one than theirs.
    #[error("{} is not the verifying key of {}: remove it, or get both from one source", vk.display(), params.display())]
    ForeignVerifyingKey {
        /// The file of the key.
        vk: PathBuf,
        /// The file of the parameters.
        params: PathBuf,
    },

    /// A record about parameters cannot be understood.
    #[error("{}: not a record that can be read; remove it and it is made anew", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },

    /// A record of a form that this version does not know.
    #[error("{}: a record of schema {schema}, this version reads schema {known}; remove it and it is made anew", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema that it says.
        schema: u64,
        /// The one that is known here.
        known: u64,
    },

    /// A set of the store is not what it says it is.
    #[error("the set in {} is damaged: {what}; remove the folder and it is made anew", folder.display())]
    DamagedSet {
        /// The folder of the set.
        folder: PathBuf,
        /// What does not fit.
        what: String,
    },

    /// A name that cannot be a file's.
    #[error(
        "\"{name}\" is no name for parameters under {}: 1 to 200 letters, digits, '-', '_' and '.', the first no '.'",
        root.display()
    )]
    Name {
        /// The folder of the store.
        root: PathBuf,
        /// The name.
        name: String,
    },
}

impl ParametersError {
    /// The point that it is about, where it is about one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Point { place, .. } => Some(*place),
            Self::BDiffers { index, .. } => Some(Place {
                section: Section::BG2,
                index: *index,
            }),
            Self::Digest { first_bad, .. } => first_bad.as_ref().and_then(|bad| bad.place()),
            _ => None,
        }
    }

    /// Wraps what the file system said.
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
