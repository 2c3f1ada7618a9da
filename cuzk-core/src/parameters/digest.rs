//! Digests of files, written in hex.

use sha2::{Digest, Sha256};

/// How a digest is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// SHA-256.
    Sha256,
    /// The first 16 bytes of BLAKE2b-512, as Filecoin publishes it.
    Blake2b,
}

impl Algorithm {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SHA-256",
            Self::Blake2b => "BLAKE2b",
        }
    }

    /// Hexadecimal digits of a digest.
    pub fn digits(self) -> usize {
        match self {
            Self::Sha256 => 64,
            Self::Blake2b => 32,
        }
    }

    /// The digest in the form that [`Hasher::finish`] gives; `None` where it cannot be one.
    pub fn parse(self, digest: &str) -> Option<String> {
        let hex = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        (hex && digest.len() == self.digits()).then(|| digest.to_ascii_lowercase())
    }

    /// Begins a digest.
    pub fn hasher(self) -> Hasher {
        match self {
            Self::Sha256 => Hasher::Sha256(Sha256::new()),
            Self::Blake2b => Hasher::Blake2b(Box::new(blake2b_simd::State::new())),
        }
    }
}

/// A digest that is being computed.
pub(super) enum Hasher {
    Sha256(Sha256),
    Blake2b(Box<blake2b_simd::State>),
}

impl Hasher {
    /// Takes in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(state) => state.update(bytes),
            Self::Blake2b(state) => {
                state.update(bytes);
            }
        }
    }

    /// The digest, in lower case.
    pub fn finish(self) -> String {
        match self {
            Self::Sha256(state) => hex(&state.finalize()),
            Self::Blake2b(state) => {
                hex(&state.finalize().as_bytes()[..Algorithm::Blake2b.digits() / 2])
            }
        }
    }
}

/// The SHA-256 of `bytes`.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_their_standards() {
        let of = |algorithm: Algorithm| {
            let mut hasher = algorithm.hasher();
            hasher.update(b"a");
            hasher.update(b"bc");
            hasher.finish()
        };
        assert_eq!(
            of(Algorithm::Sha256),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(sha256(b"abc"), of(Algorithm::Sha256));
        assert_eq!(of(Algorithm::Blake2b), "ba80a53f981c4d0d6a2797b69f12f6e9");
    }

    #[test]
    fn a_digest_has_its_length_and_only_hexadecimal_digits() {
        let upper = "BA80A53F981C4D0D6A2797B69F12F6E9";
        assert_eq!(
            Algorithm::Blake2b.parse(upper),
            Some(upper.to_ascii_lowercase())
        );
        for bad in [
            "",
            "ba80",
            &upper[1..],
            &format!("{}é", &upper[2..]),
            &format!("{upper}0"),
        ] {
            assert_eq!(Algorithm::Blake2b.parse(bad), None, "{bad}");
        }
        assert_eq!(Algorithm::Sha256.parse(upper), None);
    }
}
