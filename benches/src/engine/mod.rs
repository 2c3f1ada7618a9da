//! The `engine/*` workloads: partitions of one circuit through an engine, or the same work one phase after another.
//!
//! What an engine gains is what it does at the same time, so both ways are of the same parts. The circuit is recorded, and
//! parameters are loaded, before the clock starts; the recording is read under it. Circuits are synthesised from that
//! recording, proven, and verified from the proofs' bytes, on the same number of threads. The randomness of a proof is what the
//! engine draws from the seed for that partition, so the bytes are the same on either way, on every arm, on the CPU and on a GPU.
//!
//! | `engine=` | what it does |
//! | --- | --- |
//! | `pipeline` | one job of so many partitions, given to an [`Engine`](cuzk_core::engine::Engine) that decides the rest |
//! | `phases` | all partitions are synthesised in one batch, then all are proven, in one call on a GPU and one by one on the CPU, as the engine does; then all are verified |
//!
//! | metric | what it is |
//! | --- | --- |
//! | `wall_s.total` | until the last proof has been verified: from the job's submission, or from the beginning of the synthesis |
//! | `wall_s.busy.synthesis`, `wall_s.busy.proving`, `wall_s.busy.both` | time with something being synthesised, being proven or verified, and both at once: zero with `phases` |
//! | `wall_s.verification` | of that, verifying, summed over the partitions |
//! | `wall_s.record`, `wall_s.store` | making the recording, in none of the others |
//! | `wall_s.load`, `wall_s.witness`, `wall_s.products`, `wall_s.expansion` | with `phases`: parts of the synthesis |
//! | `wall_s.parameters`, `peak_bytes.gpu` | as of `prove/*` |
//! | `peak_bytes` | resident memory of the host until then |
//!
//! An engine whose recording could not be used, or that had to make a proof again, ends the trial: the number would be of
//! something else.

mod phases;
mod pipeline;

use std::time::Duration;

use anyhow::{Context, Result};
use bellperson::Circuit;
use bellperson::groth16::Proof;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::proofs;
use cuzk_core::backend::Backend;
use cuzk_core::engine::Busy;
use cuzk_core::teardown;
use cuzk_harness::registry::OptionSpec;
use cuzk_harness::{RegionCost, Request, Trial, metric};

use crate::prove::gpu::Setup;
use crate::prove::options::{BACKEND, GPU_MEMORY, GPU_PIPELINE, ProveOptions};
use crate::stored::Stored;
use crate::{porep, recorded};

const ENGINE: OptionSpec = OptionSpec {
    key: "engine",
    values: &["pipeline", "phases"],
    help: "whether an engine does it, which overlaps what it can, or one phase follows the other; pipeline when left out",
};

/// What they take.
pub const OPTIONS: &[OptionSpec] = &[ENGINE, BACKEND, GPU_MEMORY, GPU_PIPELINE];

/// One trial.
pub fn run(request: &Request) -> Result<Trial> {
    Ok(prove(request)?.0)
}

/// As [`run`], with the bytes of the proofs.
pub fn prove(request: &Request) -> Result<(Trial, Vec<u8>)> {
    let options = ProveOptions::of(request)?;
    // Before anything that takes its time.
    options.backend.available()?;
    let setup = Setup::new(&options)?;
    let parameters = porep::parameters(request)?;
    let (circuit, inputs) = porep::circuit(request.seed)?;
    measure(request, options.backend, setup, parameters, circuit, inputs)
}

/// What is to be done, either way.
struct Work<C> {
    circuit: C,
    partitions: usize,
    recording: recorded::Stored,
    parameters: Stored,
    backend: Backend,
    threads: usize,
    seed: u64,
}

/// What came of it.
struct Done {
    wall: Duration,
    cost: RegionCost,
    gpu_peak: Option<u64>,
    busy: Busy,
    verification: Duration,
    parts: Vec<(&'static str, Duration)>,
    proofs: Vec<Proof<Bls12>>,
}

fn measure<C>(
    request: &Request,
    backend: Backend,
    mut setup: Setup,
    parameters: Stored,
    circuit: C,
    inputs: Vec<Fr>,
) -> Result<(Trial, Vec<u8>)>
where
    C: Circuit<Fr> + Clone + Send + Sync + 'static,
{
    let mut trial = request.trial();
    let partitions = request.size.context("a number of partitions")?;
    let partitions = usize::try_from(partitions)?;
    let key = parameters.verifying_key()?;
    let recording = recorded::Stored::record(circuit.clone(), &mut trial)?;
    let shape = recording.shape();
    trial.measured(metric::CONSTRAINTS, shape.constraints - shape.inputs);
    let work = Work {
        circuit,
        partitions,
        recording,
        parameters,
        backend,
        threads: request.threads,
        seed: request.seed,
    };
    let done = match request.options.get(ENGINE.key).copied() {
        Some("phases") => phases::run(work, &mut setup)?,
        _ => pipeline::run(work, &mut setup)?,
    };
    teardown::drain();

    trial.maybe_measured(metric::WALL_PARAMETERS, setup.loading);
    trial.maybe_measured(metric::PEAK_GPU, setup.peak.max(done.gpu_peak));
    trial.measured(metric::WALL_TOTAL, done.wall);
    trial.measured(metric::WALL_BUSY_SYNTHESIS, done.busy.synthesis);
    trial.measured(metric::WALL_BUSY_PROVING, done.busy.proving);
    trial.measured(metric::WALL_BUSY_BOTH, done.busy.both);
    trial.phase("verification", done.verification);
    for (part, wall) in done.parts {
        trial.phase(part, wall);
    }
    trial.cost(&done.cost);
    let inputs = vec![inputs; partitions];
    let bytes = proofs::answer_all(&mut trial, &key, &[done.proofs], &inputs)?;
    Ok((trial, bytes))
}

#[cfg(test)]
mod tests;
