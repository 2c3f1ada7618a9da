//! Many sectors through an engine.

mod material;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuzk_core::backend::Backend;
use cuzk_core::budget::Bytes;
use cuzk_core::engine::{Engine, EngineConfig, Submission};
use cuzk_core::filecoin::{
    CircuitId, CircuitSrs, FilecoinError, RecordingFolder, SectorSize, Sources, SrsSource,
};
use cuzk_core::job::{Event, JobHandle, JobReport};
use cuzk_core::parameters::read_verifying_key_of;
use cuzk_core::srs::SrsFile;
use cuzk_harness::process;
use serde::Serialize;

use crate::judge::judge;
use crate::parameters::{self, Lookup, Origin};
use crate::phases::{Listener, Phase, Phases};
use crate::run::GpuUse;
use crate::{ProveError, Verdict};

use self::material::Material;

/// Proofs of several sectors that somebody wants of an engine.
#[derive(Clone, Debug)]
pub struct EngineRequest {
    /// The circuit, of 2 KiB sectors.
    pub circuit: CircuitId,
    /// Which prover proves it.
    pub backend: Backend,
    /// How a GPU's prover is to use GPUs.
    pub gpu: GpuUse,
    /// Number of sectors, at least one.
    pub sectors: u64,
    /// What the first sector comes from; the others from the numbers after it.
    pub seed: u64,
    /// Bytes that the process may take.
    pub budget: u64,
    /// Whether circuits are synthesised from recordings.
    pub recordings: bool,
    /// Where its parameters may be. Recordings are kept beside the store.
    pub parameters: Lookup,
}

/// What came of it, as `--json` writes it.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// The version of this form.
    pub schema: u32,
    /// The prover: "cpu" or "gpu".
    pub backend: &'static str,
    /// The circuit.
    pub circuit: String,
    /// Whether every proof verifies.
    pub ok: bool,
    /// The verdict in one sentence.
    pub verdict: String,
    /// Where the parameters come from.
    pub parameters: Origin,
    /// From the first submission to the last proof, in seconds.
    pub wall_s: f64,
    /// Sectors a minute of that.
    pub sectors_per_minute: f64,
    /// The part of the shorter of synthesis and proving that the other one hid, 0 to 1.
    pub overlap: f64,
    /// Time with something being synthesised, with something being proven, and with both, in seconds.
    pub busy_s: [f64; 3],
    /// Most memory of the process while it proved, in bytes; `None` where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// What it was allowed.
    pub budget_bytes: u64,
    /// Most that the engine had reserved, and what it could have.
    pub reserved_bytes: [u64; 2],
    /// Each sector's job.
    pub jobs: Vec<JobReport>,
    /// What was done besides, in order.
    pub phases: Vec<Phase>,
}

impl EngineReport {
    /// The version of the form.
    pub const SCHEMA: u32 = 1;

    /// 0 where every proof verifies, 1 where one does not.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.ok)
    }
}

/// The one circuit's parameters.
struct One {
    circuit: CircuitId,
    srs: SrsFile,
}

impl SrsSource for One {
    fn srs(&self, circuit: CircuitId) -> Result<CircuitSrs, FilecoinError> {
        debug_assert_eq!(circuit, self.circuit);
        let shape = self.srs.shape()?;
        let srs = Arc::new(self.srs.clone());
        Ok(CircuitSrs { srs, shape })
    }
}

