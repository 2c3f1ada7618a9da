//! Cases on what the prover returns where everything is as it should be.

use std::sync::Mutex;
use std::time::Instant;

#[cfg(feature = "cuda")]
use anyhow::Context;
use anyhow::{Result, bail};
use cuzk_core::synthesis::synthesize;

use crate::batch::{self, Batch, NEXT};
use crate::material;
use crate::setting::Setting;
use crate::stand::{Done, Stand, same, set_or_skip};

/// Proofs that each of two threads makes at the same time.
const EACH: usize = 4;
/// How often parameters are loaded anew.
const LOADS: usize = 3;

/// [`What::Equal`](crate::case::What::Equal).
pub fn equal(stand: &mut Stand, batch: &Batch, setting: Setting) -> Result<Done> {
    set_or_skip!(stand, setting);
    stand.equal(batch)?;
    Ok(Done::Passed(String::new()))
}

/// [`What::Threads`](crate::case::What::Threads).
pub fn threads(stand: &mut Stand, setting: Setting) -> Result<Done> {
    set_or_skip!(stand, setting);
    let batches = batch::threads();
    for batch in &batches {
        stand.load(batch.shape)?;
    }
    let failed = Mutex::new(Vec::new());
    let prove = |batch: &Batch| -> Result<()> {
        let parameters = stand.loaded(batch.shape)?;
        let expected = material::expected(&stand.folder, batch)?;
        for _ in 0..EACH {
            let synthesis = synthesize(batch.circuits(), &Default::default())?;
            let proved = parameters.prove_verified(synthesis, &batch.randomness())?;
            same(&material::bytes(&proved.proofs)?, &expected)?;
        }
        Ok(())
    };
    let (prove, noted) = (&prove, &failed);
    std::thread::scope(|scope| {
        for batch in &batches {
            scope.spawn(move || {
                if let (Err(error), Ok(mut failed)) = (prove(batch), noted.lock()) {
                    failed.push(format!("{batch}: {error:#}"));
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_default();
    if !failed.is_empty() {
        bail!("{}", failed.join("; "));
    }
    Ok(Done::Passed(format!("{EACH} proofs a thread")))
}

/// [`What::Reload`](crate::case::What::Reload).
pub fn reload(stand: &mut Stand) -> Result<Done> {
    stand.engine.reset();
    let batches = [batch::threads(), vec![NEXT]].concat();
    for load in 0..LOADS {
        for i in 0..batches.len() {
            let batch = &batches[(load + i) % batches.len()];
            stand.equal(batch)?;
            stand.unload(batch.shape);
        }
    }
    Ok(Done::Passed(format!("loaded {LOADS} times each")))
}

/// [`What::Cap`](crate::case::What::Cap).
pub fn cap(stand: &mut Stand, mib: u64, setting: Setting) -> Result<Done> {
    set_or_skip!(stand, setting);
    if mib > 0 && !stand.engine.set("gpu-memory", mib << 20) {
        return Ok(Done::Skipped(
            "this stack has no option gpu-memory".to_owned(),
        ));
    }
    // The context, the kernels and what the driver keeps for them are there after a first proof.
    stand.equal(&NEXT)?;
    stand.load(batch::LARGE.shape)?;
    let begun = Instant::now();
    let (proven, peak) = watched(|| stand.equal(&batch::LARGE))?;
    proven?;
    let Some((before, peak)) = peak else {
        return Ok(Done::Passed("nothing of a GPU to look at".to_owned()));
    };
    let seen = format!(
        "{} MiB at most beside {} MiB in use after a small proof, {:.2} s",
        peak.saturating_sub(before) >> 20,
        before >> 20,
        begun.elapsed().as_secs_f64()
    );
    if mib > 0 && peak.saturating_sub(before) > (mib + SLACK_MIB) << 20 {
        bail!("{mib} MiB may be used, and {SLACK_MIB} by the driver beside them: {seen}");
    }
    Ok(Done::Passed(seen))
}

/// What the driver may take for itself beyond what it has after a first proof, in MiB: room for kernels that are loaded
/// when they are first used, and whole pages of 2 MiB for each allocation.
const SLACK_MIB: u64 = 128;

/// What `work` returned, and, where there is a GPU, bytes in use before it and at most while it ran.
#[cfg(feature = "cuda")]
fn watched<R>(work: impl FnOnce() -> R) -> Result<(R, Option<(u64, u64)>)> {
    use cuzk_core::cuda::{MemoryWatch, devices, used_memory};

    const UNKNOWN: &str = "nobody says how much of the GPU's memory is used: libnvidia-ml.so.1 \
                           of the driver is missing";
    if devices().is_err() {
        return Ok((work(), None));
    }
    let before = used_memory().context(UNKNOWN)?;
    let watch = MemoryWatch::start().context(UNKNOWN)?;
    let returned = work();
    Ok((returned, Some((before, watch.stop().context(UNKNOWN)?))))
}

#[cfg(not(feature = "cuda"))]
fn watched<R>(work: impl FnOnce() -> R) -> Result<(R, Option<(u64, u64)>)> {
    Ok((work(), None))
}
