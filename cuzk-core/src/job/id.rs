//! Names and priorities.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The caller's name of a job. Of two jobs that are there at a time none has the other's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(Arc<str>);

impl JobId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for JobId {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Which jobs go first. Within one priority the first to come does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// When nothing else is there.
    Low,
    /// Proofs that have hours.
    #[default]
    Normal,
    /// Proofs that have minutes.
    High,
    /// Proofs that have seconds.
    Critical,
}

impl Priority {
    /// All of them, the lowest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Critical];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no priority has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no priority is called {name:?}: it is low, normal, high or critical")]
pub struct UnknownPriority {
    /// The name.
    pub name: String,
}

impl FromStr for Priority {
    type Err = UnknownPriority;

    fn from_str(name: &str) -> Result<Self, UnknownPriority> {
        let found = Self::ALL
            .into_iter()
            .find(|priority| priority.name() == name);
        found.ok_or_else(|| UnknownPriority {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_ordered_and_read_as_they_are_written() {
        assert!(Priority::ALL.is_sorted());
        for priority in Priority::ALL {
            assert_eq!(priority.to_string().parse(), Ok(priority));
        }
        let error = "urgent"
            .parse::<Priority>()
            .expect_err("unknown")
            .to_string();
        assert!(error.contains("critical"), "{error}");
    }
}
