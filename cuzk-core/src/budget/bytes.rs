//! Numbers of bytes, for people.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written with the binary unit that fits: `1.5 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match UNITS.into_iter().find(|(_, bits)| self.0 >> bits > 0) {
            Some((unit, bits)) => write!(f, "{:.1} {unit}", self.0 as f64 / (1u64 << bits) as f64),
            None => write!(f, "{} B", self.0),
        }
    }
}

/// Text that is no number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no number of bytes: write a number and a unit, as in 256GiB, 1.5TiB or 800MB")]
pub struct UnknownBytes {
    /// The text.
    pub text: String,
}

impl FromStr for Bytes {
    type Err = UnknownBytes;

    /// Reads a number with a unit: binary (`KiB`), decimal (`KB`), or `B`. A space may stand between them.
    fn from_str(text: &str) -> Result<Self, UnknownBytes> {
        let unknown = || UnknownBytes {
            text: text.to_owned(),
        };
        let split = text
            .find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(unknown)?;
        let (number, unit) = text.split_at(split);
        let prefixes = ["", "K", "M", "G", "T"].iter().zip(0i32..);
        let scale = prefixes.flat_map(|(prefix, power)| {
            [
                (format!("{prefix}iB"), 1024f64.powi(power)),
                (format!("{prefix}B"), 1000f64.powi(power)),
            ]
        });
        let unit = scale
            .into_iter()
            .find(|(name, _)| *name != "iB" && name.eq_ignore_ascii_case(unit));
        let (_, scale) = unit.ok_or_else(unknown)?;
        let number: f64 = number.trim().parse().map_err(|_| unknown())?;
        let bytes = number * scale;
        match bytes >= 0.0 && bytes < u64::MAX as f64 {
            true => Ok(Self(bytes as u64)),
            false => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1536, "1.5 KiB"),
            (3 << 30, "3.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn sizes_are_read_with_their_unit() {
        for (text, bytes) in [
            ("0B", 0),
            ("256GiB", 256 << 30),
            ("1.5 TiB", 3 << 39),
            ("800MB", 800_000_000),
            ("2kib", 2048),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in [
            "",
            "256",
            "GiB",
            "1.5.2GiB",
            "-1B",
            "iB",
            "1iB",
            "infB",
            "NaNB",
            "99999999TiB",
            "4G",
        ] {
            let error = text.parse::<Bytes>().expect_err(text).to_string();
            assert!(error.contains("256GiB"), "{error}");
        }
    }
}
