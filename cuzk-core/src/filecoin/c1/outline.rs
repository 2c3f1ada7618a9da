//! What a C1 output says of itself, before it is taken.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, DecodeSliceError};

use super::error::{C1Error, Part};
use super::json::Text;
use super::read::{Outer, VANILLA_HINT, size_of};
use crate::filecoin::SectorSize;

/// The outside of a C1 output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its `SectorNum`.
    pub sector: Option<u64>,
    /// Its `SectorSize`.
    pub size: Option<SectorSize>,
}

/// Looks at the outside of a C1 output: that it is one JSON object of a form that [`read`](super::read()) knows, and that
/// `Phase1Out` is base64. It takes no memory to speak of, so that it can be done before anything is queued.
///
/// # Errors
///
/// [`C1Error::Json`], [`C1Error::Missing`], [`C1Error::Base64`] and [`C1Error::Unknown`].
pub fn outline(json: &[u8]) -> Result<Outline, C1Error> {
    let part = Part::Whole;
    let outer: Outer<'_> = Text { part, bytes: json }.read()?;
    match (&outer.phase1_out, outer.vanilla_proofs) {
        (Some(inner), _) => check_base64(inner.as_bytes())?,
        (None, Some(_)) => {}
        (None, None) => {
            return Err(C1Error::Missing {
                part,
                field: "Phase1Out",
                hint: VANILLA_HINT,
            });
        }
    }
    Ok(Outline {
        sector: outer.sector_number,
        size: outer.sector_size.map(size_of).transpose()?,
    })
}

/// Characters that are decoded at a time: whole groups.
const CHUNK: usize = 4096;

/// Padding inside is left for the reader to find.
fn check_base64(text: &[u8]) -> Result<(), DecodeError> {
    let mut decoded = [0; CHUNK / 4 * 3];
    for (index, chunk) in text.chunks(CHUNK).enumerate() {
        let before = index * CHUNK;
        let result = STANDARD.decode_slice(chunk, &mut decoded);
        result.map_err(|error| match error {
            DecodeSliceError::DecodeError(DecodeError::InvalidByte(at, byte)) => {
                DecodeError::InvalidByte(before + at, byte)
            }
            DecodeSliceError::DecodeError(DecodeError::InvalidLastSymbol(at, byte)) => {
                DecodeError::InvalidLastSymbol(before + at, byte)
            }
            DecodeSliceError::DecodeError(DecodeError::InvalidLength(length)) => {
                DecodeError::InvalidLength(before + length)
            }
            DecodeSliceError::DecodeError(error) => error,
            DecodeSliceError::OutputSliceTooSmall => {
                unreachable!("three bytes come of four characters")
            }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Result<Outline, C1Error> {
        outline(json.as_bytes())
    }

    #[test]
    fn what_a_client_sends_says_its_sector() {
        let said = of(r#"{"SectorNum": 7, "Phase1Out": "e30=", "SectorSize": 2048}"#);
        let expected = Outline {
            sector: Some(7),
            size: Some(SectorSize::Kib2),
        };
        assert_eq!(said.expect("good"), expected);
        let plain = of(r#"{"vanilla_proofs": []}"#).expect("good");
        assert_eq!((plain.sector, plain.size), (None, None));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (json, says) in [
            (r#"{"SectorNum": 7, "Phase1"#, "byte 23"),
            (r#"{"Phase1Out": ""}}"#, "byte 17"),
            ("{\"Phase1Out\": \"\"}\0", "byte 17"),
            (r#"{"SectorNum": "7"}"#, "byte 16"),
            (r#"{"SectorNum": 7}"#, "Phase1Out"),
            (r#"{"Phase1Out": "", "SectorSize": 2049}"#, "2049"),
        ] {
            let error = of(json).expect_err(json).to_string();
            assert!(error.contains(says), "{json}: {error}");
        }
    }

    #[test]
    fn what_is_no_base64_is_found_at_its_character() {
        let mut text = STANDARD.encode([1; 9000]).into_bytes();
        assert_eq!(check_base64(&text), Ok(()));
        for at in [0, 4095, 4096, 11_000] {
            let before = std::mem::replace(&mut text[at], b'!');
            assert_eq!(check_base64(&text), Err(DecodeError::InvalidByte(at, b'!')));
            text[at] = before;
        }
        assert!(check_base64(&text[..text.len() - 1]).is_err());
    }
}
