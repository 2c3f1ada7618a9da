//! Making a repository: every commit in one stream to `git fast-import`, the working tree written here.

use std::fs;
use std::path::Path;

use super::error::ScratchError;
use super::git::Git;
use super::{AUTHOR, Scratch, message};
use crate::files;
use crate::patch::message::Message;
use crate::patch::object::ObjectId;
use crate::stack::tree::Tree;

/// A commit that is to be made. Its author is its committer too, at the same time, so that ids are the same for everybody.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The branch that it stands on, without `refs/heads/`.
    pub branch: String,
    /// The draft before it, by its number; none for the first commit of all.
    pub parent: Option<usize>,
    /// What it says.
    pub message: Message,
    /// Every file.
    pub tree: Tree,
}

/// What keeps bytes as they are and settles what a person's own configuration might say otherwise.
const CONFIG: &str = "\
[core]
\tfileMode = true
\tautocrlf = false
\tsafecrlf = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\thooksPath = /dev/null
\tfsmonitor = false
\tprecomposeUnicode = false
\tcommentChar = \"#\"
[commit]
\tgpgSign = false
[i18n]
\tcommitEncoding = utf-8
[merge]
\trenormalize = false
[apply]
\twhitespace = nowarn
\tignoreWhitespace = no
[gc]
\tauto = 0
";

/// Stronger than any attribute file in the tree: nothing is converted, filtered or expanded.
const ATTRIBUTES: &str =
    "* -text !eol -ident !filter !working-tree-encoding !merge !diff !whitespace\n";

impl Scratch {
    /// Makes a repository in `root`, which must not be there, with `drafts` in order and `branch` checked out. Gives the id
    /// of each commit.
    pub fn make(
        root: &Path,
        drafts: &[Draft],
        branch: &str,
    ) -> Result<(Self, Vec<ObjectId>), ScratchError> {
        let stream = stream(drafts)?;
        fs::create_dir_all(root).map_err(ScratchError::io("create", root))?;
        let scratch = Self {
            git: Git::new(root),
        };
        scratch.git.run(&["init", "--quiet", "--template="], b"")?;
        scratch.settle()?;
        let printed = scratch.git.run(&["fast-import", "--quiet"], &stream)?;
        let ids = String::from_utf8_lossy(&printed)
            .lines()
            .map(|line| scratch.id(line))
            .collect::<Result<Vec<ObjectId>, _>>()?;
        let last = drafts.iter().rposition(|draft| draft.branch == branch);
        let tip = last.and_then(|at| Some((&drafts[at], ids.get(at)?)));
        let Some((draft, id)) = tip.filter(|_| ids.len() == drafts.len()) else {
            return Err(ScratchError::Object {
                id: branch.to_owned(),
                place: root.to_path_buf(),
                text: format!("{} commits asked for, {} made", drafts.len(), ids.len()),
            });
        };
        let name = format!("refs/heads/{branch}");
        scratch.git.run(&["symbolic-ref", "HEAD", &name], b"")?;
        draft.tree.write(root, None)?;
        scratch.git.run(&["read-tree", &id.to_string()], b"")?;
        scratch.git.run(&["update-index", "-q", "--refresh"], b"")?;
        scratch.check(drafts, &ids)?;
        Ok((scratch, ids))
    }

    /// Its own configuration and attributes, behind what git wrote.
    fn settle(&self) -> Result<(), ScratchError> {
        let path = self.private("config");
        let mut config = fs::read_to_string(&path).map_err(ScratchError::io("read", &path))?;
        config.push_str(CONFIG);
        let (name, mail) = AUTHOR;
        // The last two are stronger than `user`, and a person may have set them for everything.
        for section in ["user", "author", "committer"] {
            config.push_str(&format!("[{section}]\n\tname = {name}\n\temail = {mail}\n"));
        }
        files::replace(&path, config.as_bytes()).map_err(ScratchError::io("write", &path))?;
        let path = self.private("info/attributes");
        files::replace(&path, ATTRIBUTES.as_bytes()).map_err(ScratchError::io("write", &path))
    }

    /// Holds what git made against what was asked for.
    fn check(&self, drafts: &[Draft], ids: &[ObjectId]) -> Result<(), ScratchError> {
        let mut objects = self.objects()?;
        for (draft, id) in drafts.iter().zip(ids) {
            if objects.commit(*id)?.tree != draft.tree {
                return Err(ScratchError::Object {
                    id: id.to_string(),
                    place: self.root().to_path_buf(),
                    text: format!("`{}` has other files than it must", draft.message.subject),
                });
            }
        }
        Ok(())
    }
}

/// The input of `git fast-import`, which answers with the id of each commit.
fn stream(drafts: &[Draft]) -> Result<Vec<u8>, ScratchError> {
    let mut out = b"feature done\n".to_vec();
    let empty = Tree::default();
    for (number, draft) in drafts.iter().enumerate() {
        let (author, text) = message::to_commit(&draft.message)?;
        let mark = number + 1;
        out.extend_from_slice(
            format!("commit refs/heads/{}\nmark :{mark}\n", draft.branch).as_bytes(),
        );
        for who in ["author", "committer"] {
            out.extend_from_slice(format!("{who} {author}\n").as_bytes());
        }
        data(&mut out, text.as_bytes());
        let before = match draft.parent {
            Some(parent) => {
                out.extend_from_slice(format!("from :{}\n", parent + 1).as_bytes());
                drafts.get(parent).map_or(&empty, |draft| &draft.tree)
            }
            None => &empty,
        };
        changes(&mut out, before, &draft.tree);
        out.extend_from_slice(format!("get-mark :{mark}\n").as_bytes());
    }
    out.extend_from_slice(b"done\n");
    Ok(out)
}

/// From one tree to another: what goes away first, for a folder may stand where a file was.
fn changes(out: &mut Vec<u8>, before: &Tree, after: &Tree) {
    for path in before.files.keys() {
        if !after.files.contains_key(path) {
            out.extend_from_slice(format!("D {}\n", quoted(path)).as_bytes());
        }
    }
    for (path, file) in &after.files {
        if before.files.get(path) != Some(file) {
            let mode = file.mode.as_str();
            out.extend_from_slice(format!("M {mode} inline {}\n", quoted(path)).as_bytes());
            data(out, &file.bytes);
        }
    }
}

fn data(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("data {}\n", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
    out.push(b'\n');
}

/// A path in C's quoting, which fast-import takes for any.
fn quoted(path: &str) -> String {
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
