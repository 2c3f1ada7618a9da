//! JSON whose errors say where they are, in a part of a file too.

use serde::Deserialize;

use super::error::{C1Error, Part, Place};

/// A text, of which parts are read one by one.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub part: Part,
    pub bytes: &'a [u8],
}

impl<'a> Text<'a> {
    /// Reads all of it.
    pub fn read<T: Deserialize<'a>>(self) -> Result<T, C1Error> {
        serde_json::from_slice(self.bytes).map_err(|error| self.error(0, self.bytes, &error))
    }

    /// Reads a value that was left as text.
    pub fn read_raw<T: Deserialize<'a>>(
        self,
        raw: &'a serde_json::value::RawValue,
    ) -> Result<T, C1Error> {
        let part = raw.get().as_bytes();
        serde_json::from_slice(part).map_err(|error| self.error(self.offset_of(part), part, &error))
    }

    /// Where a part of it begins. It is one of the allocation of the whole, as all that was borrowed from it.
    fn offset_of(self, part: &[u8]) -> usize {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        offset.min(self.bytes.len())
    }

    /// An error of serde_json, which counts lines and columns in what it was given.
    fn error(self, start: usize, given: &[u8], error: &serde_json::Error) -> C1Error {
        let line_start = match error.line() {
            0 | 1 => 0,
            line => {
                let ends = given.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                ends.map(|(i, _)| i + 1).nth(line - 2).unwrap_or(0)
            }
        };
        let within = line_start + error.column().saturating_sub(1);
        let mut message = error.to_string();
        // It ends in a place that is counted from the start of the part.
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        C1Error::Json {
            place: self.place(start + within.min(given.len())),
            message,
        }
    }

    fn place(self, offset: usize) -> Place {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        Place {
            part: self.part,
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: offset - line_start + 1,
            offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn place(error: C1Error) -> (usize, usize, usize) {
        match error {
            C1Error::Json { place, .. } => (place.line, place.column, place.offset),
            other => panic!("{other}"),
        }
    }

    fn text(bytes: &[u8]) -> Text<'_> {
        Text {
            part: Part::Whole,
            bytes,
        }
    }

    #[test]
    fn an_error_of_the_whole_is_at_its_byte() {
        let read = |bytes| text(bytes).read::<Vec<u8>>().expect_err("no list");
        assert_eq!(place(read(b"[1, 2]\0")), (1, 7, 6));
        assert_eq!(place(read(b"[1, 2][1, 2]")), (1, 7, 6));
        assert_eq!(place(read(b"[1,\n 2,\n x]")).2, 9);
        assert_eq!(place(read(b"")), (1, 1, 0));
    }

    #[test]
    fn an_error_of_a_part_is_at_its_byte_of_the_whole() {
        let whole = b"{\"a\": 1,\n \"b\":\n [1,\n  300]}";
        let fields: std::collections::BTreeMap<&str, &RawValue> =
            text(whole).read().expect("an object");
        let error = text(whole)
            .read_raw::<Vec<u8>>(fields["b"])
            .expect_err("no byte");
        let (line, column, offset) = place(error);
        assert_eq!(line, 4);
        assert_eq!(whole[offset], b'0', "{line} {column} {offset}");
        assert_eq!(column, 5);
    }
}
