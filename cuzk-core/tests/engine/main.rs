//! The engine through its front: what comes out, in which order, what is left behind.

mod cancelling;
mod common;
mod failing;
mod foreign;
mod memory;
mod order;
mod overlap;
mod sources;
mod stress;

use std::time::Duration;

use cuzk_core::engine::{Engine, Submission, SubmitError};
use cuzk_core::job::{Event, JobError};

use common::{SIZES, config, prover, scripted, squares, srs, verify};

const CAPACITY: u64 = 1 << 30;
const LONG: Duration = Duration::from_secs(60);

#[test]
fn proofs_come_back_verified_with_what_they_took() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let job = engine
        .submit(Submission::new("a", squares(3, 5)))
        .expect("is taken");
    let events = job.handle.events();
    let ended = job.handle.wait_for(LONG).expect("ends");
    verify(&ended, 5, 3);
    let report = &ended.report;
    assert_eq!(
        (
            report.circuit.as_str(),
            report.priority,
            report.partitions.len()
        ),
        ("square", "normal", 3)
    );
    assert!(report.total >= report.partitions[0].prover && report.retries == 0);
    for part in &report.partitions {
        assert_eq!(
            (part.batch, part.attempts, part.prover_name.as_str()),
            (1, 1, "test")
        );
    }
    let events: Vec<Event> = events.iter().collect();
    assert_eq!(
        events.first(),
        Some(&Event::Queued {
            priority: Default::default()
        })
    );
    assert!(events.contains(&Event::Prepared { partitions: 3 }));
    for partition in 0..3 {
        assert!(events.contains(&Event::Proven { partition }));
    }
    assert_eq!(events.last(), Some(&Event::Ended { proven: true }));
    let metrics = engine.metrics();
    assert_eq!(
        (metrics.submitted, metrics.proven, metrics.partitions),
        (1, 1, 3)
    );
    assert!(
        metrics
            .prometheus()
            .contains("cuzk_partitions_proven_total 3")
    );
}

#[test]
fn the_same_id_joins_while_the_job_is_there_and_is_free_afterwards() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let gate = common::Gate::default();
    let slow = common::gated(&gate, 3);
    let first = engine.submit(Submission::new("a", slow)).expect("is taken");
    let second = engine
        .submit(Submission::new("a", squares(1, 9)))
        .expect("is taken");
    assert!(!first.joined && second.joined);
    assert!(engine.job(&"a".into()).is_some());
    gate.open();
    let (first, second) = (first.handle.wait(), second.handle.wait());
    assert_eq!(first.result.as_ref().ok(), second.result.as_ref().ok());
    assert!(engine.job(&"a".into()).is_none());
    let third = engine
        .submit(Submission::new("a", squares(1, 9)))
        .expect("is taken");
    assert!(!third.joined);
    verify(&third.handle.wait(), 9, 1);
    assert_eq!(engine.metrics().joined, 1);
}

#[test]
fn a_future_resolves_without_a_runtime() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let job = engine
        .submit(Submission::new("a", squares(1, 2)))
        .expect("is taken");
    let ended = block_on(async { job.handle.await });
    verify(&ended, 2, 1);
}

fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn draining_proves_what_is_there_and_stopping_does_not() {
    for drain in [true, false] {
        let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
        let gate = common::Gate::default();
        let jobs: Vec<_> = (0..4)
            .map(|i| {
                let behind = gate.clone();
                let request = scripted(2, srs(), SIZES, move |part| {
                    behind.pass();
                    Ok(i + part as u64)
                });
                engine
                    .submit(Submission::new(format!("{i}"), request))
                    .expect("is taken")
                    .handle
            })
            .collect();
        std::thread::scope(|scope| {
            scope.spawn(|| engine.shut_down(drain));
            while engine.submit(Submission::new("late", squares(1, 1))).err()
                != Some(SubmitError::Closed)
            {
                std::thread::yield_now();
            }
            gate.open();
        });
        for (i, job) in (0..).zip(&jobs) {
            let ended = job.wait_for(LONG).expect("ends");
            match drain {
                true => verify(&ended, i, 2),
                false => assert!(matches!(ended.result, Err(JobError::ShutDown)), "{ended:?}"),
            }
        }
        assert_eq!(engine.metrics().reserved, 0);
        engine.shut_down(false);
    }
}

#[test]
fn one_thread_is_enough_and_a_pools_thread_may_wait() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("starts");
    let mut config = config(CAPACITY, &prover());
    config.threads = 1;
    pool.install(|| {
        let engine = Engine::start(config).expect("starts");
        let jobs: Vec<_> = (0..3)
            .map(|i| {
                engine
                    .submit(Submission::new(format!("{i}"), squares(2, i)))
                    .expect("is taken")
                    .handle
            })
            .collect();
        for (i, job) in (0..).zip(jobs) {
            verify(&job.wait_for(LONG).expect("ends"), i, 2);
        }
    });
}

#[test]
fn a_setup_that_cannot_work_is_refused() {
    let start = |change: fn(&mut cuzk_core::engine::EngineConfig)| {
        let mut config = config(CAPACITY, &prover());
        change(&mut config);
        Engine::start(config).err().expect("refused").to_string()
    };
    assert!(start(|config| config.provers.clear()).contains("needs a prover"));
    assert!(start(|config| config.threads = 0).contains("`threads` is 0"));
    assert!(start(|config| config.gpu_memory = Some(1)).contains("`gpu_memory`"));
    assert!(start(|config| config.memory = 0).contains("leaves nothing"));
    assert!(start(|config| config.memory = 1 << 20).contains("has taken"));
    assert!(start(|config| config.request_bytes = u64::MAX).contains("set aside"));
}
