//! Parameters: loaded once, kept, evicted when memory is needed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cuzk_core::engine::{Engine, Submission};
use cuzk_core::srs::Srs;

use super::LONG;
use super::common::{CountingSrs, Gate, SIZES, config, prover, scripted, squares_of, verify};

const MIB: u64 = 1 << 20;

#[test]
fn ten_who_ask_at_once_load_them_once_and_the_next_finds_them() {
    let engine = Engine::start(config(1 << 30, &prover())).expect("starts");
    let srs = CountingSrs::new("square", 10 * MIB, Duration::from_millis(100));
    let jobs: Vec<_> = (0..10)
        .map(|i| {
            let request = squares_of(1, i, srs.clone(), SIZES);
            engine
                .submit(Submission::new(format!("{i}"), request))
                .expect("is taken")
                .handle
        })
        .collect();
    for (i, job) in (0..).zip(&jobs) {
        verify(&job.wait_for(LONG).expect("ends"), i, 1);
    }
    assert_eq!(srs.loads.load(Ordering::SeqCst), 1);
    let first = jobs[0].wait();
    assert!(
        first.report.parameters >= Duration::from_millis(50),
        "{:?}",
        first.report
    );

    let next = engine
        .submit(Submission::new(
            "next",
            squares_of(2, 1, srs.clone(), SIZES),
        ))
        .expect("is taken");
    let ended = next.handle.wait_for(LONG).expect("ends");
    verify(&ended, 1, 2);
    assert!(
        ended.report.parameters < Duration::from_millis(1),
        "{:?}",
        ended.report
    );
    assert_eq!(srs.loads.load(Ordering::SeqCst), 1);
}

#[test]
fn the_least_recently_used_go_when_others_need_the_room() {
    let engine = Engine::start(config(100 * MIB, &prover())).expect("starts");
    let sets: Vec<_> = ["a", "b", "c"]
        .map(|id| CountingSrs::new(id, 40 * MIB, Duration::ZERO))
        .into();
    let prove = |which: usize| {
        let request = squares_of(1, 1, sets[which].clone(), SIZES);
        let job = engine
            .submit(Submission::new("job", request))
            .expect("is taken")
            .handle;
        verify(&job.wait_for(LONG).expect("ends"), 1, 1);
        assert!(engine.wait_idle(LONG));
    };
    let loads = || {
        sets.iter()
            .map(|srs| srs.loads.load(Ordering::SeqCst))
            .collect::<Vec<_>>()
    };
    for which in [0, 1, 0, 2] {
        prove(which);
    }
    assert_eq!(loads(), [1, 1, 1], "b went for c");
    prove(0);
    assert_eq!(loads(), [1, 1, 1]);
    prove(1);
    assert_eq!(loads(), [1, 2, 1]);
    let metrics = engine.metrics();
    assert!(metrics.evictions == 2 && metrics.reserved_most <= metrics.capacity);
}

#[test]
fn they_can_be_loaded_ahead_and_given_up_by_hand_but_not_while_in_use() {
    let engine = Engine::start(config(100 * MIB, &prover())).expect("starts");
    let set = |id: &str, mib| CountingSrs::new(id, mib * MIB, Duration::from_millis(10));
    let a = set("a", 40);
    let source: Arc<dyn Srs> = a.clone();
    assert_eq!(engine.preload(&source), Ok(false));
    assert_eq!(engine.preload(&source), Ok(true));
    let resident = engine.status().residents;
    assert_eq!(resident.len(), 1);
    assert_eq!(
        (
            resident[0].id.as_str(),
            resident[0].bytes,
            resident[0].ready,
            resident[0].users
        ),
        ("a", 40 * MIB, true, 0)
    );

    let (gate, begun) = (Gate::default(), Gate::default());
    let (behind, tell) = (gate.clone(), begun.clone());
    let request = scripted(1, source.clone(), SIZES, move |_| {
        tell.open();
        behind.pass();
        Ok(1)
    });
    let job = engine
        .submit(Submission::new("job", request))
        .expect("is taken")
        .handle;
    begun.pass();
    assert!(engine.evict("a").expect_err("in use").contains("in use"));
    let large: Arc<dyn Srs> = set("large", 80);
    let refused = engine.preload(&large).expect_err("no room");
    assert!(
        refused.contains("80.0 MiB") && refused.contains("large"),
        "{refused}"
    );
    gate.open();
    verify(&job.wait(), 1, 1);
    assert!(engine.wait_idle(LONG));
    assert_eq!(engine.preload(&large), Ok(false), "a goes for it");
    assert_eq!(engine.evict("a"), Ok(None));
    assert_eq!(engine.evict("large"), Ok(Some(80 * MIB)));
    assert_eq!(engine.metrics().reserved, 0);
    assert_eq!(engine.evict("nobody"), Ok(None));
    let broken = set("broken", 1);
    broken.fails.store(true, Ordering::SeqCst);
    let broken: Arc<dyn Srs> = broken;
    assert!(
        engine
            .preload(&broken)
            .expect_err("broken")
            .contains("on fire")
    );
}
