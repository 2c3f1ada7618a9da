//! Which job goes first.

use std::sync::{Arc, Mutex};

use cuzk_core::engine::{Engine, Submission};
use cuzk_core::job::{Event, Priority};

use super::common::{Gate, SIZES, config, prover, scripted, srs, verify};
use super::{CAPACITY, LONG};

#[test]
fn the_urgent_pass_what_has_not_begun_and_equals_take_turns_as_they_came() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let gate = Gate::default();
    let log = Arc::new(Mutex::new(Vec::new()));
    let submit = |id: &str, priority, behind: Gate| {
        let (log, name) = (Arc::clone(&log), id.to_owned());
        let request = scripted(2, srs(), SIZES, move |partition| {
            log.lock()
                .expect("no panic")
                .push(format!("{name}{partition}"));
            behind.pass();
            Ok(1)
        });
        let submission = Submission::new(id, request).priority(priority);
        let job = engine.submit(submission).expect("is taken");
        // All have been looked at before the first goes on.
        let events = job.handle.events();
        while !matches!(
            events.recv_timeout(LONG).expect("is told"),
            Event::Prepared { .. }
        ) {}
        job.handle
    };
    let open = Gate::default();
    open.open();
    let mut jobs = vec![submit("first", Priority::Low, gate.clone())];
    while log.lock().expect("no panic").is_empty() {
        std::thread::yield_now();
    }
    for (id, priority) in [
        ("low", Priority::Low),
        ("normal", Priority::Normal),
        ("high", Priority::High),
        ("also-normal", Priority::Normal),
        ("critical", Priority::Critical),
    ] {
        jobs.push(submit(id, priority, open.clone()));
    }
    let queued: Vec<String> = engine.status().jobs.into_iter().map(|job| job.id).collect();
    assert_eq!(
        queued,
        ["critical", "high", "normal", "also-normal", "first", "low"]
    );
    gate.open();
    for job in &jobs {
        verify_all(job);
    }
    let order = log.lock().expect("no panic").join(" ");
    assert_eq!(
        order,
        "first0 critical0 critical1 high0 high1 normal0 normal1 also-normal0 also-normal1 first1 low0 low1"
    );
}

fn verify_all(job: &cuzk_core::job::JobHandle) {
    let ended = job.wait_for(LONG).expect("ends");
    let bytes = ended.result.as_ref().expect("proven");
    assert_eq!(bytes.len(), 2 * 192);
    let one = cuzk_core::job::Ended {
        result: Ok(bytes[..192].to_vec()),
        report: Default::default(),
    };
    verify(&one, 1, 1);
}
