//! Patches: `git format-patch` files with full blob ids, parsed and applied byte for byte.

pub mod apply;
pub mod attempt;
pub mod diff;
mod file_header;
pub mod known;
pub mod merge;
pub mod message;
pub mod object;
pub mod parse;
mod path;
pub mod print;
mod refusal;
mod rename;
mod splice;

use message::Message;
use object::ObjectId;

/// One patch file: one change to one upstream crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// How messages name it: `<crate>/<slug>.patch`.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Who wrote it and when, and what it says.
    pub message: Message,
    /// The files that it changes, in order.
    pub files: Vec<FileChange>,
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file before; absent when it is added.
    pub old: Option<Side>,
    /// The file after; absent when it is deleted.
    pub new: Option<Side>,
    /// How much of a moved file stays as it was, in per cent.
    pub similarity: Option<u8>,
    /// The blob ids before and after; absent when the content stays as it is.
    pub blobs: Option<(ObjectId, ObjectId)>,
    /// The changes of its content.
    pub hunks: Vec<Hunk>,
}

/// A file on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Relative path with `/`.
    pub path: String,
    /// Its mode, where the patch states one.
    pub mode: Option<Mode>,
}

/// The modes that a release or a patch may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// 100644
    Plain,
    /// 100755
    Executable,
}

impl Mode {
    /// As git writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "100644",
            Self::Executable => "100755",
        }
    }

    /// The mode of a regular file, from git's form of it.
    pub fn from_git(text: &str) -> Option<Self> {
        match text {
            "100644" => Some(Self::Plain),
            "100755" => Some(Self::Executable),
            _ => None,
        }
    }
}

/// One hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its `@@` line, for messages.
    pub header: String,
    /// First line of the old side, counted from 1; the line before the hunk where the old side is empty.
    pub old_start: usize,
    /// Its lines, in order.
    pub lines: Vec<Line>,
}

/// One line of a hunk. The bytes hold its line ending, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which side it is on.
    pub kind: LineKind,
    /// The line as it stands in the file.
    pub bytes: Vec<u8>,
}

/// Which side a line is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// On both.
    Context,
    /// On the old one only.
    Removed,
    /// On the new one only.
    Added,
}

impl Patch {
    /// Lines added and removed.
    pub fn line_counts(&self) -> (usize, usize) {
        line_counts(&self.files)
    }
}

/// Lines added and removed by changes of files.
pub fn line_counts(files: &[FileChange]) -> (usize, usize) {
    let lines = || files.iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines);
    let count = |kind| lines().filter(|l| l.kind == kind).count();
    (count(LineKind::Added), count(LineKind::Removed))
}

impl FileChange {
    /// The path that names the file in messages: where it ends up, or where it was.
    pub fn path(&self) -> &str {
        match (&self.new, &self.old) {
            (Some(side), _) | (None, Some(side)) => &side.path,
            (None, None) => "",
        }
    }
}

impl Hunk {
    /// The lines of the old side.
    pub fn old_lines(&self) -> Vec<&[u8]> {
        self.side(LineKind::Removed)
    }

    /// The lines of the new side.
    pub fn new_lines(&self) -> Vec<&[u8]> {
        self.side(LineKind::Added)
    }

    /// Where the old side starts, counted from 0; none when its header names line 0 for a line that exists.
    pub fn old_index(&self) -> Option<usize> {
        if self.old_lines().is_empty() {
            Some(self.old_start)
        } else {
            self.old_start.checked_sub(1)
        }
    }

    fn side(&self, own: LineKind) -> Vec<&[u8]> {
        self.lines
            .iter()
            .filter(|l| l.kind == LineKind::Context || l.kind == own)
            .map(|l| l.bytes.as_slice())
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod git_tests;
#[cfg(test)]
mod refusal_tests;
