//! Hunks on the lines of a file.

use super::{Hunk, LineKind};

/// Which hunk does not fit, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// `, hunk N (@@ … @@)`.
    pub hunk: String,
    /// Why.
    pub text: String,
}

impl Misfit {
    fn new(index: usize, hunk: &Hunk, text: String) -> Self {
        Self {
            hunk: format!(", hunk {} ({})", index + 1, hunk.header),
            text,
        }
    }
}

/// Applies each hunk at the lines that its header names.
pub fn at_own_lines(file: &[u8], hunks: &[Hunk]) -> Result<Vec<u8>, Misfit> {
    let lines = lines(file);
    let mut places = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let old = hunk.old_lines();
        let at = hunk
            .old_index()
            .filter(|at| lines.get(*at..at + old.len()) == Some(&old));
        match at {
            Some(at) => places.push(at),
            None => {
                let text = "its lines are not those of the file".to_owned();
                return Err(Misfit::new(index, hunk, text));
            }
        }
    }
    splice(&lines, hunks, &places)
}

/// Applies each hunk at the one place where its lines match. In `made_for`, the file that the hunks were made for,
/// where it is known, they must match at one place too: of two equal blocks there, the other may be gone here.
pub fn at_only_place(
    file: &[u8],
    hunks: &[Hunk],
    made_for: Option<&[u8]>,
) -> Result<Vec<u8>, Misfit> {
    let (file, made_for) = (lines(file), made_for.map(lines));
    let mut places = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let misfit = |text: String| Misfit::new(index, hunk, text);
        let old = hunk.old_lines();
        if made_for
            .as_ref()
            .is_some_and(|made_for| matches(made_for, &old).len() > 1)
        {
            return Err(misfit(
                "its lines match at several places of the file that it was made for".to_owned(),
            ));
        }
        match matches(&file, &old)[..] {
            [at] => places.push(at),
            [] if made_is_there(&file, hunk) => {
                return Err(misfit(
                    "its lines match nowhere, and what it makes of them is there already"
                        .to_owned(),
                ));
            }
            [] => return Err(misfit("its lines match nowhere".to_owned())),
            ref many => {
                let lines: Vec<String> =
                    many.iter().take(4).map(|at| (at + 1).to_string()).collect();
                let lines = lines.join(", ");
                return Err(misfit(format!(
                    "its lines match at {} places (lines {lines})",
                    many.len()
                )));
            }
        }
    }
    splice(&file, hunks, &places)
}

/// True when what the hunks make is in the file already: each at one place, and what they replace at none.
pub fn is_there(file: &[u8], hunks: &[Hunk]) -> bool {
    let file = lines(file);
    let there =
        |hunk: &Hunk| matches(&file, &hunk.old_lines()).is_empty() && made_is_there(&file, hunk);
    !hunks.is_empty() && hunks.iter().all(there)
}

/// True when what the hunk makes is at one place of the file.
fn made_is_there(file: &[&[u8]], hunk: &Hunk) -> bool {
    let made = hunk.new_lines();
    matches!(matches(file, &made)[..], [at] if is_whole(hunk, at, at + made.len(), file.len()))
}

/// What takes lines away at an end of a file, and puts none there, leaves that end: lines that stand elsewhere are not
/// what it made.
fn is_whole(hunk: &Hunk, start: usize, end: usize, length: usize) -> bool {
    let first = hunk.lines.iter().find(|l| l.kind != LineKind::Removed);
    let cuts_start = hunk
        .lines
        .first()
        .is_some_and(|l| l.kind == LineKind::Removed)
        && first.is_none_or(|l| l.kind == LineKind::Context);
    let cuts_end = hunk
        .lines
        .last()
        .is_some_and(|l| l.kind == LineKind::Removed);
    (!cuts_start || start == 0) && (!cuts_end || end == length)
}

/// Lines with their line endings.
fn lines(file: &[u8]) -> Vec<&[u8]> {
    file.split_inclusive(|b| *b == b'\n').collect()
}

/// Where `block` stands in `file`. No line matches everywhere, so only in an empty file.
fn matches(file: &[&[u8]], block: &[&[u8]]) -> Vec<usize> {
    if block.is_empty() {
        return if file.is_empty() {
            vec![0]
        } else {
            (0..=file.len()).collect()
        };
    }
    file.windows(block.len())
        .enumerate()
        .filter(|(_, window)| *window == block)
        .map(|(at, _)| at)
        .collect()
}

fn splice(file: &[&[u8]], hunks: &[Hunk], places: &[usize]) -> Result<Vec<u8>, Misfit> {
    let mut made: Vec<&[u8]> = Vec::with_capacity(file.len());
    let mut done = 0;
    for (index, (hunk, at)) in hunks.iter().zip(places).enumerate() {
        let Some(kept) = file.get(done..*at) else {
            let text = "its place comes before that of the hunk above it".to_owned();
            return Err(Misfit::new(index, hunk, text));
        };
        made.extend_from_slice(kept);
        made.extend(hunk.new_lines());
        done = at + hunk.old_lines().len();
    }
    made.extend_from_slice(&file[done..]);
    // Only the last line of a file may lack its line ending.
    let short = made.iter().rev().skip(1).any(|line| !line.ends_with(b"\n"));
    if let (true, Some((index, hunk))) = (short, hunks.iter().enumerate().next_back()) {
        let text = "a line without line ending would come to stand inside the file".to_owned();
        return Err(Misfit::new(index, hunk, text));
    }
    Ok(made.concat())
}
