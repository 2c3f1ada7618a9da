//! The `params/*` workloads on this stack: parameters from the engine's generator, with its phases.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use bellperson::groth16::{Parameters, generate_random_parameters};
use bellperson::{Circuit, SynthesisError};
use blstrs::{Bls12, Scalar as Fr};
use cuzk_circuits::generation::{self, Generator};
use cuzk_core::progress::Progress;
use cuzk_harness::{Request, Trial};
use rand_chacha::ChaCha20Rng;

/// One trial, and the bytes of the parameters.
pub fn generate(request: &Request) -> Result<(Trial, Vec<u8>)> {
    let mut engine = Engine::default();
    let (mut trial, bytes) = generation::trial(request, &mut engine)?;
    for (phase, wall) in engine.phases.ended() {
        trial.phase(&phase, wall);
    }
    Ok((trial, bytes))
}

/// The engine's generator, watched.
#[derive(Default)]
struct Engine {
    phases: Phases,
}

impl Generator for Engine {
    type Error = SynthesisError;

    fn generate<C: Circuit<Fr> + Clone>(
        &mut self,
        circuit: C,
        rng: &mut ChaCha20Rng,
    ) -> Result<Parameters<Bls12>, SynthesisError> {
        generate_random_parameters(circuit, rng)
    }
}

/// Takes the time of each phase, from its beginning to that of the next.
#[derive(Default)]
struct Phases(Mutex<Timed>);

#[derive(Default)]
struct Timed {
    ended: BTreeMap<String, Duration>,
    open: Option<(String, Instant)>,
}

impl Timed {
    fn end(&mut self, now: Instant) {
        if let Some((name, begun)) = self.open.take() {
            *self.ended.entry(name).or_default() += now - begun;
        }
    }
}

impl Phases {
    /// Ends the last phase and gives all of them.
    fn ended(self) -> BTreeMap<String, Duration> {
        let mut timed = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        timed.end(Instant::now());
        timed.ended
    }
}

impl Progress for Phases {
    fn begin(&self, phase: &str, _total: u64, _unit: &'static str) {
        let now = Instant::now();
        let mut timed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        timed.end(now);
        // A name in a result has no spaces.
        timed.open = Some((phase.replace(' ', "-"), now));
    }
}
