//! The folder in which a person mends a patch: a scratch repository with the new release and the patches before it as
//! commits, and the patch that does not apply in the working tree, in no commit.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;

use super::replay::Row;
use super::session::Stopped;
use crate::files;
use crate::patch::attempt::{Conflict, FileConflict};
use crate::patch::message::Message;
use crate::patch::{FileChange, Mode, Patch, print};
use crate::scratch::{AUTHOR, Draft, Scratch};
use crate::stack::manifest::Release;
use crate::stack::tree::{File, Tree, TreeError};
use crate::upkeep::journal;
use crate::upkeep::line::Line;

/// The branch with the patches.
const BRANCH: &str = "series";

/// When every release is said to have been imported.
const IMPORTED: &str = "Sat, 1 Jan 2000 00:00:00 +0000";

/// Makes the folder for the last row, which is in conflict. What cargo has built there before stays.
pub(super) fn lay(
    folder: &Path,
    release: &Release,
    release_tree: &Tree,
    line: &Line<'_>,
    rows: &[Row],
    conflict: &Conflict,
) -> Result<Stopped> {
    let at = rows.len() - 1;
    let (name, mail) = AUTHOR;
    let mut drafts = vec![Draft {
        branch: BRANCH.to_owned(),
        parent: None,
        message: Message {
            author: format!("{name} <{mail}>"),
            date: IMPORTED.to_owned(),
            subject: format!("{} {} as published", release.name, release.version),
            body: format!("Checksum: {}", release.checksum),
        },
        tree: release_tree.clone(),
    }];
    for below in line.below(line.steps[at].base) {
        if rows[below].outcome.applies() {
            drafts.push(Draft {
                branch: BRANCH.to_owned(),
                parent: Some(drafts.len() - 1),
                message: line.steps[below].patch.message.clone(),
                tree: rows[below].after.clone(),
            });
        }
    }
    let built = folder.with_extension("built");
    let target = folder.join("target");
    // Of a run that died between the two renames below.
    journal::remove(&built).with_context(|| format!("cannot remove {}", built.display()))?;
    // A patch may add a folder of that name; what cargo makes there is no part of a tree.
    let keep = target.is_dir()
        && !rows[at]
            .before
            .files
            .keys()
            .any(|p| p.starts_with("target/"));
    if keep {
        fs::rename(&target, &built).with_context(|| format!("cannot move {}", target.display()))?;
    }
    journal::remove(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    Scratch::make(folder, &drafts, BRANCH)?;
    if keep {
        fs::rename(&built, &target).with_context(|| format!("cannot move {}", built.display()))?;
    }
    write(folder, &rows[at].before, &conflict.tree)?;
    let patch = line.steps[at].patch;
    let mut stopped = Stopped {
        slug: line.steps[at].slug().to_owned(),
        marked: Vec::new(),
        rejects: Vec::new(),
    };
    for file in &conflict.files {
        match &file.place {
            Some(place) if file.marked > 0 => stopped.marked.push(place.clone()),
            Some(_) => {}
            None => {
                let path = format!("{}.rej", file.path);
                let place = folder.join(&path);
                files::replace(&place, &reject(patch, file))
                    .with_context(|| format!("cannot write {}", place.display()))?;
                stopped.rejects.push(path);
            }
        }
    }
    Ok(stopped)
}

/// Changes a folder from one tree to another.
fn write(folder: &Path, before: &Tree, after: &Tree) -> Result<()> {
    for path in before
        .files
        .keys()
        .filter(|p| !after.files.contains_key(*p))
    {
        let place = folder.join(path);
        fs::remove_file(&place).with_context(|| format!("cannot remove {}", place.display()))?;
    }
    for (path, file) in &after.files {
        if before.files.get(path) != Some(file) {
            let place = folder.join(path);
            let mode = match file.mode {
                Mode::Plain => 0o644,
                Mode::Executable => 0o755,
            };
            files::replace(&place, &file.bytes)
                .and_then(|()| fs::set_permissions(&place, fs::Permissions::from_mode(mode)))
                .with_context(|| format!("cannot write {}", place.display()))?;
        }
    }
    Ok(())
}

/// What a person reads who has to find a place for a change that has none.
fn reject(patch: &Patch, conflict: &FileConflict) -> Vec<u8> {
    let mut out = format!("{}: {}\n", conflict.path, conflict.text).into_bytes();
    let own = |file: &&FileChange| file.path() == conflict.path;
    if let Some(file) = patch.files.iter().find(own) {
        print::print_hunks(&mut out, &file.hunks);
    }
    out
}

/// The tree that a person made of it, held against what was left to be done. `before` is the tree without the patch,
/// `laid` the one that was laid out for the person.
pub(super) fn mended(folder: &Path, before: &Tree, laid: &Tree, stopped: &Stopped) -> Result<Tree> {
    let tree = read(folder, before)?;
    let rejects: Vec<&String> = stopped
        .rejects
        .iter()
        .filter(|path| tree.files.contains_key(*path))
        .collect();
    if !rejects.is_empty() {
        bail!(
            "{} still has {}: find a place for what is in it, delete it, and try again",
            folder.display(),
            list(&rejects)
        );
    }
    let strays = strays(folder, &tree, [before, laid])?;
    if !strays.is_empty() {
        bail!(
            "{} has new files: {}. `git add` there what belongs to `{}` (`-f` where it is ignored), delete the rest, \
             and try again",
            folder.display(),
            list(&strays),
            stopped.slug
        );
    }
    let marked: Vec<&String> = tree
        .files
        .iter()
        .filter(|(path, file)| {
            has_markers(file, before.files.get(*path), stopped.marked.contains(path))
        })
        .map(|(path, _)| path)
        .collect();
    if !marked.is_empty() {
        bail!(
            "conflicts are still marked in {} of {}: mend them, and try again",
            list(&marked),
            folder.display()
        );
    }
    if tree == *before {
        bail!(
            "nothing of `{}` is in {}: mend it there, or leave the patch out with `cargo xtask patch rebase --skip`",
            stopped.slug,
            folder.display()
        );
    }
    Ok(tree)
}

/// The files that neither tree has and that git does not hold there either: what an editor or a merge tool has left, as a
/// rule. A new file of a patch is told from those by `git add`.
fn strays<'t>(folder: &Path, tree: &'t Tree, known: [&Tree; 2]) -> Result<Vec<&'t String>> {
    let mut strays: Vec<&String> = tree
        .files
        .keys()
        .filter(|path| !known.iter().any(|tree| tree.files.contains_key(*path)))
        .collect();
    // Without a repository nothing was added.
    if let Some(scratch) = Scratch::open(folder)
        && !strays.is_empty()
    {
        let added = scratch.indexed()?;
        strays.retain(|path| !added.contains(*path));
    }
    Ok(strays)
}

