//! What a person sees during a run: a bar on a terminal, a line a trial where there is none.

use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::results::ResultFile;

/// Sees a result grow.
pub trait Watch: fmt::Debug {
    /// Called after each round of a workload, between two trials.
    fn after_round(&mut self, result: &ResultFile);
}

/// Shows how far a run is. It draws between trials only, so that it takes no processor time from them.
#[derive(Debug)]
pub struct RunProgress {
    bar: Option<ProgressBar>,
    done: usize,
    total: usize,
    watch: Option<Box<dyn Watch>>,
}

impl RunProgress {
    /// A run of `total` steps, on stderr.
    pub fn new(total: usize, terminal: bool) -> Self {
        let bar = terminal.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            if let Ok(style) =
                ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {elapsed}, {eta} left")
            {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            done: 0,
            total,
            watch: None,
        }
    }

    /// Has somebody look at the result after each round.
    pub fn watched(self, watch: Box<dyn Watch>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// A round is done.
    pub fn after_round(&mut self, result: &ResultFile) {
        if let Some(watch) = &mut self.watch {
            watch.after_round(result);
        }
    }

    /// True when every step was run or has fallen away.
    #[cfg(test)]
    pub fn is_full(&self) -> bool {
        self.done == self.total
    }

    /// What runs now.
    pub fn begin(&mut self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// A step is done; `what` says what came of it.
    pub fn end(&mut self, what: &str) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None => eprintln!(
                "[{:>width$}/{}] {what}",
                self.done,
                self.total,
                width = self.total.to_string().len()
            ),
        }
    }

    /// `count` steps will not be run after all.
    pub fn skip(&mut self, count: usize) {
        self.total -= count.min(self.total - self.done);
        if let Some(bar) = &self.bar {
            bar.set_length(self.total as u64);
        }
    }

    /// Something that a person should see at once.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// The end.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A duration in plain words.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", seconds as u64 / 60, seconds as u64 % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_readable() {
        assert_eq!(duration(Duration::from_millis(4_250)), "4.2 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn steps_that_fall_away_shorten_the_run() {
        let mut progress = RunProgress::new(10, false);
        progress.end("one");
        progress.skip(20);
        assert_eq!((progress.done, progress.total), (1, 1));
    }
}
