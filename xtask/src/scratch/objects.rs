//! Objects of a repository, read whole through one `git cat-file`, and parsed here.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use super::Commit;
use super::error::ScratchError;
use super::git::Git;
use super::message;
use crate::patch::Mode;
use crate::patch::object::ObjectId;
use crate::stack::tree::{File, Tree};

/// A reader of objects; each is asked for once.
pub struct Objects {
    git: Git,
    child: Child,
    /// Taken when the reader goes, so that git sees the end of its input.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    known: HashMap<ObjectId, (String, Arc<[u8]>)>,
}

impl Objects {
    /// Starts reading.
    pub(super) fn open(git: &Git) -> Result<Self, ScratchError> {
        let mut child = git
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(ScratchError::Start)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let Some(output) = output else {
            return Err(ScratchError::Start(std::io::Error::other("no output")));
        };
        Ok(Self {
            git: git.clone(),
            child,
            input,
            output: BufReader::new(output),
            known: HashMap::new(),
        })
    }

    /// Kind and content of an object.
    fn object(&mut self, id: ObjectId) -> Result<(String, Arc<[u8]>), ScratchError> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let place = self.git.root().to_path_buf();
        let fault = |text: String| ScratchError::Object {
            id: id.to_string(),
            place: place.clone(),
            text,
        };
        let broken = |source: std::io::Error| fault(format!("git cannot read it: {source}"));
        let Some(input) = &mut self.input else {
            return Err(fault("the reader is closed".to_owned()));
        };
        input
            .write_all(format!("{id}\n").as_bytes())
            .and_then(|()| input.flush())
            .map_err(broken)?;
        let mut head = String::new();
        self.output.read_line(&mut head).map_err(broken)?;
        let parts: Vec<&str> = head.split_whitespace().collect();
        let [_, kind, size] = parts[..] else {
            return Err(fault(format!("git says `{}`", head.trim())));
        };
        let size: usize = size
            .parse()
            .map_err(|_| fault(format!("git says `{}`", head.trim())))?;
        // One newline stands behind the content.
        let mut bytes = vec![0; size + 1];
        self.output.read_exact(&mut bytes).map_err(broken)?;
        bytes.truncate(size);
        let object = (kind.to_owned(), Arc::from(bytes));
        self.known.insert(id, object.clone());
        Ok(object)
    }

    fn of_kind(&mut self, id: ObjectId, kind: &str) -> Result<Arc<[u8]>, ScratchError> {
        let (found, bytes) = self.object(id)?;
        if found == kind {
            return Ok(bytes);
        }
        Err(self.fault(id, format!("is a {found}, not a {kind}")))
    }

    /// A commit and those before it, by their first parents, oldest first.
    pub fn history(&mut self, tip: ObjectId) -> Result<Vec<Commit>, ScratchError> {
        let mut history = vec![self.commit(tip)?];
        while let Some(parent) = history.last().and_then(|c| c.parents.first()) {
            let commit = self.commit(*parent)?;
            history.push(commit);
        }
        history.reverse();
        Ok(history)
    }

    /// A commit with its whole tree.
    pub fn commit(&mut self, id: ObjectId) -> Result<Commit, ScratchError> {
        let bytes = self.of_kind(id, "commit")?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            self.fault(
                id,
                "its message or author is not UTF-8: write it anew with `git commit --amend`"
                    .to_owned(),
            )
        })?;
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let (mut tree, mut parents, mut author) = (None, Vec::new(), "");
        for line in head.lines() {
            match line.split_once(' ') {
                Some(("tree", value)) => tree = value.parse().ok(),
                Some(("parent", value)) => {
                    let parent = value.parse();
                    parents.push(parent.map_err(|_| self.fault(id, format!("parent {value}")))?);
                }
                Some(("author", value)) => author = value,
                _ => {}
            }
        }
        let tree: ObjectId = tree.ok_or_else(|| self.fault(id, "has no tree".to_owned()))?;
        let message = message::from_commit(author, body)?;
        let read = self.tree(tree)?;
        if read.id() != tree {
            let text = "holds entries that a patch cannot: an empty folder, or modes other than 100644 and 100755";
            return Err(self.fault(id, text.to_owned()));
        }
        Ok(Commit {
            id,
            parents,
            message,
            tree: read,
        })
    }

    /// The files below a tree object.
    fn tree(&mut self, id: ObjectId) -> Result<Tree, ScratchError> {
        let mut files = BTreeMap::new();
        self.folder(id, "", &mut files)?;
        Ok(Tree { files })
    }

    fn folder(
        &mut self,
        id: ObjectId,
        above: &str,
        files: &mut BTreeMap<String, File>,
    ) -> Result<(), ScratchError> {
        let bytes = self.of_kind(id, "tree")?;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let Some((
                Entry {
                    mode,
                    name,
                    id: entry,
                },
                tail,
            )) = entry(rest)
            else {
                return Err(self.fault(id, "is a malformed tree".to_owned()));
            };
            rest = tail;
            let path = format!("{above}{}", String::from_utf8_lossy(name));
            let refused = |text: &str| ScratchError::Entry {
                path: path.clone(),
                text: text.to_owned(),
            };
            if std::str::from_utf8(name).is_err() {
                return Err(refused("has a name that is not UTF-8"));
            }
            match mode {
                b"40000" => self.folder(entry, &format!("{path}/"), files)?,
                b"120000" => return Err(refused("is a symbolic link")),
                b"160000" => return Err(refused("is a submodule")),
                b"100755" | b"100644" => {
                    let mode = match mode {
                        b"100755" => Mode::Executable,
                        _ => Mode::Plain,
                    };
                    let bytes = self.of_kind(entry, "blob")?;
                    files.insert(path, File { mode, bytes });
                }
                other => {
                    let mode = String::from_utf8_lossy(other);
                    return Err(refused(&format!("has mode {mode}")));
                }
            }
        }
        Ok(())
    }

    fn fault(&self, id: ObjectId, text: String) -> ScratchError {
        ScratchError::Object {
            id: id.to_string(),
            place: self.git.root().to_path_buf(),
            text,
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        self.input = None;
        // Git ends with its input; what it answers then is of no interest.
        let _ = self.child.wait();
    }
}

/// One entry of a tree object.
struct Entry<'a> {
    mode: &'a [u8],
    name: &'a [u8],
    id: ObjectId,
}

/// The first entry of a tree object, and what stands behind it.
fn entry(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let space = bytes.iter().position(|b| *b == b' ')?;
    let (mode, rest) = (&bytes[..space], &bytes[space + 1..]);
    let nul = rest.iter().position(|b| *b == 0)?;
    let (name, rest) = (&rest[..nul], &rest[nul + 1..]);
    let (id, rest) = rest.split_at_checked(20)?;
    let id = hex::encode(id).parse().ok()?;
    Some((Entry { mode, name, id }, rest))
}
