//! Code of others that panics or asks the engine where nobody expects it: no thread dies of it, and nobody waits for ever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use cuzk_circuits::SquareCircuit;
use cuzk_core::backend::{Backend, LoadedParameters};
use cuzk_core::engine::{Engine, Submission};
use cuzk_core::job::{Prepared, Request, Tools, Work, WorkError};
use cuzk_core::progress::Progress;
use cuzk_core::srs::{Srs, SrsInMemory};
use cuzk_core::synthesis::{Synthesis, SynthesisOptions, synthesize};

use super::common::{
    CountingSrs, Gate, SIZES, config, parameters, prover, scripted, squares, squares_of, srs,
    verify,
};
use super::{CAPACITY, LONG};

const MIB: u64 = 1 << 20;
/// Longer than any step here takes, and shorter than [`LONG`].
const SOON: Duration = Duration::from_secs(20);

/// What `work` returns on a thread of its own; nothing where it does not return.
fn soon<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(SOON).ok()
}

fn proves(engine: &Engine) {
    let job = engine
        .submit(Submission::new("good", squares(1, 3)))
        .expect("is taken");
    verify(&job.handle.wait_for(SOON).expect("ends"), 3, 1);
}

/// One partition of work that does something when it is synthesised, and when it is dropped.
struct Odd {
    synthesised: Box<dyn Fn() + Send + Sync>,
    dropped: Box<dyn Fn() + Send + Sync>,
}

impl Work for Odd {
    fn partitions(&self) -> usize {
        1
    }

    fn synthesize(&self, _: usize, _: &Tools<'_>) -> Result<Synthesis, WorkError> {
        (self.synthesised)();
        let circuit = SquareCircuit(Some(blstrs::Scalar::from(5)));
        Ok(synthesize(vec![circuit], &SynthesisOptions::default())?)
    }
}

impl Drop for Odd {
    fn drop(&mut self) {
        (self.dropped)();
    }
}

struct Asks(Box<dyn FnOnce() -> Odd + Send>);

impl Request for Asks {
    fn circuit(&self) -> String {
        "square".to_owned()
    }

    fn prepare(self: Box<Self>) -> Result<Prepared, WorkError> {
        Ok(Prepared {
            work: Arc::new((self.0)()),
            srs: srs(),
            sizes: SIZES,
            recording: None,
        })
    }
}

fn odd(
    synthesised: impl Fn() + Send + Sync + 'static,
    dropped: impl Fn() + Send + Sync + 'static,
) -> Box<dyn Request> {
    Box::new(Asks(Box::new(move || Odd {
        synthesised: Box::new(synthesised),
        dropped: Box::new(dropped),
    })))
}

#[test]
fn work_that_panics_when_it_is_dropped_is_in_nobodys_way() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    // At its end, on the prover's thread.
    let job = engine
        .submit(Submission::new("a", odd(|| (), || panic!("no"))))
        .expect("is taken");
    verify(&job.handle.wait_for(SOON).expect("ends"), 5, 1);
    proves(&engine);
    // After its end, on the thread that synthesises.
    let (gate, begun) = (Gate::default(), Gate::default());
    let (behind, tell) = (gate.clone(), begun.clone());
    let slow = move || {
        tell.open();
        behind.pass();
    };
    let job = engine
        .submit(Submission::new("b", odd(slow, || panic!("no"))))
        .expect("is taken");
    begun.pass();
    assert!(job.handle.cancel());
    gate.open();
    proves(&engine);
    assert!(engine.wait_idle(SOON));
    assert_eq!(engine.metrics().reserved, 0);
}

#[test]
fn work_that_asks_the_engine_when_it_is_dropped_gets_an_answer() {
    let engine = Arc::new(Engine::start(config(CAPACITY, &prover())).expect("starts"));
    let (gate, begun) = (Gate::default(), Gate::default());
    let (behind, tell) = (gate.clone(), begun.clone());
    let (asked, weak) = (Arc::new(AtomicBool::new(false)), Arc::downgrade(&engine));
    let answered = Arc::clone(&asked);
    // It is cancelled while it is looked at, so that nobody wants what comes of that.
    let request = Asks(Box::new(move || {
        tell.open();
        behind.pass();
        Odd {
            synthesised: Box::new(|| ()),
            dropped: Box::new(move || {
                if let Some(engine) = weak.upgrade() {
                    engine.status();
                }
                answered.store(true, Ordering::SeqCst);
            }),
        }
    }));
    let job = engine
        .submit(Submission::new("a", Box::new(request)))
        .expect("is taken");
    begun.pass();
    assert!(job.handle.cancel());
    gate.open();
    let proves = soon(move || proves(&engine));
    assert!(proves.is_some(), "the engine's lock was held");
    assert!(asked.load(Ordering::SeqCst));
}

