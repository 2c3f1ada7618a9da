//! Synthesis hides behind proving, and the other way round.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cuzk_core::engine::{Engine, Submission};

use super::common::{SIZES, TestProver, config, scripted, srs, verify};
use super::{CAPACITY, LONG};

/// Wall time of so many partitions, over several jobs, with stages that sleep.
fn wall(jobs: u64, partitions: usize, synthesis: Duration, proving: Duration) -> (Duration, f64) {
    let prover = Arc::new(TestProver::new(proving));
    let engine = Engine::start(config(CAPACITY, &prover)).expect("starts");
    let start = Instant::now();
    let handles: Vec<_> = (0..jobs)
        .map(|i| {
            let request = scripted(partitions, srs(), SIZES, move |partition| {
                thread::sleep(synthesis);
                Ok(i + partition as u64)
            });
            engine
                .submit(Submission::new(format!("{i}"), request))
                .expect("is taken")
                .handle
        })
        .collect();
    for (i, job) in (0..).zip(handles) {
        verify(&job.wait_for(LONG).expect("ends"), i, partitions);
    }
    (start.elapsed(), engine.busy().overlap())
}

#[test]
fn partitions_take_no_longer_than_the_longer_stage_and_one_of_the_other() {
    let (jobs, partitions) = (3, 4);
    // What a stage does beside sleeping: a proof of this circuit, without optimisation perhaps, and waking up.
    let (work, _) = wall(jobs, partitions, Duration::ZERO, Duration::ZERO);
    for (synthesis, proving) in [(100, 300), (300, 100), (200, 200)] {
        let [synthesis, proving] = [synthesis, proving].map(Duration::from_millis);
        let stages = 12;
        let longer = synthesis.max(proving) * stages;
        let bound = longer.mul_f64(1.05) + synthesis.min(proving) + work;
        // Whatever else runs on these cores only adds to a time: the best of a few is the engine's.
        let held = (0..4).any(|_| {
            let (took, overlap) = wall(jobs, partitions, synthesis, proving);
            println!(
                "{synthesis:?} and {proving:?}: {took:?} of at most {bound:?}, overlap {overlap:.2}"
            );
            took <= bound && overlap > 0.8
        });
        assert!(
            held,
            "{synthesis:?} and {proving:?} took more than {bound:?} each time"
        );
    }
}
