//! Why a scratch repository cannot be made or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::stack::tree::TreeError;

/// What went wrong with a scratch repository.
#[derive(Debug, Error)]
pub enum ScratchError {
    /// Git is not there.
    #[error("git cannot be started: {0}; is it installed?")]
    Start(io::Error),
    /// Git said no.
    #[error("`git {what}` failed in {place}: {text}")]
    Git {
        /// The arguments.
        what: String,
        /// The repository.
        place: PathBuf,
        /// What git said.
        text: String,
    },
    /// The system refused.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A folder cannot be read or written.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// An object that is not what it should be.
    #[error("object {id} of {place}: {text}")]
    Object {
        /// Its id, or the name that was asked for.
        id: String,
        /// The repository.
        place: PathBuf,
        /// What about it.
        text: String,
    },
    /// A link, a submodule, a name that is not UTF-8.
    #[error("`{path}` {text}: a patch holds regular files only; take it out of the commit")]
    Entry {
        /// The path.
        path: String,
        /// What about it.
        text: String,
    },
    /// A message that cannot become a commit, or the other way round.
    #[error("the message of `{subject}`: {text}")]
    Message {
        /// First line of the message.
        subject: String,
        /// What about it.
        text: String,
    },
    /// The state file is not readable here.
    #[error("{path}: {text}; `--discard` makes the folder anew, and loses what is in it")]
    State {
        /// The file.
        path: PathBuf,
        /// What about it.
        text: String,
    },
}

impl ScratchError {
    /// For `map_err`.
    pub(super) fn io<'a>(
        what: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io {
            what,
            path: path.to_path_buf(),
            source,
        }
    }
}
