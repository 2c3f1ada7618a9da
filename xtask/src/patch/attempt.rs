//! What becomes of a patch on a tree that it was not made for: of every file and hunk of it, not only of the first that
//! does not fit. The rules are those of [`apply`](super::apply): nothing is guessed, here either.

use std::collections::BTreeMap;

use super::apply::{ApplyError, Change, How, Way, is_applied};
use super::known::Blobs;
use super::merge::{self, Labels, Merged};
use super::splice;
use super::{FileChange, Hunk, Patch};
use crate::stack::tree::{File, Tree};

/// Where a patch is tried.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// Contents that patches were made for.
    pub known: &'a Blobs,
    /// Where upstream has moved a file: its new path by its old one.
    pub renamed: &'a BTreeMap<String, String>,
    /// How the sides of a conflict are called.
    pub labels: &'a Labels,
}

impl Ground<'_> {
    /// True for a file that is to be deleted and is only not where it was: upstream has renamed it, and whether the
    /// patch means it under its new name too is for a person to say.
    fn holds_elsewhere(&self, file: &FileChange) -> bool {
        let (Some(old), None) = (&file.old, &file.new) else {
            return false;
        };
        let renamed = self.renamed.get(&old.path);
        renamed.is_some_and(|path| self.tree.files.contains_key(path))
    }
}

/// What a patch came to.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// All of it is there.
    Already,
    /// It applies.
    Applied(Applied),
    /// It does not.
    Conflict(Conflict),
}

/// A patch that applies.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The tree with it.
    pub tree: Tree,
    /// The loosest way that a file of it needed.
    pub way: Way,
    /// The files that were merged, by the path that the patch has.
    pub merged: Vec<String>,
    /// What of it was there before.
    pub there: Vec<Part>,
}

/// A patch that does not apply.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The files that do not fit.
    pub files: Vec<FileConflict>,
    /// What of it was there before.
    pub there: Vec<Part>,
    /// The tree with what fits, and with marked conflicts where a file can hold them.
    pub tree: Tree,
}

/// A part of a patch: a whole file of it, or one hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file, by the path that the patch has.
    pub file: String,
    /// Number of the hunk in the file, from 1, and its line numbers (`@@ … @@`); none for all of the file.
    pub hunk: Option<(usize, String)>,
}

/// A file that does not fit.
#[derive(Clone, Debug)]
pub struct FileConflict {
    /// Its path, as the patch has it.
    pub path: String,
    /// Why, where the fault is not that of single hunks.
    pub text: String,
    /// Where upstream has moved it.
    pub renamed: Option<String>,
    /// The hunks that do not fit: number from 1, line numbers, why.
    pub hunks: Vec<(usize, String, String)>,
    /// Where in the tree of the conflict a person finds it: marked, or merged into the file that upstream has moved it
    /// to. None where the tree has no place for it.
    pub place: Option<String>,
    /// How many conflicts are marked there.
    pub marked: i32,
}

