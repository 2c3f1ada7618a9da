//! From a request to a verdict.

use std::path::{Path, PathBuf};

use blstrs::Scalar as Fr;
use cuzk_core::backend::{Backend, Randomness};
use cuzk_core::filecoin::{CircuitId, FilecoinError, SynthesizedProof, groth16};
use cuzk_core::synthesis::SynthesisOptions;
use cuzk_core::teardown;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::{OsRng, RngCore, SeedableRng};

use crate::digest::sha256_hex;
use crate::judge::judge;
use crate::parameters::{self, Lookup};
use crate::phases::{Listener, Phases};
use crate::report::{CircuitReport, ProofReport, Report};
use crate::subject::{Source, Subject};
use crate::{ProveError, out};

/// A proof that somebody wants.
#[derive(Clone, Debug)]
pub struct Request {
    /// The circuit.
    pub circuit: CircuitId,
    /// Which prover proves it.
    pub backend: Backend,
    /// How a GPU's prover is to use GPUs. Nothing may be set for the CPU's.
    pub gpu: GpuUse,
    /// What is proven.
    pub source: Source,
    /// Where its parameters may be.
    pub parameters: Lookup,
    /// Where the scalars that hide the witness come from; `None`: from the system's random source. With a seed whoever
    /// knows it can take the witness out of the proof.
    pub randomness: Option<u64>,
    /// The folder for the result.
    pub out: Option<PathBuf>,
}

/// What a GPU's prover may use. What is `None` is left to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuUse {
    /// GiB of each GPU's memory, at least 1.
    pub memory_gib: Option<u64>,
    /// The one GPU, by CUDA's number among those that this process may see, from 0.
    pub device: Option<u32>,
}

impl GpuUse {
    /// Applies it. That comes before parameters are loaded, which takes memory of the GPUs.
    pub(crate) fn apply(self, backend: Backend) -> Result<(), ProveError> {
        match backend {
            _ if self == Self::default() => Ok(()),
            Backend::Cpu => Err(ProveError::NotOfCpu),
            #[cfg(feature = "cuda")]
            Backend::Gpu => {
                use cuzk_core::cuda::{GpuOptions, Gpus};

                let options = GpuOptions {
                    memory: self.memory_gib.map(|gib| gib.saturating_mul(1 << 30)),
                    device: self.device.map(Gpus::Only),
                    ..GpuOptions::default()
                };
                Ok(options.apply().map_err(cuzk_core::Error::from)?)
            }
            #[cfg(not(feature = "cuda"))]
            Backend::Gpu => Err(cuzk_core::Error::NoGpuProver.into()),
        }
    }
}

/// Makes the proof and has it verified. A proof that does not verify goes nowhere: it is neither returned nor written.
///
/// `keys` is the folder that filecoin-proofs was pointed at by [`isolate`](crate::environment::isolate).
///
/// # Errors
///
/// Where it could not be done. That the proof does not verify is told by the report.
pub fn run(request: &Request, keys: &Path, listener: &dyn Listener) -> Result<Report, ProveError> {
    let circuit = request.circuit;
    request.source.check(circuit)?;
    request.backend.available()?;
    request.gpu.apply(request.backend)?;
    if let Some(path) = &request.out {
        out::check(path)?;
    }
    let found = request.parameters.find(circuit)?;

    let mut phases = Phases::new(listener);
    if let Source::Sector { seed } = request.source {
        listener.note(&format!("{circuit} of the sector of seed {seed}"));
    }
    let subject = Subject::prepare(circuit, &request.source, &mut phases)?;
    let proof = &*subject.proof;
    let parameters = parameters::load(circuit, request.backend, found, &mut phases)?;
    let SynthesizedProof { synthesis, inputs } = phases.run("synthesis", || {
        proof.synthesize(&SynthesisOptions::default())
    })?;
    let shape = synthesis.shape();
    let partitions = proof.partitions();
    let shape = CircuitReport::of(circuit, &shape, partitions);
    listener.note(&shape.to_string());
    let randomness = blinding(request.randomness, partitions);
    let bytes = phases.run("proof", || {
        // It is verified below, from its bytes on, before anybody has it.
        let proved = parameters.parameters.prove(synthesis, &randomness);
        let proved = proved.map_err(FilecoinError::from)?;
        teardown::drain();
        Ok::<_, ProveError>(groth16::encode(&proved.proofs))
    })?;
    let key = parameters.parameters.verifying_key().clone();
    let verdict = phases.run("verification", || judge(proof, &bytes, &inputs, &key, keys))?;

    if let Some(path) = request.out.as_ref().filter(|_| verdict.is_good()) {
        let result = out::Result {
            circuit,
            material: (subject.file, &subject.material),
            proof: &bytes,
            inputs: &inputs,
            key: &key,
            verified_by: &verdict.verified_by(),
        };
        out::write(path, &result)?;
    }
    Ok(Report {
        schema: Report::SCHEMA,
        backend: request.backend.name(),
        circuit: shape,
        ok: verdict.is_good(),
        verified_by: verdict.verified_by(),
        verdict: crate::report::sentence(circuit, bytes.len(), &verdict, &parameters.origin),
        proof: verdict.is_good().then(|| ProofReport {
            bytes: bytes.len(),
            sha256: sha256_hex(&bytes),
        }),
        parameters: parameters.origin,
        sector_seed: match request.source {
            Source::Sector { seed } => Some(seed),
            Source::C1 { .. } => None,
        },
        phases: phases.ended(),
    })
}

/// One pair of scalars a partition.
fn blinding(seed: Option<u64>, partitions: usize) -> Randomness {
    fn draw(mut rng: impl RngCore, partitions: usize) -> Randomness {
        let pairs = (0..partitions).map(|_| (Fr::random(&mut rng), Fr::random(&mut rng)));
        let (r, s) = pairs.unzip();
        Randomness { r, s }
    }
    match seed {
        Some(seed) => draw(ChaCha20Rng::seed_from_u64(seed), partitions),
        None => draw(OsRng, partitions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_a_gpu_is_refused_for_the_cpu() {
        let gpu = GpuUse {
            device: Some(0),
            ..GpuUse::default()
        };
        let error = gpu.apply(Backend::Cpu).expect_err("refused").to_string();
        assert!(error.contains("--backend gpu"), "{error}");
        assert!(GpuUse::default().apply(Backend::Cpu).is_ok());
    }

    #[test]
    fn a_seed_gives_the_same_scalars_again_and_no_seed_others() {
        let scalars = |seed| {
            let Randomness { r, s } = blinding(seed, 3);
            [r, s].concat()
        };
        assert_eq!(scalars(Some(7)), scalars(Some(7)));
        assert_ne!(scalars(Some(7)), scalars(Some(8)));
        assert_ne!(scalars(None), scalars(None));
        let mut all = scalars(None);
        all.sort_by_key(|scalar| scalar.to_bytes_le());
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