fn list(paths: &[&String]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ")
}

/// True where a file has more of git's markers than it had before the patch. The line in the middle of a conflict may be
/// a text's own, so it counts only where a conflict was marked.
fn has_markers(file: &File, before: Option<&File>, marked: bool) -> bool {
    let count = |file: &File| markers(&file.bytes, marked);
    count(file) > before.map_or(0, count)
}

fn markers(bytes: &[u8], with_middle: bool) -> usize {
    bytes
        .split(|b| *b == b'\n')
        .filter(|line| {
            let outer = [&b"<<<<<<< "[..], b"||||||| ", b">>>>>>> "];
            let middle = line.strip_suffix(b"\r").unwrap_or(line) == b"=======";
            outer.iter().any(|mark| line.starts_with(mark)) || with_middle && middle
        })
        .count()
}

/// The files of the folder. What cargo leaves there is passed over: `target`, and a lock file, which no patch may change.
fn read(folder: &Path, before: &Tree) -> Result<Tree> {
    let mut tree = Tree::default();
    let built = !before.files.keys().any(|path| path.starts_with("target/"));
    let walk = WalkDir::new(folder).min_depth(1).into_iter();
    let entries = walk.filter_entry(|entry| {
        let name = entry.file_name();
        entry.depth() > 1 || !(name == ".git" || built && name == "target")
    });
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        if entry.file_type().is_dir() {
            continue;
        }
        if !entry.file_type().is_file() {
            return Err(TreeError::NotRegular(entry.into_path()).into());
        }
        let path = entry.path();
        let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
        let name = name.ok_or_else(|| TreeError::Name(path.to_path_buf()))?;
        if name == "Cargo.lock" {
            continue;
        }
        let metadata = fs::metadata(path).map_err(TreeError::io("read", path))?;
        let mode = match metadata.permissions().mode() & 0o100 {
            0 => Mode::Plain,
            _ => Mode::Executable,
        };
        let bytes = fs::read(path).map_err(TreeError::io("read", path))?;
        let bytes = bytes.into();
        tree.files.insert(name.to_owned(), File { mode, bytes });
    }
    if let Some(lock) = before.files.get("Cargo.lock") {
        tree.files.insert("Cargo.lock".to_owned(), lock.clone());
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::tree::tests::tree;

    #[test]
    fn markers_are_told_from_a_text_of_its_own() {
        let marked = |text: &str, before: &str, here: bool| {
            let (now, then) = (tree(&[("a", text)]), tree(&[("a", before)]));
            has_markers(&now.files["a"], then.files.get("a"), here)
        };
        for text in [
            "<<<<<<< c 2.0.0\n",
            "||||||| c 1.0.0\r\n",
            ">>>>>>> s.patch\n",
        ] {
            assert!(marked(text, "", false), "{text}");
            assert!(!marked(text, text, true), "{text}");
        }
        assert!(marked("=======\r\n", "", true));
        assert!(!marked("Title\n=======\n", "", false));
    }
}
