//! Whatever goes wrong ends one job, with the reason.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::budget::Sizes;
use cuzk_core::engine::{Engine, Submission, SubmitError};
use cuzk_core::job::{Event, JobError, Phase, Prepared, Request, WorkError};
use cuzk_core::progress::Progress;
use cuzk_core::srs::Srs;

use super::common::{
    CountingSrs, SIZES, TestProver, config, gated, prover, scripted, squares, squares_of, srs,
    verify, why,
};
use super::{CAPACITY, LONG};

/// Ends a job of this request, and then proves another on the same engine.
fn ends(engine: &Engine, request: Box<dyn Request>) -> Arc<cuzk_core::job::Ended> {
    let job = engine
        .submit(Submission::new("bad", request))
        .expect("is taken");
    let ended = job.handle.wait_for(LONG).expect("ends");
    let next = engine
        .submit(Submission::new("good", squares(2, 3)))
        .expect("is taken");
    verify(&next.handle.wait_for(LONG).expect("ends"), 3, 2);
    assert!(engine.wait_idle(LONG));
    assert_eq!(engine.metrics().reserved, 0);
    ended
}

struct Bad(fn() -> Result<Prepared, WorkError>);

impl Request for Bad {
    fn circuit(&self) -> String {
        "bad".to_owned()
    }

    fn prepare(self: Box<Self>) -> Result<Prepared, WorkError> {
        (self.0)()
    }
}

struct PanickingSrs;

impl Srs for PanickingSrs {
    fn id(&self) -> &str {
        "panicking"
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(0)
    }

    fn load(&self, _: Backend, _: &dyn Progress) -> Result<LoadedParameters, WorkError> {
        panic!("no such thing");
    }
}

#[test]
fn a_bad_request_says_what_is_wrong_with_it() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let ended = ends(&engine, Box::new(Bad(|| Err("byte 7 is no JSON".into()))));
    assert!(why(&ended).contains("byte 7 is no JSON"), "{ended:?}");
    let ended = ends(&engine, Box::new(Bad(|| panic!("oh"))));
    assert!(
        matches!(
            ended.result,
            Err(JobError::Panicked {
                phase: Phase::Preparation,
                ..
            })
        ),
        "{ended:?}"
    );
    let ended = ends(&engine, squares(0, 0));
    assert!(why(&ended).contains("no partitions"), "{ended:?}");
}

#[test]
fn synthesis_that_fails_or_panics_ends_its_job_alone() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let fails = |partition| match partition {
        1 => Err("no witness".into()),
        _ => Ok(1),
    };
    let ended = ends(&engine, scripted(3, srs(), SIZES, fails));
    assert!(
        matches!(ended.result, Err(JobError::Synthesis { partition: 1, .. })),
        "{ended:?}"
    );
    assert!(why(&ended).ends_with("no witness"));
    let ended = ends(
        &engine,
        scripted(1, srs(), SIZES, |_| panic!("in the circuit")),
    );
    match &ended.result {
        Err(JobError::Panicked {
            phase: Phase::Synthesis,
            partition: Some(0),
            message,
        }) => {
            assert_eq!(message, "in the circuit");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(engine.metrics().panics, 1);
}

#[test]
fn sizes_that_are_too_small_are_found() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let small = Sizes {
        constraints: 1,
        inputs: 1,
        aux: 0,
    };
    let ended = ends(&engine, squares_of(1, 1, srs(), small));
    assert!(why(&ended).contains("promised"), "{ended:?}");
}

#[test]
fn parameters_that_cannot_be_loaded_end_all_who_need_them_and_are_tried_again_for_the_next() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let broken = CountingSrs::new("broken", 0, Duration::ZERO);
    broken.fails.store(true, Ordering::SeqCst);
    let ended = ends(&engine, squares_of(2, 1, broken.clone(), SIZES));
    assert!(
        matches!(ended.result, Err(JobError::Parameters { .. })),
        "{ended:?}"
    );
    assert!(why(&ended).contains("on fire"), "{ended:?}");
    broken.fails.store(false, Ordering::SeqCst);
    verify(
        &ends(&engine, squares_of(2, 1, broken.clone(), SIZES)),
        1,
        2,
    );
    assert_eq!(broken.loads.load(Ordering::SeqCst), 2);
    let ended = ends(&engine, squares_of(1, 1, Arc::new(PanickingSrs), SIZES));
    assert!(why(&ended).contains("no such thing"), "{ended:?}");
}

