//! Calls of git on a scratch repository.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::ScratchError;
use crate::git;

/// Git on one repository.
#[derive(Clone, Debug)]
pub(super) struct Git {
    root: PathBuf,
}

impl Git {
    /// On the repository in `root`, whose objects are in `root/.git`.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// The folder of the repository.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// `git` with these arguments, not yet started. The repository is named, so that git never looks for one above it.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = git::command(&self.root);
        command
            .args(arguments)
            .env("GIT_DIR", self.root.join(".git"))
            .env("GIT_WORK_TREE", &self.root)
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            // Set here and not by a flag, for a git that knows no other form ignores them.
            .env("GIT_DEFAULT_HASH", "sha1")
            .env("GIT_DEFAULT_REF_FORMAT", "files");
        command
    }

    /// Runs git with `input` on its standard input, and gives what it prints.
    pub(super) fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, ScratchError> {
        let (good, printed, text) = self.ask(arguments, input)?;
        if good {
            return Ok(printed);
        }
        Err(ScratchError::Git {
            what: arguments.join(" "),
            place: self.root.clone(),
            text,
        })
    }

    /// Runs git: whether it said yes, what it prints, and its messages.
    pub(super) fn ask(
        &self,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<(bool, Vec<u8>, String), ScratchError> {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(ScratchError::Start)?;
        let pipe = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // Both at once: a full pipe that nobody reads would stop git. One that stops reading has said why.
            scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
            child.wait_with_output()
        })
        .map_err(ScratchError::Start)?;
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Ok((output.status.success(), output.stdout, text))
    }
}
