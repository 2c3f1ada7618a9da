//! Giving up the vectors of a proof, as the `teardown` workload does.
//!
//! `dealloc/caller/SIZE` is the time of the call that gives them up, `dealloc/total/SIZE` that until all is freed. A batch
//! is five vectors of touched pages that are mappings of their own; making them is not timed.
//!
//! Making a batch takes far longer than the call that is timed, and criterion plans by the times that it is told: it would
//! ask for thousands of batches. So a sample gives up some 256 MiB at most, and reports their mean for every iteration
//! that was asked for.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use blstrs::Scalar as Fr;
use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use cuzk_core::teardown::{drain, release};
use cuzk_kernels::{allocator, bench, settings, size};
use ff::Field;

const VECTORS: usize = 5;
const MIB: usize = 1 << 20;
/// MiB that one sample gives up, or one batch where that is larger.
const SAMPLE: usize = 256;

/// What is given up, and counts that it was freed.
struct Batch {
    vectors: Vec<Vec<Fr>>,
    freed: Arc<AtomicU64>,
}

impl Batch {
    fn new(bytes: usize, freed: &Arc<AtomicU64>) -> Self {
        // A value other than zero, or the pages would come untouched from the system.
        let value = black_box(Fr::ONE);
        let len = bytes / VECTORS / size_of::<Fr>();
        Batch {
            vectors: (0..VECTORS).map(|_| vec![value; len]).collect(),
            freed: freed.clone(),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.vectors.clear();
        self.freed.fetch_add(1, Ordering::SeqCst);
    }
}

/// What is timed.
#[derive(Clone, Copy)]
enum Part {
    Caller,
    Total,
}

/// The time of so many iterations, from that of as many as a sample makes.
fn time(part: Part, mib: usize, iterations: u64) -> Duration {
    allocator::fresh_pages();
    let bytes = mib * MIB;
    let rounds = iterations.clamp(1, (SAMPLE / mib).max(1) as u64);
    let freed = Arc::new(AtomicU64::new(0));
    let mut spent = Duration::ZERO;
    for _ in 0..rounds {
        let batch = Batch::new(bytes, &freed);
        let start = Instant::now();
        release(bytes, batch);
        let caller = start.elapsed();
        drain();
        spent += match part {
            Part::Caller => caller,
            Part::Total => start.elapsed(),
        };
    }
    assert_eq!(freed.load(Ordering::SeqCst), rounds, "batches were freed");
    let nanos = spent.as_nanos() * u128::from(iterations) / u128::from(rounds);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

fn giving_up(criterion: &mut Criterion) {
    for (name, part) in [("caller", Part::Caller), ("total", Part::Total)] {
        let mut group = criterion.benchmark_group(format!("dealloc/{name}"));
        group
            .sampling_mode(SamplingMode::Flat)
            .warm_up_time(Duration::from_millis(10))
            // Criterion's plan, and no longer in truth.
            .measurement_time(Duration::from_secs(4));
        for mib in [64, 512] {
            group.sample_size(if mib > SAMPLE { 10 } else { 20 });
            bench(
                &mut group,
                BenchmarkId::from_parameter(format!("{mib}MiB")),
                || size(mib, 5),
                |b, &mib| b.iter_custom(|iterations| time(part, mib, iterations)),
            );
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = settings();
    targets = giving_up
}
criterion_main!(benches);
