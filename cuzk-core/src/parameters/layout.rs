//! Where everything lies in a parameter file, by its own counts and checked against its length.
//!
//! The format is bellperson's: the verifying key (alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, then ic), then
//! h, l, a, b_g1 and b_g2. Each section but the first is its number of points, four bytes big-endian, and the points,
//! uncompressed. A file that holds a verifying key alone ends after ic.
//!
//! Only the counts are read here, so a file that claims what it does not have costs nothing.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::error::ParametersError;
use super::files;
use super::section::{FIXED_BYTES, FIXED_POINTS, Place, Section};
use crate::ParametersShape;

/// Bytes of the number of points before each section but the first.
pub(super) const COUNT_BYTES: u64 = 4;

/// A section's place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which section.
    pub section: Section,
    /// Where its first point begins, in bytes; its count stands before that.
    pub offset: u64,
    /// How many points it has.
    pub count: u64,
}

impl Span {
    /// Where the section ends, in bytes.
    pub fn end(&self) -> u64 {
        match self.section.point_bytes() {
            Some(bytes) => self.offset + self.count * bytes as u64,
            None => self.offset + FIXED_BYTES as u64,
        }
    }

    /// Where point `index` begins, in bytes.
    pub fn offset_of(&self, index: u64) -> u64 {
        match self.section.point_bytes() {
            Some(bytes) => self.offset + index * bytes as u64,
            None => {
                let before = FIXED_POINTS.iter().take(index as usize);
                self.offset + before.map(|(_, bytes)| *bytes as u64).sum::<u64>()
            }
        }
    }
}

/// Where the sections of a file of parameters lie. That they fit the file, and each other, has been checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    bytes: u64,
    spans: [Span; Section::ALL.len()],
}

impl Layout {
    /// Reads the counts of a file of parameters.
    ///
    /// # Errors
    ///
    /// [`ParametersError::Io`] and [`ParametersError::NotAFile`]; [`ParametersError::Truncated`] and
    /// [`ParametersError::Trailing`] where the counts do not add up to the length of the file;
    /// [`ParametersError::NoInputs`] and [`ParametersError::Inconsistent`] where they fit no circuit.
    pub fn read(path: &Path) -> Result<Self, ParametersError> {
        let (file, bytes) = files::open(path)?;
        Self::of(path, &file, bytes)
    }

    /// As [`Layout::read`], of a file that is open.
    pub(super) fn of(path: &Path, file: &File, bytes: u64) -> Result<Self, ParametersError> {
        let layout = Self {
            bytes,
            spans: spans(path, file, bytes, Section::ALL)?,
        };
        layout.check(path)?;
        Ok(layout)
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where a section lies.
    pub fn span(&self, section: Section) -> Span {
        // They stand in the order of the enum.
        self.spans[section as usize]
    }

    /// All sections, in the order of the file.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Bytes of the verifying key, with which the file begins.
    pub fn verifying_key_bytes(&self) -> u64 {
        self.span(Section::Ic).end()
    }

    /// Number of points in the whole file.
    pub fn points(&self) -> u64 {
        self.spans.iter().map(|span| span.count).sum()
    }

    /// The point that byte `offset` belongs to; `None` for a count and past the end.
    pub fn place_of(&self, offset: u64) -> Option<Place> {
        let mut spans = self.spans.iter();
        let span = spans.find(|span| span.offset <= offset && offset < span.end())?;
        let index = match span.section.point_bytes() {
            Some(bytes) => (offset - span.offset) / bytes as u64,
            None => (1..span.count)
                .take_while(|index| span.offset_of(*index) <= offset)
                .count() as u64,
        };
        Some(Place {
            section: span.section,
            index,
        })
    }

    /// The number of points in each section.
    pub fn shape(&self) -> ParametersShape {
        // A count has 32 bits.
        let count = |section| self.span(section).count as usize;
        ParametersShape {
            ic: count(Section::Ic),
            h: count(Section::H),
            l: count(Section::L),
            a: count(Section::A),
            b_g1: count(Section::BG1),
            b_g2: count(Section::BG2),
        }
    }

    /// What holds for the parameters of every circuit. The generator gives each input a constraint of its own, so each has
    /// a point in a, and the domain is not smaller than their number.
    fn check(&self, path: &Path) -> Result<(), ParametersError> {
        let count = |section| self.span(section).count;
        let (inputs, aux) = (count(Section::Ic), count(Section::L));
        if inputs == 0 {
            return Err(ParametersError::NoInputs {
                path: path.to_owned(),
            });
        }
        let domain = count(Section::H) + 1;
        let variables = inputs + aux;
        let require = |section, holds: bool, needs: &dyn Fn() -> String| {
            if holds {
                return Ok(());
            }
            Err(ParametersError::Inconsistent {
                path: path.to_owned(),
                section,
                count: count(section),
                needs: needs(),
            })
        };
        require(Section::H, domain.is_power_of_two(), &|| {
            "a domain is a power of two, and h has one point less".into()
        })?;
        require(Section::H, domain >= inputs, &|| {
            format!("ic has {inputs}, and the domain holds a constraint of each input")
        })?;
        require(Section::A, count(Section::A) >= inputs, &|| {
            format!("ic has {inputs}, and every input occurs in A")
        })?;
        require(Section::A, count(Section::A) <= variables, &|| {
            format!("ic and l have {variables}, and a has one a variable at most")
        })?;
        require(Section::BG1, count(Section::BG1) <= variables, &|| {
            format!("ic and l have {variables}, and b_g1 has one a variable at most")
        })?;
        require(
            Section::BG2,
            count(Section::BG2) == count(Section::BG1),
            &|| format!("b_g1 has {}, one for each", count(Section::BG1)),
        )
    }
}

/// The number of input points in a file that holds a verifying key alone.
pub(super) fn verifying_key_inputs(
    path: &Path,
    file: &File,
    bytes: u64,
) -> Result<u64, ParametersError> {
    let [_, ic] = spans(path, file, bytes, [Section::VerifyingKey, Section::Ic])?;
    if ic.count == 0 {
        return Err(ParametersError::NoInputs {
            path: path.to_owned(),
        });
    }
    Ok(ic.count)
}

/// The places of `sections`, one after another from the beginning of a file of `bytes` bytes, which they must fill.
fn spans<const N: usize>(
    path: &Path,
    file: &File,
    bytes: u64,
    sections: [Section; N],
) -> Result<[Span; N], ParametersError> {
    let mut end = 0;
    let mut spans = sections.map(|section| Span {
        section,
        offset: 0,
        count: FIXED_POINTS.len() as u64,
    });
    for span in &mut spans {
        let section = span.section;
        let fits = |end| {
            if end <= bytes {
                return Ok(());
            }
            Err(ParametersError::Truncated {
                path: path.to_owned(),
                section,
                end,
                bytes,
            })
        };
        span.offset = end;
        if section.point_bytes().is_some() {
            span.offset += COUNT_BYTES;
            fits(span.offset)?;
            let mut count = [0; COUNT_BYTES as usize];
            file.read_exact_at(&mut count, end)
                .map_err(ParametersError::io("reading", path))?;
            span.count = u32::from_be_bytes(count).into();
        }
        end = span.end();
        fits(end)?;
    }
    if end == bytes {
        return Ok(spans);
    }
    Err(ParametersError::Trailing {
        path: path.to_owned(),
        end,
        bytes,
    })
}
