//! What is reserved for a partition, against what a process takes.
//!
//! Peaks are the whole process's, so this is one test alone in its binary. Circuits are large enough for vectors to outweigh
//! everything else, which takes too long without optimisation.

use cuzk_circuits::Sha256Circuit;
use cuzk_core::backend::{Backend, CpuProver, LoadedParameters, Prover, Randomness};
use cuzk_core::budget::{Bytes, Footprint, Sizes};
use cuzk_core::parameters::generate;
use cuzk_core::recorded::{Pool, RecordedOptions, Recorder, synthesize_recorded};
use cuzk_core::synthesis::{SynthesisOptions, synthesize};
use cuzk_core::{Shape, teardown};
use cuzk_harness::Region;
use cuzk_harness::process;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// What a piece of work takes at its peak, beside what was there before.
fn peak<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = process::resident().expect("Linux says it");
    let region = Region::start();
    let result = work();
    let (_, cost) = region.stop();
    let peak = cost.peak_bytes.expect("the peak can be reset");
    (result, peak.saturating_sub(before))
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn a_partition_takes_at_most_what_is_reserved_and_not_much_less() {
    // SAFETY: no other thread of this process allocates yet that would mind another threshold, and any would do.
    let set = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 18) };
    assert_eq!(
        set, 1,
        "vectors get pages of their own, and give them back when they are freed"
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("starts");
    // Just under a power of two, just above, and in between.
    for blocks in [3, 6] {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let parameters =
            generate(|| Sha256Circuit::blank(blocks), &mut rng, &()).expect("generates");
        let parameters = LoadedParameters::Cpu(Box::new(parameters));
        let recording = Recorder::record(Sha256Circuit::blank(blocks)).expect("records");
        let sizes = Sizes::from(&recording.shape());
        let reserved = Footprint::of(&sizes, Backend::Cpu);
        let circuit = |seed| vec![Sha256Circuit::from_seed(seed, blocks)];
        teardown::drain();

        let (plain, taken) =
            peak(|| synthesize(circuit(1), &SynthesisOptions::default()).expect("synthesises"));
        assert_eq!(Sizes::from(&Shape::of(&plain.assignments[0])), sizes);
        holds("plain synthesis", &sizes, taken, reserved.partition);
        drop(plain);
        teardown::drain();

        let (synthesis, taken) = peak(|| {
            let options = RecordedOptions::default();
            let recorded =
                synthesize_recorded(circuit(2), Vec::new, &recording, &options, &Pool::new());
            recorded.expect("synthesises").synthesis
        });
        // Almost all of its variables are bits: with dense ones it would take what is reserved on top.
        holds("recorded synthesis", &sizes, taken, reserved.partition);

        let randomness = Randomness {
            r: vec![ff(3)],
            s: vec![ff(5)],
        };
        let held = 32 * (3 * sizes.constraints + sizes.aux);
        let (proved, taken) = peak(|| CpuProver.prove(&parameters, synthesis, &randomness, &pool));
        proved.expect("proves");
        holds(
            "proof",
            &sizes,
            held + taken,
            reserved.partition + reserved.proving,
        );
        teardown::drain();
    }
}

fn ff(number: u64) -> blstrs::Scalar {
    blstrs::Scalar::from(number).double()
}

fn holds(what: &str, sizes: &Sizes, taken: u64, reserved: u64) {
    let (taken_text, reserved_text) = (Bytes(taken), Bytes(reserved));
    println!(
        "{what} of {} constraints: {taken_text} of {reserved_text}",
        sizes.constraints
    );
    assert!(
        taken <= reserved,
        "{what} takes {taken_text}, reserved are {reserved_text}"
    );
    assert!(
        taken >= reserved / 2,
        "{what} takes {taken_text} only, reserved are {reserved_text}"
    );
}
