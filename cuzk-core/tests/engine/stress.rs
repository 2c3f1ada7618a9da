//! Two hundred random jobs under a budget that fits three partitions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use cuzk_core::budget::Sizes;
use cuzk_core::engine::{Engine, Submission};
use cuzk_core::job::{Event, JobError, Priority};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::LONG;
use super::common::{CountingSrs, Gate, SIZES, config, gated, prover, scripted, verify};

const MIB: u64 = 1 << 20;
const JOBS: u64 = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Good,
    Fails,
    Panics,
    Cancelled,
    NeverFits,
}

#[test]
fn two_hundred_random_jobs_end_in_order_under_the_budget() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let prover = prover();
    prover.lies.store(1, std::sync::atomic::Ordering::SeqCst);
    // Two sets of parameters of 20 MiB; a partition takes up to 25, and 9 on top.
    let mut config = config(130 * MIB, &prover);
    config.synthesis = 2;
    // The two that wait at the gate hold two of them.
    config.threads = 4;
    let engine = Engine::start(config).expect("starts");
    let sets = ["a", "b", "c"].map(|id| CountingSrs::new(id, 20 * MIB, Duration::from_millis(1)));
    let gate = Gate::default();
    let blocker = gated(&gate, 1);
    let blocker = engine
        .submit(Submission::new("blocker", blocker).priority(Priority::Critical))
        .expect("is taken");
    let second = gated(&gate, 1);
    let second = engine
        .submit(Submission::new("second", second).priority(Priority::Critical))
        .expect("is taken");

    let log = Arc::new(Mutex::new(Vec::new()));
    let mut jobs = Vec::new();
    for job in 0..JOBS {
        let kind = match rng.next_u32() % 20 {
            0 => Kind::Fails,
            1 => Kind::Panics,
            2 | 3 => Kind::Cancelled,
            4 => Kind::NeverFits,
            _ => Kind::Good,
        };
        let priority = Priority::ALL[rng.next_u32() as usize % 4];
        let partitions = 1 + rng.next_u32() as usize % 3;
        let size = match kind {
            Kind::NeverFits => 1 << 22,
            _ => 1 << (12 + rng.next_u32() % 7),
        };
        let sizes = Sizes {
            constraints: size,
            ..SIZES
        };
        let log = Arc::clone(&log);
        let request = scripted(
            partitions,
            sets[rng.next_u32() as usize % 3].clone(),
            sizes,
            move |partition| {
                log.lock().expect("no panic").push((job, partition));
                match kind {
                    Kind::Fails if partition == 0 => Err("bad".into()),
                    Kind::Panics if partition == 0 => panic!("worse"),
                    _ => Ok(job + partition as u64),
                }
            },
        );
        let submission = Submission::new(format!("{job}"), request).priority(priority);
        let handle = engine.submit(submission).expect("is taken").handle;
        let events = handle.events();
        loop {
            match events.recv_timeout(LONG).expect("is told") {
                Event::Prepared { .. } | Event::Ended { .. } => break,
                _ => {}
            }
        }
        jobs.push((job, kind, priority, partitions, handle));
    }
    // Half of those that are to be cancelled go while they wait, the others at some point.
    let (early, late): (Vec<_>, Vec<_>) = jobs
        .iter()
        .filter(|(_, kind, ..)| *kind == Kind::Cancelled)
        .map(|(.., handle)| handle.clone())
        .enumerate()
        .partition(|(index, _)| index % 2 == 0);
    for (_, handle) in early {
        handle.cancel();
    }
    gate.open();
    let canceller = thread::spawn(move || {
        for (_, handle) in late {
            thread::sleep(Duration::from_millis(50));
            handle.cancel();
        }
    });
    for (job, kind, _, partitions, handle) in &jobs {
        let ended = handle.wait_for(LONG * 3).expect("ends");
        match kind {
            Kind::Good => verify(&ended, *job, *partitions),
            Kind::Fails => assert!(
                matches!(ended.result, Err(JobError::Synthesis { .. })),
                "{ended:?}"
            ),
            Kind::Panics => assert!(
                matches!(ended.result, Err(JobError::Panicked { .. })),
                "{ended:?}"
            ),
            Kind::NeverFits => assert!(
                matches!(ended.result, Err(JobError::NeverFits { .. })),
                "{ended:?}"
            ),
            Kind::Cancelled => {
                assert!(
                    matches!(ended.result, Ok(_) | Err(JobError::Cancelled)),
                    "{ended:?}"
                );
            }
        }
    }
    canceller.join().expect("no panic");
    verify(&blocker.handle.wait(), 1, 1);
    verify(&second.handle.wait(), 1, 1);
    assert!(engine.wait_idle(LONG));
    let metrics = engine.metrics();
    assert!(metrics.reserved_most <= metrics.capacity, "{metrics:?}");
    assert!(
        metrics.reserved_most > metrics.capacity / 2,
        "the budget was used: {metrics:?}"
    );
    assert_eq!(
        metrics.proven + metrics.failed + metrics.cancelled,
        JOBS + 2
    );
    assert!(metrics.evictions > 0 && metrics.retries == 1, "{metrics:?}");
    println!(
        "{} proven, {} failed, {} cancelled; at most {} of {} bytes; {} evictions",
        metrics.proven,
        metrics.failed,
        metrics.cancelled,
        metrics.reserved_most,
        metrics.capacity,
        metrics.evictions
    );

    // In the order of priority and of submission. Two threads write the log, so that neighbours may stand the wrong way round;
    // what was made again stands there twice.
    let order: BTreeMap<u64, _> = jobs
        .iter()
        .map(|(job, _, priority, ..)| (*job, std::cmp::Reverse(*priority)))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    let started: Vec<_> = log
        .lock()
        .expect("no panic")
        .iter()
        .copied()
        .filter(|entry| seen.insert(*entry))
        .collect();
    let rank: Vec<_> = started
        .iter()
        .map(|(job, partition)| (order[job], *job, *partition))
        .collect();
    let mut sorted = rank.clone();
    sorted.sort();
    for (position, entry) in rank.iter().enumerate() {
        let place = sorted.binary_search(entry).expect("is there");
        assert!(
            place.abs_diff(position) <= 2,
            "{entry:?} at {position} instead of {place}"
        );
    }
}
