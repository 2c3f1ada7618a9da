//! Cancelling: in the queue, in synthesis, between partitions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cuzk_core::engine::{Engine, Submission};
use cuzk_core::job::{Event, JobError, JobHandle};

use super::common::{Gate, SIZES, config, gated, prover, scripted, squares, srs, verify};
use super::{CAPACITY, LONG};

fn is_cancelled(job: &JobHandle) {
    let ended = job.wait_for(LONG).expect("ends");
    assert!(
        matches!(ended.result, Err(JobError::Cancelled)),
        "{ended:?}"
    );
}

#[test]
fn a_job_in_the_queue_ends_at_once_and_its_id_is_free() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let gate = Gate::default();
    let blocker = gated(&gate, 1);
    let blocker = engine
        .submit(Submission::new("blocker", blocker))
        .expect("is taken")
        .handle;
    let waiting = engine
        .submit(Submission::new("a", squares(2, 5)))
        .expect("is taken");
    assert_eq!(
        waiting.position,
        usize::from(waiting.position > 0),
        "at most the blocker goes before it"
    );
    assert!(!waiting.handle.cancel(), "nothing of it runs");
    is_cancelled(&waiting.handle);
    assert!(!waiting.handle.cancel(), "it has ended");
    let again = engine
        .submit(Submission::new("a", squares(1, 5)))
        .expect("is taken");
    assert!(!again.joined);
    gate.open();
    verify(&again.handle.wait(), 5, 1);
    verify(&blocker.wait(), 1, 1);
    assert!(engine.wait_idle(LONG));
    assert_eq!(engine.metrics().cancelled, 1);
}

#[test]
fn a_synthesis_that_runs_is_thrown_away_and_others_go_on() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let (gate, begun) = (Gate::default(), Gate::default());
    let (behind, tell) = (gate.clone(), begun.clone());
    let slow = scripted(3, srs(), SIZES, move |_| {
        tell.open();
        behind.pass();
        Ok(1)
    });
    let job = engine
        .submit(Submission::new("a", slow))
        .expect("is taken")
        .handle;
    begun.pass();
    assert!(job.cancel(), "its synthesis runs");
    is_cancelled(&job);
    let other = engine
        .submit(Submission::new("a", squares(1, 7)))
        .expect("is taken");
    assert!(
        !other.joined,
        "the id is free while the old synthesis still runs"
    );
    assert!(
        other.handle.wait_for(Duration::from_millis(20)).is_none(),
        "its thread is taken"
    );
    gate.open();
    verify(&other.handle.wait_for(LONG).expect("ends"), 7, 1);
    assert!(engine.wait_idle(LONG));
    assert_eq!(engine.metrics().reserved, 0);
}

#[test]
fn between_partitions_nothing_more_is_begun() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let begun = Arc::new(AtomicUsize::new(0));
    let gate = Gate::default();
    let (count, behind) = (Arc::clone(&begun), gate.clone());
    let request = scripted(50, srs(), SIZES, move |partition| {
        count.fetch_add(1, Ordering::SeqCst);
        if partition == 3 {
            behind.pass();
        }
        Ok(partition as u64)
    });
    let job = engine
        .submit(Submission::new("a", request))
        .expect("is taken")
        .handle;
    let events = job.events();
    while !matches!(
        events.recv_timeout(LONG),
        Ok(Event::Proven { partition: 1 })
    ) {}
    assert!(job.cancel());
    is_cancelled(&job);
    gate.open();
    assert!(engine.wait_idle(LONG));
    assert!(begun.load(Ordering::SeqCst) < 10);
    assert_eq!(engine.metrics().reserved, 0);
}

#[test]
fn only_what_waits_is_cancelled_where_that_is_asked() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let (gate, begun) = (Gate::default(), Gate::default());
    let (behind, tell) = (gate.clone(), begun.clone());
    let running = scripted(1, srs(), SIZES, move |_| {
        tell.open();
        behind.pass();
        Ok(1)
    });
    let running = engine
        .submit(Submission::new("running", running))
        .expect("is taken")
        .handle;
    begun.pass();
    let waiting = engine
        .submit(Submission::new("waiting", squares(1, 5)))
        .expect("is taken")
        .handle;
    // Being looked at counts as running.
    while !waiting.cancel_waiting() {
        assert!(waiting.poll_ended().is_none());
        std::thread::yield_now();
    }
    is_cancelled(&waiting);
    assert!(!waiting.cancel_waiting(), "it has ended");
    assert!(!running.cancel_waiting());
    gate.open();
    verify(&running.wait(), 1, 1);
}
