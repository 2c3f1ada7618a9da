//! Which partition gets memory next.

use super::types::{Part, Resident, Resting};
use super::{Attempt, Machine};

impl Machine {
    /// Gives memory to the partitions that come next, as long as they fit and somebody could begin with them. Whatever could let one in ends with
    /// this, so that asking for work changes nothing for others: who asks and gets none wakes nobody.
    pub(super) fn admit(&mut self) {
        while let Some(attempt) = self.head() {
            if !self.has_room_ahead(&attempt) || !self.reserve(&attempt) {
                return;
            }
        }
    }

    /// The partition that is next, whether or not it fits.
    fn head(&self) -> Option<Attempt> {
        let (_, ticket) = self.waiting.first()?;
        let parts = self.jobs[ticket].parts.iter().enumerate();
        let mut waiting = parts.filter_map(|(part, state)| match *state {
            Part::Waiting { attempt } => Some(Attempt {
                ticket: *ticket,
                part,
                number: attempt,
            }),
            _ => None,
        });
        waiting.next()
    }

    /// Whether there is a use in synthesising it now: no more are begun than can be synthesised at a time, and no more wait for
    /// provers than those could begin with at once. More of them would only be in the way of a job that is more urgent.
    fn has_room_ahead(&self, attempt: &Attempt) -> bool {
        let way = self.way(attempt);
        let (mut before, mut ahead) = (0, 0);
        for (other, part) in self.active_parts() {
            match part {
                Part::Admitted { .. } | Part::Synthesising { .. } => before += 1,
                Part::Synthesised { .. } if self.way(&other).class == way.class => ahead += 1,
                _ => {}
            }
        }
        let slots = self.limits.provers.get(way.class).copied().unwrap_or(1);
        before < self.limits.synthesis && ahead < slots.saturating_mul(way.batch.max(1))
    }

    /// Reserves what it needs; false where it does not fit, and then what is idle goes if that would help.
    fn reserve(&mut self, attempt: &Attempt) -> bool {
        let way = self.way(attempt).clone();
        let wanted = [Some(way.srs), way.recording].into_iter().flatten();
        let missing: Vec<_> = wanted
            .clone()
            .filter(|(key, _)| !self.residents.contains_key(key))
            .collect();
        let mut going = wanted
            .clone()
            .filter_map(|(key, _)| self.residents.get(&key));
        if going.any(|resident| resident.state == Resting::Dropping) {
            return false;
        }
        let more = missing
            .iter()
            .map(|(_, bytes)| *bytes)
            .fold(0, u64::saturating_add);
        let needed = self.used_with(Some(&way)).saturating_add(more);
        if needed > self.limits.memory {
            let kept = wanted.map(|(key, _)| key).collect::<Vec<_>>();
            self.make_room(needed - self.limits.memory, &kept);
            return false;
        }
        for (key, bytes) in missing {
            self.residents.insert(
                key,
                Resident {
                    bytes,
                    state: Resting::Wanted,
                },
            );
        }
        for key in [Some(way.srs), way.recording]
            .into_iter()
            .flatten()
            .map(|(key, _)| key)
        {
            // It was on its way out, and nobody has begun with that.
            if let Some(resident) = self
                .residents
                .get_mut(&key)
                .filter(|r| r.state == Resting::Unwanted)
            {
                resident.state = Resting::Ready;
            }
            self.touch(key);
        }
        self.set(
            attempt,
            Part::Admitted {
                attempt: attempt.number,
            },
        );
        let job = &self.jobs[&attempt.ticket];
        let order = job.order(attempt.ticket);
        if !job
            .parts
            .iter()
            .any(|part| matches!(part, Part::Waiting { .. }))
        {
            self.waiting.remove(&order);
        }
        self.active.insert(order);
        true
    }
}
