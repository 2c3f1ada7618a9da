//! How many partitions of one circuit go into one call of a prover.
//!
//! A call costs something of its own, whatever is in it, and each partition costs the same on top. Partitions that happen to be ready share a
//! call until what the call itself costs is a small part of it: more would only make those at the front wait for those at the
//! back. Nothing ever waits for a call to fill up.

use std::time::Duration;

/// What a call may waste on itself, of what a partition in it costs.
const WASTE: f64 = 0.02;

/// What calls of a prover cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batching {
    /// A call itself.
    pub call: Duration,
    /// A partition in it, for each point of its domain.
    pub point: Duration,
    /// Most partitions of a call.
    pub most: usize,
}

impl Batching {
    /// One partition a call: what shares nothing gains nothing.
    pub const SINGLE: Self = Self {
        call: Duration::ZERO,
        point: Duration::ZERO,
        most: 1,
    };

    /// Costs as they follow from a call of one partition and one of several.
    ///
    /// On an H200 one porep-2k partition takes 47.4 ms, ten 434.9 ms
    /// (results/intel-xeon-processor-6-207-2-16c-128g, 2026-11-30): 4.3 ms a call, 10.3 ns a point.
    pub fn measured(one: Duration, several: (usize, Duration), domain: u64, most: usize) -> Self {
        let (count, wall) = several;
        let more = count.saturating_sub(1).max(1) as u32;
        let each = wall.saturating_sub(one) / more;
        Self {
            call: one.saturating_sub(each),
            point: Duration::from_secs_f64(each.as_secs_f64() / domain.max(1) as f64),
            most,
        }
    }

    /// How many partitions of such a domain a call takes at most; at least one.
    pub fn size(&self, domain: u64) -> usize {
        let each = self.point.as_secs_f64() * domain as f64;
        let wasted = self.call.as_secs_f64() / WASTE;
        match wasted > 0.0 && self.most > 1 {
            // A quotient that is no number saturates, and is then as large as allowed.
            true => ((wasted / each).ceil() as usize).clamp(1, self.most),
            false => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_fill_up_until_they_cost_little_of_their_own() {
        let (one, ten) = (
            Duration::from_micros(47_400),
            Duration::from_micros(434_900),
        );
        let batching = Batching::measured(one, (10, ten), 1 << 22, 16);
        assert!(
            (4200..4500).contains(&batching.call.as_micros()),
            "{batching:?}"
        );
        assert_eq!(batching.size(1 << 22), 6);
        assert_eq!(
            batching.size(1 << 27),
            1,
            "a large circuit needs no company"
        );
        assert_eq!(
            batching.size(1 << 10),
            16,
            "a small one all that it may have"
        );
        assert_eq!(batching.size(0), 16);
        assert_eq!(Batching::SINGLE.size(1 << 10), 1);
        let free = Batching {
            call: Duration::ZERO,
            ..batching
        };
        assert_eq!(free.size(1 << 10), 1);
    }
}
