//! Groth16 parameters of the SHA-256 circuit: made once from a fixed seed, then read from a cache folder.
//!
//! Every arm reads the same file. Its name holds the circuit's size and a digest of its matrices, so a circuit that
//! changed can't be proved with parameters of the old one.

use std::io;
use std::path::{Path, PathBuf};

use bellperson::SynthesisError;
use bellperson::groth16::{Parameters, generate_random_parameters};
use blstrs::{Bls12, Scalar};
use cuzk_harness::cache::{CacheError, Entry};
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use thiserror::Error;

use crate::matrices::Matrices;
use crate::mix;
use crate::sha256::Sha256Circuit;

/// The source of parameters for tests and measurements. Its seed is public, so they prove nothing to anybody.
pub fn public_rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(0x7061_7261_6d73)
}

/// The scalars r and s of a proof that has to be the same on every arm. A proof that is to hide anything needs random
/// ones.
pub fn blinding(seed: u64) -> (Scalar, Scalar) {
    let (r, s) = blindings(seed, 1);
    (r[0], s[0])
}

/// As [`blinding`], of `count` proofs: all r, and all s. The first pair is that of [`blinding`].
pub fn blindings(seed: u64, count: usize) -> (Vec<Scalar>, Vec<Scalar>) {
    let mut rng = mix::witness(seed, 6);
    let pair = |_| (Scalar::random(&mut rng), Scalar::random(&mut rng));
    (0..count).map(pair).unzip()
}

