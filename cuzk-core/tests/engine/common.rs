//! A small circuit, provers that sleep or lie, and parameters that count.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use bellperson::groth16::{Parameters, Proof, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::SquareCircuit;
use cuzk_core::backend::{Backend, CpuProver, LoadedParameters, Proved, Prover, Randomness};
use cuzk_core::batch::Batching;
use cuzk_core::budget::{Sizes, resident};
use cuzk_core::engine::EngineConfig;
use cuzk_core::job::{CircuitWork, Ended, Request, WorkError};
use cuzk_core::parameters::generate;
use cuzk_core::progress::Progress;
use cuzk_core::srs::{Srs, SrsInMemory};
use cuzk_core::synthesis::Synthesis;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rayon::ThreadPool;

/// Counts of the circuit: one constraint of its own, and one an input.
pub const SIZES: Sizes = Sizes {
    constraints: 3,
    inputs: 2,
    aux: 1,
};

pub fn parameters() -> &'static Arc<Parameters<Bls12>> {
    static PARAMETERS: OnceLock<Arc<Parameters<Bls12>>> = OnceLock::new();
    PARAMETERS.get_or_init(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Arc::new(generate(|| SquareCircuit(None), &mut rng, &()).expect("generates"))
    })
}

/// Parameters that count how often they are loaded, and weigh what they are said to.
pub struct CountingSrs {
    id: String,
    pub bytes: u64,
    pub loads: AtomicUsize,
    pub delay: Duration,
    pub fails: AtomicBool,
}

impl CountingSrs {
    pub fn new(id: &str, bytes: u64, delay: Duration) -> Arc<Self> {
        let (loads, fails) = (AtomicUsize::new(0), AtomicBool::new(false));
        Arc::new(Self {
            id: id.to_owned(),
            bytes,
            loads,
            delay,
            fails,
        })
    }
}

impl Srs for CountingSrs {
    fn id(&self) -> &str {
        &self.id
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(self.bytes)
    }

    fn load(
        &self,
        backend: Backend,
        progress: &dyn Progress,
    ) -> Result<LoadedParameters, WorkError> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        thread::sleep(self.delay);
        if self.fails.load(Ordering::SeqCst) {
            return Err("the disk is on fire".into());
        }
        SrsInMemory::new(&*self.id, Arc::clone(parameters())).load(backend, progress)
    }
}

pub fn srs() -> Arc<dyn Srs> {
    CountingSrs::new("square", 0, Duration::ZERO)
}

/// Partitions 0.. of roots `first`..
pub fn squares(partitions: usize, first: u64) -> Box<dyn Request> {
    squares_of(partitions, first, srs(), SIZES)
}

pub fn squares_of(
    partitions: usize,
    first: u64,
    srs: Arc<dyn Srs>,
    sizes: Sizes,
) -> Box<dyn Request> {
    scripted(partitions, srs, sizes, move |partition| {
        Ok(first + partition as u64)
    })
}

/// As [`squares`], where `root` may sleep, fail or panic first.
pub fn scripted(
    partitions: usize,
    srs: Arc<dyn Srs>,
    sizes: Sizes,
    root: impl Fn(usize) -> Result<u64, WorkError> + Send + Sync + 'static,
) -> Box<dyn Request> {
    let circuit = move |partition| Ok(SquareCircuit(Some(Fr::from(root(partition)?))));
    Box::new(CircuitWork::new("square", partitions, circuit, srs, sizes))
}

/// That there is a proof of each square.
pub fn verify(ended: &Ended, first: u64, partitions: usize) {
    let bytes = ended
        .result
        .as_ref()
        .unwrap_or_else(|error| panic!("{}", error.chain()));
    let proofs = bytes
        .chunks(192)
        .map(Proof::<Bls12>::read)
        .collect::<Result<Vec<_>, _>>();
    let proofs = proofs.expect("points");
    assert_eq!(proofs.len(), partitions);
    let key = prepare_verifying_key(&parameters().vk);
    for (root, proof) in (first..).zip(&proofs) {
        let square = Fr::from(root).square();
        assert!(verify_proof(&key, proof, &[square]).expect("fits"));
    }
}

/// How a job ended, in one line.
pub fn why(ended: &Ended) -> String {
    ended.result.as_ref().expect_err("no proof").chain()
}

/// Proves as the CPU does, after it has slept; what it makes is wrong as often as it is told.
pub struct TestProver {
    pub delay: Duration,
    pub lies: AtomicUsize,
    pub panics: AtomicUsize,
    pub fails: AtomicUsize,
    pub batching: Batching,
    pub calls: Mutex<Vec<usize>>,
}

impl TestProver {
    pub fn new(delay: Duration) -> Self {
        Self {
            delay,
            lies: AtomicUsize::new(0),
            panics: AtomicUsize::new(0),
            fails: AtomicUsize::new(0),
            batching: Batching::SINGLE,
            calls: Mutex::default(),
        }
    }
}

/// Takes one off.
fn due(count: &AtomicUsize) -> bool {
    count
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        })
        .is_ok()
}

impl Prover for TestProver {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn batching(&self) -> Batching {
        self.batching
    }

    fn prove(
        &self,
        parameters: &LoadedParameters,
        synthesis: Synthesis,
        randomness: &Randomness,
        pool: &ThreadPool,
    ) -> Result<Proved, cuzk_core::Error> {
        self.calls
            .lock()
            .expect("no panic")
            .push(synthesis.assignments.len());
        thread::sleep(self.delay);
        assert!(!due(&self.panics), "the prover is out of its mind");
        if due(&self.fails) {
            return Err(cuzk_core::Error::NoGpuProver);
        }
        let mut proved = CpuProver.prove(parameters, synthesis, randomness, pool)?;
        if due(&self.lies) {
            let proof = &mut proved.proofs[0];
            proof.c = proof.a;
        }
        Ok(proved)
    }
}

/// An engine's configuration with so much to reserve, and this prover.
pub fn config(capacity: u64, prover: &Arc<TestProver>) -> EngineConfig {
    let taken = resident().unwrap_or(0);
    let mut config = EngineConfig::new(Backend::Cpu, 0);
    config.request_bytes = 1 << 20;
    config.memory = taken + (64 << 20) + config.request_bytes + capacity;
    config.provers = vec![Arc::clone(prover) as Arc<dyn Prover>];
    config.threads = 2;
    config
}

pub fn prover() -> Arc<TestProver> {
    Arc::new(TestProver::new(Duration::ZERO))
}

/// Closed until it is opened.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub fn open(&self) {
        *self.0.0.lock().expect("no panic") = true;
        self.0.1.notify_all();
    }

    pub fn pass(&self) {
        let mut open = self.0.0.lock().expect("no panic");
        while !*open {
            open = self.0.1.wait(open).expect("no panic");
        }
    }
}

/// A partition of this root, as soon as the gate is open.
pub fn gated(gate: &Gate, root: u64) -> Box<dyn Request> {
    let gate = gate.clone();
    scripted(1, srs(), SIZES, move |_| {
        gate.pass();
        Ok(root)
    })
}
