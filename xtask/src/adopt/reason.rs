//! Why a crate of the stack is not what a foreign graph uses.

use std::path::PathBuf;

use thiserror::Error;

/// One reason.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Reason {
    /// A requirement that the stack's version is not within.
    #[error(
        "{asked_by} asks for `{requirement}` and has {found}: the stack's version is not among those"
    )]
    Range {
        /// Who asks.
        asked_by: String,
        /// For what.
        requirement: String,
        /// The version in the graph.
        found: String,
    },
    /// Another version, which the lock file happens to have.
    #[error("the lock file has {found}, though the stack's version is admitted too: `{command}`")]
    Locked {
        /// The version in the lock file.
        found: String,
        /// What changes that.
        command: String,
    },
    /// A feature that the stack's copy lacks.
    #[error(
        "{asked_by} asks for feature `{feature}`, which the stack's copy does not have; it has {has}"
    )]
    Feature {
        /// The feature.
        feature: String,
        /// Who asks.
        asked_by: String,
        /// The features that there are.
        has: String,
    },
    /// More than one package of that name.
    #[error("it is there {} times, and types of one are not those of another: {}", found.len(), found.join("; "))]
    Copies {
        /// Each, with who asks for it.
        found: Vec<String>,
    },
    /// Another package claims the same native library.
    #[error(
        "native library `{links}` is claimed by the stack's {ours} and by {other}; a graph can have one of them"
    )]
    Links {
        /// The `links` key.
        links: String,
        /// The stack's crate.
        ours: String,
        /// The other package, and who asks for it.
        other: String,
    },
    /// A `[patch]` entry that leads elsewhere.
    #[error("{} has `{line}` already, which leads elsewhere: take it out first, or, where that is a way to the stack by git or by a registry, ask `cargo tree` (docs/consuming.md)", file.display())]
    LineElsewhere {
        /// The file.
        file: PathBuf,
        /// What it says.
        line: String,
    },
    /// A `[replace]` entry.
    #[error("{} replaces it ([replace]: `{line}`): take that out first; [patch] is what cargo has in its place", file.display())]
    Replaced {
        /// The file.
        file: PathBuf,
        /// What it says.
        line: String,
    },
    /// Neither from crates.io nor from the stack.
    #[error("a [patch] table for crates.io does not reach it: {found}")]
    Source {
        /// The package, where it is from, and who asks for it.
        found: String,
    },
    /// A `[patch]` entry in the manifest of a member.
    #[error("the [patch] entry in {} does not count, only those in {} do: move it there", file.display(), root.display())]
    LineOfMember {
        /// The member's manifest.
        file: PathBuf,
        /// The root's.
        root: PathBuf,
    },
    /// A `[patch]` entry that nothing uses.
    #[error("its line in [patch] does nothing")]
    IdleLine,
    /// A `[patch]` entry that is right, and that cargo does not use.
    #[error("its line is there and cargo does not use it: {}", found.join("; "))]
    Unexplained {
        /// What the graph has, and who asks for it.
        found: Vec<String>,
    },
}

impl Reason {
    /// False for what a line or a step mends.
    pub fn blocks(&self) -> bool {
        !matches!(
            self,
            Self::Locked { .. } | Self::LineOfMember { .. } | Self::IdleLine
        )
    }

    /// For JSON.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Range { .. } => "version-out-of-range",
            Self::Locked { .. } => "locked-at-another-version",
            Self::Feature { .. } => "feature-missing",
            Self::Copies { .. } => "several-copies",
            Self::Links { .. } => "same-native-library",
            Self::LineElsewhere { .. } => "patched-elsewhere",
            Self::Replaced { .. } => "replaced",
            Self::Source { .. } => "another-source",
            Self::LineOfMember { .. } => "patch-in-member",
            Self::IdleLine => "idle-line",
            Self::Unexplained { .. } => "not-used-by-cargo",
        }
    }
}
