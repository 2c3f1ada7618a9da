//! Parameters that nobody has looked at before the GPU's prover: its own loader and checks have to do.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bellperson::SynthesisError;
use bellperson::groth16::{ParameterSource, VerifyingKey};
use blstrs::{Bls12, G1Affine, G2Affine};
use cuzk_core::ParametersShape;
use cuzk_core::backend::{Backend, ProvingParameters};
use supraseal_c2::SRS;

/// In the hands of the prover's loader.
pub struct RawParameters {
    vk: VerifyingKey<Bls12>,
    srs: SRS,
}

impl RawParameters {
    /// Gives a file to the loader. The verifying key is of the good file.
    pub fn load(path: &Path, vk: VerifyingKey<Bls12>) -> Result<Self> {
        let srs = SRS::try_new(path.to_owned(), false);
        let srs = srs.map_err(|error| anyhow!("{error}"))?;
        Ok(Self { vk, srs })
    }
}

impl ProvingParameters for &RawParameters {
    fn shape(&self) -> Option<ParametersShape> {
        None
    }

    fn verifying_key(&self) -> &VerifyingKey<Bls12> {
        &self.vk
    }

    fn backend(&self) -> Backend {
        Backend::Gpu
    }
}

type G1Source = (Arc<Vec<G1Affine>>, usize);
type G2Source = (Arc<Vec<G2Affine>>, usize);

/// The GPU's prover never asks for points.
const ELSEWHERE: SynthesisError = SynthesisError::MalformedSrs;

impl ParameterSource<Bls12> for &RawParameters {
    type G1Builder = G1Source;
    type G2Builder = G2Source;

    fn get_vk(&self, _: usize) -> Result<&VerifyingKey<Bls12>, SynthesisError> {
        Ok(&self.vk)
    }

    fn get_h(&self, _: usize) -> Result<G1Source, SynthesisError> {
        Err(ELSEWHERE)
    }

    fn get_l(&self, _: usize) -> Result<G1Source, SynthesisError> {
        Err(ELSEWHERE)
    }

    fn get_a(&self, _: usize, _: usize) -> Result<(G1Source, G1Source), SynthesisError> {
        Err(ELSEWHERE)
    }

    fn get_b_g1(&self, _: usize, _: usize) -> Result<(G1Source, G1Source), SynthesisError> {
        Err(ELSEWHERE)
    }

    fn get_b_g2(&self, _: usize, _: usize) -> Result<(G2Source, G2Source), SynthesisError> {
        Err(ELSEWHERE)
    }

    fn get_supraseal_srs(&self) -> Option<&SRS> {
        Some(&self.srs)
    }
}
