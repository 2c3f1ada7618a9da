//! Addresses, as clients write them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where a daemon is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system, by its absolute path.
    Unix(PathBuf),
    /// A host and a port.
    Tcp(String),
}

/// Text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no address: write unix:///path with an absolute path, or host:port")]
pub struct UnknownAddress {
    /// The text.
    pub text: String,
}

impl Address {
    /// What a channel is made to.
    pub fn uri(&self) -> String {
        match self {
            Self::Unix(_) => self.to_string(),
            Self::Tcp(host) => format!("http://{host}"),
        }
    }
}

impl FromStr for Address {
    type Err = UnknownAddress;

    fn from_str(text: &str) -> Result<Self, UnknownAddress> {
        let unknown = || UnknownAddress {
            text: text.to_owned(),
        };
        if let Some(path) = text.strip_prefix("unix://") {
            let path = Path::new(path);
            let good = path.is_absolute() && path.file_name().is_some();
            return good
                .then(|| Self::Unix(path.to_owned()))
                .ok_or_else(unknown);
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(unknown)?;
        let host_is_good = match host.strip_prefix('[') {
            Some(host) => host.ends_with(']'),
            None => !host.is_empty() && !host.contains([':', '/']),
        };
        match host_is_good && port.parse::<u16>().is_ok() {
            true => Ok(Self::Tcp(text.to_owned())),
            false => Err(unknown()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Tcp(host) => f.write_str(host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in [
            "unix:///run/cuzk/cuzk.sock",
            "127.0.0.1:9820",
            "[::1]:9820",
            "prover-7:0",
        ] {
            let address: Address = text.parse().expect(text);
            assert_eq!(address.to_string(), text);
        }
        for text in [
            "",
            "unix://",
            "unix:///",
            "unix://run/cuzk.sock",
            "9820",
            ":9820",
            "::1:9820",
            "localhost:port",
            "localhost:99999",
            "http://localhost:9820",
        ] {
            let error = text.parse::<Address>().expect_err(text).to_string();
            assert!(error.contains("host:port"), "{error}");
        }
    }
}
