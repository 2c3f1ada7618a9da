//! The header lines of one file in a patch, from `diff --git` to the first hunk.

use super::object::ObjectId;
use super::parse::{ParseFault, lossy};
use super::path::{self, PathFault};
use super::{FileChange, Mode, Side};

/// The header lines of one file.
pub(super) struct FileHeader {
    pair: Result<(String, String), PathFault>,
    name: String,
    old_mode: Option<Mode>,
    new_mode: Option<Mode>,
    added: bool,
    deleted: bool,
    from: Option<String>,
    to: Option<String>,
    similarity: Option<u8>,
    /// `---` and `+++`: absent, `/dev/null` (None), or a path.
    minus: Option<Option<String>>,
    plus: Option<Option<String>>,
    blobs: Option<(ObjectId, ObjectId)>,
}

impl FileHeader {
    /// Starts at what stands behind `diff --git `.
    pub(super) fn new(pair: &[u8]) -> Self {
        Self {
            pair: path::decode_pair(pair),
            name: lossy(pair),
            old_mode: None,
            new_mode: None,
            added: false,
            deleted: false,
            from: None,
            to: None,
            similarity: None,
            minus: None,
            plus: None,
            blobs: None,
        }
    }

    /// Takes one more line.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), ParseFault> {
        let file = self
            .pair
            .as_ref()
            .map_or(&self.name, |(_, new)| new)
            .clone();
        let after = |prefix: &str| line.strip_prefix(prefix.as_bytes());
        let mode = |raw: &[u8]| {
            let text = lossy(raw);
            Mode::from_git(&text).map(Some).ok_or(ParseFault::Mode {
                file: file.clone(),
                mode: text,
            })
        };
        if let Some(raw) = after("old mode ") {
            self.old_mode = mode(raw)?;
        } else if let Some(raw) = after("new mode ") {
            self.new_mode = mode(raw)?;
        } else if let Some(raw) = after("new file mode ") {
            self.added = true;
            self.new_mode = mode(raw)?;
        } else if let Some(raw) = after("deleted file mode ") {
            self.deleted = true;
            self.old_mode = mode(raw)?;
        } else if let Some(raw) = after("rename from ") {
            self.from = Some(path::decode(raw)?);
        } else if let Some(raw) = after("rename to ") {
            self.to = Some(path::decode(raw)?);
        } else if let Some(raw) = after("index ") {
            let text = lossy(raw);
            let (ids, own_mode) = text
                .split_once(' ')
                .map_or((&*text, None), |(i, m)| (i, Some(m)));
            let ids = ids
                .split_once("..")
                .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            self.blobs = Some(ids.ok_or(ParseFault::ShortIds { file: file.clone() })?);
            if let Some(own_mode) = own_mode {
                let own_mode = mode(own_mode.as_bytes())?;
                self.old_mode = self.old_mode.or(own_mode);
                self.new_mode = self.new_mode.or(own_mode);
            }
        } else if let Some(raw) = after("--- ") {
            self.minus = Some(side_path(raw, "a/")?);
        } else if let Some(raw) = after("+++ ") {
            self.plus = Some(side_path(raw, "b/")?);
        } else if after("Binary files ").is_some() || line == b"GIT binary patch" {
            return Err(ParseFault::Binary { file });
        } else if after("copy ").is_some() {
            return Err(ParseFault::Copy { file });
        } else if let Some(raw) = after("similarity index ") {
            let number = lossy(raw);
            self.similarity = number.strip_suffix('%').and_then(|n| n.parse().ok());
        } else if after("dissimilarity index ").is_none() {
            return Err(ParseFault::Header {
                file,
                text: lossy(line),
            });
        }
        Ok(())
    }

    /// The change that the lines describe, its hunks still missing.
    pub(super) fn finish(self) -> Result<FileChange, ParseFault> {
        let (old_path, new_path) = match (self.from, self.to, &self.minus, &self.plus) {
            (Some(from), Some(to), _, _) => (from, to),
            (None, None, Some(Some(minus)), Some(Some(plus))) => (minus.clone(), plus.clone()),
            (None, None, Some(Some(path)), Some(None))
            | (None, None, Some(None), Some(Some(path))) => (path.clone(), path.clone()),
            _ => self.pair.clone()?,
        };
        path::check(&old_path)?;
        path::check(&new_path)?;
        let contradiction = |text: &str| ParseFault::Contradiction {
            file: new_path.clone(),
            text: text.to_owned(),
        };
        if self.added && self.deleted {
            return Err(contradiction("added and deleted"));
        }
        if let Ok(pair) = &self.pair
            && (&pair.0, &pair.1) != (&old_path, &new_path)
        {
            return Err(contradiction("`diff --git` names other paths"));
        }
        for (stated, absent, path) in [
            (&self.minus, self.added, &old_path),
            (&self.plus, self.deleted, &new_path),
        ] {
            if stated
                .as_ref()
                .is_some_and(|s| s.as_ref() != (!absent).then_some(path))
            {
                return Err(contradiction("`---` or `+++` names another path"));
            }
        }
        if let Some((old, new)) = self.blobs
            && ((old == ObjectId::ZERO) != self.added || (new == ObjectId::ZERO) != self.deleted)
        {
            return Err(contradiction(
                "a zero blob id stands for an absent file, and only for that",
            ));
        }
        if self.blobs.is_none() && (self.added || self.deleted) {
            return Err(ParseFault::ShortIds { file: new_path });
        }
        Ok(FileChange {
            old: (!self.added).then_some(Side {
                path: old_path,
                mode: self.old_mode,
            }),
            new: (!self.deleted).then_some(Side {
                path: new_path,
                mode: self.new_mode,
            }),
            similarity: self.similarity,
            blobs: self.blobs,
            hunks: Vec::new(),
        })
    }
}

fn side_path(raw: &[u8], prefix: &str) -> Result<Option<String>, ParseFault> {
    let decoded = path::decode(raw)?;
    if decoded == "/dev/null" {
        return Ok(None);
    }
    match decoded.strip_prefix(prefix) {
        Some(path) => Ok(Some(path.to_owned())),
        None => Err(PathFault::Unsafe(decoded).into()),
    }
}
