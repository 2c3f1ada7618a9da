//! Parameters to test with.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Projective, Scalar as Fr};
use cuzk_core::ParametersShape;
use cuzk_core::parameters::{Layout, ParametersError, Section};
use ff::Field;
use group::{Curve, Group};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tempfile::TempDir;

/// A shape with something in each section.
pub const SMALL: ParametersShape = ParametersShape {
    ic: 3,
    h: 7,
    l: 5,
    a: 6,
    b_g1: 4,
    b_g2: 4,
};

/// Parameters of a shape that are for no circuit, but hold what can be seen in any: beta, delta and b are the same numbers in
/// both groups.
pub fn synthetic(shape: ParametersShape, seed: u64) -> Parameters<Bls12> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut scalar = move || Fr::random(&mut rng);
    let g1 = G1Projective::generator() * scalar();
    let g2 = G2Projective::generator() * scalar();
    let (beta, delta) = (scalar(), scalar());
    let b: Vec<Fr> = (0..shape.b_g1.max(shape.b_g2)).map(|_| scalar()).collect();
    let mut g1s =
        |count| -> Vec<G1Affine> { (0..count).map(|_| (g1 * scalar()).to_affine()).collect() };
    Parameters {
        vk: VerifyingKey {
            alpha_g1: g1s(1)[0],
            beta_g1: (g1 * beta).to_affine(),
            beta_g2: (g2 * beta).to_affine(),
            gamma_g2: (g2 * (beta + delta)).to_affine(),
            delta_g1: (g1 * delta).to_affine(),
            delta_g2: (g2 * delta).to_affine(),
            ic: g1s(shape.ic),
        },
        h: Arc::new(g1s(shape.h)),
        l: Arc::new(g1s(shape.l)),
        a: Arc::new(g1s(shape.a)),
        b_g1: Arc::new(
            b.iter()
                .take(shape.b_g1)
                .map(|b| (g1 * b).to_affine())
                .collect(),
        ),
        b_g2: Arc::new(
            b.iter()
                .take(shape.b_g2)
                .map(|b| (g2 * b).to_affine())
                .collect::<Vec<G2Affine>>(),
        ),
    }
}

/// A file of parameters in a folder of its own.
pub struct TestFile {
    _folder: TempDir,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl TestFile {
    pub fn new(bytes: Vec<u8>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.params");
        fs::write(&path, &bytes).unwrap();
        Self {
            _folder: folder,
            path,
            bytes,
        }
    }

    pub fn of(parameters: &Parameters<Bls12>) -> Self {
        Self::new(bytes(parameters))
    }

    pub fn layout(&self) -> Layout {
        Layout::read(&self.path).unwrap()
    }

    /// The bytes of a point in the file.
    pub fn point(&self, section: Section, index: u64) -> Range<usize> {
        let span = self.layout().span(section);
        span.offset_of(index) as usize..span.offset_of(index + 1) as usize
    }

    /// Another file, with some of the bytes replaced.
    pub fn with(&self, at: usize, replacement: &[u8]) -> Self {
        let mut bytes = self.bytes.clone();
        bytes[at..at + replacement.len()].copy_from_slice(replacement);
        Self::new(bytes)
    }
}

/// What bellperson writes for these parameters.
pub fn bytes(parameters: &Parameters<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    bytes
}

pub fn key_bytes(parameters: &Parameters<Bls12>) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.vk.write(&mut bytes).unwrap();
    bytes
}

/// The error, which names the file.
pub fn error<T>(result: Result<T, ParametersError>, path: &Path) -> ParametersError {
    let error = result.err().expect("an error");
    let message = error.to_string();
    assert!(message.contains(&*path.to_string_lossy()), "{message}");
    error
}

/// The names of what is in a folder, in order.
pub fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
