//! The threads that prove, and the one that frees what proofs leave behind.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bellperson::groth16::Proof;
use blstrs::{Bls12, Scalar as Fr};
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::{OsRng, RngCore, SeedableRng};

use super::core::{Core, caught};
use crate::Shape;
use crate::backend::{LoadedParameters, Prover, Randomness, rejections};
use crate::job::{Event, JobError, Phase};
use crate::pipeline::machine::Attempt;
use crate::synthesis::Synthesis;
use crate::teardown;

struct Call {
    attempts: Vec<Attempt>,
    parameters: Arc<LoadedParameters>,
    syntheses: Vec<Synthesis>,
    circuit: Option<String>,
}

/// What came of one partition.
type Outcome = Result<Proof<Bls12>, Failure>;

struct Failure {
    error: JobError,
    /// The prover had made a proof, and it was wrong.
    wrong: bool,
}

struct Proven {
    outcomes: Vec<Outcome>,
    prover: Duration,
    verification: Duration,
}

pub(super) fn run(core: &Arc<Core>, class: usize, prover: &dyn Prover, name: &str) {
    core.serve(
        |state| {
            let attempts = state.machine.next_batch(class);
            let first = attempts.first()?;
            let key = state.machine.parameters_of(first);
            let parameters = state.holdings.parameters(key)?;
            let now = Instant::now();
            state.meter.until(now);
            state.meter.proving += 1;
            let batch = attempts.len();
            let mut syntheses = Vec::with_capacity(batch);
            let circuit = state.jobs.get(&first.ticket).map(|job| job.circuit.clone());
            for attempt in &attempts {
                let job = state.jobs.get_mut(&attempt.ticket)?;
                let partition = attempt.part;
                job.shared.tell(Event::Proving { partition, batch });
                let part = &mut job.parts[partition];
                part.report.ready = part
                    .synthesised
                    .map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
                part.report.batch = batch;
                part.report.attempts += 1;
                part.report.prover_name.replace_range(.., name);
                syntheses.push(part.synthesis.take()?);
            }
            Some(Call {
                attempts,
                parameters,
                syntheses,
                circuit,
            })
        },
        |call| prove(core, prover, name, call),
    );
}

fn prove(core: &Core, prover: &dyn Prover, name: &str, call: Call) {
    let Call {
        attempts,
        parameters,
        syntheses,
        circuit,
    } = call;
    let span = tracing::info_span!(
        "prover",
        circuit = circuit.as_deref(),
        batch = attempts.len(),
        prover = name
    );
    let shape = syntheses.first().map(Synthesis::shape);
    let proven = span.in_scope(|| outcomes(core, prover, name, &attempts, &parameters, syntheses));
    drop(parameters);
    let shape = shape.as_ref().map(Shape::to_string);
    let bad = core.update(|state| {
        let mut bad = Vec::new();
        state.meter.until(Instant::now());
        state.meter.proving -= 1;
        state.metrics.phase(Phase::Proving, proven.prover);
        state
            .metrics
            .phase(Phase::Verification, proven.verification);
        for (attempt, outcome) in attempts.iter().zip(proven.outcomes) {
            let metrics = &mut state.metrics;
            let Some(job) = state.jobs.get_mut(&attempt.ticket) else {
                continue;
            };
            let (partition, shared) = (attempt.part, Arc::clone(&job.shared));
            let part = &mut job.parts[partition];
            part.report.prover = proven.prover;
            part.report.verification = proven.verification;
            let attempts = part.report.attempts;
            let (good, why) = match outcome {
                Ok(proof) => {
                    metrics.partitions += 1;
                    part.proof = Some(proof);
                    (true, None)
                }
                Err(Failure { error, wrong }) => {
                    metrics.wrong_proofs += u64::from(wrong);
                    metrics.prover_errors += u64::from(!wrong);
                    metrics.panics += u64::from(matches!(error, JobError::Panicked { .. }));
                    let why = error.chain();
                    bad.push((shared.id().clone(), partition, attempts, why.clone()));
                    job.failure = Some(error);
                    (false, Some(why))
                }
            };
            if good {
                shared.tell(Event::Proven { partition });
            }
            let again = state.machine.proved(attempt, good);
            if let (true, Some(why)) = (again, why) {
                state.metrics.retries += 1;
                if let Some(job) = state.jobs.get_mut(&attempt.ticket) {
                    job.report.retries += 1;
                    job.failure = None;
                }
                shared.tell(Event::Again { partition, why });
            }
            state.rubbish.push_back((*attempt, None));
        }
        bad
    });
    for (job, partition, attempts, why) in bad {
        tracing::error!(%job, circuit, partition, attempts, shape, why, "no proof");
    }
}

