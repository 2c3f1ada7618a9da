//! What a daemon is told: where it listens, what it may use, how long it keeps things.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use cuzk_core::backend::Backend;
use cuzk_core::engine::EngineConfig;
use cuzk_core::filecoin::{RecordingFolder, Sources, SrsFolder};
use cuzk_core::parameters::Store;

use crate::jobs::Policy;
use crate::listen::Address;

/// A daemon's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where it listens.
    pub listen: Address,
    /// Whether it may listen where other machines can reach it.
    pub open: bool,
    /// Bytes that the process may take.
    pub budget: u64,
    /// Jobs that have not ended, at most.
    pub queue: usize,
    /// The folder of published parameters. Our own store is its subfolder `cuzk`, with recordings in it.
    pub params: PathBuf,
    /// Who proves.
    pub backend: Backend,
    /// How long results and abandoned jobs are kept.
    pub policy: Policy,
    /// How long jobs may go on once the daemon is told to end.
    pub grace: Duration,
}

impl Config {
    /// What the engine is to use.
    pub fn engine(&self) -> EngineConfig {
        EngineConfig {
            queue: self.queue,
            ..EngineConfig::new(self.backend, self.budget)
        }
    }

    /// Where parameters and recordings are.
    pub fn sources(&self) -> Sources {
        let store = Store::at(self.params.join("cuzk"));
        let recordings = RecordingFolder::at(store.root().join("recordings"));
        let parameters = SrsFolder {
            unverified: None,
            folder: Some(self.params.clone()),
            store,
        };
        Sources {
            parameters: Arc::new(parameters),
            recordings: Some(recordings),
        }
    }
}

/// A length of time with its unit: `90s`, `5m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub Duration);

/// Text that is no length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no length of time: write a whole number and a unit, as in 500ms, 90s, 5m, 2h or 1d"
)]
pub struct UnknownSpan {
    /// The text.
    pub text: String,
}

/// Units in milliseconds, the largest first.
const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

impl FromStr for Span {
    type Err = UnknownSpan;

    fn from_str(text: &str) -> Result<Self, UnknownSpan> {
        let read = || {
            let split = text.find(|c: char| !c.is_ascii_digit())?;
            let (number, unit) = text.split_at(split);
            let (_, scale) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
            number.parse::<u64>().ok()?.checked_mul(scale)
        };
        let milliseconds = read().ok_or_else(|| UnknownSpan {
            text: text.to_owned(),
        })?;
        Ok(Self(Duration::from_millis(milliseconds)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_millis();
        let whole = |(_, scale): &(&str, u64)| milliseconds.is_multiple_of(u128::from(*scale));
        let (unit, scale) = UNITS.into_iter().find(whole).unwrap_or(("ms", 1));
        write!(f, "{}{unit}", milliseconds / u128::from(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_as_they_are_written() {
        for (text, milliseconds) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
        ] {
            let span: Span = text.parse().expect(text);
            assert_eq!(span.0.as_millis(), milliseconds);
            assert_eq!(span.to_string(), text);
        }
        for text in [
            "",
            "5",
            "m",
            "-5m",
            "1.5h",
            "5 m",
            "5M",
            "99999999999999999d",
        ] {
            let error = text.parse::<Span>().expect_err(text).to_string();
            assert!(error.contains("90s"), "{error}");
        }
    }
}
