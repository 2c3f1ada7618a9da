//! Bytes as hexadecimal digits.

use std::fmt::Write;

/// The bytes of so many pairs of digits; `None` where they are none.
pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(
        digits
            .chunks(2)
            .map(|pair| ((pair[0] << 4) | pair[1]) as u8)
            .collect(),
    )
}

pub(crate) fn write(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_are_written() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(read(&write(&bytes)), Some(bytes));
        assert_eq!(read("aAfF"), Some(vec![0xaa, 0xff]));
        for text in ["a", "0x", "gg", "é"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
