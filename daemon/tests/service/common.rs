//! A daemon with a small circuit.

use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use bellperson::groth16::{Parameters, Proof, prepare_verifying_key, verify_proof};
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::SquareCircuit;
use cuzk_core::backend::{Backend, CpuProver, LoadedParameters, Proved, Prover, Randomness};
use cuzk_core::batch::Batching;
use cuzk_core::budget::{Sizes, resident};
use cuzk_core::engine::{Engine, EngineConfig};
use cuzk_core::filecoin::{CircuitId, SectorSize};
use cuzk_core::job::{CircuitWork, Request, WorkError};
use cuzk_core::parameters::generate;
use cuzk_core::progress::Progress;
use cuzk_core::srs::{Srs, SrsInMemory};
use cuzk_core::synthesis::Synthesis;
use cuzk_daemon::client::Client;
use cuzk_daemon::convert::{Asked, Valid};
use cuzk_daemon::jobs::Policy;
use cuzk_daemon::listen::{Address, Listener};
use cuzk_daemon::proto::{self, AwaitProofResponse, SubmitProofRequest};
use cuzk_daemon::requests::Requests;
use cuzk_daemon::server::{Daemon, Outcome, ServeError, serve};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use rayon::ThreadPool;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// More than anything here takes.
pub const LONG: Duration = Duration::from_secs(120);

const SIZES: Sizes = Sizes {
    constraints: 3,
    inputs: 2,
    aux: 1,
};

fn parameters() -> &'static Arc<Parameters<Bls12>> {
    static PARAMETERS: OnceLock<Arc<Parameters<Bls12>>> = OnceLock::new();
    PARAMETERS.get_or_init(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        Arc::new(generate(|| SquareCircuit(None), &mut rng, &()).expect("generates"))
    })
}

/// What the parameters weigh.
pub const WEIGHT: u64 = 1 << 20;

struct Weighty(String);

impl Srs for Weighty {
    fn id(&self) -> &str {
        &self.0
    }

    fn bytes(&self, _: Backend) -> Result<u64, WorkError> {
        Ok(WEIGHT)
    }

    fn load(
        &self,
        backend: Backend,
        progress: &dyn Progress,
    ) -> Result<LoadedParameters, WorkError> {
        SrsInMemory::new(self.0.clone(), Arc::clone(parameters())).load(backend, progress)
    }
}

/// Whatever a client asks for, it gets a square: that of the first byte of the first vanilla proof.
struct Squares;

impl Requests for Squares {
    fn request(&self, valid: Valid) -> Result<Box<dyn Request>, WorkError> {
        let root = match &valid.asked {
            Asked::Porep { json, .. } => json[0],
            Asked::Winning { sector, .. } => sector[0],
            Asked::Window {
                sectors: proofs, ..
            }
            | Asked::Snap {
                partitions: proofs, ..
            } => proofs[0][0],
        };
        let circuit = move |_| match root {
            BAD => Err("nobody can synthesise this".into()),
            root => Ok(SquareCircuit(Some(Fr::from(u64::from(root))))),
        };
        let name = valid.circuit.to_string();
        let srs = self.parameters(valid.circuit)?;
        Ok(Box::new(CircuitWork::new(name, 1, circuit, srs, SIZES)))
    }

    fn parameters(&self, circuit: CircuitId) -> Result<Arc<dyn Srs>, WorkError> {
        match circuit.size {
            SectorSize::Gib64 => Err("there are no parameters of that size".into()),
            _ => Ok(Arc::new(Weighty(circuit.to_string()))),
        }
    }
}

/// A root whose synthesis fails.
pub const BAD: u8 = 255;

