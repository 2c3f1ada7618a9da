//! Parameters and recordings by their keys.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error;
use std::sync::Arc;

use crate::backend::{Backend, LoadedParameters};
use crate::job::RecordingSource;
use crate::pipeline::machine::Key;
use crate::recorded::Recording;
use crate::srs::Srs;

/// Where something comes from.
#[derive(Clone)]
pub(super) enum Source {
    Parameters(Arc<dyn Srs>, Backend),
    Recording(RecordingSource),
}

/// What is loaded of it.
#[derive(Clone)]
pub(super) enum Held {
    Parameters(Arc<LoadedParameters>),
    /// `None`: there is none that could be used, and synthesis is plain.
    Recording(Option<Arc<Recording>>),
}

struct Holding {
    id: String,
    source: Source,
    held: Option<Held>,
    failure: Option<Arc<dyn Error + Send + Sync>>,
}

/// What a source is called, and the backend where it is parameters.
pub(super) type Name = (String, Option<Backend>);

impl Source {
    pub fn name(&self) -> Name {
        match self {
            Self::Parameters(srs, backend) => (srs.id().to_owned(), Some(*backend)),
            Self::Recording(recording) => (recording.id.clone(), None),
        }
    }
}

/// What was given up under the lock, and is dropped when it is not held.
type Replaced = (Option<Source>, Option<Arc<dyn Error + Send + Sync>>);

/// All that were ever asked for. An entry without anything loaded is a name.
#[derive(Default)]
pub(super) struct Holdings {
    keys: HashMap<Name, Key>,
    all: HashMap<Key, Holding>,
}

impl Holdings {
    /// The key of a source, which it gets where it has none. Why it could not be loaded before is forgotten: it is tried again.
    pub fn enter(&mut self, name: Name, source: Source) -> (Key, Replaced) {
        let next = self.all.len() as Key;
        let id = name.0.clone();
        let key = *self.keys.entry(name).or_insert(next);
        match self.all.entry(key) {
            Entry::Vacant(free) => {
                free.insert(Holding {
                    id,
                    source,
                    held: None,
                    failure: None,
                });
                (key, (None, None))
            }
            Entry::Occupied(entry) => {
                let holding = entry.into_mut();
                // A later source of the same name may know more of the circuit than the first.
                let old = match holding.held {
                    None => std::mem::replace(&mut holding.source, source),
                    Some(_) => source,
                };
                (key, (Some(old), holding.failure.take()))
            }
        }
    }

    pub fn key(&self, name: &str, backend: Backend) -> Option<Key> {
        self.keys.get(&(name.to_owned(), Some(backend))).copied()
    }

    pub fn source(&self, key: Key) -> Option<Source> {
        self.all.get(&key).map(|holding| holding.source.clone())
    }

    pub fn put(&mut self, key: Key, held: Result<Held, Arc<dyn Error + Send + Sync>>) {
        if let Some(holding) = self.all.get_mut(&key) {
            (holding.held, holding.failure) = match held {
                Ok(held) => (Some(held), None),
                Err(error) => (None, Some(error)),
            };
        }
    }

    /// Takes it out, to be dropped.
    pub fn take(&mut self, key: Key) -> Option<Held> {
        self.all.get_mut(&key)?.held.take()
    }

    pub fn parameters(&self, key: Key) -> Option<Arc<LoadedParameters>> {
        match self.all.get(&key)?.held.as_ref()? {
            Held::Parameters(parameters) => Some(Arc::clone(parameters)),
            Held::Recording(_) => None,
        }
    }

    pub fn recording(&self, key: Key) -> Option<Arc<Recording>> {
        match self.all.get(&key)?.held.as_ref()? {
            Held::Recording(recording) => recording.clone(),
            Held::Parameters(_) => None,
        }
    }

    pub fn failure(&self, key: Key) -> Option<Arc<dyn Error + Send + Sync>> {
        self.all.get(&key)?.failure.clone()
    }

    /// What it is called, and whether it is parameters.
    pub fn name(&self, key: Key) -> Option<(String, bool)> {
        let holding = self.all.get(&key)?;
        let parameters = matches!(holding.source, Source::Parameters(..));
        Some((holding.id.clone(), parameters))
    }
}
