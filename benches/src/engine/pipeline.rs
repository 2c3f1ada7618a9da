//! All of it through an engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bellperson::Circuit;
use bellperson::groth16::Proof;
use blstrs::{Bls12, Scalar as Fr};
use cuzk_core::budget::{Footprint, Sizes, resident};
use cuzk_core::engine::{Engine, EngineConfig, Submission};
use cuzk_core::job::{CircuitWork, Ended};
use cuzk_core::srs::Srs;
use cuzk_harness::Region;

use super::{Done, Work};
use crate::prove::gpu::{self, Setup};

pub(super) fn run<C>(work: Work<C>, setup: &mut Setup) -> Result<Done>
where
    C: Circuit<Fr> + Clone + Send + Sync + 'static,
{
    let engine = Engine::start(config(&work)?)?;
    let Work {
        circuit,
        partitions,
        recording,
        parameters,
        backend,
        ..
    } = work;
    let sizes = Sizes::from(&recording.shape());
    let parameters: Arc<dyn Srs> = Arc::new(parameters);
    let loaded = setup.loading(backend, || engine.preload(&parameters));
    loaded.map_err(anyhow::Error::msg)?;
    let make = move |_| Ok(circuit.clone());
    let request = CircuitWork::new("partition", partitions, make, parameters, sizes);
    let request = Box::new(request.recorded(recording.source()));

    let region = Region::start();
    let (ended, gpu_peak) = gpu::watched(setup.before, || {
        let start = Instant::now();
        let job = engine.submit(Submission::new("job", request))?.handle;
        let ended = job.wait();
        anyhow::Ok((ended, start.elapsed()))
    });
    let (_, cost) = region.stop();
    let (ended, wall) = ended?;
    let busy = engine.busy();
    let proofs = proofs(&ended.result.clone()?)?;
    check(&engine, &ended)?;
    engine.shut_down(true);
    Ok(Done {
        wall,
        cost,
        gpu_peak,
        busy,
        verification: verification(&ended),
        parts: Vec::new(),
        proofs,
    })
}

/// As an engine is set up, with a budget that would hold all partitions at once, so that what is measured is its own order.
fn config<C>(work: &Work<C>) -> Result<EngineConfig> {
    /// For its threads, and what else is not counted.
    const SPARE: u64 = 1 << 30;
    let recording = work.recording.source();
    let parameters = work.parameters.bytes(work.backend);
    let parameters = parameters.map_err(anyhow::Error::from_boxed)?;
    let sizes = Sizes::from(&work.recording.shape());
    let Footprint {
        partition,
        synthesis,
        proving,
    } = Footprint::of(&sizes, work.backend);
    let partitions = (work.partitions as u64).saturating_mul(partition + synthesis);
    let once = resident().unwrap_or(0) + SPARE + parameters + recording.bytes + proving;
    let config = EngineConfig::new(work.backend, partitions.saturating_add(once));
    Ok(EngineConfig {
        request_bytes: 0,
        // A proof that is wrong is no trial.
        cpu_fallback: false,
        seed: Some(work.seed),
        ..config.on_threads(work.threads)
    })
}

/// That the engine did what it is measured for.
fn check(engine: &Engine, ended: &Ended) -> Result<()> {
    let retries = ended.report.retries;
    ensure!(retries == 0, "{retries} proofs had to be made again");
    let residents = engine.status().residents;
    let recording = residents.iter().find(|of| of.kind == "recording");
    let recording = recording.context("the recording was evicted, or never loaded")?;
    ensure!(
        recording.ready && recording.bytes > 0,
        "the recording could not be used: synthesis was plain"
    );
    Ok(())
}

fn proofs(bytes: &[u8]) -> Result<Vec<Proof<Bls12>>> {
    let each = bytes.chunks(Proof::<Bls12>::size());
    each.map(|bytes| Ok(Proof::read(bytes)?)).collect()
}

/// Partitions that shared a call were verified together.
fn verification(ended: &Ended) -> Duration {
    let partitions = ended.report.partitions.iter();
    partitions
        .map(|partition| partition.verification / partition.batch.max(1) as u32)
        .sum()
}
