//! Patches: `git format-patch` files with full blob ids, parsed and applied byte for byte.

pub mod apply;
mod file_header;
mod header;
pub mod known;
mod merge;
pub mod object;
pub mod parse;
mod path;
mod refusal;
mod splice;

use object::ObjectId;

/// One patch file: one change to one upstream crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// How messages name it: `<crate>/<slug>.patch`.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// First line of its message.
    pub subject: String,
    /// The paragraphs between subject and trailers, each as its lines.
    pub paragraphs: Vec<Vec<String>>,
    /// The trailers of its message, in order.
    pub trailers: Vec<(String, String)>,
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
    /// The values of a trailer, several of them split at commas.
    pub fn trailer_list(&self, key: &str) -> Vec<String> {
        self.trailers
            .iter()
            .filter(|(k, _)| k.eq_ignore_ascii_case(key))
            .flat_map(|(_, value)| value.split(','))
            .map(|item| item.trim().to_owned())
            .filter(|item| !item.is_empty())
            .collect()
    }

    /// Lines added and removed.
    pub fn line_counts(&self) -> (usize, usize) {
        let lines = || {
            self.files
                .iter()
                .flat_map(|f| &f.hunks)
                .flat_map(|h| &h.lines)
        };
        let count = |kind| lines().filter(|l| l.kind == kind).count();
        (count(LineKind::Added), count(LineKind::Removed))
    }
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
