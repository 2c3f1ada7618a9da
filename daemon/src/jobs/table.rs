//! What is known of jobs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cuzk_core::filecoin::CircuitId;
use cuzk_core::job::JobHandle;
use tokio::time::Instant;

use crate::convert::Digest;

/// A job.
pub(super) struct Entry {
    /// Of all jobs of its id, which.
    pub number: u64,
    pub circuit: CircuitId,
    pub digest: Digest,
    pub handle: JobHandle,
    /// How many wait for it.
    pub waiting: usize,
    /// Whether somebody wants it without waiting.
    pub unattended: bool,
    /// When the last one left.
    pub left: Instant,
}

impl Entry {
    pub fn is_wanted(&self) -> bool {
        self.unattended || self.waiting > 0
    }
}

#[derive(Default)]
pub(super) struct Table {
    entries: HashMap<Arc<str>, Entry>,
    /// Those that have ended, the oldest first; some may be gone.
    ended: VecDeque<(Arc<str>, u64)>,
    numbers: u64,
    pub closed: bool,
}

impl Table {
    pub fn get(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.get_mut(id)
    }

    /// The job of an id, if it is still this one.
    pub fn numbered(&mut self, id: &str, number: u64) -> Option<&mut Entry> {
        self.get(id).filter(|entry| entry.number == number)
    }

    pub fn insert(&mut self, id: Arc<str>, entry: Entry) {
        self.entries.insert(id, entry);
    }

    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// An id that no other daemon and no earlier process of this one gives out.
    pub fn made_up(&mut self) -> Arc<str> {
        loop {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let nanoseconds = now.unwrap_or_default().as_nanos();
            let id = format!(
                "job-{nanoseconds:x}-{:x}-{}",
                std::process::id(),
                self.number()
            );
            if !self.entries.contains_key(&*id) {
                return id.into();
            }
        }
    }

    /// Notes that a job has ended, and forgets the oldest where there are more than so many of them.
    pub fn ended(&mut self, id: &Arc<str>, number: u64, most: usize) {
        if self.numbered(id, number).is_some() {
            self.ended.push_back((Arc::clone(id), number));
        }
        while self.ended.len() > most {
            if let Some((id, number)) = self.ended.pop_front() {
                self.remove(&id, number);
            }
        }
    }

    /// Forgets a job that has ended.
    pub fn forget(&mut self, id: &str, number: u64) {
        self.ended.retain(|(_, other)| *other != number);
        self.remove(id, number);
    }

    fn remove(&mut self, id: &str, number: u64) {
        if self.numbered(id, number).is_some() {
            self.entries.remove(id);
        }
    }

    pub fn counts(&self) -> (usize, usize) {
        let ended = self.entries.values();
        let ended = ended.filter(|entry| entry.handle.poll_ended().is_some());
        (self.entries.len(), ended.count())
    }
}
