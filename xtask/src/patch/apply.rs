//! Applies a patch to a tree: exactly, or not at all.
//!
//! Where the blob ids before a change are those of the tree, its hunks apply at their own lines and the ids after it
//! must come out. In a stack where they differ ([`How::Elsewhere`]) a hunk needs the one place in the file where its
//! lines match, a place that is also the only one in the file that it was made for; failing that, git merges the
//! change three ways, and only a merge without conflict counts. Nothing is guessed.

use super::known::Blobs;
use super::merge::{self, Merged};
use super::object::ObjectId;
pub use super::refusal::ApplyError;
use super::splice;
use super::{FileChange, Hunk, Mode, Patch};
use crate::stack::tree::{File, Tree};

/// How strictly a patch must fit.
#[derive(Clone, Copy, Debug)]
pub enum How<'a> {
    /// Every file is byte for byte the one that the patch was made for.
    Exact,
    /// The tree is another than the patch was made for; contents it was made for are looked up here.
    Elsewhere(&'a Blobs),
}

/// How a file came to what a patch makes of it, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// It is the very file that the patch was made for.
    Exact,
    /// Each hunk has its one place in it.
    Moved,
    /// Git merged the change without conflict.
    Merged,
}

/// The tree with the patch applied.
pub fn apply(tree: &Tree, patch: &Patch, how: How<'_>) -> Result<Tree, ApplyError> {
    if patch.files.iter().all(|file| is_applied(tree, file)) {
        return Err(ApplyError::AlreadyApplied {
            patch: patch.name.clone(),
        });
    }
    let mut result = tree.clone();
    for file in &patch.files {
        if let Some(old) = &file.old {
            result.files.remove(&old.path);
        }
    }
    for file in &patch.files {
        let change = Change {
            tree,
            patch,
            file,
            how,
        };
        let (made, _) = change.outcome()?;
        if let Some((path, made)) = made {
            change.check_free(&result, &path)?;
            result.files.insert(path, made);
        }
    }
    // A three-way merge of what is there already changes nothing.
    if result == *tree {
        return Err(ApplyError::AlreadyApplied {
            patch: patch.name.clone(),
        });
    }
    Ok(result)
}

/// True when the tree is on the new side of the change.
pub(super) fn is_applied(tree: &Tree, change: &FileChange) -> bool {
    let moved = match (&change.old, &change.new) {
        (Some(old), Some(new)) => old.path != new.path,
        _ => false,
    };
    let gone = |path: &str| !tree.files.contains_key(path);
    match (&change.new, change.blobs) {
        (None, _) => change.old.as_ref().is_some_and(|old| gone(&old.path)),
        (Some(new), blobs) => tree.files.get(&new.path).is_some_and(|file| {
            new.mode.is_none_or(|mode| mode == file.mode)
                && blobs.is_none_or(|ids| has_content(file, ids, &change.hunks))
                && (!moved || change.old.as_ref().is_some_and(|old| gone(&old.path)))
        }),
    }
}

/// True when a file has the content that a change leads to, or, where it is another file, each hunk of it.
fn has_content(file: &File, (before, after): (ObjectId, ObjectId), hunks: &[Hunk]) -> bool {
    let found = file.blob();
    found == after
        || (found != before && before != ObjectId::ZERO && splice::is_there(&file.bytes, hunks))
}

/// A file by its path; none where it is deleted.
type Place = Option<(String, File)>;

/// One file of one patch on one tree.
pub(super) struct Change<'a> {
    pub(super) tree: &'a Tree,
    pub(super) patch: &'a Patch,
    pub(super) file: &'a FileChange,
    pub(super) how: How<'a>,
}

