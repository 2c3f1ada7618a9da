//! The seal proofs that the network has registered: their numbers are part of what a sector is sealed with.

use std::fmt;
use std::str::FromStr;

use filecoin_proofs::PoRepConfig;
use storage_proofs_core::api_version::{ApiFeature, ApiVersion};

use super::{FilecoinError, SectorSize};

/// The versions of the proof of replication, in the order in which they were registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SealVersion {
    /// The first one.
    V1,
    /// With another choice of parents.
    V1_1,
    /// 1.1 with challenges from a synthetic set, so that a provider need not keep its layers.
    Synthetic,
    /// Without the chain's randomness; its proofs are aggregated.
    NonInteractive,
}

impl SealVersion {
    const ALL: [Self; 4] = [Self::V1, Self::V1_1, Self::Synthetic, Self::NonInteractive];

    fn suffix(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V1_1 => "V1_1",
            Self::Synthetic => "V1_1_Feat_SyntheticPoRep",
            Self::NonInteractive => "V1_2_Feat_NonInteractivePoRep",
        }
    }

    fn api(self) -> (ApiVersion, Option<ApiFeature>) {
        match self {
            Self::V1 => (ApiVersion::V1_0_0, None),
            Self::V1_1 => (ApiVersion::V1_1_0, None),
            Self::Synthetic => (ApiVersion::V1_2_0, Some(ApiFeature::SyntheticPoRep)),
            Self::NonInteractive => (ApiVersion::V1_2_0, Some(ApiFeature::NonInteractivePoRep)),
        }
    }
}

/// A registered seal proof: a version and a size. It is read from its number or its name, and written as its name.
///
/// ```
/// use cuzk_core::filecoin::{RegisteredSeal, SealVersion, SectorSize};
///
/// let seal: RegisteredSeal = "8".parse()?;
/// assert_eq!(seal, RegisteredSeal { version: SealVersion::V1_1, size: SectorSize::Gib32 });
/// assert_eq!(seal.to_string(), "StackedDrg32GiBV1_1");
/// # Ok::<(), cuzk_core::filecoin::FilecoinError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisteredSeal {
    /// Its version.
    pub version: SealVersion,
    /// The size of the sectors.
    pub size: SectorSize,
}

impl RegisteredSeal {
    /// The interactive proof of version 1.1, which nearly every sector is sealed with.
    pub fn interactive(size: SectorSize) -> Self {
        Self {
            version: SealVersion::V1_1,
            size,
        }
    }

    /// Every one of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |version| {
            SectorSize::ALL
                .into_iter()
                .map(move |size| Self { version, size })
        };
        SealVersion::ALL.into_iter().flat_map(of)
    }

    /// The network's number.
    pub fn number(self) -> u64 {
        let (version, size) = (self.version as u64, self.size as u64);
        version * SectorSize::ALL.len() as u64 + size
    }

    /// What sets the graphs of one registered proof apart from those of another: its number and a nonce, which has been
    /// zero so far, each in 64 bits, little-endian.
    pub fn porep_id(self) -> [u8; 32] {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&self.number().to_le_bytes());
        id
    }

    /// What filecoin-proofs wants to know about it.
    pub fn config(self) -> PoRepConfig {
        let (version, feature) = self.version.api();
        let mut config = PoRepConfig::new_groth16(self.size.bytes(), self.porep_id(), version);
        if let Some(feature) = feature {
            config
                .enable_feature(feature)
                .expect("one feature alone has nothing to be in conflict with");
        }
        config
    }
}

impl fmt::Display for RegisteredSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size.to_string().replace(' ', "");
        write!(f, "StackedDrg{size}{}", self.version.suffix())
    }
}

impl FromStr for RegisteredSeal {
    type Err = FilecoinError;

    fn from_str(text: &str) -> Result<Self, FilecoinError> {
        Self::all()
            .find(|seal| seal.to_string() == text || seal.number().to_string() == text)
            .ok_or_else(|| FilecoinError::UnknownSealProof {
                name: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_up_and_both_forms_are_read() {
        for (number, seal) in (0..).zip(RegisteredSeal::all()) {
            assert_eq!(seal.number(), number);
            for text in [seal.to_string(), number.to_string()] {
                assert_eq!(text.parse::<RegisteredSeal>().expect("registered"), seal);
            }
            let config = seal.config();
            assert_eq!(config.porep_id[0], number as u8);
            assert_eq!(u64::from(config.sector_size), seal.size.bytes());
        }
        assert_eq!(RegisteredSeal::all().count(), 20);
        for text in ["20", "-1", "05", "StackedDrg32GiBV1_2", "", "8 "] {
            let error = text.parse::<RegisteredSeal>().expect_err("not registered");
            assert!(error.to_string().contains("StackedDrg32GiBV1_1"), "{error}");
        }
    }

    #[test]
    fn a_name_says_its_size_and_version() {
        let synthetic = RegisteredSeal {
            version: SealVersion::Synthetic,
            size: SectorSize::Mib512,
        };
        assert_eq!(
            synthetic.to_string(),
            "StackedDrg512MiBV1_1_Feat_SyntheticPoRep"
        );
        assert_eq!(synthetic.number(), 12);
        let first = RegisteredSeal::all().next().expect("twenty");
        assert_eq!(first.to_string(), "StackedDrg2KiBV1");
    }

    #[test]
    fn partitions_are_those_of_the_version() {
        for (text, partitions) in [("5", 1), ("8", 10), ("13", 10), ("15", 13), ("18", 126)] {
            let seal: RegisteredSeal = text.parse().expect("registered");
            assert_eq!(usize::from(seal.config().partitions), partitions, "{seal}");
        }
    }
}
