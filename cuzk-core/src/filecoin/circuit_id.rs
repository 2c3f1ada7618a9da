//! The names of Filecoin's circuits: a kind of proof, and a size of sector.

use std::fmt;
use std::str::FromStr;

use super::FilecoinError;

/// What a proof shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProofKind {
    /// Proof of replication: a sector was sealed.
    Porep,
    /// WinningPoSt: the winner of an election holds the sector.
    Winning,
    /// WindowPoSt: a partition of sectors is still held.
    Window,
    /// SnapDeals: a sealed sector holds new data.
    Snap,
}

impl ProofKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Porep, Self::Winning, Self::Window, Self::Snap];

    fn name(self) -> &'static str {
        match self {
            Self::Porep => "porep",
            Self::Winning => "winning",
            Self::Window => "wpost",
            Self::Snap => "snap",
        }
    }
}

/// The sizes of sectors that parameters were published for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectorSize {
    /// 2 KiB, for tests.
    Kib2,
    /// 8 MiB, for tests.
    Mib8,
    /// 512 MiB, for tests.
    Mib512,
    /// 32 GiB.
    Gib32,
    /// 64 GiB.
    Gib64,
}

impl SectorSize {
    /// Every size, the smallest first.
    pub const ALL: [Self; 5] = [
        Self::Kib2,
        Self::Mib8,
        Self::Mib512,
        Self::Gib32,
        Self::Gib64,
    ];

    /// The size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Kib2 => 2 << 10,
            Self::Mib8 => 8 << 20,
            Self::Mib512 => 512 << 20,
            Self::Gib32 => 32 << 30,
            Self::Gib64 => 64 << 30,
        }
    }

    /// The size of so many bytes, where it is one of these.
    pub fn from_bytes(bytes: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.bytes() == bytes)
    }

    /// Number of 32-byte nodes in a sector.
    pub(super) fn nodes(self) -> usize {
        (self.bytes() / 32) as usize
    }

    fn name(self) -> &'static str {
        match self {
            Self::Kib2 => "2k",
            Self::Mib8 => "8m",
            Self::Mib512 => "512m",
            Self::Gib32 => "32g",
            Self::Gib64 => "64g",
        }
    }
}

impl fmt::Display for SectorSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kib2 => "2 KiB",
            Self::Mib8 => "8 MiB",
            Self::Mib512 => "512 MiB",
            Self::Gib32 => "32 GiB",
            Self::Gib64 => "64 GiB",
        })
    }
}

/// One circuit, as in `porep-32g` or `wpost-2k`. All proofs of one circuit share its parameters.
///
/// ```
/// use cuzk_core::filecoin::{CircuitId, ProofKind, SectorSize};
///
/// let id: CircuitId = "wpost-32g".parse()?;
/// assert_eq!(id, CircuitId { kind: ProofKind::Window, size: SectorSize::Gib32 });
/// assert_eq!("window-32g".parse::<CircuitId>()?.to_string(), "wpost-32g");
/// # Ok::<(), cuzk_core::filecoin::FilecoinError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitId {
    /// What its proofs show.
    pub kind: ProofKind,
    /// The size of the sectors that they are about.
    pub size: SectorSize,
}

impl CircuitId {
    /// Every circuit.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |kind| {
            SectorSize::ALL
                .into_iter()
                .map(move |size| Self { kind, size })
        };
        ProofKind::ALL.into_iter().flat_map(of)
    }
}

impl fmt::Display for CircuitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.name(), self.size.name())
    }
}

impl FromStr for CircuitId {
    type Err = FilecoinError;

    /// Reads an id; `window` is taken for `wpost`.
    fn from_str(text: &str) -> Result<Self, FilecoinError> {
        let canonical = match text.strip_prefix("window-") {
            Some(size) => format!("wpost-{size}"),
            None => text.to_owned(),
        };
        Self::all()
            .find(|id| id.to_string() == canonical)
            .ok_or_else(|| FilecoinError::UnknownCircuit {
                name: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        assert_eq!(CircuitId::all().count(), 20);
        for id in CircuitId::all() {
            assert_eq!(id.to_string().parse::<CircuitId>().expect("an id"), id);
        }
        let names: Vec<String> = CircuitId::all().map(|id| id.to_string()).collect();
        for name in ["porep-2k", "winning-8m", "wpost-512m", "snap-64g"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn what_is_no_id_is_refused_with_what_would_be_one() {
        for name in [
            "",
            "porep",
            "porep-",
            "porep-2K",
            "porep-4k",
            "window",
            "wpost-",
            "wpost-2k ",
        ] {
            let error = name.parse::<CircuitId>().expect_err("no id").to_string();
            assert!(error.contains(&format!("{name:?}")), "{error}");
            assert!(error.contains("wpost"), "{error}");
        }
    }

    #[test]
    fn a_size_is_known_by_its_bytes() {
        for size in SectorSize::ALL {
            assert_eq!(SectorSize::from_bytes(size.bytes()), Some(size));
            assert_eq!(SectorSize::from_bytes(size.bytes() + 1), None);
            assert!(size.nodes().is_power_of_two());
        }
    }
}
