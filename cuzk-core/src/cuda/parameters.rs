//! Parameters on their way to the GPU's prover.
//!
//! Its loader is C++ and believes what it reads: it multiplies counts from the file without a bound and ignores what becomes
//! of a point. So everything is looked at here before it sees the file: that the counts of all sections add up to the
//! length of the file, that they fit a circuit, the verifying key point by point, and the digest or every point where a
//! [`Trust`] asks for that. A file that somebody changes between that look and the loader's is not noticed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bellperson::SynthesisError;
use bellperson::groth16::{ParameterSource, VerifyingKey};
use blstrs::{Bls12, G1Affine, G2Affine};
use supraseal_c2::SRS;

use super::device::devices;
use super::error::CudaError;
use super::loading::wait_unmapped;
use crate::backend::{Backend, ProvingParameters};
use crate::parameters::{self, Layout, Trust};
use crate::progress::Progress;
use crate::{Error, ParametersShape};

/// How long a loader is waited for.
const LONGEST: Duration = Duration::from_secs(3600);

/// Parameters that the GPU's prover has loaded: in page-locked memory of the host, and with the option "pipeline" on, on the
/// GPUs as far as they fit.
pub struct GpuParameters {
    path: PathBuf,
    layout: Layout,
    vk: VerifyingKey<Bls12>,
    srs: SRS,
}

impl GpuParameters {
    /// Loads a file whose points somebody vouches for. As [`read`](Self::read) with [`Trust::Unverified`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Self::read(path, Trust::Unverified, &())
    }

    /// Loads a file, believing of it what `trust` says. Points are decoded on a thread of the loader's after this has
    /// returned: the first proof, or [`wait`](Self::wait), waits for it. Where the stack has the option "pipeline" and it is
    /// on, that thread then makes CUDA's contexts, takes memory of the GPUs as [`GpuOptions`](super::GpuOptions) allow, and
    /// brings points there: apply options before.
    ///
    /// # Errors
    ///
    /// Those of [`devices`]; [`Error::Parameters`] for what [`parameters::inspect`] finds; [`CudaError::Path`],
    /// [`CudaError::Load`] and [`CudaError::NoKernel`].
    pub fn read(path: &Path, trust: Trust<'_>, progress: &dyn Progress) -> Result<Self, Error> {
        // First, since looking at a large file takes its time.
        devices()?;
        let is_name = path.to_str().is_some_and(|name| !name.contains('\0'));
        if !is_name {
            return Err(CudaError::Path {
                path: path.to_owned(),
            }
            .into());
        }
        let (layout, vk) = parameters::inspect(path, trust, progress)?;
        let srs = SRS::try_new(path.to_owned(), false)
            .map_err(|error| CudaError::of_loader(path, error.code, error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            layout,
            vk,
            srs,
        })
    }

    /// Waits until the loader is done, so that no proof waits for it. False where the system does not say when that is, or
    /// after an hour: the next proof waits for the rest then.
    pub fn wait(&self) -> bool {
        wait_unmapped(&self.path, LONGEST)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where everything lies in the file.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of points in each section.
    pub fn shape(&self) -> ParametersShape {
        self.layout.shape()
    }

    /// The verifying key; its points have been checked.
    pub fn verifying_key(&self) -> &VerifyingKey<Bls12> {
        &self.vk
    }
}

impl ProvingParameters for &GpuParameters {
    fn shape(&self) -> Option<ParametersShape> {
        Some(self.layout.shape())
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

/// That the GPU's points cannot be had here: its prover never asks for them.
const ELSEWHERE: SynthesisError = SynthesisError::MalformedSrs;

impl ParameterSource<Bls12> for &GpuParameters {
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
