//! What else the machine did while a trial ran.
//!
//! A pair that ran beside a compiler or on a host that was busy elsewhere is marked, and judged all the same: leaving
//! out what looks odd is how false claims are made. A reading that the system doesn't give is absent.

use std::fs;
use std::time::Instant;

use crate::results::Window;

/// Others may use this many processor seconds a second before a trial counts as disturbed.
const FOREIGN_SHARE: f64 = 0.25;
/// The hypervisor may take this many.
const STEAL_SHARE: f64 = 0.02;

/// Readings that began with a trial.
#[derive(Debug)]
pub struct Meter {
    start: Instant,
    before: Option<Ticks>,
    mhz: Option<f64>,
}

impl Meter {
    /// Starts reading.
    pub fn start() -> Self {
        Self {
            before: read_ticks(),
            mhz: fs::read_to_string("/proc/cpuinfo")
                .ok()
                .and_then(|text| fastest_mhz(&text)),
            start: Instant::now(),
        }
    }

    /// Ends reading. `own_cpu_s` is what the trial itself used, where it could tell.
    pub fn stop(self, own_cpu_s: Option<f64>) -> Window {
        let wall_s = self.start.elapsed().as_secs_f64();
        window(wall_s, self.mhz, self.before, read_ticks(), own_cpu_s)
    }
}

/// Processor time of the whole machine since it started.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ticks {
    busy_s: f64,
    steal_s: f64,
}

fn window(
    wall_s: f64,
    mhz: Option<f64>,
    before: Option<Ticks>,
    after: Option<Ticks>,
    own: Option<f64>,
) -> Window {
    let spent = before.zip(after).map(|(b, a)| Ticks {
        busy_s: a.busy_s - b.busy_s,
        steal_s: a.steal_s - b.steal_s,
    });
    let foreign_cpu_s = spent
        .zip(own)
        .map(|(spent, own)| (spent.busy_s - own).max(0.0));
    let steal_s = spent.map(|spent| spent.steal_s.max(0.0));
    let above = |seconds: Option<f64>, share: f64| seconds.is_some_and(|s| s > share * wall_s);
    Window {
        wall_s,
        foreign_cpu_s,
        steal_s,
        mhz,
        disturbed: above(foreign_cpu_s, FOREIGN_SHARE) || above(steal_s, STEAL_SHARE),
    }
}

fn read_ticks() -> Option<Ticks> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    parse_ticks(&text, rustix::param::clock_ticks_per_second() as f64)
}

/// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (proc(5)).
fn parse_ticks(stat: &str, per_second: f64) -> Option<Ticks> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<f64> = line
        .split_whitespace()
        .map_while(|field| field.parse().ok())
        .collect();
    let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = fields[..] else {
        return None;
    };
    Some(Ticks {
        busy_s: (user + nice + system + irq + softirq) / per_second,
        steal_s: steal / per_second,
    })
}

fn fastest_mhz(cpuinfo: &str) -> Option<f64> {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| key.trim() == "cpu MHz")
        .filter_map(|(_, value)| value.trim().parse().ok())
        .max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_real_line() {
        let stat = "cpu  12469 0 2424 96292 219 0 34 9 0 0\ncpu0 1 2 3\n";
        let found = parse_ticks(stat, 100.0).expect("a line of ten numbers");
        assert!((found.busy_s - 149.27).abs() < 1e-9);
        assert!((found.steal_s - 0.09).abs() < 1e-9);
        assert_eq!(parse_ticks("intr 1 2 3", 100.0), None);
        assert_eq!(parse_ticks("cpu  1 2 3", 100.0), None);
    }

    #[test]
    fn what_others_took_marks_a_trial() {
        let at = |busy_s, steal_s| Some(Ticks { busy_s, steal_s });
        let quiet = window(2.0, None, at(10.0, 0.0), at(12.1, 0.0), Some(2.0));
        assert!(!quiet.disturbed && quiet.foreign_cpu_s.is_some_and(|s| (s - 0.1).abs() < 1e-9));
        assert!(window(2.0, None, at(10.0, 0.0), at(13.0, 0.0), Some(2.0)).disturbed);
        assert!(window(2.0, None, at(10.0, 0.0), at(12.0, 0.1), Some(2.0)).disturbed);
    }

    #[test]
    fn what_cannot_be_read_is_absent() {
        let blind = window(2.0, None, None, None, Some(2.0));
        assert_eq!(
            (blind.foreign_cpu_s, blind.steal_s, blind.disturbed),
            (None, None, false)
        );
        assert_eq!(fastest_mhz("model name: x\n"), None);
        assert_eq!(
            fastest_mhz("cpu MHz\t\t: 2600.0\ncpu MHz\t\t: 3100.5\n"),
            Some(3100.5)
        );
    }
}
