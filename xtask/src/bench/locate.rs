//! Where two vectors first differ.
//!
//! When the digests of two arms differ, both write the vector out, and it is compared element by element, so that a
//! person learns which value of which vector to look at.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// Where two dumped vectors first differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An element, with both values.
    Element {
        /// What is counted: element, bit, byte.
        unit: &'static str,
        /// Its index, from 0.
        index: u64,
        /// The first arm's value.
        first: String,
        /// The second arm's value.
        second: String,
    },
    /// One ends where the other goes on.
    Length {
        /// What is counted.
        unit: &'static str,
        /// How many the first arm has.
        first: u64,
        /// How many the second arm has.
        second: u64,
    },
    /// The dumps are the same: the difference was not repeated.
    Nowhere,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element {
                unit,
                index,
                first,
                second,
            } => write!(f, "{unit} {index}: {first} and {second}"),
            Self::Length {
                unit,
                first,
                second,
            } => {
                write!(
                    f,
                    "equal as far as both go, but one has {first} and the other {second} {unit}s"
                )
            }
            Self::Nowhere => f.write_str(
                "nowhere when the vector is written out again: the difference does not repeat",
            ),
        }
    }
}

/// Finds the first difference between two dumps of a vector.
pub fn locate(vector: &str, first: &Path, second: &Path) -> io::Result<Place> {
    let (mut a, mut b) = (
        BufReader::new(File::open(first)?),
        BufReader::new(File::open(second)?),
    );
    let kind = Kind::of(vector);
    let (mut left, mut right) = (vec![0; kind.width()], vec![0; kind.width()]);
    for index in 0.. {
        let (read_a, read_b) = (fill(&mut a, &mut left)?, fill(&mut b, &mut right)?);
        let (here, there) = (&left[..read_a], &right[..read_b]);
        if here.is_empty() && there.is_empty() {
            break;
        }
        if read_a != read_b {
            let count =
                |path: &Path| Ok::<_, io::Error>(path.metadata()?.len() / kind.width() as u64);
            return Ok(Place::Length {
                unit: kind.unit(),
                first: count(first)?,
                second: count(second)?,
            });
        }
        if here != there {
            return Ok(kind.place(index, here, there));
        }
    }
    Ok(Place::Nowhere)
}

/// What the elements of a vector are.
#[derive(Clone, Copy)]
enum Kind {
    /// 32 bytes, little-endian.
    Scalar,
    /// Words of 64 bits.
    Density,
    /// Bytes of a proof or of parameters.
    Bytes,
}

impl Kind {
    fn of(vector: &str) -> Self {
        if vector.ends_with("density") {
            Self::Density
        } else if ["proof", "parameters"].contains(&vector) {
            Self::Bytes
        } else {
            Self::Scalar
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Scalar => 32,
            Self::Density => 8,
            Self::Bytes => 1,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Scalar => "element",
            Self::Density => "word",
            Self::Bytes => "byte",
        }
    }

    fn place(self, index: u64, first: &[u8], second: &[u8]) -> Place {
        if let (Self::Density, Some(bit)) = (self, first_bit(first, second)) {
            let value = |bytes: &[u8]| (bytes[bit / 8] >> (bit % 8) & 1).to_string();
            return Place::Element {
                unit: "bit",
                index: index * 64 + bit as u64,
                first: value(first),
                second: value(second),
            };
        }
        Place::Element {
            unit: self.unit(),
            index,
            first: number(first),
            second: number(second),
        }
    }
}

/// The lowest bit in which two little-endian numbers differ.
fn first_bit(first: &[u8], second: &[u8]) -> Option<usize> {
    let pairs = first.iter().zip(second).enumerate();
    pairs
        .map(|(i, (a, b))| (i, a ^ b))
        .find(|(_, bits)| *bits != 0)
        .map(|(i, bits)| i * 8 + bits.trailing_zeros() as usize)
}

/// A little-endian number in hexadecimal, most significant digit first, without leading zeros.
fn number(bytes: &[u8]) -> String {
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(vector: &str, first: &[u8], second: &[u8]) -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&a, first).expect("written");
        std::fs::write(&b, second).expect("written");
        locate(vector, &a, &b).expect("read")
    }

    #[test]
    fn the_first_element_that_differs_is_shown_with_both_values() {
        let mut first = vec![0u8; 32 * 5];
        let mut second = first.clone();
        (first[32 * 3], second[32 * 3]) = (2, 1);
        second[32 * 3 + 1] = 1;
        second[32 * 4] = 9;
        let place = located("aux_assignment", &first, &second);
        assert_eq!(place.to_string(), "element 3: 0x2 and 0x101");
        assert_eq!(located("a", &first, &first), Place::Nowhere);
    }

    #[test]
    fn densities_are_located_by_bit_and_files_by_byte() {
        let first = [0xff; 16];
        let mut second = first;
        second[9] = 0b1111_0111;
        let place = located("a_aux_density", &first, &second);
        assert_eq!(place.to_string(), "bit 75: 1 and 0");
        for vector in ["proof", "parameters"] {
            let place = located(vector, &first, &second);
            assert_eq!(place.to_string(), "byte 9: 0xff and 0xf7");
        }
    }

    #[test]
    fn a_shorter_vector_is_told_by_its_length() {
        let place = located("c", &[0; 96], &[0; 64]);
        assert_eq!(
            place,
            Place::Length {
                unit: "element",
                first: 3,
                second: 2
            }
        );
        // A difference before the end is the better answer.
        let mut longer = [0; 96];
        longer[0] = 1;
        assert!(matches!(
            located("c", &longer, &[0; 64]),
            Place::Element { index: 0, .. }
        ));
    }
}
