//! The multi-scalar multiplication on processors that bellperson's prover uses: `bellperson::multiexp` without a GPU.
//!
//! `msm/GROUP/SCALARS/COUNT`, on all threads of its pool (`EC_GPU_NUM_THREADS`, `RAYON_NUM_THREADS`). Half of the bits
//! are zero and cost next to nothing, the other half is one and costs one addition; both skip the buckets.
//!
//! A full scalar goes through one bucket of each window. The window is `ceil(ln COUNT)` bits wide, 3 below 32 scalars; a
//! wider one has fewer windows and twice the buckets. `msm/window/GROUP_wBITS/COUNT` has the largest count of one width
//! beside the smallest count of the next: one more point, and a step that is the window's alone. There are
//! `ceil(255 / width)` windows, each the work of one thread, so on few threads a step also shows how evenly they share.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use bellperson::gpu::LockedMultiexpKernel;
use bellperson::multiexp::multiexp;
use blstrs::{G1Affine, G2Affine, Scalar as Fr};
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group,
    criterion_main,
};
use cuzk_kernels::values::rng;
use cuzk_kernels::{Values, bench, settings, size};
use ec_gpu_gen::multiexp_cpu::FullDensity;
use ec_gpu_gen::threadpool::Worker;
use ff::{Field, PrimeField};
use group::Curve;
use group::prime::PrimeCurveAffine;

/// Counts on both sides of a switch, with the width of the window: `e^7` is 1096.6, `e^9` is 8103.1.
const SWITCHES: [(usize, u32); 4] = [(1096, 7), (1097, 8), (8103, 9), (8104, 10)];

/// Points with scalars.
struct Sum<G: PrimeCurveAffine<Scalar = Fr>> {
    bases: Arc<Vec<G>>,
    scalars: Arc<Vec<<Fr as PrimeField>::Repr>>,
}

impl<G: PrimeCurveAffine<Scalar = Fr>> Sum<G> {
    fn new(values: Values, count: usize) -> Self {
        let mut rng = rng(21);
        let (first, step) = (Fr::random(&mut rng), Fr::random(&mut rng));
        // Multiples of the generator that are known, so that the sum is known as well.
        let step_point = G::generator() * step;
        let mut point = G::generator() * first;
        let mut points = Vec::with_capacity(count);
        for _ in 0..count {
            points.push(point);
            point += step_point;
        }
        let mut bases = vec![G::identity(); count];
        G::Curve::batch_normalize(&points, &mut bases);

        let scalars = values.draw(&mut rng, count);
        let multiples = (0..).map(|i| first + step * Fr::from(i));
        let multiple: Fr = scalars.iter().zip(multiples).map(|(s, m)| *s * m).sum();
        let new = Sum {
            bases: Arc::new(bases),
            scalars: Arc::new(scalars.iter().map(Fr::to_repr).collect()),
        };
        assert_eq!(new.compute(), G::generator() * multiple);
        new
    }

    fn compute(&self) -> G::Curve {
        let sum = multiexp(
            &Worker::new(),
            (self.bases.clone(), 0),
            FullDensity,
            self.scalars.clone(),
            &mut LockedMultiexpKernel::<G>::new(false),
        );
        sum.wait().expect("there are as many bases as scalars")
    }
}

fn add<G: PrimeCurveAffine<Scalar = Fr>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    values: Values,
    count: usize,
) {
    group.throughput(Throughput::Elements(count as u64));
    // Criterion warns where a sample is longer than its share of this.
    group.measurement_time(Duration::from_secs(match count {
        ..2048 => 1,
        2048..32768 => 2,
        _ => 6,
    }));
    bench(
        group,
        BenchmarkId::new(name, count),
        || Sum::<G>::new(values, size(count, 64)),
        |b, sum| b.iter(|| black_box(sum).compute()),
    );
}

fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("msm/g1");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for values in Values::ALL {
        for log in [10, 14, 16] {
            add::<G1Affine>(&mut group, values.name(), values, 1 << log);
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("msm/g2");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for values in Values::ALL {
        for log in [10, 12] {
            add::<G2Affine>(&mut group, values.name(), values, 1 << log);
        }
    }
    group.finish();
}

fn windows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("msm/window");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (count, width) in SWITCHES {
        assert_eq!((count as f64).ln().ceil() as u32, width);
        let name = format!("g1_w{width}");
        add::<G1Affine>(&mut group, &name, Values::Dense, count);
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = settings();
    targets = sizes, windows
}
criterion_main!(benches);
