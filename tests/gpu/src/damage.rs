//! Damaged copies of a file of parameters.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result};
use cuzk_core::parameters::{Layout, Section};

/// The sections that begin with their number of points.
pub const COUNTED: [Section; 6] = [
    Section::Ic,
    Section::H,
    Section::L,
    Section::A,
    Section::BG1,
    Section::BG2,
];

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It has no byte.
    Empty,
    /// It ends in the middle of a section.
    EndsIn(Section),
    /// Its last byte is missing.
    LastByte,
    /// There is a byte more.
    OneMore,
    /// A section says that it has a point less.
    CountLess(Section),
    /// A section says that it has a point more.
    CountMore(Section),
    /// A section says that it has as many points as the format can count.
    CountHuge(Section),
    /// A section's first point has one bit that is another.
    Bit(Section),
    /// A section's last point is encoded as none is.
    NoPoint(Section),
}

impl Damage {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Empty, Self::LastByte, Self::OneMore];
        all.extend(Section::ALL.map(Self::EndsIn));
        all.extend(COUNTED.map(Self::CountLess));
        all.extend(COUNTED.map(Self::CountMore));
        all.extend(COUNTED.map(Self::CountHuge));
        all.extend(Section::ALL.map(Self::Bit));
        all.extend(COUNTED.map(Self::NoPoint));
        all
    }

    /// Its name in the names of cases.
    pub fn name(self) -> String {
        let (kind, section) = match self {
            Self::Empty => return "empty".to_owned(),
            Self::LastByte => return "last-byte-missing".to_owned(),
            Self::OneMore => return "one-byte-more".to_owned(),
            Self::EndsIn(section) => ("ends-in", section),
            Self::CountLess(section) => ("count-less", section),
            Self::CountMore(section) => ("count-more", section),
            Self::CountHuge(section) => ("count-huge", section),
            Self::Bit(section) => ("bit", section),
            Self::NoPoint(section) => ("no-point", section),
        };
        format!("{kind}-{}", section_name(section))
    }

    /// The section whose points are damaged while the layout is good, so that only decoding them can tell.
    pub fn of_points(self) -> Option<Section> {
        match self {
            Self::Bit(section) | Self::NoPoint(section) => match section {
                Section::VerifyingKey | Section::Ic => None,
                other => Some(other),
            },
            _ => None,
        }
    }

    /// Damages a copy of a good file.
    pub fn apply(self, good: &Path, copy: &Path) -> Result<()> {
        let layout = Layout::read(good)?;
        std::fs::copy(good, copy).with_context(|| format!("cannot copy {}", good.display()))?;
        let file = OpenOptions::new().read(true).write(true).open(copy);
        let file = file.with_context(|| format!("cannot open {}", copy.display()))?;
        let bytes = layout.bytes();
        let count = |section: Section, change: &dyn Fn(u64) -> u64| {
            let span = layout.span(section);
            // 32 bits, and a section is never full.
            let count = change(span.count) as u32;
            file.write_all_at(&count.to_be_bytes(), span.offset - 4)
        };
        match self {
            Self::Empty => file.set_len(0),
            Self::LastByte => file.set_len(bytes - 1),
            Self::OneMore => file.set_len(bytes + 1),
            Self::EndsIn(section) => {
                let span = layout.span(section);
                file.set_len((span.offset + span.end()) / 2)
            }
            Self::CountLess(section) => count(section, &|count| count.saturating_sub(1)),
            Self::CountMore(section) => count(section, &|count| count + 1),
            Self::CountHuge(section) => count(section, &|_| u32::MAX.into()),
            Self::Bit(section) => {
                let at = layout.span(section).offset + 47;
                let mut byte = [0];
                file.read_exact_at(&mut byte, at)?;
                file.write_all_at(&[byte[0] ^ 1], at)
            }
            Self::NoPoint(section) => {
                let span = layout.span(section);
                let at = span.offset_of(span.count - 1);
                file.write_all_at(&[0x1f; 48], at)
            }
        }
        .with_context(|| format!("cannot damage {}", copy.display()))
    }
}

/// As in "b-g1".
pub fn section_name(section: Section) -> String {
    section.to_string().replace([' ', '_'], "-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cuzk_core::parameters::{self, Trust};

    use super::*;
    use crate::batch::NEXT;
    use crate::material;

    #[test]
    fn every_damage_is_found_by_a_full_check() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let good = folder.path().join("good.params");
        material::generate(NEXT.shape, &good).expect("generated");
        assert!(parameters::read(&good, Trust::Check, &()).is_ok());
        let bad = folder.path().join("bad.params");
        let all = Damage::all();
        let names: BTreeSet<String> = all.iter().map(|damage| damage.name()).collect();
        assert_eq!(names.len(), all.len());
        for damage in all {
            damage.apply(&good, &bad).expect("damaged");
            let name = damage.name();
            assert!(parameters::read(&bad, Trust::Check, &()).is_err(), "{name}");
            let layout = Layout::read(&bad);
            let points = matches!(damage, Damage::Bit(_) | Damage::NoPoint(_));
            assert_eq!(layout.is_ok(), points, "{name}: {layout:?}");
        }
    }
}
