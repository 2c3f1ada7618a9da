//! What was done, how long it took and how much memory it had taken by then.

use std::time::Instant;

use cuzk_core::progress::Progress;
use cuzk_harness::process;
use serde::Serialize;

/// One phase that has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// What was done.
    pub name: &'static str,
    /// Wall time.
    pub wall_s: f64,
    /// Highest resident memory of the process up to its end; `None` where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// Hears of phases as they end, and of the progress of those that take long.
pub trait Listener: Sync {
    /// A phase has ended.
    fn ended(&self, phase: &Phase);

    /// Something to be told on the way.
    fn note(&self, text: &str);

    /// Where long work reports how far it is.
    fn progress(&self) -> &dyn Progress;
}

/// Nobody listens.
impl Listener for () {
    fn ended(&self, _: &Phase) {}

    fn note(&self, _: &str) {}

    fn progress(&self) -> &dyn Progress {
        &()
    }
}

/// The phases so far.
pub(crate) struct Phases<'a> {
    listener: &'a dyn Listener,
    ended: Vec<Phase>,
}

impl<'a> Phases<'a> {
    pub fn new(listener: &'a dyn Listener) -> Self {
        Self {
            listener,
            ended: Vec::new(),
        }
    }

    /// Runs one. A phase that fails does not count as one.
    pub fn run<R, E>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        let start = Instant::now();
        let result = work()?;
        let phase = Phase {
            name,
            wall_s: start.elapsed().as_secs_f64(),
            peak_bytes: process::peak_resident(),
        };
        self.listener.ended(&phase);
        self.ended.push(phase);
        Ok(result)
    }

    pub fn listener(&self) -> &'a dyn Listener {
        self.listener
    }

    pub fn ended(self) -> Vec<Phase> {
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_that_ended_are_kept_in_their_order() {
        let mut phases = Phases::new(&());
        assert_eq!(phases.run("one", || Ok::<_, ()>(1)), Ok(1));
        assert_eq!(phases.run("failed", || Err::<(), _>("why")), Err("why"));
        assert_eq!(phases.run("two", || Ok::<_, ()>(2)), Ok(2));
        let names: Vec<_> = phases.ended().iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["one", "two"]);
    }
}
