//! The parts of a parameter file, and the names of places in it.

use std::fmt;

use super::point::{G1_BYTES, G2_BYTES};

/// A part of a parameter file, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// The six points of the verifying key that every circuit has.
    VerifyingKey,
    /// The points of the verifying key for the public inputs, one each, G1.
    Ic,
    /// Powers of tau times the vanishing polynomial over delta, G1.
    H,
    /// One point a private variable, G1.
    L,
    /// One point a variable that occurs in A, G1.
    A,
    /// One point a variable that occurs in B, G1.
    BG1,
    /// The same in G2.
    BG2,
}

/// The points of [`Section::VerifyingKey`] in their order, and how many bytes each takes.
pub(super) const FIXED_POINTS: [(&str, usize); 6] = [
    ("alpha_g1", G1_BYTES),
    ("beta_g1", G1_BYTES),
    ("beta_g2", G2_BYTES),
    ("gamma_g2", G2_BYTES),
    ("delta_g1", G1_BYTES),
    ("delta_g2", G2_BYTES),
];

/// Bytes of [`Section::VerifyingKey`].
pub(super) const FIXED_BYTES: usize = 3 * G1_BYTES + 3 * G2_BYTES;

impl Section {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 7] = [
        Self::VerifyingKey,
        Self::Ic,
        Self::H,
        Self::L,
        Self::A,
        Self::BG1,
        Self::BG2,
    ];

    /// Bytes of a point of this section; `None` for [`Section::VerifyingKey`], which mixes the groups.
    pub fn point_bytes(self) -> Option<usize> {
        match self {
            Self::VerifyingKey => None,
            Self::BG2 => Some(G2_BYTES),
            _ => Some(G1_BYTES),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::VerifyingKey => "verifying key",
            Self::Ic => "ic",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        })
    }
}

/// One point of a parameter file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The section that it is in.
    pub section: Section,
    /// Its number in the section, from zero.
    pub index: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, index } = self;
        let fixed = usize::try_from(*index)
            .ok()
            .and_then(|i| FIXED_POINTS.get(i));
        match (section, fixed) {
            (Section::VerifyingKey, Some((name, _))) => {
                write!(f, "{section}, point {index} ({name})")
            }
            _ => write!(f, "section {section}, point {index}"),
        }
    }
}
