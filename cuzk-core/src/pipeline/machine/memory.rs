//! What is reserved.

use super::types::Part;
use super::{Machine, Way};

impl Machine {
    /// Bytes that are reserved: see [`pipeline`](super::super).
    pub fn used(&self) -> u64 {
        self.used_with(None)
    }

    /// As [`used`](Self::used), with a partition more, its residents left out.
    pub(super) fn used_with(&self, candidate: Option<&Way>) -> u64 {
        let mut total = self
            .residents
            .values()
            .map(|resident| resident.bytes)
            .fold(0, u64::saturating_add);
        let mut add = |bytes: u64| total = total.saturating_add(bytes);
        let mut provers = vec![0; self.limits.provers.len()];
        let mut count = |way: &Way| {
            let take = way.provers_take(&self.limits.provers);
            if let Some(most) = provers.get_mut(way.class) {
                *most = take.max(*most);
            }
        };
        for (_, ticket) in &self.active {
            let job = &self.jobs[ticket];
            for part in job.parts.iter().filter(|part| part.has_memory()) {
                // What is being freed was of the first way or of the second: the larger one is counted.
                let Some(attempt) = part.attempt() else {
                    add(job.ways.iter().map(|way| way.partition).max().unwrap_or(0));
                    continue;
                };
                let way = job.way(attempt);
                add(way.partition);
                if matches!(part, Part::Admitted { .. } | Part::Synthesising { .. }) {
                    add(way.synthesis);
                }
                count(way);
            }
        }
        if let Some(way) = candidate {
            add(way.partition);
            add(way.synthesis);
            count(way);
        }
        provers.into_iter().for_each(add);
        total
    }

    /// Bytes that may be reserved.
    #[cfg(test)]
    pub fn capacity(&self) -> u64 {
        self.limits.memory
    }
}