/// Tries a patch. An error is a patch that contradicts itself, or a git that cannot be started.
pub fn attempt(ground: Ground<'_>, patch: &Patch) -> Result<Attempt, ApplyError> {
    let done: Vec<bool> = patch
        .files
        .iter()
        .map(|file| is_applied(ground.tree, file) && !ground.holds_elsewhere(file))
        .collect();
    if done.iter().all(|done| *done) {
        return Ok(Attempt::Already);
    }
    let mut tree = ground.tree.clone();
    for (file, _) in patch.files.iter().zip(&done).filter(|(_, done)| !**done) {
        if let Some(old) = &file.old {
            tree.files.remove(&old.path);
        }
    }
    let (mut way, mut there, mut files) = (Way::Exact, Vec::new(), Vec::new());
    let mut merged = Vec::new();
    for (file, done) in patch.files.iter().zip(&done) {
        if *done {
            there.push(part(file, None));
            // Another file of the patch may have been moved away from under this path.
            if let Some(new) = &file.new
                && let Some(found) = ground.tree.files.get(&new.path)
            {
                tree.files.insert(new.path.clone(), found.clone());
            }
            continue;
        }
        let one = One {
            ground,
            patch,
            file,
        };
        let change = one.change();
        let outcome = change.outcome().and_then(|(made, way)| {
            if let Some((path, _)) = &made {
                change.check_free(&tree, path)?;
            }
            Ok((made, way))
        });
        match outcome {
            Ok((made, own)) => {
                way = way.max(own);
                if own == Way::Merged {
                    merged.push(file.path().to_owned());
                    there.extend(one.hunks_there()?);
                }
                tree.files.extend(made);
            }
            Err(ApplyError::NotConstructible { text, .. }) => {
                files.push(one.conflict(text, &mut tree, &mut there)?);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(if !files.is_empty() {
        Attempt::Conflict(Conflict { files, there, tree })
    } else if tree == *ground.tree {
        // Merged with what is there already, it changes nothing.
        Attempt::Already
    } else {
        Attempt::Applied(Applied {
            tree,
            way,
            merged,
            there,
        })
    })
}

fn part(file: &FileChange, hunk: Option<(usize, &Hunk)>) -> Part {
    Part {
        file: file.path().to_owned(),
        hunk: hunk.map(|(index, hunk)| (index + 1, ranges(hunk))),
    }
}

/// The line numbers of a hunk, without the line of the file that git puts behind them.
fn ranges(hunk: &Hunk) -> String {
    let end = hunk.header.get(2..).and_then(|rest| rest.find("@@"));
    let end = end.map_or(hunk.header.len(), |at| at + 4);
    hunk.header[..end].to_owned()
}

/// How one hunk stands to a file, alone.
enum Standing {
    Fits,
    There,
    Conflicts(String),
}

/// One file of the patch.
struct One<'a> {
    ground: Ground<'a>,
    patch: &'a Patch,
    file: &'a FileChange,
}

impl<'a> One<'a> {
    fn change(&self) -> Change<'a> {
        Change {
            tree: self.ground.tree,
            patch: self.patch,
            file: self.file,
            how: How::Elsewhere(self.ground.known),
        }
    }

    /// The file that is changed, where upstream has it now.
    fn current(&self) -> (Option<&'a File>, Option<&'a String>) {
        let Some(old) = &self.file.old else {
            let found = self.file.new.as_ref();
            return (
                found.and_then(|new| self.ground.tree.files.get(&new.path)),
                None,
            );
        };
        if let Some(file) = self.ground.tree.files.get(&old.path) {
            return (Some(file), None);
        }
        let renamed = self.ground.renamed.get(&old.path);
        let file = renamed.and_then(|path| self.ground.tree.files.get(path));
        (file, renamed.filter(|_| file.is_some()))
    }

    /// What the file was before and after the change, where that is known.
    fn sides(&self) -> Option<(&'a [u8], Vec<u8>)> {
        let base = match (&self.file.old, self.file.blobs) {
            (None, _) => &b""[..],
            (Some(_), Some((before, _))) => self.ground.known.get(before)?,
            (Some(_), None) => return None,
        };
        let after = splice::at_own_lines(base, &self.file.hunks).ok()?;
        Some((base, after))
    }

    /// The hunks that a merge found to be there.
    fn hunks_there(&self) -> Result<Vec<Part>, ApplyError> {
        let (Some(current), _) = self.current() else {
            return Ok(Vec::new());
        };
        let mut there = Vec::new();
        for (index, hunk) in self.file.hunks.iter().enumerate() {
            if matches!(self.standing(&current.bytes, hunk)?, Standing::There) {
                there.push(part(self.file, Some((index, hunk))));
            }
        }
        Ok(there)
    }

    fn standing(&self, current: &[u8], hunk: &Hunk) -> Result<Standing, ApplyError> {
        let alone = std::slice::from_ref(hunk);
        if splice::is_there(current, alone) {
            return Ok(Standing::There);
        }
        let base = self.sides().map(|(base, _)| base);
        let text = match splice::at_only_place(current, alone, base) {
            Ok(_) => return Ok(Standing::Fits),
            Err(misfit) => misfit.text,
        };
        let theirs = base.and_then(|base| {
            let theirs = splice::at_own_lines(base, alone).ok()?;
            Some((base, theirs))
        });
        let Some((base, theirs)) = theirs else {
            return Ok(Standing::Conflicts(text));
        };
        let merged = merge::three_way(current, base, &theirs).map_err(self.git())?;
        Ok(match merged {
            Merged::Clean(made) if made == current => Standing::There,
            Merged::Clean(_) => Standing::Fits,
            Merged::Conflicts(_) => Standing::Conflicts(text),
        })
    }

    /// A file that does not fit: which hunks, and what a person gets to see of it in `tree`.
    fn conflict(
        &self,
        text: String,
        tree: &mut Tree,
        there: &mut Vec<Part>,
    ) -> Result<FileConflict, ApplyError> {
        let (current, renamed) = self.current();
        let mut found = FileConflict {
            path: self.file.path().to_owned(),
            text,
            renamed: renamed.cloned(),
            hunks: Vec::new(),
            place: None,
            marked: 0,
        };
        let Some(current) = current else {
            if self.file.old.is_some() {
                found.text = "upstream has removed it".to_owned();
            }
            return Ok(found);
        };
        self.put_back(tree);
        if let Some(renamed) = renamed {
            found.text = format!("upstream has renamed it to {renamed}");
        }
        let deleted = self.file.new.is_none();
        let added = self.file.old.is_none();
        if deleted || self.file.hunks.is_empty() || self.is_taken(tree) {
            return Ok(found);
        }
        let mut single = Vec::new();
        for (index, hunk) in self.file.hunks.iter().enumerate().filter(|_| !added) {
            match self.standing(&current.bytes, hunk)? {
                Standing::Fits => {}
                Standing::There => there.push(part(self.file, Some((index, hunk)))),
                Standing::Conflicts(text) => single.push((index + 1, ranges(hunk), text)),
            }
        }
        found.hunks = single;
        if let Some((base, after)) = self.sides() {
            let (bytes, marked) = merge::marked(&current.bytes, base, &after, self.ground.labels)
                .map_err(self.git())?;
            let place = self.place(tree);
            let mode = current.mode;
            tree.files.insert(
                place.clone(),
                File {
                    mode,
                    bytes: bytes.into(),
                },
            );
            (found.place, found.marked) = (Some(place), marked);
        }
        Ok(found)
    }

    /// True when the path that the patch moves the file to is not free.
    fn is_taken(&self, tree: &Tree) -> bool {
        match (&self.file.old, &self.file.new) {
            (Some(old), Some(new)) if old.path != new.path => {
                self.change().check_free(tree, &new.path).is_err()
            }
            _ => false,
        }
    }

    /// Where the file stands that a person is to mend, with nothing left where it stood before.
    fn place(&self, tree: &mut Tree) -> String {
        let (_, renamed) = self.current();
        if let Some(renamed) = renamed {
            return renamed.clone();
        }
        if let Some(old) = &self.file.old {
            tree.files.remove(&old.path);
        }
        self.file.path().to_owned()
    }

    /// A file that does not fit stays where it was, unless it finds a place of its own.
    fn put_back(&self, tree: &mut Tree) {
        if let Some(old) = &self.file.old
            && let Some(file) = self.ground.tree.files.get(&old.path)
        {
            tree.files
                .entry(old.path.clone())
                .or_insert_with(|| file.clone());
        }
    }

    fn git(&self) -> impl FnOnce(std::io::Error) -> ApplyError + '_ {
        |source| ApplyError::Git {
            patch: self.patch.name.clone(),
            file: self.file.path().to_owned(),
            source,
        }
    }
}

#[cfg(test)]
#[path = "attempt_tests.rs"]
mod tests;
