//! Parser of a `git format-patch` file, on bytes: line endings of the target are content.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::file_header::FileHeader;
use super::message::{self, Message};
use super::path::PathFault;
use super::{FileChange, Hunk, Line, LineKind, Patch, print};

/// Why a patch file is refused, and where.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("extern/patches/{patch}, line {line}: {fault}")]
pub struct ParseError {
    /// The patch, `<crate>/<slug>.patch`.
    pub patch: String,
    /// Line of the patch file, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: ParseFault,
}

/// What may be wrong in a patch file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseFault {
    /// No file is changed.
    #[error("no `diff --git` line: this is not a patch in git's form")]
    Empty,
    /// The patch file itself went through a conversion of line endings.
    #[error(
        "a header line ends in CR: the line endings of the patch file were converted; export it anew"
    )]
    ConvertedLineEndings,
    /// A path that is malformed, or leaves the tree.
    #[error(transparent)]
    Path(#[from] PathFault),
    /// A header that is not understood here.
    #[error("unexpected line in the header of `{file}`: {text}")]
    Header {
        /// The file.
        file: String,
        /// The line.
        text: String,
    },
    /// Header lines that contradict each other.
    #[error("header lines of `{file}` contradict each other: {text}")]
    Contradiction {
        /// The file.
        file: String,
        /// What contradicts.
        text: String,
    },
    /// Short blob ids, or none.
    #[error("`{file}` has no full blob ids: export with `git format-patch --full-index`")]
    ShortIds {
        /// The file.
        file: String,
    },
    /// A binary change.
    #[error(
        "`{file}` is changed as binary, which a reader cannot review: only text patches are accepted"
    )]
    Binary {
        /// The file.
        file: String,
    },
    /// A copy.
    #[error("`{file}` is a copy: export without `-C`")]
    Copy {
        /// The file.
        file: String,
    },
    /// A symbolic link or a submodule.
    #[error("`{file}` has mode {mode}: only regular files (100644, 100755) are accepted")]
    Mode {
        /// The file.
        file: String,
        /// Its mode.
        mode: String,
    },
    /// Two changes of one path.
    #[error("`{file}` is changed twice in one patch")]
    Twice {
        /// The file.
        file: String,
    },
    /// A hunk that does not hold what its header says.
    #[error("`{file}`, hunk {hunk} ({header}): {text}")]
    Hunk {
        /// The file.
        file: String,
        /// Number of the hunk in the file, from 1.
        hunk: usize,
        /// Its `@@` line.
        header: String,
        /// What is wrong.
        text: String,
    },
    /// Other changes than the patch says it has: it was cut, or edited by hand.
    #[error(
        "the patch says `{said}` and has `{found}`: it was cut, or edited by hand; export it anew"
    )]
    Summary {
        /// What its head says.
        said: String,
        /// What is in it.
        found: String,
    },
    /// Text behind the last hunk.
    #[error("text behind the last hunk that is neither a change nor a signature: {0}")]
    Trailing(String),
}

/// Parses a patch file. `name` is `<crate>/<slug>.patch`.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Patch, ParseError> {
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    // A file that ends in a newline has no line behind it.
    if lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    let mut reader = Reader { lines, at: 0 };
    let (message, files) = reader.patch().map_err(|fault| ParseError {
        patch: name.to_owned(),
        line: reader.at + 1,
        fault,
    })?;
    Ok(Patch {
        name: name.to_owned(),
        sha256: hex::encode(Sha256::digest(bytes)),
        message,
        files,
    })
}

struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.lines.get(self.at).copied()
    }

    fn patch(&mut self) -> Result<(Message, Vec<FileChange>), ParseFault> {
        let start = self
            .lines
            .iter()
            .position(|l| l.starts_with(b"diff --git "));
        let start = start.ok_or(ParseFault::Empty)?;
        let message = message::read(&self.lines[..start]);
        let said = summary(&self.lines[..start]);
        self.at = start;
        let mut files: Vec<FileChange> = Vec::new();
        while let Some(line) = self.peek() {
            if line.starts_with(b"diff --git ") {
                let at = self.at;
                let file = self.file()?;
                let touched = |f: &FileChange| {
                    [f.old.clone(), f.new.clone()]
                        .into_iter()
                        .flatten()
                        .map(|s| s.path)
                        .collect::<Vec<_>>()
                };
                let own = touched(&file);
                if files
                    .iter()
                    .flat_map(touched)
                    .any(|path| own.contains(&path))
                {
                    self.at = at;
                    return Err(ParseFault::Twice {
                        file: file.path().to_owned(),
                    });
                }
                files.push(file);
            } else if line == b"-- " {
                // The signature of format-patch: a version, then nothing.
                self.at += 2;
                self.blank_to_end()?;
            } else {
                self.blank_to_end()?;
            }
        }
        let found = print::summary(&files).trim().to_owned();
        match said {
            Some(said) if said != found => Err(ParseFault::Summary { said, found }),
            _ => Ok((message, files)),
        }
    }

    fn blank_to_end(&mut self) -> Result<(), ParseFault> {
        while let Some(line) = self.peek() {
            if !line.is_empty() {
                return Err(ParseFault::Trailing(lossy(line)));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn file(&mut self) -> Result<FileChange, ParseFault> {
        let first = self.peek().unwrap_or_default();
        if first.ends_with(b"\r") {
            return Err(ParseFault::ConvertedLineEndings);
        }
        let mut head = FileHeader::new(&first[b"diff --git ".len()..]);
        self.at += 1;
        while let Some(line) = self.peek() {
            if line.starts_with(b"@@ ")
                || line.starts_with(b"diff --git ")
                || line == b"-- "
                || line.is_empty()
            {
                break;
            }
            if line.ends_with(b"\r") {
                return Err(ParseFault::ConvertedLineEndings);
            }
            head.line(line)?;
            self.at += 1;
        }
        let mut file = head.finish()?;
        while self.peek().is_some_and(|l| l.starts_with(b"@@ ")) {
            let hunk = self.hunk(&file)?;
            file.hunks.push(hunk);
        }
        if file.blobs.is_none() && !file.hunks.is_empty() {
            return Err(ParseFault::ShortIds {
                file: file.path().to_owned(),
            });
        }
        Ok(file)
    }

    fn hunk(&mut self, file: &FileChange) -> Result<Hunk, ParseFault> {
        let header = lossy(self.peek().unwrap_or_default());
        let fault = |text: &str| ParseFault::Hunk {
            file: file.path().to_owned(),
            hunk: file.hunks.len() + 1,
            header: header.clone(),
            text: text.to_owned(),
        };
        let ranges = ranges(&header).ok_or_else(|| fault("malformed line numbers"))?;
        let (old_start, mut old_left, mut new_left) = ranges;
        self.at += 1;
        let mut lines: Vec<Line> = Vec::new();
        // Lines that lack their line ending: no further line may follow them on their side.
        let mut ended = (false, false);
        while old_left > 0 || new_left > 0 {
            let line = self
                .peek()
                .ok_or_else(|| fault("the file ends inside the hunk"))?;
            let kind = match line.first() {
                Some(b' ') => LineKind::Context,
                Some(b'-') => LineKind::Removed,
                Some(b'+') => LineKind::Added,
                Some(b'\\') => {
                    self.no_newline(&mut lines, &mut ended)
                        .ok_or_else(|| fault("`\\` without a line before it"))?;
                    continue;
                }
                None => {
                    return Err(fault(
                        "an empty line: a context line has lost its leading space",
                    ));
                }
                Some(_) => return Err(fault("a line that starts with none of ` -+\\`")),
            };
            let (old, new) = (kind != LineKind::Added, kind != LineKind::Removed);
            if (old && (old_left == 0 || ended.0)) || (new && (new_left == 0 || ended.1)) {
                return Err(fault("more lines on one side than its header says"));
            }
            old_left -= usize::from(old);
            new_left -= usize::from(new);
            let mut bytes = line[1..].to_vec();
            bytes.push(b'\n');
            lines.push(Line { kind, bytes });
            self.at += 1;
        }
        if self.peek().is_some_and(|l| l.starts_with(b"\\")) {
            self.no_newline(&mut lines, &mut ended)
                .ok_or_else(|| fault("`\\` without a line before it"))?;
        }
        if lines.iter().all(|l| l.kind == LineKind::Context) {
            return Err(fault("nothing is added or removed"));
        }
        let hunk = Hunk {
            header: header.clone(),
            old_start,
            lines,
        };
        let end = |h: &Hunk| h.old_index().map(|at| at + h.old_lines().len());
        let after = file.hunks.last().map_or(Some(0), end);
        if hunk.old_index().is_none() || hunk.old_index() < after {
            return Err(fault("starts before the hunk above it ends"));
        }
        Ok(hunk)
    }

    /// `\ No newline at end of file`: the line before it has no line ending.
    fn no_newline(&mut self, lines: &mut [Line], ended: &mut (bool, bool)) -> Option<()> {
        let last = lines.last_mut()?;
        if last.bytes.pop() != Some(b'\n') {
            return None;
        }
        ended.0 |= last.kind != LineKind::Added;
        ended.1 |= last.kind != LineKind::Removed;
        self.at += 1;
        Some(())
    }
}

/// The line of a patch's head that counts its changes, if it has one.
fn summary(head: &[&[u8]]) -> Option<String> {
    let mark = head.iter().rposition(|line| *line == b"---")?;
    let lines = head[mark..].iter().rev();
    lines
        .map(|line| lossy(line).trim().to_owned())
        .find(|line| {
            let mut words = line.split(' ');
            words.next().is_some_and(|word| word.parse::<u32>().is_ok())
                && matches!(words.next(), Some("file" | "files"))
        })
}

/// `@@ -a[,b] +c[,d] @@`: first old line, number of old lines, number of new lines.
fn ranges(header: &str) -> Option<(usize, usize, usize)> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old), (_, new)) = (range(old)?, range(new)?);
    // Keeps every sum of a start and a count far from overflow.
    (old_start < 1 << 31 && old < 1 << 31 && new < 1 << 31).then_some((old_start, old, new))
}

pub(super) fn lossy(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}
