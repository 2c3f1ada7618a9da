//! Git's names for content, computed here: applying a patch needs no repository.

use std::fmt;
use std::str::FromStr;

use sha1::{Digest, Sha1};

/// A git object id, SHA-1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 20]);

impl ObjectId {
    /// What stands for "no blob" on the empty side of an added or deleted file.
    pub const ZERO: Self = Self([0; 20]);

    /// Id of a blob with these bytes.
    pub fn of_blob(bytes: &[u8]) -> Self {
        Self::of("blob", bytes)
    }

    /// Id of a tree object with these bytes.
    pub fn of_tree(bytes: &[u8]) -> Self {
        Self::of("tree", bytes)
    }

    fn of(kind: &str, bytes: &[u8]) -> Self {
        let mut hasher = Sha1::new();
        hasher.update(format!("{kind} {}\0", bytes.len()));
        hasher.update(bytes);
        Self(hasher.finalize().into())
    }

    /// The raw id, as a tree object holds it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ObjectId {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, hex::FromHexError> {
        let mut id = [0; 20];
        hex::decode_to_slice(text, &mut id)?;
        Ok(Self(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(
            ObjectId::of_blob(b"").to_string(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
        assert_eq!(
            ObjectId::of_blob(b"hello\n").to_string(),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
        assert_eq!(
            ObjectId::of_tree(b"").to_string(),
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        );
    }

    #[test]
    fn only_forty_hex_digits_are_an_id() {
        let id = ObjectId::of_blob(b"x");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("ce0136".parse::<ObjectId>().is_err());
        assert!("zz".repeat(20).parse::<ObjectId>().is_err());
    }
}
