//! One batch, synthesised once and proven as often as was asked for.
//!
//! What a process pays once is in `wall_s.parameters` and in its first call, `wall_s.prover.cold`. On every stack loading
//! checks the file, pins memory of the host, which makes CUDA's context on one GPU, and decodes the points. With the pipeline
//! it goes on to contexts on all GPUs, to their memory, and to the points that stay there. What is left for the first call is
//! then what comes with its first use: kernels that are loaded, pages that are touched; without the pipeline it is contexts
//! and memory as well. `wall_s.prover.warm` is the median of all other calls. The prover consumes what it proves, so each
//! call but the last is given a copy, made outside the clock: a call sees what it sees in production. What a call left to be
//! freed in the background is gone before the next one begins. With `between=synthesis` a call is given a batch that was
//! synthesised anew, at once, and nothing waits for what is still being freed. Every proof of every call is verified, and has
//! to have the bytes of the first call's.
//!
//! | metric | what it is |
//! | --- | --- |
//! | `wall_s.parameters` | on a GPU: loading parameters, from the file's digest until no proof waits for them; before all others and in none of them |
//! | `wall_s.synthesis` | the batch's synthesis |
//! | `wall_s.prove`, `wall_s.prover.cold` | the first call, from assignments to proofs and back at the caller |
//! | `wall_s.prover.warm` | median of the later calls; absent where there are none |
//! | `wall_s.sustained` | with `between=synthesis`: from the first synthesis to the last proof, over the number of batches |
//! | `wall_s.prover.teardown` | median over the warm calls, or of the cold one: from the finished proofs until the caller goes on |
//! | `wall_s.total` | synthesis and first call |
//! | `wall_s.gpu.PHASE` | of the last call: time in a phase of the GPU's prover, summed over circuits and GPUs |
//! | `wall_s.gpu-end.PHASE` | of the last call: from its beginning to the end of that phase |
//! | `peak_bytes.gpu` | memory of all GPUs that the process may see at its peak, in loading and in the first call, read through NVML every few milliseconds, less what was taken when the process began: its contexts and kernels are in it |
//! | `peak_bytes` | resident memory of the host up to the last call's end, copies included |

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bellperson::Circuit;
use blstrs::Scalar as Fr;
use cuzk_circuits::parameters::blindings;
use cuzk_circuits::proofs;
use cuzk_core::backend::{LoadedParameters, Proved, Randomness};
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use cuzk_core::teardown;
use cuzk_harness::{Region, Request, Trial, metric};

use super::copies::copy;
use super::gpu::{self, GpuPhases, Setup};
use super::options::ProveOptions;
use crate::reserve;

/// What one call took.
struct Call {
    wall: Duration,
    teardown: Duration,
}