/// Parameters that ask the engine when they are named and dropped.
struct Curious(Weak<Engine>);

impl Curious {
    fn ask(&self) {
        if let Some(engine) = self.0.upgrade() {
            engine.status();
        }
    }
}

impl Srs for Curious {
    fn id(&self) -> &str {
        self.ask();
        "curious"
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(0)
    }

    fn load(
        &self,
        backend: Backend,
        progress: &dyn Progress,
    ) -> Result<LoadedParameters, WorkError> {
        SrsInMemory::new("curious", Arc::clone(parameters())).load(backend, progress)
    }
}

impl Drop for Curious {
    fn drop(&mut self) {
        self.ask();
    }
}

#[test]
fn parameters_that_ask_the_engine_get_an_answer() {
    let engine = Arc::new(Engine::start(config(CAPACITY, &prover())).expect("starts"));
    let done = soon(move || {
        for i in 0..2 {
            let srs = Arc::new(Curious(Arc::downgrade(&engine)));
            let job = engine
                .submit(Submission::new("a", squares_of(1, i, srs, SIZES)))
                .expect("is taken");
            verify(&job.handle.wait_for(LONG).expect("ends"), i, 1);
        }
        engine.status().residents.len()
    });
    assert_eq!(done, Some(1), "the engine's lock was held");
}

#[derive(Debug)]
struct Unspeakable;

impl std::fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("it has no words");
    }
}

impl std::error::Error for Unspeakable {}

struct Unspeakably;

impl Srs for Unspeakably {
    fn id(&self) -> &str {
        "unspeakable"
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(0)
    }

    fn load(&self, _: Backend, _: &dyn Progress) -> Result<LoadedParameters, WorkError> {
        Err(Box::new(Unspeakable))
    }
}

#[test]
fn an_error_that_panics_when_it_is_told_ends_one_job() {
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let job = engine
        .submit(Submission::new(
            "a",
            squares_of(1, 1, Arc::new(Unspeakably), SIZES),
        ))
        .expect("is taken");
    assert!(job.handle.wait_for(SOON).expect("ends").result.is_err());
    proves(&engine);
}

#[test]
fn a_waker_that_panics_is_in_nobodys_way() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("it was asleep");
        }
    }
    let engine = Engine::start(config(CAPACITY, &prover())).expect("starts");
    let gate = Gate::default();
    let behind = gate.clone();
    let slow = scripted(1, srs(), SIZES, move |_| {
        behind.pass();
        Ok(1)
    });
    let job = engine.submit(Submission::new("a", slow)).expect("is taken");
    let mut future = std::pin::pin!(job.handle.clone().into_future());
    let waker = Waker::from(Arc::new(Panics));
    assert!(
        future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
    );
    gate.open();
    verify(&job.handle.wait_for(SOON).expect("ends"), 1, 1);
    proves(&engine);
}

#[test]
fn the_last_to_hold_an_engine_may_be_one_of_its_threads() {
    for inside in ["synthesis", "drop"] {
        let engine = Arc::new(Engine::start(config(CAPACITY, &prover())).expect("starts"));
        let held = Arc::new(Mutex::new(Some(Arc::clone(&engine))));
        let (gate, gone) = (Gate::default(), Gate::default());
        let (behind, tell) = (gate.clone(), gone.clone());
        let give_up = move || {
            behind.pass();
            drop(held.lock().expect("no panic").take());
            tell.open();
        };
        let request = match inside {
            "synthesis" => odd(give_up, || ()),
            _ => odd(|| (), give_up),
        };
        let job = engine
            .submit(Submission::new("a", request))
            .expect("is taken");
        drop(engine);
        gate.open();
        assert!(
            soon(move || gone.pass()).is_some(),
            "it waits for itself in {inside}"
        );
        assert!(job.handle.wait_for(SOON).is_some());
    }
}

