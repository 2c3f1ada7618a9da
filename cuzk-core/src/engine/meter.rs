//! How busy synthesis and provers are, and how often both at once.

use std::time::{Duration, Instant};

/// Time with at least one of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Busy {
    /// Something is being synthesised.
    pub synthesis: Duration,
    /// Something is being proven.
    pub proving: Duration,
    /// Both.
    pub both: Duration,
}

impl Busy {
    /// The part of the shorter one's time that the other one's hid: 1 where it was free of charge, 0 where they took turns.
    pub fn overlap(&self) -> f64 {
        let shorter = self.synthesis.min(self.proving).as_secs_f64();
        match shorter > 0.0 {
            true => self.both.as_secs_f64() / shorter,
            false => 0.0,
        }
    }
}

/// Adds time up as things begin and end.
#[derive(Debug)]
pub(super) struct Meter {
    busy: Busy,
    since: Instant,
    pub synthesising: usize,
    pub proving: usize,
}

impl Meter {
    pub fn new(now: Instant) -> Self {
        Self {
            busy: Busy::default(),
            since: now,
            synthesising: 0,
            proving: 0,
        }
    }

    /// The time until `now`. What is running changes after that.
    pub fn until(&mut self, now: Instant) -> Busy {
        let passed = now.saturating_duration_since(self.since);
        self.since = now;
        let (synthesis, proving) = (self.synthesising > 0, self.proving > 0);
        for (on, sum) in [
            (synthesis, &mut self.busy.synthesis),
            (proving, &mut self.busy.proving),
            (synthesis && proving, &mut self.busy.both),
        ] {
            if on {
                *sum += passed;
            }
        }
        self.busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_where_it_is_busy() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut meter = Meter::new(start);
        meter.until(at(1));
        meter.synthesising = 2;
        meter.until(at(3));
        meter.proving = 1;
        meter.until(at(7));
        meter.synthesising = 0;
        let busy = meter.until(at(8));
        let seconds = [busy.synthesis, busy.proving, busy.both].map(|d| d.as_secs());
        assert_eq!(seconds, [6, 5, 4]);
        assert_eq!(busy.overlap(), 0.8);
        assert_eq!(Busy::default().overlap(), 0.0);
    }
}