/// Proves and verifies. Whatever goes wrong is an outcome of each partition that it concerns.
fn outcomes(
    core: &Core,
    prover: &dyn Prover,
    name: &str,
    attempts: &[Attempt],
    parameters: &LoadedParameters,
    syntheses: Vec<Synthesis>,
) -> Proven {
    let start = Instant::now();
    let assignments: Vec<_> = syntheses
        .into_iter()
        .flat_map(|synthesis| synthesis.assignments)
        .collect();
    let inputs: Vec<Vec<Fr>> = assignments
        .iter()
        .map(|assignment| {
            assignment
                .input_assignment()
                .get(1..)
                .unwrap_or_default()
                .to_vec()
        })
        .collect();
    let synthesis = Synthesis {
        assignments,
        wall: Duration::ZERO,
    };
    let proved = caught(
        Phase::Proving,
        attempts.first().map(|attempt| attempt.part),
        || {
            let randomness = randomness(core, attempts);
            prover.prove(parameters, synthesis, &randomness, &core.pool)
        },
    );
    let wall = start.elapsed();
    let all = |error: &dyn Fn(&Attempt) -> JobError| Proven {
        outcomes: attempts
            .iter()
            .map(|attempt| {
                Err(Failure {
                    error: error(attempt),
                    wrong: false,
                })
            })
            .collect(),
        prover: wall,
        verification: Duration::ZERO,
    };
    let proofs = match proved {
        Ok(Ok(proved)) => proved.proofs,
        Ok(Err(error)) => {
            let source: Arc<dyn std::error::Error + Send + Sync> = Arc::new(error);
            return all(&|attempt| failed(attempt, Arc::clone(&source)));
        }
        Err(panic) => return all(&|_| panic.clone()),
    };
    let start = Instant::now();
    let key = parameters.verifying_key();
    let rejected = match proofs.len() == attempts.len() {
        true => caught(Phase::Verification, None, || {
            core.pool.install(|| rejections(key, &proofs, &inputs))
        }),
        false => Ok(vec![
            Some(format!(
                "the prover returned {} proofs",
                proofs.len()
            ));
            attempts.len()
        ]),
    };
    let rejected = match rejected {
        Ok(rejected) => rejected,
        Err(panic) => return all(&|_| panic.clone()),
    };
    let verification = start.elapsed();
    // Where the prover returned too few, there is a reason for each that is missing.
    let proofs = proofs
        .into_iter()
        .map(Some)
        .chain(std::iter::repeat_with(|| None));
    let outcomes = attempts
        .iter()
        .zip(proofs)
        .zip(rejected)
        .map(|((attempt, proof), rejected)| {
            let reason = match (proof, rejected) {
                (Some(proof), None) => return Ok(proof),
                (_, reason) => reason.unwrap_or_default(),
            };
            let prover = name.to_owned();
            let error = failed(attempt, Arc::new(WrongProof { prover, reason }));
            Err(Failure { error, wrong: true })
        });
    Proven {
        outcomes: outcomes.collect(),
        prover: wall,
        verification,
    }
}

fn failed(attempt: &Attempt, source: Arc<dyn std::error::Error + Send + Sync>) -> JobError {
    JobError::Proving {
        partition: attempt.part,
        attempts: attempt.number + 1,
        source,
    }
}

/// A proof that does not verify.
#[derive(Debug, thiserror::Error)]
#[error("the proof that {prover} made does not verify and was thrown away: {reason}")]
struct WrongProof {
    prover: String,
    reason: String,
}

fn randomness(core: &Core, attempts: &[Attempt]) -> Randomness {
    let pairs = attempts.iter().map(|attempt| match core.config.seed {
        None => draw(&mut OsRng),
        Some(seed) => seeded(seed, attempt.part, attempt.number),
    });
    let (r, s) = pairs.unzip();
    Randomness { r, s }
}

/// The scalars r and s that [`EngineConfig::seed`](super::EngineConfig::seed) gives the proof of a partition at its first attempt, 0,
/// or a later one. They are the partition's own, whoever it shares a call with: for those who make the same proof without an
/// engine.
pub fn seeded(seed: u64, partition: usize, attempt: usize) -> (Fr, Fr) {
    let seed = seed ^ (partition as u64) << 32 ^ (attempt as u64) << 63;
    draw(&mut ChaCha20Rng::seed_from_u64(seed))
}

fn draw(mut rng: &mut dyn RngCore) -> (Fr, Fr) {
    (Fr::random(&mut rng), Fr::random(&mut rng))
}

/// Frees what partitions held, one after another, and says when it is free.
pub(super) fn free(core: &Arc<Core>) {
    core.serve(
        |state| {
            let rubbish = state.rubbish.pop_front()?;
            state.freeing = true;
            Some(rubbish)
        },
        |(attempt, synthesis)| {
            // Freeing runs no code of the job's own: assignments are this crate's.
            drop(synthesis);
            teardown::drain();
            core.update(|state| {
                state.freeing = false;
                state.machine.freed(&attempt);
            });
        },
    );
}
