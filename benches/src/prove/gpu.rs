//! What there is to say to the GPU's prover, and what it says of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use cuzk_core::backend::Backend;

use super::options::Switch;

/// The phases of one call, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuPhases {
    /// All of the prover's own code, from its beginning; what a caller waits for beyond it is teardown.
    pub body: Option<Duration>,
    /// Time in each phase, summed over circuits and GPUs, and the time from the beginning of the call to its last end.
    pub phases: BTreeMap<String, (Duration, Duration)>,
}

/// Sets these options, and has phases recorded from now on.
#[cfg(feature = "cuda")]
pub fn apply(switches: &BTreeMap<String, Switch>) -> Result<()> {
    use cuzk_core::cuda::GpuOptions;

    let named = switches.iter();
    let options = GpuOptions {
        timings: true,
        switches: named
            .map(|(key, switch)| (key.clone(), switch.value))
            .collect(),
        ..GpuOptions::default()
    };
    let missing = options.apply()?;
    let missing: Vec<&str> = missing
        .iter()
        .filter(|name| !switches.get(*name).is_some_and(|switch| switch.dispensable))
        .map(String::as_str)
        .collect();
    anyhow::ensure!(
        missing.is_empty(),
        "the prover of this stack has no option {}: leave it out on this arm",
        missing.join(", ")
    );
    Ok(())
}

/// There is no such prover here, and a request for it has been refused.
#[cfg(not(feature = "cuda"))]
pub fn apply(_: &BTreeMap<String, Switch>) -> Result<()> {
    Ok(())
}

/// The phases of the newest call.
#[cfg(feature = "cuda")]
pub fn phases() -> GpuPhases {
    let times = cuzk_core::cuda::timings();
    let times = times.iter().map(|time| {
        let [start, end] = [time.start_ns, time.end_ns].map(Duration::from_nanos);
        (time.name(), start, end)
    });
    sum_up(times)
}

/// None.
#[cfg(not(feature = "cuda"))]
pub fn phases() -> GpuPhases {
    GpuPhases::default()
}

/// What is taken of the GPUs' memory, in bytes, before this process takes any; `None` without a GPU's prover, or where the
/// system does not say.
#[cfg(feature = "cuda")]
pub fn memory_before(backend: Backend) -> Option<u64> {
    match backend {
        Backend::Cpu => None,
        Backend::Gpu => cuzk_core::cuda::used_memory(),
    }
}

/// None.
#[cfg(not(feature = "cuda"))]
pub fn memory_before(_: Backend) -> Option<u64> {
    None
}

/// Does some work, and says how much of the GPUs' memory was taken beyond `before` at its peak.
#[cfg(feature = "cuda")]
pub fn watched<R>(before: Option<u64>, work: impl FnOnce() -> R) -> (R, Option<u64>) {
    let watch = before.and_then(|_| cuzk_core::cuda::MemoryWatch::start());
    let result = work();
    let peak = watch.and_then(cuzk_core::cuda::MemoryWatch::stop);
    let peak = peak.zip(before);
    (
        result,
        peak.map(|(peak, before)| peak.saturating_sub(before)),
    )
}

/// Does it.
#[cfg(not(feature = "cuda"))]
pub fn watched<R>(_: Option<u64>, work: impl FnOnce() -> R) -> (R, Option<u64>) {
    (work(), None)
}

#[cfg(any(feature = "cuda", test))]
fn sum_up<'a>(times: impl Iterator<Item = (&'a str, Duration, Duration)>) -> GpuPhases {
    let mut all = GpuPhases::default();
    for (name, start, end) in times {
        if name == "body" {
            all.body = Some(end);
        }
        let phase = all.phases.entry(name.replace('_', "-")).or_default();
        phase.0 += end.saturating_sub(start);
        phase.1 = phase.1.max(end);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_over_circuits() {
        let ms = Duration::from_millis;
        let times = [
            ("ntt_h", ms(1), ms(4)),
            ("ntt_h", ms(4), ms(9)),
            ("body", ms(0), ms(12)),
        ];
        let all = sum_up(times.into_iter());
        assert_eq!(all.body, Some(ms(12)));
        assert_eq!(all.phases["ntt-h"], (ms(8), ms(9)));
        assert_eq!(sum_up([].into_iter()), GpuPhases::default());
    }
}