#[test]
fn whoever_shuts_down_second_waits_too() {
    let engine = Arc::new(Engine::start(config(CAPACITY, &prover())).expect("starts"));
    let (gate, begun, ended) = (
        Gate::default(),
        Gate::default(),
        Arc::new(AtomicBool::new(false)),
    );
    let (behind, tell, end) = (gate.clone(), begun.clone(), Arc::clone(&ended));
    let slow = scripted(1, srs(), SIZES, move |_| {
        tell.open();
        behind.pass();
        thread::sleep(Duration::from_millis(200));
        end.store(true, Ordering::SeqCst);
        Ok(1)
    });
    engine.submit(Submission::new("a", slow)).expect("is taken");
    begun.pass();
    let first = Arc::clone(&engine);
    let first = thread::spawn(move || first.shut_down(true));
    thread::sleep(Duration::from_millis(100));
    gate.open();
    let second = soon(move || engine.shut_down(false));
    assert!(
        second.is_some() && ended.load(Ordering::SeqCst),
        "something of it still ran"
    );
    first.join().expect("no panic");
}

#[test]
fn after_it_was_shut_down_nothing_is_loaded_and_nobody_waits() {
    let engine = Arc::new(Engine::start(config(100 * MIB, &prover())).expect("starts"));
    let [a, b] = ["a", "b"].map(|id| CountingSrs::new(id, 60 * MIB, Duration::ZERO));
    let sources: [Arc<dyn Srs>; 2] = [a, b];
    assert_eq!(engine.preload(&sources[0]), Ok(false));
    engine.shut_down(false);
    assert_eq!(engine.metrics().reserved, 0);
    let done = soon(move || {
        for source in &sources {
            let refused = engine.preload(source).expect_err("closed");
            assert!(refused.contains("shut down"), "{refused}");
        }
        engine.evict("a")
    });
    assert_eq!(done, Some(Ok(None)));
}

#[test]
fn what_could_not_be_loaded_is_tried_again_when_there_is_room() {
    let engine = Engine::start(config(100 * MIB, &prover())).expect("starts");
    let broken = CountingSrs::new("broken", 60 * MIB, Duration::ZERO);
    broken.fails.store(true, Ordering::SeqCst);
    let source: Arc<dyn Srs> = broken.clone();
    assert!(engine.preload(&source).is_err());
    broken.fails.store(false, Ordering::SeqCst);
    let other: Arc<dyn Srs> = CountingSrs::new("other", 60 * MIB, Duration::ZERO);
    assert_eq!(engine.preload(&other), Ok(false));
    assert_eq!(engine.preload(&source), Ok(false), "the other goes for it");
}

#[test]
fn what_is_wanted_again_before_it_was_gone_was_not_freed() {
    let engine = Arc::new(Engine::start(config(CAPACITY, &prover())).expect("starts"));
    let a: Arc<dyn Srs> = CountingSrs::new("a", 10 * MIB, Duration::ZERO);
    assert_eq!(engine.preload(&a), Ok(false));
    // The thread that loads and evicts is busy.
    let slow: Arc<dyn Srs> = CountingSrs::new("slow", MIB, Duration::from_secs(2));
    let loads = {
        let engine = Arc::clone(&engine);
        thread::spawn(move || engine.preload(&slow))
    };
    while engine.status().residents.len() < 2 {
        thread::yield_now();
    }
    thread::sleep(Duration::from_millis(200));
    let evicts = {
        let engine = Arc::clone(&engine);
        thread::spawn(move || engine.evict("a"))
    };
    while engine
        .status()
        .residents
        .iter()
        .any(|r| r.id == "a" && r.ready)
    {
        thread::yield_now();
    }
    let job = engine
        .submit(Submission::new("job", squares_of(1, 1, a, SIZES)))
        .expect("is taken");
    verify(&job.handle.wait_for(SOON).expect("ends"), 1, 1);
    assert!(evicts.join().expect("no panic").is_err());
    assert_eq!(loads.join().expect("no panic"), Ok(false));
}