#[test]
fn a_wrong_proof_is_made_once_more_and_never_handed_out() {
    let prover = prover();
    let engine = Engine::start(config(CAPACITY, &prover)).expect("starts");
    prover.lies.store(1, Ordering::SeqCst);
    let job = engine
        .submit(Submission::new("a", squares(2, 4)))
        .expect("is taken");
    let ended = job.handle.wait_for(LONG).expect("ends");
    verify(&ended, 4, 2);
    assert_eq!(ended.report.retries, 1);
    let again = job.handle.events().iter().find_map(|event| match event {
        Event::Again { partition, why } => Some((partition, why)),
        _ => None,
    });
    let (partition, why_again) = again.expect("was told");
    assert!(
        partition == 0 && why_again.contains("does not verify"),
        "{why_again}"
    );

    prover.lies.store(2, Ordering::SeqCst);
    let ended = ends(&engine, squares(1, 4));
    assert!(
        matches!(
            ended.result,
            Err(JobError::Proving {
                partition: 0,
                attempts: 2,
                ..
            })
        ),
        "{ended:?}"
    );
    let metrics = engine.metrics();
    assert_eq!(
        (metrics.wrong_proofs, metrics.retries, metrics.failed),
        (3, 2, 1)
    );
}

#[test]
fn a_prover_that_fails_or_panics_is_asked_once_more() {
    let prover = prover();
    let engine = Engine::start(config(CAPACITY, &prover)).expect("starts");
    for trouble in [&prover.fails, &prover.panics] {
        trouble.store(1, Ordering::SeqCst);
        verify(&ends(&engine, squares(1, 6)), 6, 1);
        trouble.store(2, Ordering::SeqCst);
        let ended = ends(&engine, squares(1, 6));
        assert!(ended.result.is_err(), "{ended:?}");
    }
    assert_eq!(engine.metrics().prover_errors, 6);
}

#[test]
fn the_cpu_makes_a_proof_that_another_prover_got_wrong() {
    let liar = TestProver::new(Duration::ZERO);
    liar.lies.store(usize::MAX, Ordering::SeqCst);
    let mut config = config(CAPACITY, &Arc::new(liar));
    config.cpu_fallback = true;
    let engine = Engine::start(config).expect("starts");
    let job = engine
        .submit(Submission::new("a", squares(3, 8)))
        .expect("is taken");
    let ended = job.handle.wait_for(LONG).expect("ends");
    verify(&ended, 8, 3);
    assert!(
        ended
            .report
            .partitions
            .iter()
            .all(|part| part.prover_name == "cpu" && part.attempts == 2)
    );
}

#[test]
fn a_call_of_several_goes_wrong_for_one_alone() {
    let mut liar = TestProver::new(Duration::from_millis(50));
    liar.batching = cuzk_core::batch::Batching {
        call: Duration::from_secs(1),
        point: Duration::ZERO,
        most: 4,
    };
    liar.lies.store(1, Ordering::SeqCst);
    let liar = Arc::new(liar);
    let engine = Engine::start(config(CAPACITY, &liar)).expect("starts");
    let jobs: Vec<_> = (0..4)
        .map(|i| {
            engine
                .submit(Submission::new(format!("{i}"), squares(2, 10 * i)))
                .expect("is taken")
                .handle
        })
        .collect();
    let ended: Vec<_> = jobs
        .iter()
        .map(|job| job.wait_for(LONG).expect("ends"))
        .collect();
    for (i, ended) in (0..).zip(&ended) {
        verify(ended, 10 * i, 2);
    }
    assert_eq!(
        ended
            .iter()
            .map(|ended| ended.report.retries)
            .sum::<usize>(),
        1
    );
    let calls = liar.calls.lock().expect("no panic").clone();
    assert!(
        calls.iter().any(|batch| *batch > 1),
        "partitions of several jobs share calls: {calls:?}"
    );
    assert_eq!(calls.iter().sum::<usize>(), 9);
}

#[test]
fn a_full_queue_and_a_taken_id_are_refused() {
    let mut config = config(CAPACITY, &prover());
    config.queue = 1;
    let engine = Engine::start(config).expect("starts");
    let gate = super::common::Gate::default();
    let slow = gated(&gate, 1);
    let job = engine
        .submit(Submission::new("a", slow))
        .expect("is taken")
        .handle;
    let refused = engine.submit(Submission::new("b", squares(1, 1))).err();
    assert_eq!(refused, Some(SubmitError::Full { jobs: 1 }));
    let other = Bad(|| Err("never looked at".into()));
    let refused = engine.submit(Submission::new("a", Box::new(other))).err();
    assert!(
        matches!(refused, Some(SubmitError::OtherCircuit { .. })),
        "{refused:?}"
    );
    gate.open();
    verify(&job.wait(), 1, 1);
    assert_eq!(engine.metrics().refused, 2);
}
