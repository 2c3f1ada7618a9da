//! The machine: see [`pipeline`](super) for its rules.

mod admission;
mod ending;
#[cfg(test)]
mod explore;
mod memory;
mod residents;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use crate::job::{JobId, Priority};

pub(crate) use residents::{Evicted, Preload};
pub(crate) use types::Part as Stage;
pub(crate) use types::{
    Attempt, Closing, End, Key, Limits, LoadTask, Notice, Plan, Refusal, Submitted, Ticket, Way,
};
use types::{Job, Order, Part, Resident};

/// Everything that is decided about jobs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Machine {
    limits: Limits,
    next: Ticket,
    jobs: BTreeMap<Ticket, Job>,
    /// Jobs that an id joins.
    ids: BTreeMap<JobId, Ticket>,
    /// Jobs that nobody has looked at.
    unprepared: BTreeSet<Order>,
    /// Jobs with a partition that waits.
    waiting: BTreeSet<Order>,
    /// Jobs with a partition that has memory.
    active: BTreeSet<Order>,
    residents: BTreeMap<Key, Resident>,
    /// Residents, the one that was used last at the end.
    used_last: Vec<Key>,
    closing: Option<Closing>,
    notices: Vec<Notice>,
}

impl Machine {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            next: 0,
            jobs: BTreeMap::new(),
            ids: BTreeMap::new(),
            unprepared: BTreeSet::new(),
            waiting: BTreeSet::new(),
            active: BTreeSet::new(),
            residents: BTreeMap::new(),
            used_last: Vec::new(),
            closing: None,
            notices: Vec::new(),
        }
    }

    /// A new job, or the one that has this id.
    pub fn submit(
        &mut self,
        id: &JobId,
        priority: Priority,
        bytes: u64,
    ) -> Result<Submitted, Refusal> {
        if self.closing.is_some() {
            return Err(Refusal::Closed);
        }
        if let Some(ticket) = self.ids.get(id) {
            return Ok(Submitted {
                ticket: *ticket,
                joined: true,
            });
        }
        let live = self.ids.len();
        if live >= self.limits.jobs {
            return Err(Refusal::Full { jobs: live });
        }
        let held: u64 = self
            .jobs
            .values()
            .map(|job| job.bytes)
            .fold(0, u64::saturating_add);
        if held.saturating_add(bytes) > self.limits.request_bytes {
            return Err(Refusal::Bytes {
                held,
                limit: self.limits.request_bytes,
            });
        }
        let ticket = self.next;
        self.next += 1;
        self.ids.insert(id.clone(), ticket);
        let job = Job::new(id.clone(), priority, bytes);
        self.unprepared.insert(job.order(ticket));
        self.jobs.insert(ticket, job);
        Ok(Submitted {
            ticket,
            joined: false,
        })
    }

    /// The next job to be looked at.
    pub fn next_preparation(&mut self) -> Option<Ticket> {
        let (_, ticket) = self.unprepared.pop_first()?;
        self.job(ticket).preparing = true;
        Some(ticket)
    }

    /// A job was looked at; `None`: it cannot be proven.
    pub fn prepared(&mut self, ticket: Ticket, plan: Option<Plan>) {
        let capacity = self.limits.memory;
        let slots = self.limits.provers.clone();
        let Some(job) = self.jobs.get_mut(&ticket) else {
            return;
        };
        job.preparing = false;
        if job.ended {
            return self.forget_if_idle(ticket);
        }
        let Some(mut plan) = plan.filter(|plan| plan.partitions > 0 && !plan.ways.is_empty())
        else {
            return self.end(ticket, End::Failed);
        };
        let fits = |way: &mut Way| way.shrink_to(capacity, &slots);
        if !fits(&mut plan.ways[0]) {
            return self.end(ticket, End::NeverFits);
        }
        let first = plan.ways.remove(0);
        let mut others: Vec<Way> = plan.ways.into_iter().take(1).collect();
        others.retain_mut(fits);
        job.ways = [first].into_iter().chain(others).collect();
        job.parts = vec![Part::Waiting { attempt: 0 }; plan.partitions];
        self.waiting.insert(job.order(ticket));
        self.admit();
    }

    /// The next partition to be synthesised.
    pub fn next_synthesis(&mut self) -> Option<Attempt> {
        let ready = |machine: &Self, attempt: &Attempt, part: &Part| {
            let Part::Admitted { .. } = part else {
                return false;
            };
            let way = machine.way(attempt);
            way.recording.is_none_or(|(key, _)| machine.is_ready(key))
        };
        let attempt = self
            .active_parts()
            .find(|(attempt, part)| ready(self, attempt, part));
        let (attempt, _) = attempt?;
        self.set(
            &attempt,
            Part::Synthesising {
                attempt: attempt.number,
            },
        );
        Some(attempt)
    }

    /// A partition was synthesised, or could not be. Where false is returned nobody wants it any more: it is to be dropped
    /// and then [`freed`](Self::freed).
    pub fn synthesised(&mut self, attempt: &Attempt, good: bool) -> bool {
        if !good {
            self.end(attempt.ticket, End::Failed);
        }
        let wanted = good && !self.job(attempt.ticket).ended;
        let number = attempt.number;
        self.set(
            attempt,
            match wanted {
                true => Part::Synthesised { attempt: number },
                false => Part::Freeing { again: None },
            },
        );
        self.admit();
        wanted
    }

    /// What a prover of a class proves next, in one call: the partition that comes first, and others of the same circuit.
    pub fn next_batch(&mut self, class: usize) -> Vec<Attempt> {
        let mut batch: Vec<Attempt> = Vec::new();
        let mut of: Option<(Key, usize)> = None;
        for (attempt, part) in self.active_parts() {
            let Part::Synthesised { .. } = part else {
                continue;
            };
            let way = self.way(&attempt);
            let (key, _) = way.srs;
            if way.class != class || !self.is_ready(key) {
                continue;
            }
            match of {
                None => of = Some((key, way.batch.max(1))),
                Some((first, _)) if first != key => continue,
                Some(_) => {}
            }
            // A smaller limit of somebody who joins holds for all.
            let limit = of.map_or(1, |(_, limit)| limit).min(way.batch.max(1));
            if batch.len() >= limit {
                break;
            }
            of = Some((key, limit));
            batch.push(attempt);
        }
        for attempt in &batch {
            self.set(
                attempt,
                Part::Proving {
                    attempt: attempt.number,
                },
            );
        }
        if let Some((key, _)) = of {
            self.touch(key);
        }
        self.admit();
        batch
    }

    /// What came of a partition that was proven: it is good, or it is to be made again, or, if it has been, its job has failed. True
    /// where it is made again. In any case its memory is being freed, and [`freed`](Self::freed) is told when it has been.
    pub fn proved(&mut self, attempt: &Attempt, good: bool) -> bool {
        let job = self.job(attempt.ticket);
        let again = (!good && !job.ended && attempt.number == 0).then_some(1);
        if good {
            job.proven += 1;
        }
        let all = job.proven == job.parts.len();
        self.set(attempt, Part::Freeing { again });
        if good && all {
            self.end(attempt.ticket, End::Proven);
        } else if !good && again.is_none() {
            self.end(attempt.ticket, End::Failed);
        }
        self.admit();
        again.is_some()
    }

    /// What a partition held is free.
    pub fn freed(&mut self, attempt: &Attempt) {
        let job = self.job(attempt.ticket);
        let Part::Freeing { again } = job.parts[attempt.part] else {
            unreachable!("only what is being freed has been freed");
        };
        let again = again.filter(|_| !job.ended);
        let key = job.order(attempt.ticket);
        job.parts[attempt.part] = match again {
            Some(attempt) => Part::Waiting { attempt },
            None => Part::Done,
        };
        if again.is_some() {
            self.waiting.insert(key);
        }
        self.settle(attempt.ticket);
        self.admit();
    }

    /// What is to be told to others since this was last asked.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Whether it is shutting down and every job has ended, though something of one may still be running.
    fn is_over(&self) -> bool {
        self.closing.is_some() && self.ids.is_empty()
    }

    /// Whether it is shutting down and nothing of a job is left.
    pub fn is_finished(&self) -> bool {
        self.closing.is_some() && self.jobs.is_empty()
    }

    /// Jobs that have not ended, and of them those of which something is running or holds memory.
    pub fn counts(&self) -> (usize, usize) {
        let live = self.jobs.values().filter(|job| !job.ended);
        let running = live.clone().filter(|job| job.is_running());
        (live.count(), running.count())
    }

    /// Jobs that would be looked at or admitted before this one.
    pub fn ahead_of(&self, ticket: Ticket) -> usize {
        let Some(job) = self.jobs.get(&ticket) else {
            return 0;
        };
        let me = job.order(ticket);
        let before = |set: &BTreeSet<Order>| set.range(..me).count();
        before(&self.unprepared) + before(&self.waiting)
    }

    /// Whether the parameters of a partition can be used now; their key, where they cannot.
    pub fn has_parameters(&self, attempt: &Attempt) -> Result<(), Key> {
        let key = self.parameters_of(attempt);
        self.is_ready(key).then_some(()).ok_or(key)
    }

    /// The key of a partition's parameters.
    pub fn parameters_of(&self, attempt: &Attempt) -> Key {
        self.way(attempt).srs.0
    }

    /// What each partition of a job is at.
    pub fn stages(&self, ticket: Ticket) -> impl Iterator<Item = Stage> {
        let parts = self
            .jobs
            .get(&ticket)
            .into_iter()
            .flat_map(|job| &job.parts);
        parts.copied()
    }

    /// Whether anything of a job is running or holds memory.
    pub fn is_running(&self, ticket: Ticket) -> bool {
        self.jobs.get(&ticket).is_some_and(Job::is_running)
    }

    fn job(&mut self, ticket: Ticket) -> &mut Job {
        self.jobs
            .get_mut(&ticket)
            .expect("a job is there as long as anything of it is")
    }

    fn way(&self, attempt: &Attempt) -> &Way {
        self.jobs[&attempt.ticket].way(attempt.number)
    }

    fn set(&mut self, attempt: &Attempt, part: Part) {
        self.job(attempt.ticket).parts[attempt.part] = part;
    }

    /// Partitions that have memory, in the order of their jobs.
    fn active_parts(&self) -> impl Iterator<Item = (Attempt, &Part)> {
        self.active.iter().flat_map(|(_, ticket)| {
            let parts = self.jobs[ticket].parts.iter().enumerate();
            parts.filter_map(|(index, part)| {
                let number = part.attempt()?;
                Some((
                    Attempt {
                        ticket: *ticket,
                        part: index,
                        number,
                    },
                    part,
                ))
            })
        })
    }
}
