//! What this machine can count with, and what would let it count more.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Event, perf};

/// The programs that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// perf.
    pub perf: PathBuf,
    /// valgrind.
    pub valgrind: PathBuf,
    /// Where the kernel says who may count.
    pub paranoid: PathBuf,
}

impl Default for Tools {
    fn default() -> Self {
        Self {
            perf: "perf".into(),
            valgrind: "valgrind".into(),
            paranoid: "/proc/sys/kernel/perf_event_paranoid".into(),
        }
    }
}

/// How a machine counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The kernel gives counters.
    Perf {
        /// The programs.
        tools: Tools,
        /// What it gives.
        events: BTreeSet<Event>,
        /// What it does not give, if anything.
        missing: Option<String>,
    },
    /// It does not; callgrind counts instructions and branches.
    Callgrind {
        /// The programs.
        tools: Tools,
        /// What is missing, and what would enable it.
        missing: String,
    },
    /// Nothing counts here.
    Nothing {
        /// What would.
        missing: String,
    },
}

impl Probe {
    /// Looks at this machine.
    pub fn of(tools: Tools) -> Self {
        let why = match perf::supported(&tools) {
            Ok((events, _)) if events.contains(&Event::Instructions) => {
                let absent = absent(&events);
                return Self::Perf {
                    tools,
                    missing: (!absent.is_empty())
                        .then(|| format!("this processor gives no {}: absent", absent.join(", "))),
                    events,
                };
            }
            Ok((_, said)) => refused(&tools, said),
            Err(why) => why,
        };
        let given = BTreeSet::from([Event::Instructions, Event::Branches]);
        let absent = absent(&given).join(", ");
        if runs(&tools.valgrind) {
            Self::Callgrind {
                tools,
                missing: format!(
                    "counted by callgrind, which has instructions and branches; absent: {absent}, IPC. {why}"
                ),
            }
        } else {
            Self::Nothing {
                missing: format!(
                    "counts are absent. {why}. Or install valgrind with its callgrind tool (Debian, Ubuntu: `apt install \
                     valgrind`; Fedora: `dnf install valgrind`), which counts instructions and branches on any machine"
                ),
            }
        }
    }

    /// What a person should hear about what is not counted.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Self::Perf { missing, .. } => missing.as_deref(),
            Self::Callgrind { missing, .. } | Self::Nothing { missing } => Some(missing),
        }
    }

    /// How the counting goes, for a person who waits for it.
    pub fn pace(&self) -> &'static str {
        match self {
            Self::Perf { .. } => "as fast as native, a few processes an arm",
            Self::Callgrind { .. } => {
                "by callgrind, about 50 times slower than native: minutes for a large circuit"
            }
            Self::Nothing { .. } => "not at all",
        }
    }
}

fn absent(given: &BTreeSet<Event>) -> Vec<&'static str> {
    Event::ALL
        .iter()
        .filter(|event| !given.contains(event))
        .map(|event| event.name())
        .collect()
}

fn runs(program: &std::path::Path) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Why perf runs and counts no instructions.
fn refused(tools: &Tools, said: Option<String>) -> String {
    let level = fs::read_to_string(&tools.paranoid).ok();
    let level: Option<i32> = level.and_then(|text| text.trim().parse().ok());
    match level {
        // perf_event_open(2): above 2, only a privileged process may count at all.
        Some(level) if level > 2 => format!(
            "kernel.perf_event_paranoid is {level}, which keeps counters from processes: `sudo sysctl \
             kernel.perf_event_paranoid=2` gives them back"
        ),
        _ if said.is_some() => format!("perf fails here: {}", said.unwrap_or_default()),
        _ => "perf runs, and the kernel has no hardware counters for it: on a virtual machine its host must pass a virtual \
              PMU through; bare metal has them"
            .to_owned(),
    }
}