/// Proves as the CPU does, as soon as it is let go.
#[derive(Default)]
pub struct Patient {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Patient {
    pub fn let_go(&self) {
        *self.open.lock().expect("no panic") = true;
        self.changed.notify_all();
    }
}

impl Prover for Patient {
    fn name(&self) -> String {
        "patient".to_owned()
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn batching(&self) -> Batching {
        Batching::SINGLE
    }

    fn prove(
        &self,
        parameters: &LoadedParameters,
        synthesis: Synthesis,
        randomness: &Randomness,
        pool: &ThreadPool,
    ) -> Result<Proved, cuzk_core::Error> {
        let open = self.open.lock().expect("no panic");
        let waited = self.changed.wait_timeout_while(open, LONG, |open| !*open);
        drop(waited.expect("no panic"));
        CpuProver.prove(parameters, synthesis, randomness, pool)
    }
}

/// How a daemon is set up.
pub struct Setup {
    pub queue: usize,
    pub policy: Policy,
    pub grace: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            queue: 100,
            policy: Policy::default(),
            grace: LONG,
        }
    }
}

/// A daemon that runs. Dropping it lets its prover go, so that nothing is left behind.
pub struct World {
    pub prover: Arc<Patient>,
    pub engine: Arc<Engine>,
    pub address: Address,
    stop: mpsc::UnboundedSender<()>,
    server: Option<JoinHandle<Result<Outcome, ServeError>>>,
    _folder: TempDir,
}

impl World {
    pub async fn new(setup: Setup) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let address = format!("unix://{}", folder.path().join("cuzk.sock").display());
        let address: Address = address.parse().expect("an address");
        let prover = Arc::new(Patient::default());
        let mut config = EngineConfig::new(Backend::Cpu, 0);
        config.request_bytes = 1 << 20;
        config.memory = resident().unwrap_or(0) + (1 << 30);
        config.provers = vec![Arc::clone(&prover) as Arc<dyn Prover>];
        config.threads = 2;
        config.queue = setup.queue;
        let engine = Arc::new(Engine::start(config).expect("an engine"));
        let daemon = Daemon {
            engine: Arc::clone(&engine),
            requests: Arc::new(Squares),
            policy: setup.policy,
            grace: setup.grace,
        };
        let listener = Listener::bind(&address, false).await.expect("free");
        let (stop, stops) = mpsc::unbounded_channel();
        Self {
            prover,
            engine,
            address,
            stop,
            server: Some(tokio::spawn(serve(daemon, listener, stops))),
            _folder: folder,
        }
    }

    /// One whose prover does not wait.
    pub async fn quick() -> Self {
        let world = Self::new(Setup::default()).await;
        world.prover.let_go();
        world
    }

    pub async fn client(&self) -> Client {
        Client::connect(&self.address).await.expect("it listens")
    }

    /// Tells it to end.
    pub fn stop(&self) {
        self.stop.send(()).expect("it listens");
    }

    pub async fn ended(&mut self) -> Outcome {
        let server = self.server.take().expect("it ends once");
        let ended = tokio::time::timeout(LONG, server).await.expect("it ends");
        ended.expect("no panic").expect("no error")
    }

    /// Waits until a job of the engine is with the prover.
    pub async fn until_proving(&self) {
        let begun = std::time::Instant::now();
        loop {
            let status = self.engine.status();
            let mut jobs = status.jobs.iter();
            if jobs.any(|job| job.partitions.contains(&"proving")) {
                return;
            }
            assert!(begun.elapsed() < LONG, "{status:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.prover.let_go();
    }
}

/// A good message that asks for the square of a root.
pub fn square(id: &str, root: u8) -> SubmitProofRequest {
    SubmitProofRequest {
        request_id: id.to_owned(),
        proof_kind: proto::ProofKind::WinningPost.into(),
        sector_size: 2048,
        randomness: vec![1; 32],
        vanilla_proofs: vec![vec![root]],
        ..Default::default()
    }
}

/// That it is the proof of a square.
pub fn verify(result: &AwaitProofResponse, root: u8) {
    assert_eq!(
        result.status(),
        proto::await_proof_response::Status::Completed,
        "{}",
        result.error_message
    );
    let proof = Proof::<Bls12>::read(&result.proof[..]).expect("a proof");
    let key = prepare_verifying_key(&parameters().vk);
    let square = Fr::from(u64::from(root)).square();
    assert!(verify_proof(&key, &proof, &[square]).expect("fits"));
}
