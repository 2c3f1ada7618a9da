//! Parameters and recordings: loaded once, kept while anything uses them, evicted least recently used.

use super::types::{Resident, Resting};
use super::{Attempt, End, Key, LoadTask, Machine, Part};

/// What came of asking for a resident ahead of any job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preload {
    Ready,
    /// It is being loaded, or will be.
    Coming,
    /// Others are being dropped for it: ask again when they are gone.
    Later,
    /// It does not fit beside what is in use.
    NoRoom {
        used: u64,
    },
    /// Nothing is taken any more.
    Closed,
}

/// What came of giving one up by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evicted {
    /// It was not there.
    Absent,
    /// Something uses it, or it is still being loaded.
    InUse,
    /// It is being dropped.
    Going,
}

impl Machine {
    /// What a loader does next: dropping goes first, since somebody waits for the memory. Where no job is left that could use it and none
    /// can come, nothing is loaded.
    pub fn next_load(&mut self) -> Option<LoadTask> {
        let find = |state| {
            self.residents
                .iter()
                .find(|(_, r)| r.state == state)
                .map(|(key, _)| *key)
        };
        let (task, key, state) = match find(Resting::Unwanted) {
            Some(key) => (LoadTask::Drop(key), key, Resting::Dropping),
            None => {
                let key = find(Resting::Wanted).filter(|_| !self.is_over())?;
                (LoadTask::Load(key), key, Resting::Loading)
            }
        };
        self.resident(key).state = state;
        Some(task)
    }

    /// A resident was loaded and takes so much, at most what was reserved for it; `None`: it cannot be.
    pub fn loaded(&mut self, key: Key, bytes: Option<u64>) {
        match bytes {
            Some(bytes) => {
                let resident = self.resident(key);
                resident.bytes = bytes.min(resident.bytes);
                resident.state = Resting::Ready;
            }
            None => {
                self.remove(key);
                let needs = |(ticket, job): (&u64, &super::types::Job)| {
                    let uses = |part: &Part| {
                        let attempt = match *part {
                            Part::Waiting { attempt } => Some(attempt),
                            _ => part.attempt(),
                        };
                        attempt.is_some_and(|attempt| job.way(attempt).srs.0 == key)
                    };
                    (!job.ended && job.parts.iter().any(uses)).then_some(*ticket)
                };
                let failed: Vec<_> = self.jobs.iter().filter_map(needs).collect();
                for ticket in failed {
                    self.end(ticket, End::NoParameters(key));
                }
            }
        }
        self.admit();
    }

    /// A resident is gone.
    pub fn dropped(&mut self, key: Key) {
        self.remove(key);
        self.admit();
    }

    /// Asks for one ahead of any job.
    pub fn preload(&mut self, key: Key, bytes: u64) -> Preload {
        if self.closing.is_some() {
            return Preload::Closed;
        }
        match self
            .residents
            .get_mut(&key)
            .map(|resident| &mut resident.state)
        {
            Some(Resting::Ready) => Preload::Ready,
            Some(Resting::Wanted | Resting::Loading) => Preload::Coming,
            Some(state @ Resting::Unwanted) => {
                *state = Resting::Ready;
                // It may have been on its way out for the partition that comes next.
                self.admit();
                Preload::Ready
            }
            Some(Resting::Dropping) => Preload::Later,
            None => {
                let used = self.used();
                let needed = used.saturating_add(bytes);
                if needed <= self.limits.memory {
                    self.residents.insert(
                        key,
                        Resident {
                            bytes,
                            state: Resting::Wanted,
                        },
                    );
                    self.touch(key);
                    return Preload::Coming;
                }
                match self.make_room(needed - self.limits.memory, &[]) {
                    true => Preload::Later,
                    false => Preload::NoRoom { used },
                }
            }
        }
    }

    /// Gives one up by hand.
    pub fn evict(&mut self, key: Key) -> Evicted {
        match self.residents.get(&key).map(|resident| resident.state) {
            None => Evicted::Absent,
            Some(Resting::Unwanted | Resting::Dropping) => Evicted::Going,
            Some(Resting::Ready) if !self.is_used(key) => {
                self.resident(key).state = Resting::Unwanted;
                Evicted::Going
            }
            Some(_) => Evicted::InUse,
        }
    }

    /// Those that are there: key, bytes, whether they can be used, and how many partitions use them.
    pub fn residents(&self) -> impl Iterator<Item = (Key, u64, bool, usize)> {
        self.residents.iter().map(|(key, resident)| {
            let ready = resident.state == Resting::Ready;
            (*key, resident.bytes, ready, self.users(*key))
        })
    }

    /// Whether one is on its way out.
    pub fn is_going(&self, key: Key) -> bool {
        self.residents.get(&key).is_some_and(Resident::is_going)
    }

    /// Whether any is.
    pub fn is_making_room(&self) -> bool {
        self.residents.values().any(Resident::is_going)
    }

    pub(super) fn is_ready(&self, key: Key) -> bool {
        self.residents
            .get(&key)
            .is_some_and(|resident| resident.state == Resting::Ready)
    }

    /// It was used just now.
    pub(super) fn touch(&mut self, key: Key) {
        self.used_last.retain(|other| *other != key);
        self.used_last.push(key);
    }

    /// Marks idle residents until so many bytes are on their way out, the least recently used first; whether there are so many. Where there are
    /// not, all stay: dropping some would help nobody.
    pub(super) fn make_room(&mut self, bytes: u64, kept: &[Key]) -> bool {
        let going =
            |resident: &Resident| matches!(resident.state, Resting::Unwanted | Resting::Dropping);
        let mut room: u64 = self
            .residents
            .values()
            .filter(|r| going(r))
            .map(|r| r.bytes)
            .sum();
        let mut chosen = Vec::new();
        for key in &self.used_last {
            if room >= bytes {
                break;
            }
            let Some(resident) = self.residents.get(key) else {
                continue;
            };
            if resident.state == Resting::Ready
                && resident.bytes > 0
                && !kept.contains(key)
                && !self.is_used(*key)
            {
                room = room.saturating_add(resident.bytes);
                chosen.push(*key);
            }
        }
        if room < bytes {
            return false;
        }
        for key in chosen {
            self.resident(key).state = Resting::Unwanted;
        }
        true
    }

    fn is_used(&self, key: Key) -> bool {
        self.users(key) > 0
    }

    fn users(&self, key: Key) -> usize {
        let uses = |attempt: &Attempt| {
            let way = self.way(attempt);
            way.srs.0 == key || way.recording.is_some_and(|(recording, _)| recording == key)
        };
        self.active_parts()
            .filter(|(attempt, _)| uses(attempt))
            .count()
    }

    fn resident(&mut self, key: Key) -> &mut Resident {
        self.residents
            .get_mut(&key)
            .expect("a resident is there until it was dropped")
    }

    fn remove(&mut self, key: Key) {
        self.residents.remove(&key);
        self.used_last.retain(|other| *other != key);
    }
}