/// One trial, and the bytes of all proofs of a call. The prover's options have been applied.
pub fn measure<C: Circuit<Fr> + Clone + Send>(
    request: &Request,
    options: &ProveOptions,
    setup: &Setup,
    circuits: Vec<C>,
    inputs: &[Vec<Fr>],
    parameters: &LoadedParameters,
) -> Result<(Trial, Vec<u8>)> {
    let (r, s) = blindings(request.seed, circuits.len());
    let randomness = Randomness { r, s };

    let first = circuits.first().context("a batch of no circuits")?;
    let synthesis_options = SynthesisOptions {
        capacity: reserve::capacity(request, first)?,
    };
    let again = options.synthesise.then(|| circuits.clone());

    let region = Region::start();
    let start = Instant::now();
    let synthesis = synthesize(circuits, &synthesis_options)?;
    let synthesis_wall = synthesis.wall;
    let shape = synthesis.shape();
    let mut original = Some(synthesis);
    let mut calls: Vec<Call> = Vec::new();
    let mut returned = Vec::new();
    let mut last = None;
    let mut total = Duration::ZERO;
    let mut gpu_peak = setup.peak;
    for remaining in (0..options.calls).rev() {
        let batch = match (&again, &original, remaining) {
            (None, Some(original), 1..) => copy(original)?,
            (Some(circuits), None, _) => synthesize(circuits.clone(), &synthesis_options)?,
            _ => original.take().context("the batch is gone")?,
        };
        // The first call takes all that there is to take; the others are left alone.
        let before = setup.before.filter(|_| calls.is_empty());
        let (proved, peak) = gpu::watched(before, || parameters.prove(batch, &randomness));
        let proved = proved?;
        gpu_peak = gpu_peak.max(peak);
        if calls.is_empty() {
            total = synthesis_wall + proved.wall;
        }
        let sustained = start.elapsed();
        if remaining > 0 && again.is_none() {
            teardown::drain();
        }
        let phases = gpu::phases();
        calls.push(Call {
            wall: proved.wall,
            teardown: match phases.body {
                Some(body) => proved.wall.saturating_sub(body),
                None => proved.teardown(),
            },
        });
        let Proved {
            proofs,
            phases: own,
            ..
        } = proved;
        returned.push(proofs);
        last = Some((own, phases, sustained));
    }
    let (wall, cost) = region.stop();
    teardown::drain();

    let mut trial = request.trial();
    trial.maybe_measured(metric::WALL_PARAMETERS, setup.loading);
    trial.measured(metric::WALL_SYNTHESIS, synthesis_wall);
    // One call and nothing beside it: the clock has run through.
    let total = if options.calls == 1 { wall } else { total };
    trial.measured(metric::WALL_TOTAL, total);
    trial.measured(metric::CONSTRAINTS, shape.constraints - shape.inputs);
    trial.cost(&cost);
    trial.maybe_measured(metric::PEAK_GPU, gpu_peak);
    times(&mut trial, &calls);
    if let Some((own, gpu, sustained)) = last {
        if options.synthesise {
            let batches = u32::try_from(options.calls)?;
            trial.measured(metric::WALL_SUSTAINED, sustained / batches);
        }
        phases(
            &mut trial,
            &own,
            &gpu,
            calls.last().map(|call| call.teardown),
        );
    }
    let bytes = proofs::answer_all(&mut trial, parameters.verifying_key(), &returned, inputs)?;
    Ok((trial, bytes))
}

fn times(trial: &mut Trial, calls: &[Call]) {
    let Some((cold, warm)) = calls.split_first() else {
        return;
    };
    trial.measured(metric::WALL_PROVE, cold.wall);
    trial.measured(metric::WALL_PROVER_COLD, cold.wall);
    trial.maybe_measured(
        metric::WALL_PROVER_WARM,
        median(warm.iter().map(|call| call.wall)),
    );
    let teardown = median(warm.iter().map(|call| call.teardown)).unwrap_or(cold.teardown);
    trial.measured(metric::WALL_PROVER_TEARDOWN, teardown);
}

/// The middle one, or the mean of the two in the middle; `None` of none.
fn median(times: impl Iterator<Item = Duration>) -> Option<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    let middle = times.len() / 2;
    match times.len() % 2 {
        _ if times.is_empty() => None,
        1 => Some(times[middle]),
        _ => Some((times[middle - 1] + times[middle]) / 2),
    }
}

fn phases(
    trial: &mut Trial,
    own: &cuzk_core::backend::PhaseTimes,
    gpu: &GpuPhases,
    teardown: Option<Duration>,
) {
    let mut phase = |name: &str, wall: Duration| {
        // A prover that has no such phase reports zero: that is no measurement.
        if !wall.is_zero() {
            trial.phase(name, wall);
        }
    };
    phase("convert", own.convert);
    phase("fft", own.fft);
    phase("multiexp-start", own.multiexp_start);
    phase("multiexp-wait", own.multiexp_wait);
    phase("gpu", own.gpu);
    phase("teardown", teardown.unwrap_or_default());
    for (name, (sum, end)) in &gpu.phases {
        phase(&format!("gpu.{name}"), *sum);
        phase(&format!("gpu-end.{name}"), *end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let of = |times: &[u64]| median(times.iter().map(|ms| Duration::from_millis(*ms)));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some(Duration::from_millis(7)));
        assert_eq!(of(&[9, 1, 5]), Some(Duration::from_millis(5)));
        assert_eq!(of(&[9, 1, 5, 6]), Some(Duration::from_micros(5500)));
    }
}
