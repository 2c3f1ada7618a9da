//! What there is to say to the GPU's prover, and what it says of itself.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use cuzk_core::backend::{Backend, LoadedParameters};

#[cfg(feature = "cuda")]
use super::options::without_contradiction;
use super::options::{ProveOptions, Switch};
use crate::stored::Stored;

/// The phases of one call, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuPhases {
    /// All of the prover's own code, from its beginning; what a caller waits for beyond it is teardown.
    pub body: Option<Duration>,
    /// Time in each phase, summed over circuits and GPUs, and the time from the beginning of the call to its last end.
    pub phases: BTreeMap<String, (Duration, Duration)>,
}

/// What there was before the first call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// What was taken of the GPUs' memory before this process took any, in bytes; `None` without a GPU's prover, or where the
    /// system does not say.
    pub before: Option<u64>,
    /// What was taken beyond that at the peak of loading.
    pub peak: Option<u64>,
    /// How long a GPU's prover took to load its parameters.
    pub loading: Option<Duration>,
}

impl Setup {
    /// Applies the options. That comes first: loading takes memory of the GPUs already.
    pub fn new(options: &ProveOptions) -> Result<Self> {
        let before = memory_before(options.backend);
        if options.backend == Backend::Gpu {
            apply(&options.switches)?;
        }
        Ok(Self {
            before,
            ..Self::default()
        })
    }

    /// Loads parameters for the prover that was chosen.
    pub fn load(&mut self, stored: &Stored, backend: Backend) -> Result<LoadedParameters> {
        self.loading(backend, || stored.load(backend))
    }

    /// Has somebody else load them.
    pub fn loading<R>(&mut self, backend: Backend, load: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let (loaded, peak) = watched(self.before, load);
        self.loading = (backend == Backend::Gpu).then(|| start.elapsed());
        self.peak = peak;
        loaded
    }
}

/// Sets these options, and has phases recorded from now on.
#[cfg(feature = "cuda")]
fn apply(switches: &BTreeMap<String, Switch>) -> Result<()> {
    use cuzk_core::cuda::{GpuOptions, option};

    // What a prover without the option does anyhow needs no setting there.
    let needed =
        |(name, switch): &(&String, &Switch)| !switch.dispensable || option(name).is_some();
    let needed = switches.iter().filter(needed);
    let options = GpuOptions {
        timings: Some(true),
        switches: needed
            .map(|(name, switch)| (name.clone(), switch.value))
            .collect(),
        ..GpuOptions::default()
    };
    options.apply()?;
    without_contradiction(switches, option("pipeline").map(|value| value != 0))
}

/// There is no such prover here, and a request for it has been refused.
#[cfg(not(feature = "cuda"))]
fn apply(_: &BTreeMap<String, Switch>) -> Result<()> {
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

/// What is taken of the GPUs' memory now, in bytes.
#[cfg(feature = "cuda")]
fn memory_before(backend: Backend) -> Option<u64> {
    match backend {
        Backend::Cpu => None,
        Backend::Gpu => cuzk_core::cuda::used_memory(),
    }
}

/// None.
#[cfg(not(feature = "cuda"))]
fn memory_before(_: Backend) -> Option<u64> {
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
