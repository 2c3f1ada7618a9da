//! The dry export: where a patch applies, and whether its file is what an export would write.

use super::content::export;
use super::rules::Broken;
use super::subject::{Place, Subject};
use crate::patch::{diff, print};

/// How much of a line a message shows.
const SHOWN: usize = 60;

/// Every patch applies byte for byte: in its place of the default series, or somewhere along it when it is off.
pub(super) fn place(subject: &Subject) -> Vec<Broken> {
    let Place::Misfit(why) = &subject.place else {
        return Vec::new();
    };
    let what = match subject.default {
        true => format!("does not apply where extern/stack.toml has it: {why}"),
        false => format!(
            "is off, and fits exactly nowhere along the series; on top of it or of what it needs: {why}"
        ),
    };
    vec![Broken {
        what,
        todo: export(subject),
    }]
}

/// The file is byte for byte what an export writes.
pub(super) fn as_exported(subject: &Subject) -> Vec<Broken> {
    let Place::Found { before, after } = &subject.place else {
        return Vec::new();
    };
    let printed = match diff::between(before, after) {
        Ok(files) => {
            print::print(&subject.patch.message, &files).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    let what = match printed {
        Ok(printed) if printed == subject.bytes => return Vec::new(),
        Ok(printed) => format!(
            "not as export writes it: {}",
            first_difference(&subject.bytes, &printed)
        ),
        Err(error) => format!("cannot be exported: {error}"),
    };
    vec![Broken {
        what,
        todo: export(subject),
    }]
}

/// The first line by which two files differ.
fn first_difference(file: &[u8], printed: &[u8]) -> String {
    let (file, printed): (Vec<&[u8]>, Vec<&[u8]>) = (
        file.split(|b| *b == b'\n').collect(),
        printed.split(|b| *b == b'\n').collect(),
    );
    let same = file
        .iter()
        .zip(&printed)
        .take_while(|(own, other)| own == other)
        .count();
    let (own, other) = (file.get(same).copied(), printed.get(same).copied());
    // So that what differs is seen, in long lines too.
    let alike = own
        .iter()
        .zip(&other)
        .flat_map(|(own, other)| own.iter().zip(*other))
        .take_while(|(own, other)| own == other)
        .count();
    let skipped = if alike > SHOWN / 2 {
        alike - SHOWN / 4
    } else {
        0
    };
    format!(
        "line {} is {}, and export writes {}",
        same + 1,
        shown(own, skipped),
        shown(other, skipped)
    )
}

/// A line from its byte `skipped` on.
fn shown(line: Option<&[u8]>, skipped: usize) -> String {
    let Some(line) = line else {
        return "missing".to_owned();
    };
    let rest = String::from_utf8_lossy(line.get(skipped..).unwrap_or_default());
    let mut text: String = rest.escape_debug().collect();
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push('…');
    }
    let begin = if skipped > 0 { "…" } else { "" };
    format!("`{begin}{text}`")
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
