//! What a verb remembers of a repository, as JSON below `.git`, where git leaves it alone.

use std::fs;
use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Scratch, ScratchError};
use crate::files;

impl Scratch {
    /// Reads `.git/NAME`; none where it is not there.
    pub fn state<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ScratchError> {
        let path = self.private(name);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(ScratchError::io("read", &path))?,
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| ScratchError::State {
                path: path.clone(),
                text: format!("is not understood here ({error})"),
            })
    }

    /// Writes `.git/NAME`, whole.
    pub fn remember<T: Serialize>(&self, name: &str, state: &T) -> Result<(), ScratchError> {
        let path = self.private(name);
        let text = serde_json::to_string_pretty(state).map_err(|error| ScratchError::State {
            path: path.clone(),
            text: format!("cannot be written ({error})"),
        })?;
        files::replace(&path, (text + "\n").as_bytes()).map_err(ScratchError::io("write", &path))
    }
}