/// Why parameters could not be had.
#[derive(Debug, Error)]
pub enum ParametersError {
    /// The circuit or the generator refused.
    #[error("generating parameters for {blocks} block(s) of SHA-256")]
    Generate {
        /// The circuit's size.
        blocks: usize,
        /// What bellperson said.
        source: SynthesisError,
    },
    /// Parameters could not be written to memory or parsed, though their digest holds.
    #[error("{path} is not a parameter file that this bellperson reads", path = .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What bellperson said.
        source: io::Error,
    },
    /// They were not there and could not be made.
    #[error("making {path}", path = .path.display())]
    Prepare {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The cache folder refused, or the file in it is damaged.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// The cache entry of one size of the circuit.
#[derive(Clone, Debug)]
pub struct Sha256Parameters {
    blocks: usize,
    entry: Entry,
}

impl Sha256Parameters {
    /// The entry in a cache folder for a circuit of `blocks` blocks.
    pub fn new(cache: &Path, blocks: usize) -> Result<Self, ParametersError> {
        let generate = |source| ParametersError::Generate { blocks, source };
        let matrices = Matrices::of::<Scalar, _>(Sha256Circuit::blank(blocks)).map_err(generate)?;
        let name = format!("prove-sha256-{blocks}-{}.params", &matrices.name()[..16]);
        Ok(Sha256Parameters {
            blocks,
            entry: Entry::new(cache, &name),
        })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        self.entry.path()
    }

    /// The parameters, digest checked; `None` when there are none. The points themselves are not checked again:
    /// that would take longer than all else, and the digest is of a file that this crate wrote.
    pub fn load(&self) -> Result<Option<Parameters<Bls12>>, ParametersError> {
        match self.entry.read()? {
            Some(bytes) => self.parse(&bytes).map(Some),
            None => Ok(None),
        }
    }

    /// Generates the parameters unless they are there and whole. A damaged file is replaced, with a word on stderr.
    pub fn ensure(&self) -> Result<(), ParametersError> {
        match self.entry.read() {
            Ok(Some(_)) => Ok(()),
            Ok(None) => self.generate(),
            Err(error @ CacheError::Damaged { .. }) => {
                eprintln!("warning: {error}; making it anew");
                self.generate()
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The parameters. Where they are not there and whole, `prepare` is to see to it, in any way that ends up in
    /// [`Sha256Parameters::ensure`].
    pub fn load_or(
        &self,
        prepare: impl FnOnce() -> io::Result<()>,
    ) -> Result<Parameters<Bls12>, ParametersError> {
        match self.load() {
            Ok(Some(parameters)) => return Ok(parameters),
            Ok(None) | Err(ParametersError::Cache(CacheError::Damaged { .. })) => {}
            Err(error) => return Err(error),
        }
        let missing = |source| ParametersError::Prepare {
            path: self.path().to_owned(),
            source,
        };
        prepare().map_err(missing)?;
        self.load()?
            .ok_or_else(|| missing(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Generates the parameters, on all threads of this process, and caches them.
    pub fn generate(&self) -> Result<(), ParametersError> {
        let mut rng = public_rng();
        let parameters =
            generate_random_parameters::<Bls12, _, _>(Sha256Circuit::blank(self.blocks), &mut rng)
                .map_err(|source| ParametersError::Generate {
                    blocks: self.blocks,
                    source,
                })?;
        let mut bytes = Vec::new();
        parameters
            .write(&mut bytes)
            .map_err(|source| self.format_error(source))?;
        self.entry.write(&bytes)?;
        Ok(())
    }

    fn parse(&self, bytes: &[u8]) -> Result<Parameters<Bls12>, ParametersError> {
        parse(bytes).map_err(|source| self.format_error(source))
    }

    fn format_error(&self, source: io::Error) -> ParametersError {
        ParametersError::Format {
            path: self.path().to_owned(),
            source,
        }
    }
}

/// The parameters that these bytes are, to the last. Points are taken as they stand.
pub(crate) fn parse(bytes: &[u8]) -> io::Result<Parameters<Bls12>> {
    let mut rest = bytes;
    let parameters = Parameters::read(&mut rest, false)?;
    match rest.len() {
        0 => Ok(parameters),
        left => Err(io::Error::other(format!("{left} bytes left over"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_begins_with_the_blinding_of_one() {
        let (r, s) = blindings(7, 3);
        assert_eq!((r[0], s[0]), blinding(7));
        let mut all = [r, s].concat();
        all.sort_by_key(|scalar| scalar.to_bytes_le());
        all.dedup();
        assert_eq!(all.len(), 6);
    }

    #[test]
    fn a_size_has_its_own_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let one = Sha256Parameters::new(folder.path(), 1).expect("synthesises");
        let two = Sha256Parameters::new(folder.path(), 2).expect("synthesises");
        assert_ne!(one.path(), two.path());
        assert!(matches!(one.load(), Ok(None)));
    }

    #[test]
    fn a_damaged_file_is_refused_and_made_anew() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The hash of nothing is a constant: the smallest circuit that this can be tried with.
        let parameters = Sha256Parameters::new(folder.path(), 0).expect("synthesises");
        parameters.ensure().expect("generates");
        let good = std::fs::read(parameters.path()).expect("was made");
        assert!(matches!(parameters.load(), Ok(Some(_))));

        let mut flipped = good.clone();
        flipped[good.len() / 2] ^= 1;
        for bad in [&b""[..], &good[..good.len() - 1], &flipped] {
            std::fs::write(parameters.path(), bad).expect("writable");
            let error = parameters.load().err().expect("damaged");
            assert!(matches!(
                error,
                ParametersError::Cache(CacheError::Damaged { .. })
            ));
            let loaded = parameters.load_or(|| parameters.ensure().map_err(io::Error::other));
            assert!(loaded.is_ok());
            assert_eq!(std::fs::read(parameters.path()).ok().as_ref(), Some(&good));
        }
    }

    #[test]
    fn a_digest_over_something_else_is_no_parameters() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let parameters = Sha256Parameters::new(folder.path(), 0).expect("synthesises");
        parameters.entry.write(b"half a file").expect("writable");
        let error = parameters.load().err().expect("no parameters");
        assert!(matches!(error, ParametersError::Format { .. }));
    }

    #[test]
    fn parameters_that_nobody_makes_are_missed_by_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let parameters = Sha256Parameters::new(folder.path(), 0).expect("synthesises");
        let error = parameters.load_or(|| Ok(())).err().expect("not there");
        assert!(error.to_string().contains("prove-sha256-0-"), "{error}");
    }
}
