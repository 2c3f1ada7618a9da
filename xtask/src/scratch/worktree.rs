//! What a person has in the folder and in no commit. Files are compared byte for byte: neither git's index nor its ignore
//! rules have a say.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use walkdir::WalkDir;

use super::{Scratch, ScratchError};
use crate::patch::Mode;
use crate::stack::tree::{Tree, TreeError};

/// What is in no commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loose {
    /// Files of the commit with other bytes or another mode.
    pub changed: Vec<String>,
    /// Files that the commit does not have, ignored or not.
    pub new: Vec<String>,
    /// Files of the commit that are not there.
    pub gone: Vec<String>,
    /// True when git's index holds something else than the commit.
    pub staged: bool,
    /// What git is in the middle of: a rebase, a merge.
    pub under_way: Option<&'static str>,
}

impl Loose {
    /// True when every file is in the commit, and the other way round.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// One clause, for messages.
impl fmt::Display for Loose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(what) = self.under_way {
            parts.push(format!("{what} is under way"));
        }
        for (what, paths) in [
            ("changed", &self.changed),
            ("new", &self.new),
            ("deleted", &self.gone),
        ] {
            if paths.is_empty() {
                continue;
            }
            let more = match paths.len() {
                0..=5 => String::new(),
                count => format!(" and {} more", count - 5),
            };
            let shown: Vec<String> = paths.iter().take(5).map(|p| format!("`{p}`")).collect();
            parts.push(format!("{what}: {}{more}", shown.join(", ")));
        }
        if self.staged {
            parts.push("staged changes".to_owned());
        }
        f.write_str(&parts.join("; "))
    }
}

/// What git leaves below `.git` while it is in the middle of something.
const UNDER_WAY: [(&str, &str); 6] = [
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
];

impl Scratch {
    /// The files that git's index holds: those of the commit, and those that a person has added. A name that is not UTF-8
    /// is left out.
    pub fn indexed(&self) -> Result<BTreeSet<String>, ScratchError> {
        let printed = self.git.run(&["ls-files", "--cached", "-z"], b"")?;
        let names = printed.split(|byte| *byte == 0);
        Ok(names
            .filter(|name| !name.is_empty())
            .filter_map(|name| String::from_utf8(name.to_vec()).ok())
            .collect())
    }

    /// Compares the folder with `head`, the tree of the commit that is checked out. What cargo leaves when the crate is
    /// compiled there (`target/` and `Cargo.lock`) is passed over, unless the commit has it.
    pub fn loose(&self, head: &Tree) -> Result<Loose, ScratchError> {
        let mut loose = Loose {
            under_way: UNDER_WAY
                .iter()
                .find(|(name, _)| self.private(name).exists())
                .map(|(_, what)| *what),
            ..Loose::default()
        };
        let mut seen = 0;
        let built = !head.files.keys().any(|path| path.starts_with("target/"));
        let walk = WalkDir::new(self.root()).min_depth(1).sort_by_file_name();
        let entries = walk.into_iter().filter_entry(|entry| {
            let name = entry.file_name();
            entry.depth() > 1 || !(name == ".git" || built && name == "target")
        });
        for entry in entries {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(self.root()).to_path_buf();
                ScratchError::io("read", &path)(error.into())
            })?;
            if entry.file_type().is_dir() {
                continue;
            }
            let path = entry.path();
            let name = path.strip_prefix(self.root()).unwrap_or(path);
            let name = name.to_str().ok_or_else(|| TreeError::Name(path.into()))?;
            let Some(file) = head.files.get(name) else {
                if name != "Cargo.lock" {
                    loose.new.push(name.to_owned());
                }
                continue;
            };
            seen += 1;
            if !entry.file_type().is_file() {
                loose.changed.push(name.to_owned());
                continue;
            }
            let permissions = fs::metadata(path).map_err(ScratchError::io("read", path))?;
            let executable = permissions.permissions().mode() & 0o100 != 0;
            let bytes = fs::read(path).map_err(ScratchError::io("read", path))?;
            if bytes[..] != file.bytes[..] || executable != (file.mode == Mode::Executable) {
                loose.changed.push(name.to_owned());
            }
        }
        if seen < head.files.len() {
            let there = |path: &&String| self.root().join(path).symlink_metadata().is_err();
            loose.gone = head.files.keys().filter(there).cloned().collect();
        }
        let arguments = ["diff-index", "--cached", "--quiet", "HEAD", "--"];
        loose.staged = !self.git.ask(&arguments, b"")?.0;
        Ok(loose)
    }
}
