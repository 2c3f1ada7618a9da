//! Scratch repositories: the release of a crate and the patches on it as commits, for work with plain git.
//!
//! They are made by plumbing, and read by it: what comes out does not depend on git's version or on anybody's
//! configuration. Their own configuration and attributes also keep git from changing bytes when a person works in them
//! whose own settings would have it convert line endings, sign, run hooks or filter.

mod date;
mod error;
mod git;
mod make;
mod message;
mod objects;
mod state;
mod worktree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use error::ScratchError;
pub use make::Draft;
pub use objects::Objects;

use crate::patch::message::Message;
use crate::patch::object::ObjectId;
use crate::stack::tree::Tree;
use git::Git;

/// Who wrote the series: author of what the repository holds, and of a commit that says no other.
pub const AUTHOR: (&str, &str) = ("cuzk", "cuzk@invalid");

/// A repository on disk: its folder is the working tree, `.git` in it the rest.
#[derive(Clone, Debug)]
pub struct Scratch {
    git: Git,
}

/// One commit, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The commits that it was made on: none for the import, one for a patch.
    pub parents: Vec<ObjectId>,
    /// What it says.
    pub message: Message,
    /// Every file.
    pub tree: Tree,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; none where a commit is checked out without one.
    pub branch: Option<String>,
    /// Its commit.
    pub commit: ObjectId,
}

impl Scratch {
    /// The repository in `root`; none where there is none.
    pub fn open(root: &Path) -> Option<Self> {
        root.join(".git").is_dir().then(|| Self {
            git: Git::new(root),
        })
    }

    /// The folder of the working tree.
    pub fn root(&self) -> &Path {
        self.git.root()
    }

    /// A path below `.git`.
    fn private(&self, name: &str) -> PathBuf {
        self.root().join(".git").join(name)
    }

    /// Every ref (`refs/heads/series`, `refs/stash`) and the object that it names.
    pub fn refs(&self) -> Result<BTreeMap<String, ObjectId>, ScratchError> {
        let arguments = ["for-each-ref", "--format=%(objectname) %(refname)"];
        let printed = self.git.run(&arguments, b"")?;
        let mut refs = BTreeMap::new();
        for line in String::from_utf8_lossy(&printed).lines() {
            if let Some((id, name)) = line.split_once(' ') {
                refs.insert(name.to_owned(), self.id(id)?);
            }
        }
        Ok(refs)
    }

    /// The branches, without `refs/heads/`.
    pub fn branches(&self) -> Result<BTreeMap<String, ObjectId>, ScratchError> {
        let refs = self.refs()?.into_iter();
        Ok(refs
            .filter_map(|(name, id)| Some((name.strip_prefix("refs/heads/")?.to_owned(), id)))
            .collect())
    }

    /// What is checked out.
    pub fn head(&self) -> Result<Head, ScratchError> {
        let commit = self
            .git
            .run(&["rev-parse", "--verify", "HEAD^{commit}"], b"")?;
        let (on_branch, name, _) = self.git.ask(&["symbolic-ref", "-q", "HEAD"], b"")?;
        let name = String::from_utf8_lossy(&name);
        let branch = name.trim().strip_prefix("refs/heads/").map(str::to_owned);
        Ok(Head {
            branch: branch.filter(|_| on_branch),
            commit: self.id(String::from_utf8_lossy(&commit).trim())?,
        })
    }

    /// A reader of its commits.
    pub fn objects(&self) -> Result<Objects, ScratchError> {
        Objects::open(&self.git)
    }

    fn id(&self, text: &str) -> Result<ObjectId, ScratchError> {
        text.parse().map_err(|_| ScratchError::Object {
            id: text.to_owned(),
            place: self.root().to_path_buf(),
            text: "is not an object id of 40 hex digits".to_owned(),
        })
    }
}

#[cfg(test)]
pub(crate) mod hostile;
#[cfg(test)]
mod tests;
