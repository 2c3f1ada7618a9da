//! The `teardown` workload: what it costs to be rid of the vectors of a proof.
//!
//! A batch is five vectors of touched pages, as a, b, c and the two assignments are. It is given up once, then three
//! batches are made and given up one after another. The second case shows whether what waits to be freed is bounded:
//! its peak is one batch where freeing is immediate, and must not be more than that and the bound where it is not.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use blstrs::Scalar as Fr;
use cuzk_core::teardown::{bound, drain, release};
use cuzk_harness::{Region, RegionCost, Request, Trial, metric, process};
use ff::Field;

/// Batches that follow one another.
const BURST: usize = 3;
const VECTORS: usize = 5;
const MIB: u64 = 1 << 20;
/// What may be left of the memory in the end: the allocator keeps some of it back.
const SLACK: u64 = 64 * MIB;

/// One trial.
pub fn run(request: &Request) -> Result<Trial> {
    let mib = request.size.unwrap_or(0);
    let bytes = usize::try_from(mib * MIB).context("more memory than there are addresses")?;
    check_memory(mib * MIB)?;
    let before = process::resident();
    let mut trial = request.trial();

    let (caller, total, cost) = give_up(bytes, 1);
    trial.measured(metric::WALL_CALLER, caller);
    trial.measured(metric::WALL_TOTAL, total);
    trial.cost(&cost);
    let alone = cost.peak_bytes;

    let (caller, total, cost) = give_up(bytes, BURST);
    trial.measured(metric::WALL_CALLER_BURST, caller);
    trial.measured(metric::WALL_TOTAL_BURST, total);
    trial.maybe_measured(metric::PEAK_BURST, cost.peak_bytes);

    if let (Some(peak), Some(one)) = (cost.peak_bytes, alone) {
        let allowed = one.saturating_add(bound() as u64).saturating_add(SLACK);
        if peak > allowed {
            trial.failed(format!(
                "three batches took {} MiB at their peak; one takes {}, and {} may wait",
                peak / MIB,
                one / MIB,
                bound() as u64 / MIB
            ));
            return Ok(trial);
        }
    }
    match before.zip(process::resident()) {
        Some((before, after)) if after > before + SLACK => trial.failed(format!(
            "{} MiB are still resident after everything was freed, {} MiB before",
            after / MIB,
            before / MIB
        )),
        Some(_) => trial.passed(format!("{} batches of {mib} MiB are freed", BURST + 1)),
        None => trial.passed(format!(
            "{} batches of {mib} MiB are given up; this system does not say what is resident",
            BURST + 1
        )),
    }
    Ok(trial)
}

/// Makes and gives up batches. The first time is that of the calls that give them up, the second from the first of
/// those calls until all is freed, without the making of batches in between.
fn give_up(bytes: usize, batches: usize) -> (Duration, Duration, RegionCost) {
    let region = Region::start();
    let mut caller = Duration::ZERO;
    for _ in 0..batches {
        let batch = batch(bytes);
        let start = Instant::now();
        release(bytes, batch);
        caller += start.elapsed();
    }
    let start = Instant::now();
    drain();
    let total = caller + start.elapsed();
    (caller, total, region.stop().1)
}

fn batch(bytes: usize) -> Vec<Vec<Fr>> {
    let len = bytes / VECTORS / size_of::<Fr>();
    // A value other than zero, or the pages would come untouched from the system.
    let value = std::hint::black_box(Fr::ONE);
    (0..VECTORS).map(|_| vec![value; len]).collect()
}

/// Refuses a size of which a burst may not fit, rather than be killed half-way.
fn check_memory(bytes: u64) -> Result<()> {
    let needed = bytes.saturating_mul(BURST as u64);
    if let Some(available) = process::available() {
        ensure!(
            needed <= available,
            "this --size may need {} MiB of memory and {} MiB are available: choose a smaller one",
            needed / MIB,
            available / MIB
        );
    }
    Ok(())
}