impl Change<'_> {
    /// The file after the change, and how it came to that.
    pub(super) fn outcome(&self) -> Result<(Place, Way), ApplyError> {
        let Some(old) = &self.file.old else {
            return Ok((self.added()?, Way::Exact));
        };
        let Some(current) = self.tree.files.get(&old.path) else {
            return Err(self.fault("is not there"));
        };
        if let Some(mode) = old.mode
            && mode != current.mode
        {
            let text = format!("has mode {}, not {}", current.mode.as_str(), mode.as_str());
            return Err(self.fault(&text));
        }
        let Some(new) = &self.file.new else {
            return Ok((self.deleted(current)?, Way::Exact));
        };
        let (bytes, way) = match self.file.blobs {
            None => (current.bytes.clone(), Way::Exact),
            Some((before, after)) if current.blob() == before => {
                (self.exact(&current.bytes, after)?.into(), Way::Exact)
            }
            Some(blobs) => {
                let (bytes, way) = self.elsewhere(current, blobs)?;
                (bytes.into(), way)
            }
        };
        let mode = new.mode.unwrap_or(current.mode);
        Ok((Some((new.path.clone(), File { mode, bytes })), way))
    }

    fn added(&self) -> Result<Place, ApplyError> {
        let (Some(new), Some((_, after))) = (&self.file.new, self.file.blobs) else {
            return Err(self.fault("is neither there before nor after the change"));
        };
        if self.tree.files.contains_key(&new.path) {
            return Err(self.fault("is to be added, and is there already"));
        }
        let bytes = self.exact(b"", after)?.into();
        let mode = new.mode.unwrap_or(Mode::Plain);
        Ok(Some((new.path.clone(), File { mode, bytes })))
    }

    fn deleted(&self, current: &File) -> Result<Place, ApplyError> {
        let (before, _) = self.file.blobs.unwrap_or((ObjectId::ZERO, ObjectId::ZERO));
        let found = current.blob();
        if found == before {
            // The hunk repeats the whole file; that it does is checked like any other.
            let left = splice::at_own_lines(&current.bytes, &self.file.hunks);
            return match left {
                Ok(left) if left.is_empty() => Ok(None),
                Ok(_) => Err(self.corrupt("", "deletes a file and leaves lines of it")),
                Err(misfit) => Err(self.corrupt(&misfit.hunk, &misfit.text)),
            };
        }
        match self.how {
            How::Exact => Err(self.pre_image(before, current)),
            How::Elsewhere(_) => {
                Err(self
                    .not_constructible("", "is to be deleted, and has other content in this stack"))
            }
        }
    }

    fn exact(&self, current: &[u8], after: ObjectId) -> Result<Vec<u8>, ApplyError> {
        let made = splice::at_own_lines(current, &self.file.hunks)
            .map_err(|misfit| self.corrupt(&misfit.hunk, &misfit.text))?;
        let found = ObjectId::of_blob(&made);
        if found != after {
            return Err(self.corrupt(
                "",
                &format!("the result has blob {found}, and the patch promises {after}"),
            ));
        }
        Ok(made)
    }

    fn elsewhere(
        &self,
        current: &File,
        (before, after): (ObjectId, ObjectId),
    ) -> Result<(Vec<u8>, Way), ApplyError> {
        let How::Elsewhere(blobs) = self.how else {
            return Err(self.pre_image(before, current));
        };
        let base = blobs.get(before);
        let misfit = match splice::at_only_place(&current.bytes, &self.file.hunks, base) {
            Ok(made) => return Ok((made, Way::Moved)),
            Err(misfit) => misfit,
        };
        let (Some(base), Some(theirs)) = (base, blobs.get(after)) else {
            return Err(self.not_constructible(
                &misfit.hunk,
                &format!(
                    "{}; the file that it was made for is not known",
                    misfit.text
                ),
            ));
        };
        let merged =
            merge::three_way(&current.bytes, base, theirs).map_err(|source| ApplyError::Git {
                patch: self.patch.name.clone(),
                file: self.file.path().to_owned(),
                source,
            })?;
        match merged {
            Merged::Clean(made) => Ok((made, Way::Merged)),
            Merged::Conflicts(count) => {
                let plural = if count == 1 { "" } else { "s" };
                Err(self.not_constructible(
                    &misfit.hunk,
                    &format!(
                        "{}; a three-way merge has {count} conflict{plural}",
                        misfit.text
                    ),
                ))
            }
        }
    }

    /// A file may not stand where a folder is, nor below a file.
    pub(super) fn check_free(&self, tree: &Tree, path: &str) -> Result<(), ApplyError> {
        if tree.files.contains_key(path) {
            return Err(self.fault("stands where another file is"));
        }
        let below = format!("{path}/");
        let folder = tree
            .files
            .range(below.clone()..)
            .next()
            .is_some_and(|(p, _)| p.starts_with(&below));
        let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        if folder
            || parents
                .into_iter()
                .any(|parent| tree.files.contains_key(parent))
        {
            return Err(self.fault("stands where a folder is, or below a file"));
        }
        Ok(())
    }

    fn fault(&self, text: &str) -> ApplyError {
        match self.how {
            How::Exact => ApplyError::File {
                patch: self.patch.name.clone(),
                file: self.file.path().to_owned(),
                text: text.to_owned(),
            },
            How::Elsewhere(_) => self.not_constructible("", text),
        }
    }

    fn pre_image(&self, expected: ObjectId, current: &File) -> ApplyError {
        let misfit = splice::at_only_place(&current.bytes, &self.file.hunks, None).err();
        ApplyError::PreImage {
            patch: self.patch.name.clone(),
            file: self.file.path().to_owned(),
            expected,
            found: current.blob(),
            hunk: misfit.map_or(String::new(), |m| format!("{}: {}", m.hunk, m.text)),
        }
    }

    fn corrupt(&self, hunk: &str, text: &str) -> ApplyError {
        ApplyError::Corrupt {
            patch: self.patch.name.clone(),
            file: self.file.path().to_owned(),
            hunk: hunk.to_owned(),
            text: text.to_owned(),
        }
    }

    fn not_constructible(&self, hunk: &str, text: &str) -> ApplyError {
        ApplyError::NotConstructible {
            patch: self.patch.name.clone(),
            file: self.file.path().to_owned(),
            hunk: hunk.to_owned(),
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
