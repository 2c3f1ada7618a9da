//! The one form in which a patch is written: that of `git format-patch --zero-commit --full-index --no-signature -U3 -M
//! --subject-prefix= --no-encode-email-headers`, made without git, and with the last line alone of its diffstat. By that
//! line [`parse`](super::parse) notices a file that was cut; the rest would change with every patch and say nothing more.

use std::fmt::Write as _;

use thiserror::Error;

use super::message::Message;
use super::object::ObjectId;
use super::{FileChange, Hunk, LineKind, Mode, Side, line_counts};

/// What stands in place of a commit's id, so that a patch does not change with it; the date is git's own mark.
const FIRST_LINE: &str = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n";

/// Why a patch cannot be written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PrintError {
    /// No file changes.
    #[error("nothing is changed")]
    Empty,
    /// A message that would not be read back as it is.
    #[error("the message {0}")]
    Message(String),
}

/// The file of a patch.
pub fn print(message: &Message, files: &[FileChange]) -> Result<Vec<u8>, PrintError> {
    if files.is_empty() {
        return Err(PrintError::Empty);
    }
    let mut out = head(message)?.into_bytes();
    out.extend(format!("---\n{}\n\n", summary(files)).into_bytes());
    for file in files {
        print_file(&mut out, file);
    }
    Ok(out)
}

/// How much is changed, as git sums it up.
pub fn summary(files: &[FileChange]) -> String {
    let (added, removed) = line_counts(files);
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut text = format!(" {} file{} changed", files.len(), plural(files.len()));
    // Writing to a string cannot fail.
    if added > 0 || removed == 0 {
        let _ = write!(text, ", {added} insertion{}(+)", plural(added));
    }
    if removed > 0 || added == 0 {
        let _ = write!(text, ", {removed} deletion{}(-)", plural(removed));
    }
    text
}

fn head(message: &Message) -> Result<String, PrintError> {
    let Message {
        author,
        date,
        subject,
        body,
    } = message;
    let refuse = |text: &str| Err(PrintError::Message(text.to_owned()));
    for (name, line) in [("author", author), ("date", date), ("subject", subject)] {
        if line.is_empty() || line.trim() != line || line.contains('\n') {
            return refuse(&format!("has no {name} of one line"));
        }
    }
    if subject.starts_with('[') {
        return refuse("has a subject that begins with `[`, which git takes off");
    }
    for line in body.lines() {
        // Where git, and the parser here, would take the message to end.
        if ["---", "diff -", "Index: "]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            return refuse(&format!("has a line that would end it: `{line}`"));
        }
        if line.trim_end() != line {
            return refuse(&format!("has white space behind `{}`", line.trim_end()));
        }
    }
    if body.trim_matches('\n') != body || body.contains('\r') {
        return refuse("has an empty line at its beginning or end, or a carriage return");
    }
    let mut text = format!("{FIRST_LINE}From: {author}\nDate: {date}\nSubject: {subject}\n\n");
    if !body.is_empty() {
        text.push_str(body);
        text.push('\n');
    }
    Ok(text)
}

fn print_file(out: &mut Vec<u8>, file: &FileChange) {
    let mode = |side: &Option<Side>| side.as_ref().and_then(|side| side.mode);
    let (old, new) = (path(file.old.as_ref()), path(file.new.as_ref()));
    let (a, b) = (old.or(new).unwrap_or(""), new.or(old).unwrap_or(""));
    let mut text = format!("diff --git {} {}\n", quoted("a/", a), quoted("b/", b));
    let (before, after) = (mode(&file.old), mode(&file.new));
    let word = |mode: Option<Mode>| mode.unwrap_or(Mode::Plain).as_str();
    // Writing to a string cannot fail.
    let _ = match (old, new) {
        (None, _) => writeln!(text, "new file mode {}", word(after)),
        (_, None) => writeln!(text, "deleted file mode {}", word(before)),
        _ if before != after => {
            writeln!(text, "old mode {}\nnew mode {}", word(before), word(after))
        }
        _ => Ok(()),
    };
    if a != b {
        let similarity = file.similarity.unwrap_or(100);
        let (from, to) = (quoted("", a), quoted("", b));
        let _ = writeln!(
            text,
            "similarity index {similarity}%\nrename from {from}\nrename to {to}"
        );
    }
    if let Some((from, to)) = file.blobs {
        let _ = write!(text, "index {from}..{to}");
        if let (Some(mode), true) = (after, before == after) {
            let _ = write!(text, " {}", mode.as_str());
        }
        text.push('\n');
        if !file.hunks.is_empty() {
            let side = |id: ObjectId, prefix: &str, path: &str| match id {
                ObjectId::ZERO => "/dev/null".to_owned(),
                _ => with_tab(quoted(prefix, path)),
            };
            let (minus, plus) = (side(from, "a/", a), side(to, "b/", b));
            let _ = writeln!(text, "--- {minus}\n+++ {plus}");
        }
    }
    out.extend(text.into_bytes());
    print_hunks(out, &file.hunks);
}

/// Hunks as they stand in a patch.
pub fn print_hunks(out: &mut Vec<u8>, hunks: &[Hunk]) {
    for hunk in hunks {
        out.extend(hunk.header.bytes());
        out.push(b'\n');
        for line in &hunk.lines {
            out.push(match line.kind {
                LineKind::Context => b' ',
                LineKind::Removed => b'-',
                LineKind::Added => b'+',
            });
            out.extend(&line.bytes);
            if !line.bytes.ends_with(b"\n") {
                out.extend(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

fn path(side: Option<&Side>) -> Option<&str> {
    side.map(|side| side.path.as_str())
}

/// A path as git writes it: in quotes where it holds a quote, a control character, or a byte above 127.
fn quoted(prefix: &str, path: &str) -> String {
    let plain = |b: u8| (b' '..=b'~').contains(&b) && !matches!(b, b'"' | b'\\');
    if path.bytes().all(plain) {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for byte in path.bytes() {
        let _ = match byte {
            b'\t' => write!(text, "\\t"),
            b'"' | b'\\' => write!(text, "\\{}", char::from(byte)),
            _ if plain(byte) => write!(text, "{}", char::from(byte)),
            7 => write!(text, "\\a"),
            8 => write!(text, "\\b"),
            11 => write!(text, "\\v"),
            12 => write!(text, "\\f"),
            _ => write!(text, "\\{byte:03o}"),
        };
    }
    text.push('"');
    text
}

/// Git ends a path with spaces by a tab, where a date stood once.
fn with_tab(path: String) -> String {
    if path.contains(' ') {
        return path + "\t";
    }
    path
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
