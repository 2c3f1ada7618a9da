//! What the user sees on the way: phases as they end on stdout, progress on stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use cuzk_core::progress::Progress;
use cuzk_prove::{Listener, Phase};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A terminal gets a bar, anything else a line for each thing that is begun.
pub struct Console {
    terminal: bool,
    /// Held for as long as it takes to put another bar in its place.
    bar: Mutex<ProgressBar>,
}

impl Console {
    /// For this process's stderr.
    pub fn new() -> Self {
        Self {
            terminal: io::stderr().is_terminal(),
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.replace(ProgressBar::hidden());
    }

    fn replace(&self, bar: ProgressBar) {
        if let Ok(mut current) = self.bar.lock() {
            current.finish_and_clear();
            *current = bar;
        }
    }
}

impl Progress for Console {
    fn begin(&self, phase: &str, total: u64, unit: &'static str) {
        if !self.terminal {
            // Progress that cannot be shown is no reason to stop.
            let _ = match total {
                0 => writeln!(io::stderr(), "{phase} …"),
                _ => writeln!(io::stderr(), "{phase}: {total} {unit} …"),
            };
            return;
        }
        let bar = match total {
            0 => ProgressBar::new_spinner(),
            _ => ProgressBar::new(total),
        };
        let template = match (total, unit) {
            (0, _) => "{spinner} {msg} {elapsed}",
            (_, "bytes") => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
            _ => "{msg} {wide_bar} {percent}% {eta}",
        };
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_message(phase.to_owned());
        self.replace(bar);
    }

    fn advance(&self, amount: u64) {
        // A thread that would have to wait lets the next one tell.
        if let Ok(bar) = self.bar.lock() {
            bar.inc(amount);
        }
    }
}

impl Listener for Console {
    fn ended(&self, phase: &Phase) {
        self.clear();
        let peak = match phase.peak_bytes {
            Some(bytes) => format!("   peak {:>9}", size(bytes)),
            None => String::new(),
        };
        // Whoever closed stdout does not want to know.
        let _ = writeln!(
            io::stdout(),
            "{:<24}{:>10.2} s{peak}",
            phase.name,
            phase.wall_s
        );
    }

    fn note(&self, text: &str) {
        self.clear();
        let _ = writeln!(io::stdout(), "{text}");
    }

    fn progress(&self) -> &dyn Progress {
        self
    }
}

fn size(bytes: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let bytes = bytes as f64;
    let (unit, scale) = UNITS
        .into_iter()
        .find(|&(_, scale)| bytes >= scale)
        .unwrap_or(("B", 1.0));
    format!("{:.1} {unit}", bytes / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_that_fits() {
        for (bytes, text) in [
            (0, "0.0 B"),
            (999, "999.0 B"),
            (1536, "1.5 kB"),
            (353_054_720, "353.1 MB"),
            (12_300_000_000, "12.3 GB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