/// Seals the sectors, has an engine prove them all at once, and has filecoin-proofs verify each.
///
/// `keys` is the folder that filecoin-proofs was pointed at by [`isolate`](crate::environment::isolate).
///
/// # Errors
///
/// Where it could not be done. That a proof does not verify is told by the report.
pub fn run_engine(
    request: &EngineRequest,
    keys: &Path,
    listener: &dyn Listener,
) -> Result<EngineReport, ProveError> {
    let circuit = request.circuit;
    if circuit.size != SectorSize::Kib2 {
        return Err(ProveError::NotForEngine { circuit });
    }
    request.backend.available()?;
    request.gpu.apply(request.backend)?;
    let found = request.parameters.find(circuit)?;
    let mut phases = Phases::new(listener);
    let chosen = parameters::choose(circuit, found, &mut phases)?;
    let folder = request.parameters.store.root().join("recordings");
    let sources = Sources {
        parameters: Arc::new(One {
            circuit,
            srs: chosen.srs(circuit),
        }),
        recordings: request.recordings.then(|| RecordingFolder::at(folder)),
    };
    let materials = phases.run("seal and prepare", || {
        let seeds = (0..request.sectors).map(|i| request.seed.wrapping_add(i));
        seeds
            .map(|seed| Material::of(circuit.kind, seed, &sources))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let (requests, proofs): (Vec<_>, Vec<_>) = materials
        .into_iter()
        .map(|material| (material.request, material.proof))
        .unzip();

    let config = EngineConfig::new(request.backend, request.budget);
    let engine = Engine::start(config).map_err(Box::new)?;
    listener.note(&format!(
        "{} sectors of {circuit}; the engine may reserve {} of {}",
        request.sectors,
        Bytes(engine.status().capacity),
        Bytes(request.budget)
    ));
    let region = cuzk_harness::Region::start();
    let start = Instant::now();
    let mut jobs = Vec::new();
    for (index, request) in requests.into_iter().enumerate() {
        let submission = Submission::new(format!("{circuit}-{index}"), Box::new(request));
        jobs.push(engine.submit(submission)?.handle);
    }
    follow(&jobs, listener);
    let ended: Vec<_> = jobs.iter().map(JobHandle::wait).collect();
    let wall = start.elapsed();
    let (_, cost) = region.stop();
    let (busy, metrics) = (engine.busy(), engine.metrics());
    phases.run("shut down", || {
        engine.shut_down(true);
        Ok::<_, ProveError>(())
    })?;

    let key = read_verifying_key_of(&chosen.origin.path)?;
    let verdicts = phases.run("verification", || {
        let each = ended.iter().zip(&proofs).enumerate();
        each.map(|(sector, (ended, proof))| {
            let bytes = ended.result.as_ref().map_err(|error| ProveError::Job {
                sector,
                source: Box::new(error.clone()),
            })?;
            judge(&**proof, bytes, &proof.public_inputs()?, &key, keys)
        })
        .collect::<Result<Vec<_>, ProveError>>()
    })?;
    let ok = verdicts.iter().all(Verdict::is_good);
    let seconds = wall.as_secs_f64();
    let rate = 60.0 * request.sectors as f64 / seconds;
    // The region's peak, or that of the whole process where it cannot be told apart.
    let peak = cost.peak_bytes.or_else(process::peak_resident);
    let verdict = sentence(
        request,
        &verdicts,
        wall,
        rate,
        busy.overlap(),
        peak,
        &chosen.origin,
    );
    Ok(EngineReport {
        schema: EngineReport::SCHEMA,
        backend: request.backend.name(),
        circuit: circuit.to_string(),
        ok,
        verdict,
        parameters: chosen.origin,
        wall_s: seconds,
        sectors_per_minute: rate,
        overlap: busy.overlap(),
        busy_s: [busy.synthesis, busy.proving, busy.both].map(|time| time.as_secs_f64()),
        peak_bytes: peak,
        budget_bytes: request.budget,
        reserved_bytes: [metrics.reserved_most, metrics.capacity],
        jobs: ended.iter().map(|ended| ended.report.clone()).collect(),
        phases: phases.ended(),
    })
}

/// Tells of jobs as they go on, until all have ended.
fn follow(jobs: &[JobHandle], listener: &dyn Listener) {
    let progress = listener.progress();
    let mut events: Vec<_> = jobs.iter().map(JobHandle::events).collect();
    let mut partitions = 0;
    progress.begin("proving", 0, "partitions");
    let (mut total, mut open) = (0, events.len());
    while open > 0 {
        let mut heard = false;
        for events in &mut events {
            for event in events.try_iter() {
                heard = true;
                match event {
                    Event::Prepared { partitions: more } => {
                        partitions += more as u64;
                        progress.begin("proving", partitions, "partitions");
                        progress.advance(total);
                    }
                    Event::Proven { .. } => {
                        total += 1;
                        progress.advance(1);
                    }
                    Event::Again { partition, why } => {
                        listener.note(&format!("partition {partition} is made again: {why}"));
                    }
                    Event::Ended { .. } => open -= 1,
                    _ => {}
                }
            }
        }
        if !heard {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn sentence(
    request: &EngineRequest,
    verdicts: &[Verdict],
    wall: Duration,
    rate: f64,
    overlap: f64,
    peak: Option<u64>,
    origin: &Origin,
) -> String {
    let circuit = request.circuit;
    let with = origin.caveat();
    if let Some((sector, Verdict::Rejected { by, reason })) = verdicts
        .iter()
        .enumerate()
        .find(|(_, verdict)| !verdict.is_good())
    {
        return format!("The proof of sector {sector} does NOT verify, says {by}: {reason}{with}.");
    }
    let memory = match peak {
        Some(peak) if peak <= request.budget => {
            format!(
                "its peak of {} stayed under the budget of {}",
                Bytes(peak),
                Bytes(request.budget)
            )
        }
        Some(peak) => format!(
            "its peak of {} EXCEEDED the budget of {}",
            Bytes(peak),
            Bytes(request.budget)
        ),
        None => format!("the budget was {}", Bytes(request.budget)),
    };
    format!(
        "{} of {} proofs of {circuit} were verified{with}, in {:.1} s: {rate:.1} sectors a minute, {:.0} % of the shorter stage \
         hidden behind the longer one; {memory}.",
        verdicts.len(),
        request.sectors,
        wall.as_secs_f64(),
        100.0 * overlap,
    )
}
